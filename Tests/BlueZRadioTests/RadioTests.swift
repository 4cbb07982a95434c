// The radio's condition, and the adverts it reports.

import BlueZRadio
import DBus
import EventLoop
import Linux
import ProgramKit
import Radio
import TestSupport
import Testing
import Time
import Wire

struct RadioConditionTests {
  @Test("a start without trouble reports only that the radio is ready")
  func cleanStart() throws {
    let stand = try RadioStand(afterBluetoothd: true) { $0.script.timing.start = .zero }
    #expect(try stand.world.run { stand.radio.condition == .ready })
    #expect(stand.obstacles == [nil])
    #expect(stand.adapterStates == ["hci0 on"])
  }

  @Test("the radio is alive with a bus that answers, and without a bus")
  func alive() throws {
    let stand = try RadioStand.ready()
    var isAlive: Bool?
    stand.radio.prove { isAlive = $0 }
    #expect(isAlive == nil, "the bus was asked")
    #expect(try stand.world.run { isAlive == true })
    stand.world.privateBus.stop()
    #expect(try stand.world.run { stand.radio.condition.obstacle == .busGone })
    isAlive = nil
    stand.radio.prove { isAlive = $0 }
    #expect(isAlive == true)
  }

  /// In real time, because only a time-out ends a call without an answer.
  @Test("the radio is not alive while the bus does not answer")
  func silentBus() throws {
    let loop = try EventLoop()
    let privateBus = try PrivateBus()
    let bus = Bus(loop: loop, address: privateBus.address)
    let radio = BlueZSensorRadio(loop: loop, bus: bus, log: Log { _ in })
    radio.start()
    func prove(_ expected: Bool, sourceLocation: SourceLocation = #_sourceLocation) throws {
      var isAlive: Bool?
      radio.prove { isAlive = $0 }
      #expect(try loop.run(until: loop.now + .seconds(60)) { isAlive != nil }, sourceLocation: sourceLocation)
      #expect(isAlive == expected, sourceLocation: sourceLocation)
    }
    #expect(try loop.run(until: loop.now + .seconds(60)) { bus.isConnected })
    try prove(true)
    privateBus.hang()
    try prove(false)
    privateBus.goOn()
    try prove(true)
  }

  @Test("a missing bus is reported, and the radio recovers")
  func noBus() throws {
    let stand = try RadioStand.ready()
    stand.world.privateBus.stop()
    #expect(try stand.world.run { stand.radio.condition.obstacle == .busGone })
    #expect(stand.radio.condition.message.contains("start dbus"))
    #expect(stand.radio.adapters.map(\.state) == [.absent])
    try stand.world.run(for: .seconds(100))
    try stand.world.privateBus.start()
    #expect(try stand.world.run { stand.radio.condition == .ready })
    #expect(stand.radio.adapters.map(\.state) == [.on])
  }

  @Test("a missing bluetoothd is reported, and the radio recovers")
  func noBluetoothd() throws {
    let stand = try RadioStand { $0.crash() }
    #expect(try stand.world.run { stand.radio.condition.obstacle == .bluetoothdGone })
    #expect(stand.radio.condition.message.contains("systemctl start bluetooth"))
    stand.fake.start()
    #expect(try stand.world.run { stand.radio.condition == .ready })
    #expect(stand.adapterStates == ["hci0 on"])
  }

  @Test("a missing adapter is reported, and the radio recovers")
  func noAdapter() throws {
    let stand = try RadioStand(adapter: false)
    #expect(try stand.world.run { stand.radio.condition.obstacle == .adapterAbsent })
    let adapter = stand.fake.addAdapter()
    #expect(try stand.world.run { stand.radio.condition == .ready })
    stand.radio.search(SearchDemand())
    #expect(try stand.world.run { adapter.isScanning })
    stand.fake.removeAdapter(adapter)
    #expect(try stand.world.run { stand.radio.condition.obstacle == .adapterAbsent })
    let returned = stand.fake.addAdapter("hci1")
    #expect(try stand.world.run { returned.isScanning })
    #expect(stand.adapterStates == ["hci0 on", "hci0 absent", "hci1 on"])
    #expect(stand.gainedAdapters == 2)
    #expect(stand.radio.adapters.count == 1)
  }

  @Test("a missing permission is reported, and the radio recovers")
  func noPermission() throws {
    let denied = BusError(.accessDenied, "Rejected send message")
    let stand = try RadioStand { fake in fake.script.refuse = { _ in denied } }
    #expect(try stand.world.run { stand.radio.condition.message.contains("group bluetooth") })
    #expect(stand.radio.condition.obstacle == .bluetoothdGone)
    stand.fake.script.refuse = { _ in nil }
    #expect(try stand.world.run(within: .seconds(100)) { stand.radio.condition == .ready })
  }

