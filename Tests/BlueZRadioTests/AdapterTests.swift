// Several adapters: which one is used, and what happens when it is full or removed.

import BlueZRadio
import DBus
import EventLoop
import Linux
import ProgramKit
import Radio
import TestSupport
import Testing
import Wire

struct AdapterTests {
  private static let second = "00:11:22:33:44:66"
  private static let strap = "C0:00:00:00:00:02"

  /// Two adapters with the given numbers of slots, the belt linked through the first one, and a
  /// strap that advertises.
  private func crowded(slots: Int, second slotsOfSecond: Int, sourceLocation: SourceLocation = #_sourceLocation) throws
    -> (RadioStand, FakeSensor, LinkProbe)
  {
    let stand = try RadioStand.discovered(sourceLocation: sourceLocation) { fake in
      fake.addSensor(Self.strap, name: "Strap", services: [FakeService("180d", [FakeCharacteristic("2a37")])])
    }
    stand.fake.adapters[0].slots = slots
    stand.fake.addAdapter("hci1", address: Self.second).slots = slotsOfSecond
    #expect(
      try stand.world.run { stand.radio.adapters.filter { $0.state == .on }.count == 2 }, sourceLocation: sourceLocation
    )
    let probe = try stand.openLink(sourceLocation: sourceLocation)
    stand.fake.sensors[1].advertise()
    try discoverStrap(stand, sourceLocation: sourceLocation)
    return (stand, stand.fake.sensors[1], probe)
  }

