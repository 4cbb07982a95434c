// Fixtures for bonding: a belt that requires a bond, a link to it, another agent on the bus, and
// refused calls.

import BlueZRadio
import DBus
import EventLoop
import Radio
import TestSupport
import Testing
import Wire

/// A discovered belt that requires `bonding`, and a link to it for a pairing.
func pairing(
  _ bonding: FakeBonding, sourceLocation: SourceLocation = #_sourceLocation, _ prepare: (FakeBlueZ) -> Void = { _ in }
) throws -> (RadioStand, LinkProbe) {
  let stand = try RadioStand.discovered(sourceLocation: sourceLocation) { fake in
    fake.sensors[0].bonding = bonding
    fake.sensors[0].characteristic("2a37")?.needsBond = true
    prepare(fake)
  }
  return (stand, try linkToPair(stand, sourceLocation: sourceLocation))
}

/// Opens a link that may bond.
func linkToPair(_ stand: RadioStand, sourceLocation: SourceLocation = #_sourceLocation) throws -> LinkProbe {
  let probe = try stand.makeLink(sourceLocation: sourceLocation)
  probe.link.mayBond = true
  probe.open()
  return probe
}

extension RadioStand {
  func waitForQuestion(
    _ number: Int = 1, within span: Duration = .seconds(20),
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> PairingQuestion {
    #expect(
      try world.run(within: span) { questions.count == number }, sourceLocation: sourceLocation)
    return try #require(questions.last, sourceLocation: sourceLocation)
  }

  func discoverAgain(sourceLocation: SourceLocation = #_sourceLocation) throws {
    adverts = []
    radio.search(SearchDemand())
    #expect(
      try world.run { adverts.contains { !$0.isConnected } }, sourceLocation: sourceLocation)
    radio.search(nil)
    try world.settle()
  }
}

/// Another process on the bus, whose own agent is the default.
final class OtherAgent {
  let bus: Bus
  private(set) var asked: [String] = []
  private let export: Export

  init(
    _ stand: RadioStand, answers: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let bus = stand.world.makeBus()
    self.bus = bus
    var record: (String) -> Void = { _ in }
    export = bus.export("/other") { call in
      record(call.member ?? "")
      guard answers else { return .later }
      return .reply(.error(BusError("org.bluez.Error.Rejected"), to: call))
    }
    #expect(try stand.world.run { bus.isConnected }, sourceLocation: sourceLocation)
    record = { [weak self] in self?.asked.append($0) }
    callManager("RegisterAgent", .objectPath("/other"), .string("KeyboardDisplay"), sourceLocation: sourceLocation)
    callManager("RequestDefaultAgent", .objectPath("/other"), sourceLocation: sourceLocation)
    try stand.world.run(for: .milliseconds(10))
  }

  private func callManager(_ member: String, _ arguments: Value..., sourceLocation: SourceLocation) {
    let call = BusMessage.call(
      to: "org.bluez", path: "/org/bluez", interface: "org.bluez.AgentManager1", member: member)
    bus.call(call.append(arguments)) { result in
      if case .failure(let error) = result { Issue.record("\(member): \(error)", sourceLocation: sourceLocation) }
    }
  }
}

/// Refuses a method the given number of times, and counts all other calls.
final class Refusals {
  private(set) var left: Int
  private(set) var others: [String: Int] = [:]
  private let member: String
  private let error: BusError

  init(_ count: Int, of member: String, _ error: BusError) {
    left = count
    self.member = member
    self.error = error
  }

  func next(_ call: BusMessage) -> BusError? {
    guard call.member == member, left > 0 else {
      others[call.member ?? "", default: 0] += 1
      return nil
    }
    left -= 1
    return error
  }
}