  @Test("a bluetoothd that answers with errors is reported and asked again")
  func bluetoothdErrors() throws {
    let broken = BusError.bluezFailed("out of order")
    let stand = try RadioStand { fake in fake.script.refuse = { _ in broken } }
    #expect(try stand.world.run { stand.radio.condition.message.contains("bluetoothd does not answer") })
    #expect(stand.radio.condition.obstacle == .bluetoothdGone)
    #expect(stand.radio.condition.message.contains("out of order"))
    #expect(stand.radio.condition.message.contains("systemctl restart bluetooth"))
    stand.fake.script.refuse = { _ in nil }
    #expect(try stand.world.run(within: .seconds(100)) { stand.radio.condition == .ready })
  }

  @Test("an adapter that is off is powered on once")
  func adapterOff() throws {
    let stand = try RadioStand.ready { $0.script.autoEnable = false }
    #expect(stand.adapterStates == ["hci0 off", "hci0 on"])
    #expect(stand.gainedAdapters == 1)
    stand.fake.adapters[0].setPowered(false)
    #expect(try stand.world.run { stand.radio.condition.obstacle == .adapterOff })
    try stand.world.run(for: .seconds(600))
    #expect(stand.radio.condition.message.contains("bluetoothctl power on"))
    #expect(!stand.fake.adapters[0].isPowered, "the user wants it off")
    stand.fake.adapters[0].setPowered(true)
    #expect(try stand.world.run { stand.radio.condition == .ready })
  }

  @Test("PowerOn=false leaves the adapter off")
  func powerOnFalse() throws {
    let stand = try RadioStand(powersOn: false) { $0.script.autoEnable = false }
    #expect(try stand.world.run { stand.radio.condition.obstacle == .adapterOff })
    try stand.world.run(for: .seconds(600))
    #expect(stand.fake.count(of: "Set") == 0)
  }

  /// bluetoothd only reports that the adapter is off, before or after the kernel reports the block.
  @Test("an adapter blocked while on is powered on when unblocked", arguments: [true, false])
  func blockedWhileOn(kernelIsFirst: Bool) throws {
    let rfkill = try FakeRFKill()
    try rfkill.send(0, FakeRFKill.added)
    let stand = try RadioStand(rfkill: BlueZSensorRadio.RFKill(device: rfkill.device, names: rfkill.names))
    #expect(try stand.world.run { stand.radio.condition == .ready })
    if kernelIsFirst { try rfkill.send(0, FakeRFKill.changed, soft: 1) }
    try stand.world.settle()
    stand.fake.adapters[0].setPowered(false)
    if !kernelIsFirst { try rfkill.send(0, FakeRFKill.changed, soft: 1) }
    #expect(try stand.world.run { stand.radio.condition.obstacle == .adapterBlocked })
    try rfkill.send(0, FakeRFKill.changed)
    #expect(try stand.world.run { stand.radio.condition == .ready }, "it was powered on again")
  }

  @Test("an adapter powered off long before it was blocked stays off when unblocked")
  func offBeforeBlock() throws {
    let rfkill = try FakeRFKill()
    try rfkill.send(0, FakeRFKill.added)
    let stand = try RadioStand(rfkill: BlueZSensorRadio.RFKill(device: rfkill.device, names: rfkill.names))
    #expect(try stand.world.run { stand.radio.condition == .ready })
    stand.fake.adapters[0].setPowered(false)
    #expect(try stand.world.run { stand.radio.condition.obstacle == .adapterOff })
    try stand.world.run(for: .seconds(10))
    try rfkill.send(0, FakeRFKill.changed, hard: 1)
    #expect(try stand.world.run { stand.radio.condition.obstacle == .adapterBlocked })
    try rfkill.send(0, FakeRFKill.changed)
    #expect(try stand.world.run { stand.radio.condition.obstacle == .adapterOff })
    try stand.world.run(for: .seconds(100))
    #expect(stand.radio.condition.obstacle == .adapterOff)
  }

  @Test("a blocked adapter is reported, and is used once unblocked")
  func blockedAdapter() throws {
    let stand = try RadioStand(adapter: false)
    stand.fake.addAdapter().setBlocked(true)
    #expect(try stand.world.run { stand.radio.condition.obstacle == .adapterBlocked })
    #expect(stand.radio.condition.message.contains("rfkill unblock bluetooth"))
    #expect(stand.radio.adapters.map(\.state) == [.blocked])
    try stand.world.run(for: .seconds(600))
    #expect(stand.fake.count(of: "Set") < 20)
    stand.fake.adapters[0].setBlocked(false)
    #expect(try stand.world.run(within: .seconds(90)) { stand.radio.condition == .ready })
  }