  private func discoverStrap(_ stand: RadioStand, sourceLocation: SourceLocation = #_sourceLocation) throws {
    stand.adverts = []
    stand.radio.search(SearchDemand())
    #expect(
      try stand.world.run { stand.adverts.contains { $0.address.text == Self.strap } }, sourceLocation: sourceLocation)
    stand.radio.search(nil)
    try stand.world.settle()
  }

  private func linkToStrap(_ stand: RadioStand, sourceLocation: SourceLocation = #_sourceLocation) throws -> LinkProbe {
    let probe = LinkProbe(
      stand.radio.link(to: try #require(DeviceAddress(Self.strap), sourceLocation: sourceLocation)), stand.world)
    probe.open()
    #expect(try stand.world.run { probe.isOpen || probe.failure != nil }, sourceLocation: sourceLocation)
    return probe
  }

  @Test("a sensor that does not fit on one adapter connects through the other")
  func fullAdapter() throws {
    let (stand, strap, belt) = try crowded(slots: 1, second: 1)
    let refused = try linkToStrap(stand)
    #expect(refused.failure?.reason == .noSlots)
    #expect(refused.failure?.kind == .gone, "the other adapter looks for it at once")
    #expect(refused.failure?.detail.contains("adapter hci1 is used") == true)
    try discoverStrap(stand)
    let probe = try linkToStrap(stand)
    #expect(probe.isOpen && belt.isOpen)
    #expect(stand.fake.adapters.map(\.links) == [1, 1])
    stand.belt.notify("2a37", [0, 60])
    strap.notify("2a37", [0, 61])
    #expect(stand.radio.connectedSensors().count == 2)
  }

  @Test("when every adapter is full the link fails, and the first free slot is used")
  func allAdaptersFull() throws {
    let (stand, strap, belt) = try crowded(slots: 1, second: 0)
    _ = try linkToStrap(stand)
    try discoverStrap(stand)
    let refused = try linkToStrap(stand)
    #expect(refused.failure?.reason == .noSlots)
    #expect(refused.failure?.kind == .busy, "an early retry gains nothing")
    belt.close()
    #expect(try stand.world.run { !stand.belt.isConnected })
    try stand.world.run(for: .seconds(1))
    _ = try linkToStrap(stand)
    try discoverStrap(stand)
    #expect(try linkToStrap(stand).isOpen)
    #expect(stand.fake.adapters.map(\.links) == [1, 0])
    #expect(strap.isConnected)
  }

  @Test("with an adapter configured, no other one is used even when it is full")
  func configuredAdapter() throws {
    let world = try TestWorld()
    let fake = FakeBlueZ(world)
    fake.addAdapter("hci0", address: "00:11:22:33:44:55").slots = 0
    let other = fake.addAdapter("hci1", address: Self.second)
    let strap = fake.addSensor(Self.strap, name: "Strap", services: [])
    strap.advertise()
    let only = BlueZSensorRadio(
      loop: world.loop, bus: world.makeBus(), log: Log { _ in }, adapterAddress: DeviceAddress("00:11:22:33:44:55"),
      controllers: .init(fake))
    only.start()
    #expect(try world.run { only.condition == .ready })
    only.search(SearchDemand())
    try world.run(for: .seconds(2))
    only.search(nil)
    let probe = LinkProbe(only.link(to: try #require(DeviceAddress(Self.strap))), world)
    probe.open()
    #expect(try world.run { probe.failure?.reason == .noSlots })
    #expect(probe.failure?.kind == .busy)
    only.search(SearchDemand())
    try world.run(for: .seconds(100))
    #expect(!other.isScanning && other.links == 0)
    #expect(fake.adapters[0].isScanning)
  }

  @Test("a newly configured adapter serves new links, and existing links stay up")
  func reconfiguredAdapter() throws {
    let (stand, _, probe) = try crowded(slots: 2, second: 2)
    var settings = RadioSettings()
    (settings.adapter, settings.powerOn) = (DeviceAddress(Self.second), false)
    stand.radio.apply(settings)
    try stand.world.run(for: .seconds(30))
    #expect(probe.isOpen && stand.belt.isConnected)
    try discoverStrap(stand)
    let strap = try linkToStrap(stand)
    #expect(strap.isOpen)
    #expect(stand.fake.adapters.map(\.links) == [1, 1])
    stand.radio.apply(RadioSettings())
    try stand.world.run(for: .seconds(30))
    #expect(probe.isOpen && strap.isOpen)
  }

  @Test("when an adapter is removed, the other one takes over")
  func removedAdapter() throws {
    let (stand, _, belt) = try crowded(slots: 5, second: 5)
    stand.fake.removeAdapter(stand.fake.adapters[0])
    #expect(try stand.world.run { belt.failure?.reason == .linkLost })
    #expect(stand.radio.condition == .ready)
    stand.belt.advertise()
    stand.adverts = []
    stand.radio.search(SearchDemand())
    #expect(try stand.world.run { stand.adverts.contains { $0.address == RadioStand.address } })
    stand.radio.search(nil)
    _ = try stand.openLink()
    #expect(stand.fake.adapters.map(\.name) == ["hci1"])
  }

  @Test("a bonded sensor still connects after the other adapter is removed")
  func bondedSensor() throws {
    let (stand, strap, _) = try crowded(slots: 5, second: 5)
    strap.isPaired = true
    let second = stand.fake.adapters[1]
    stand.fake.removeAdapter(stand.fake.adapters[0])
    try stand.world.run(for: .seconds(2))
    #expect(stand.radio.condition == .ready)
    try discoverStrap(stand)
    #expect(try linkToStrap(stand).isOpen)
    #expect(second.links == 1)
  }

  @Test("a sensor connected by another program on the second adapter is adopted there")
  func connectedElsewhere() throws {
    let (stand, strap, _) = try crowded(slots: 5, second: 5)
    let scanner = stand.world.makeBus()
    #expect(try stand.world.run { scanner.isConnected })
    let adapter = stand.fake.adapters[1]
    scanner.call(
      BusMessage.call(to: "org.bluez", path: adapter.path, interface: "org.bluez.Adapter1", member: "StartDiscovery")
    ) { _ in }
    #expect(try stand.world.run { adapter.device(strap) != nil })
    let path = try #require(adapter.device(strap))
    scanner.call(BusMessage.call(to: "org.bluez", path: path, interface: "org.bluez.Device1", member: "Connect")) { _ in
    }
    #expect(try stand.world.run { stand.adverts.contains { $0.isConnected && $0.address.text == Self.strap } })
    try stand.world.run(for: .seconds(2))
    #expect(try linkToStrap(stand).isOpen)
    #expect(stand.fake.count(of: "Connect", at: path) == 1)
    #expect(stand.fake.adapters.map(\.links) == [1, 1])
  }
}

// MARK: An adapter that hangs

struct AdapterResetTests {
  private func hanging(
    powersOn: Bool = true, sourceLocation: SourceLocation = #_sourceLocation,
    _ prepare: (RadioStand) throws -> Void = { _ in }
  ) throws -> RadioStand {
    let stand = try RadioStand(powersOn: powersOn, sourceLocation: sourceLocation)
    #expect(try stand.world.run { stand.radio.condition == .ready }, sourceLocation: sourceLocation)
    try prepare(stand)
    stand.fake.adapters[0].goDeaf(untilOff: true)
    stand.belt.advertise()
    stand.radio.search(SearchDemand())
    return stand
  }

  @Test("an adapter without adverts for minutes is power-cycled and recovers")
  func deafAdapter() throws {
    let stand = try hanging()
    try stand.world.run(for: .seconds(240))
    #expect(stand.adapterStates == ["hci0 on"], "so far it could be a road without sensors")
    #expect(try stand.world.run(within: .seconds(60)) { !stand.adverts.isEmpty })
    #expect(stand.adapterStates == ["hci0 on", "hci0 off", "hci0 on"])
    #expect(stand.gainedAdapters == 1, "it is the same one as before")
  }

  @Test("an adapter that refuses to start discovery is power-cycled")
  func refusedDiscovery() throws {
    let stand = try hanging {
      $0.fake.script.refuse = { $0.member == "StartDiscovery" ? .bluezFailed("hangs") : nil }
    }
    #expect(try stand.world.run(within: .seconds(120)) { stand.adapterStates.count == 3 })
  }

  @Test("power cycles back off when no sensor is in range")
  func powerCycleBackoff() throws {
    let stand = try RadioStand.ready()
    stand.radio.search(SearchDemand())
    try stand.world.run(for: .seconds(24 * 3600))
    #expect((2...12).contains(stand.adapterStates.count { $0 == "hci0 off" }))
  }

  @Test("an adapter with a live link is never power-cycled")
  func liveLink() throws {
    let stand = try hanging { stand in
      stand.belt.advertise()
      stand.radio.search(SearchDemand())
      #expect(try stand.world.run { !stand.adverts.isEmpty })
      stand.radio.search(nil)
      _ = try stand.openLink()
    }
    try stand.world.run(for: .seconds(3600))
    #expect(stand.adapterStates == ["hci0 on"])
    #expect(stand.belt.isConnected)
  }

  @Test("PowerOn=false prevents power cycles")
  func powerOnFalse() throws {
    let stand = try hanging(powersOn: false)
    try stand.world.run(for: .seconds(3600))
    #expect(stand.adapterStates == ["hci0 on"])
  }

  @Test("a reset is requested for an adapter that cannot be powered on, with backoff")
  func resetRequest() throws {
    let stand = try RadioStand { fake in
      fake.script.autoEnable = false
      fake.script.refuse = { $0.member == "Set" ? .bluezFailed("hangs") : nil }
    }
    #expect(try stand.world.run { stand.fake.count(of: "Set") == 1 })
    try stand.world.run(for: .seconds(60))
    #expect(stand.hanging.isEmpty, "still retrying after 1, 2, 4, 8, 16 and 32 s")
    try stand.world.run(for: .seconds(30))
    #expect(stand.hanging == ["hci0"])
    try stand.world.run(for: .seconds(24 * 3600))
    #expect((4...12).contains(stand.hanging.count), "with backoff")
    stand.fake.script.refuse = { _ in nil }
    #expect(try stand.world.run(within: .seconds(100)) { stand.radio.condition == .ready })
  }

  @Test("with a second adapter, a power-cycled adapter still ends up powered on")
  func secondAdapter() throws {
    let stand = try hanging { $0.fake.addAdapter("hci1", address: "00:11:22:33:44:66") }
    #expect(try stand.world.run(within: .seconds(600)) { !stand.adverts.isEmpty }, "the second adapter discovers it")
    try stand.world.run(for: .seconds(10))
    #expect(stand.fake.adapters.allSatisfy { $0.isPowered })
    #expect(stand.adapterStates.contains("hci0 off"))
  }

  @Test("an adapter that powers off late is powered on again")
  func lateOff() throws {
    let stand = try hanging { stand in
      stand.fake.script.ignores = { $0.member == "Set" }
    }
    #expect(try stand.world.run(within: .seconds(400)) { stand.fake.count(of: "Set") == 1 })
    try stand.world.run(for: .seconds(40))
    stand.fake.script.ignores = { _ in false }
    stand.fake.adapters[0].setPowered(false)
    #expect(try stand.world.run(within: .seconds(30)) { stand.fake.adapters[0].isPowered })
  }

  @Test("no reset is requested when bluetoothd crashes during a power cycle")
  func crashMidCycle() throws {
    let stand = try hanging { $0.fake.script.ignores = { $0.member == "Set" } }
    #expect(try stand.world.run(within: .seconds(400)) { stand.fake.count(of: "Set") == 1 })
    stand.fake.crash()
    try stand.world.run(for: .seconds(60))
    #expect(stand.hanging.isEmpty)
  }

  @Test("no reset is requested for a blocked adapter")
  func blockedAdapter() throws {
    let stand = try RadioStand { fake in
      fake.script.autoEnable = false
      fake.script.refuse = { $0.member == "Set" ? .blocked : nil }
    }
    try stand.world.run(for: .seconds(3600))
    #expect(stand.hanging.isEmpty)
  }

  @Test("an adapter that the user powers off after a power cycle stays off")
  func poweredOffLater() throws {
    let stand = try hanging()
    #expect(try stand.world.run(within: .seconds(600)) { !stand.adverts.isEmpty })
    stand.fake.adapters[0].setPowered(false)
    try stand.world.run(for: .seconds(3600))
    #expect(stand.adapterStates.last == "hci0 off")
  }
}
