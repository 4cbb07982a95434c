// Connects that another program has under way, and which devices may be removed from bluetoothd.

import BlueZRadio
import DBus
import Radio
import TestSupport
import Testing
import Wire

struct LinkClaimTests {
  /// The belt, discovered, while another program is connecting it.
  private func claimed(sourceLocation: SourceLocation = #_sourceLocation, _ outcome: @escaping (Int) -> ConnectOutcome)
    throws -> RadioStand
  {
    let stand = try RadioStand.discovered(sourceLocation: sourceLocation) {
      $0.script.onConnect = { _, attempt in outcome(attempt) }
    }
    try stand.call("Connect")
    return stand
  }

  @Test("a connect by another program that succeeds is adopted")
  func otherConnectAdopted() throws {
    let stand = try claimed { _ in .succeed(after: .seconds(1)) }
    let probe = try stand.openLink()
    #expect(stand.fake.count(of: "Disconnect") == 0 && stand.belt.connectAttempts == 1)
    #expect(try probe.subscribe(RadioStand.rate) == nil)
  }

  @Test("a connect that never ends is cancelled and retried once")
  func endlessConnect() throws {
    let stand = try claimed { $0 == 1 ? .never : .succeed() }
    let probe = try stand.openLink()
    #expect(stand.fake.count(of: "Disconnect") == 1 && stand.fake.count(of: "RemoveDevice") == 0)
    #expect(try probe.subscribe(RadioStand.rate) == nil)
  }

  @Test("a connect that cannot be cancelled ends with removing the device")
  func uncancellableConnect() throws {
    let stand = try claimed { _ in .fail(.inProgress) }
    let probe = try stand.makeLink()
    probe.open()
    #expect(try stand.world.run { probe.failure != nil })
    #expect(probe.failure?.kind == .busy && probe.failure?.detail.contains("InProgress") == true)
    try stand.world.run(for: .seconds(1))
    #expect(stand.fake.count(of: "RemoveDevice") == 1 && stand.fake.adapters[0].device(stand.belt) == nil)
  }

  @Test("a bonded, trusted or renamed device is never removed", arguments: ["bonded", "trusted", "named"])
  func keptDevices(mark: String) throws {
    let stand = try RadioStand.discovered { fake in
      fake.sensors[0].isPaired = mark == "bonded"
      fake.script.onConnect = { _, _ in .fail(.inProgress) }
    }
    if mark == "trusted" { try stand.set("Trusted", .bool(true)) }
    if mark == "named" { try stand.set("Alias", .string("Grandma's")) }
    let probe = try stand.makeLink()
    probe.open()
    #expect(try stand.world.run { probe.failure?.kind == .busy })
    try stand.world.run(for: .seconds(1))
    #expect(stand.fake.count(of: "RemoveDevice") == 0 && stand.fake.adapters[0].device(stand.belt) != nil)
  }

  @Test("after a firmware update, removing the device finds the new services")
  func newFirmware() throws {
    let stand = try RadioStand.discovered()
    let first = try stand.openLink()
    #expect(try first.subscribe(RadioStand.rate) == nil)
    stand.belt.dropLink(.remote)
    stand.belt.services = [FakeService("180d", [FakeCharacteristic("2a38"), FakeCharacteristic("2a37")])]
    #expect(try stand.world.run { first.failure != nil })
    let second = try stand.openLink()
    #expect(try second.subscribe(RadioStand.rate)?.kind == .outdated)
    #expect(second.link.closeAndForget())
    #expect(!second.link.closeAndForget(), "already closed")
    stand.adverts = []
    stand.radio.search(SearchDemand())
    #expect(try stand.world.run { !stand.adverts.isEmpty })
    stand.radio.search(nil)
    let third = try stand.openLink()
    #expect(try third.subscribe(RadioStand.rate) == nil)
    stand.belt.notify("2a37", [0, 60])
    #expect(try stand.world.run { third.values == [[0, 60]] })
    #expect(stand.fake.count(of: "RemoveDevice") == 1)
  }

  @Test("a device that another program connected is not removed")
  func connectedByOther() throws {
    let stand = try RadioStand.discovered()
    try stand.call("Connect")
    try stand.world.run(for: .seconds(2))
    let probe = try stand.openLink()
    #expect(!probe.link.closeAndForget())
    #expect(stand.belt.isConnected && stand.fake.count(of: "RemoveDevice") == 0)
  }

  @Test("a characteristic notifies again after resubscribing")
  func resubscribed() throws {
    let stand = try RadioStand.discovered()
    let probe = try stand.openLink()
    #expect(try probe.subscribe(RadioStand.rate) == nil)
    var failure: LinkFailure?
    var isDone = false
    probe.link.resubscribe(RadioStand.rate) { result in
      if case .failure(let error) = result { failure = error }
      isDone = true
    }
    #expect(try stand.world.run { isDone })
    #expect(failure == nil && stand.fake.count(of: "AcquireNotify") == 2)
    stand.belt.notify("2a37", [0, 61])
    #expect(try stand.world.run { probe.values == [[0, 61]] })
  }
}

extension RadioStand {
  /// A call from another program.
  func call(_ member: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let path = try #require(fake.adapters[0].device(belt), sourceLocation: sourceLocation)
    let other = world.makeBus()
    #expect(try world.run { other.isConnected }, sourceLocation: sourceLocation)
    other.call(BusMessage.call(to: "org.bluez", path: path, interface: "org.bluez.Device1", member: member)) { _ in }
    try world.settle()
  }

  func set(_ property: String, _ value: Value, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let path = try #require(fake.adapters[0].device(belt), sourceLocation: sourceLocation)
    let other = world.makeBus()
    #expect(try world.run { other.isConnected }, sourceLocation: sourceLocation)
    let call = BusMessage.call(to: "org.bluez", path: path, interface: "org.freedesktop.DBus.Properties", member: "Set")
    other.call(call.append([.string("org.bluez.Device1"), .string(property), .variant(value)])) { _ in }
    try world.settle()
  }
}
