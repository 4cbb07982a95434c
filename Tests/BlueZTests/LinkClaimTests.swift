// A connect that somebody else has under way, and what bluetoothd may be made to forget: never what is another's.

import DBus
import DaemonCore
import TestSupport
import Testing
import Wire

struct LinkClaimTests {
  /// The belt, heard, and another program that has begun to connect it.
  private func claimed(_ outcome: @escaping (Int) -> ConnectOutcome) throws -> RadioStand {
    let stand = try RadioStand.heard { $0.script.onConnect = { _, attempt in outcome(attempt) } }
    try stand.call("Connect")
    return stand
  }

  @Test func aConnectOfSomebodyElseThatComesToSomethingIsAdopted() throws {
    let stand = try claimed { _ in .succeed(after: .seconds(1)) }
    let probe = try stand.openLink()
    #expect(stand.fake.count(of: "Disconnect") == 0 && stand.belt.connectAttempts == 1)
    #expect(try probe.subscribe(RadioStand.rate) == nil)
  }

  @Test func aConnectThatNeverEndsIsEndedAndOursTriedOnce() throws {
    let stand = try claimed { $0 == 1 ? .never : .succeed() }
    let probe = try stand.openLink()
    #expect(stand.fake.count(of: "Disconnect") == 1 && stand.fake.count(of: "RemoveDevice") == 0)
    #expect(try probe.subscribe(RadioStand.rate) == nil)
  }

  @Test func aConnectThatCannotBeEndedIsForgottenWithItsDevice() throws {
    let stand = try claimed { _ in .fail(.inProgress) }
    let probe = try stand.makeLink()
    probe.open()
    #expect(try stand.world.run { probe.failure != nil })
    #expect(probe.failure?.kind == .busy && probe.failure?.detail.contains("InProgress") == true)
    try stand.world.run(for: .seconds(1))
    #expect(stand.fake.count(of: "RemoveDevice") == 1 && stand.fake.adapters[0].device(stand.belt) == nil)
  }

  @Test(arguments: ["bonded", "trusted", "named"])
  func whatSomebodyMayNeedIsNeverForgotten(mark: String) throws {
    let stand = try RadioStand.heard { fake in
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

  @Test func newFirmwareIsFoundBehindTheOldServices() throws {
    let stand = try RadioStand.heard()
    let first = try stand.openLink()
    #expect(try first.subscribe(RadioStand.rate) == nil)
    stand.belt.dropLink(.remote)
    stand.belt.services = [FakeService("180d", [FakeCharacteristic("2a38"), FakeCharacteristic("2a37")])]
    #expect(try stand.world.run { first.failure != nil })
    let second = try stand.openLink()
    #expect(try second.subscribe(RadioStand.rate)?.kind == .outdated)
    #expect(second.link.closeAndForget())
    #expect(!second.link.closeAndForget(), "it is closed")
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

  @Test func whatSomebodyElseConnectedIsNotForgotten() throws {
    let stand = try RadioStand.heard()
    try stand.call("Connect")
    try stand.world.run(for: .seconds(2))
    let probe = try stand.openLink()
    #expect(!probe.link.closeAndForget())
    #expect(stand.belt.isConnected && stand.fake.count(of: "RemoveDevice") == 0)
  }

  @Test func whatIsSubscribedToAnewNotifies() throws {
    let stand = try RadioStand.heard()
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
  /// Another program's call.
  fileprivate func call(_ member: String) throws {
    let path = try #require(fake.adapters[0].device(belt))
    let other = world.makeBus()
    #expect(try world.run { other.isConnected })
    other.call(Message.call(to: "org.bluez", path: path, interface: "org.bluez.Device1", member: member)) { _ in }
    try world.settle()
  }

  fileprivate func set(_ property: String, _ value: Value) throws {
    let path = try #require(fake.adapters[0].device(belt))
    let other = world.makeBus()
    #expect(try world.run { other.isConnected })
    let call = Message.call(to: "org.bluez", path: path, interface: "org.freedesktop.DBus.Properties", member: "Set")
    other.call(call.append([.string("org.bluez.Device1"), .string(property), .variant(value)])) { _ in }
    try world.settle()
  }
}
