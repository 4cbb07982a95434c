// What bonding is tried with: a belt that wants a bond, a link to it, another agent on the bus, and calls that are refused.

import DBus
import DaemonCore
import EventLoop
import TestSupport
import Testing
import Wire

/// A belt that shows its passkey, heard, and a link to it that a user's pairing made.
func pairing(
  _ bonding: FakeBonding, _ prepare: (FakeBlueZ) -> Void = { _ in }
) throws -> (RadioStand, LinkProbe) {
  let stand = try RadioStand.heard { fake in
    fake.sensors[0].bonding = bonding
    fake.sensors[0].characteristic("2a37")?.needsBond = true
    prepare(fake)
  }
  return (stand, try linkToPair(stand))
}

/// Open, with whatever it takes to be.
func linkToPair(_ stand: RadioStand) throws -> LinkProbe {
  let probe = try stand.makeLink()
  probe.link.mayBond = true
  probe.open()
  return probe
}

extension RadioStand {
  func waitForQuestion(_ number: Int = 1, within span: Duration = .seconds(20)) throws -> PairingQuestion {
    #expect(try world.run(within: span) { questions.count == number })
    return try #require(questions.last)
  }

  func hearAgain() throws {
    adverts = []
    radio.search(SearchDemand())
    #expect(try world.run { adverts.contains { !$0.isConnected } })
    radio.search(nil)
    try world.settle()
  }
}

/// Another process on the bus with an agent of its own, which is the default.
final class OtherAgent {
  let bus: Bus
  private(set) var asked: [String] = []
  private let export: Export

  init(_ stand: RadioStand, answers: Bool = true) throws {
    let bus = stand.world.makeBus()
    self.bus = bus
    var note: (String) -> Void = { _ in }
    export = bus.export("/other") { call in
      note(call.member ?? "")
      guard answers else { return .later }
      return .reply(.error(BusError("org.bluez.Error.Rejected"), to: call))
    }
    #expect(try stand.world.run { bus.isConnected })
    note = { [weak self] in self?.asked.append($0) }
    tell("RegisterAgent", .objectPath("/other"), .string("KeyboardDisplay"))
    tell("RequestDefaultAgent", .objectPath("/other"))
    try stand.world.run(for: .milliseconds(10))
  }

  private func tell(_ member: String, _ arguments: Value...) {
    let call = Message.call(
      to: "org.bluez", path: "/org/bluez", interface: "org.bluez.AgentManager1", member: member)
    bus.call(call.append(arguments)) { result in
      if case .failure(let error) = result { Issue.record("\(member): \(error)") }
    }
  }
}

/// Refuses a method so often, and counts what else is called.
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

  func next(_ call: DBus.Message) -> BusError? {
    guard call.member == member, left > 0 else {
      others[call.member ?? "", default: 0] += 1
      return nil
    }
    left -= 1
    return error
  }
}