  @Test("powering on is retried until the adapter is ready")
  func powerRetried() throws {
    let stand = try RadioStand { fake in
      fake.script.autoEnable = false
      fake.script.refuse = { $0.member == "Set" ? .notReady : nil }
    }
    try stand.world.run(for: .seconds(5))
    #expect(stand.radio.condition.obstacle == .adapterOff)
    stand.fake.script.refuse = { _ in nil }
    #expect(try stand.world.run { stand.radio.condition == .ready })
  }
}

struct RadioHearingTests {
  @Test("adverts are reported with their data, but only while searching")
  func advertData() throws {
    let stand = try RadioStand.ready()
    stand.belt.manufacturerData = [0x0123: [1, 2]]
    stand.belt.serviceData = ["180f": [50]]
    stand.belt.advertise()
    try stand.world.run(for: .seconds(5))
    #expect(stand.adverts.isEmpty)
    stand.radio.search(SearchDemand(repeats: true))
    #expect(try stand.world.run { stand.adverts.count > 20 })
    let advert = try #require(stand.adverts.last)
    #expect(advert.address == RadioStand.address)
    #expect(advert.name == "Belt")
    #expect(advert.rssi == -60)
    #expect(advert.services == [RadioStand.rate.service])
    #expect(advert.manufacturerData.map(\.company) == [0x0123])
    #expect(advert.manufacturerData.first?.value == [1, 2])
    #expect(advert.serviceData.first?.service == RadioStand.battery.service)
    #expect(!advert.isConnected)
    stand.radio.search(nil)
    try stand.world.run(for: .seconds(1))
    #expect(!stand.fake.adapters[0].isScanning)
  }

  @Test("a name is truncated and loses its control characters")
  func names() throws {
    let stand = try RadioStand.ready()
    let loud = stand.fake.addSensor(
      "C0:00:00:00:00:02", name: "A\n\u{1b}[31m\u{202e}\u{2066}\u{2028}\u{200b}" + String(repeating: "é", count: 90),
      services: [])
    loud.advertise()
    stand.radio.search(SearchDemand())
    #expect(try stand.world.run { !stand.adverts.isEmpty })
    #expect(stand.adverts.last?.name == "A[31m" + String(repeating: "é", count: 59))
  }

  @Test("a bonded device is not reported as advertising just because bluetoothd knows it")
  func bondedDevice() throws {
    let stand = try RadioStand.ready { $0.sensors[0].isPaired = true }
    try stand.world.run(for: .seconds(5))
    #expect(stand.adverts.isEmpty)
    #expect(stand.radio.connectedSensors().isEmpty)
  }

  @Test("a sensor that another program connects is reported and listed")
  func connectedByOther() throws {
    let stand = try RadioStand.ready { $0.sensors[0].isPaired = true }
    stand.belt.isInRange = true
    let other = stand.world.makeBus()
    #expect(try stand.world.run { other.isConnected })
    let path = try #require(stand.fake.adapters[0].device(stand.belt))
    other.call(BusMessage.call(to: "org.bluez", path: path, interface: "org.bluez.Device1", member: "Connect")) { _ in }
    #expect(try stand.world.run { stand.adverts.contains(where: \.isConnected) })
    #expect(stand.radio.connectedSensors().map(\.address) == [RadioStand.address])
    let late = BlueZSensorRadio(loop: stand.world.loop, bus: stand.bus, log: Log { _ in })
    stand.adverts = []
    late.delegate = stand
    late.start()
    #expect(try stand.world.run { stand.adverts.contains(where: \.isConnected) })
  }

  @Test("discovery continues after bluetoothd restarts")
  func discoveryAfterRestart() throws {
    let stand = try RadioStand.discovered()
    stand.radio.search(SearchDemand())
    try stand.world.run(for: .seconds(1))
    stand.fake.crash()
    #expect(try stand.world.run { stand.radio.condition.obstacle == .bluetoothdGone })
    stand.adverts = []
    stand.fake.start()
    #expect(try stand.world.run { !stand.adverts.isEmpty })
    #expect(stand.fake.adapters[0].discoverySessions == 1)
  }

  @Test("a stopped radio leaves no link, discovery or subscription behind")
  func stopped() throws {
    let stand = try RadioStand.discovered()
    let probe = try stand.openLink()
    #expect(try probe.subscribe(RadioStand.rate) == nil)
    stand.radio.search(SearchDemand())
    try stand.world.run(for: .seconds(1))
    stand.radio.stop()
    try stand.world.run(for: .seconds(1))
    #expect(!stand.belt.isConnected)
    #expect(stand.fake.adapters[0].discoverySessions == 0)
    #expect(stand.belt.characteristic("2a37")?.isSubscribed == false)
    #expect(stand.fake.count(of: "RemoveDevice") == 0)
  }
}
