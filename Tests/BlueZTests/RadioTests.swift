// What the radio says of itself, and what it hears.

import DBus
import DaemonCore
import EventLoop
import Linux
import TestSupport
import Testing
import Wire

struct RadioConditionTests {
  @Test func aStartWithoutTroubleSaysNothingElse() throws {
    let stand = try RadioStand(afterBluetoothd: true) { $0.script.timing.start = .zero }
    #expect(try stand.world.run { stand.radio.condition == .ready })
    #expect(stand.obstacles == [nil])
    #expect(stand.adapterStates == ["hci0 on"])
  }

  @Test func itIsAliveWithABusThatAnswersAndWithoutOne() throws {
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

  /// In real time: nothing but time ends a question that nobody answers.
  @Test func itIsNotAliveWithABusThatIsSilent() throws {
    let loop = try EventLoop()
    let privateBus = try PrivateBus()
    let bus = Bus(loop: loop, address: privateBus.address)
    let radio = BlueZRadio(loop: loop, bus: bus, log: Log { _ in })
    radio.start()
    func prove(_ expected: Bool) throws {
      var isAlive: Bool?
      radio.prove { isAlive = $0 }
      #expect(try loop.run(until: loop.now + .seconds(60)) { isAlive != nil })
      #expect(isAlive == expected)
    }
    #expect(try loop.run(until: loop.now + .seconds(60)) { bus.isConnected })
    try prove(true)
    privateBus.hang()
    try prove(false)
    privateBus.goOn()
    try prove(true)
  }

  @Test func withoutABusItSaysSoAndRecovers() throws {
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

  @Test func withoutBluetoothdItSaysSoAndRecovers() throws {
    let stand = try RadioStand { $0.crash() }
    #expect(try stand.world.run { stand.radio.condition.obstacle == .bluetoothdGone })
    #expect(stand.radio.condition.message.contains("systemctl start bluetooth"))
    stand.fake.start()
    #expect(try stand.world.run { stand.radio.condition == .ready })
    #expect(stand.adapterStates == ["hci0 on"])
  }

  @Test func withoutAnAdapterItSaysSoAndRecovers() throws {
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
    #expect(stand.radio.adapters.count == 1)
  }

  @Test func withoutPermissionItSaysSoAndRecovers() throws {
    let denied = BusError(.accessDenied, "Rejected send message")
    let stand = try RadioStand { fake in fake.script.refuse = { _ in denied } }
    #expect(try stand.world.run { stand.radio.condition.message.contains("group bluetooth") })
    #expect(stand.radio.condition.obstacle == .bluetoothdGone)
    stand.fake.script.refuse = { _ in nil }
    #expect(try stand.world.run(within: .seconds(100)) { stand.radio.condition == .ready })
  }

  @Test func aBluetoothdThatAnswersWithErrorsIsSaidAndAskedAgain() throws {
    let broken = BusError.bluezFailed("out of order")
    let stand = try RadioStand { fake in fake.script.refuse = { _ in broken } }
    #expect(try stand.world.run { stand.radio.condition.message.contains("bluetoothd does not answer") })
    #expect(stand.radio.condition.obstacle == .bluetoothdGone)
    #expect(stand.radio.condition.message.contains("out of order"))
    #expect(stand.radio.condition.message.contains("systemctl restart bluetooth"))
    stand.fake.script.refuse = { _ in nil }
    #expect(try stand.world.run(within: .seconds(100)) { stand.radio.condition == .ready })
  }

  @Test func anAdapterThatIsOffIsSwitchedOnOnce() throws {
    let stand = try RadioStand.ready { $0.script.autoEnable = false }
    #expect(stand.adapterStates == ["hci0 off", "hci0 on"])
    stand.fake.adapters[0].setPowered(false)
    #expect(try stand.world.run { stand.radio.condition.obstacle == .adapterOff })
    try stand.world.run(for: .seconds(600))
    #expect(stand.radio.condition.message.contains("bluetoothctl power on"))
    #expect(!stand.fake.adapters[0].isPowered, "somebody wanted it off")
    stand.fake.adapters[0].setPowered(true)
    #expect(try stand.world.run { stand.radio.condition == .ready })
  }

  @Test func itIsLeftOffWhereTheConfigurationSaysSo() throws {
    let stand = try RadioStand(powersOn: false) { $0.script.autoEnable = false }
    #expect(try stand.world.run { stand.radio.condition.obstacle == .adapterOff })
    try stand.world.run(for: .seconds(600))
    #expect(stand.fake.count(of: "Set") == 0)
  }

  /// As of a bluetoothd that says no more than that the adapter is off, and before or after the kernel does.
  @Test(arguments: [true, false])
  func anAdapterThatIsBlockedWhileItIsOnIsSwitchedOnAgainWhenItIsNot(kernelIsFirst: Bool) throws {
    let rfkill = try FakeRFKill()
    try rfkill.say(0, FakeRFKill.added)
    let stand = try RadioStand(rfkill: BlueZRadio.RFKill(device: rfkill.device, names: rfkill.names))
    #expect(try stand.world.run { stand.radio.condition == .ready })
    if kernelIsFirst { try rfkill.say(0, FakeRFKill.changed, soft: 1) }
    try stand.world.settle()
    stand.fake.adapters[0].setPowered(false)
    if !kernelIsFirst { try rfkill.say(0, FakeRFKill.changed, soft: 1) }
    #expect(try stand.world.run { stand.radio.condition.obstacle == .adapterBlocked })
    try rfkill.say(0, FakeRFKill.changed)
    #expect(try stand.world.run { stand.radio.condition == .ready }, "and it was switched on")
  }

  @Test func anAdapterThatWasSwitchedOffLongBeforeItWasBlockedStaysOff() throws {
    let rfkill = try FakeRFKill()
    try rfkill.say(0, FakeRFKill.added)
    let stand = try RadioStand(rfkill: BlueZRadio.RFKill(device: rfkill.device, names: rfkill.names))
    #expect(try stand.world.run { stand.radio.condition == .ready })
    stand.fake.adapters[0].setPowered(false)
    #expect(try stand.world.run { stand.radio.condition.obstacle == .adapterOff })
    try stand.world.run(for: .seconds(10))
    try rfkill.say(0, FakeRFKill.changed, hard: 1)
    #expect(try stand.world.run { stand.radio.condition.obstacle == .adapterBlocked })
    try rfkill.say(0, FakeRFKill.changed)
    #expect(try stand.world.run { stand.radio.condition.obstacle == .adapterOff })
    try stand.world.run(for: .seconds(100))
    #expect(stand.radio.condition.obstacle == .adapterOff)
  }

  @Test func aBlockedAdapterIsSaidToBeAndComesBack() throws {
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

  @Test func powerIsTriedAgainUntilTheAdapterIsReady() throws {
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
  @Test func advertsAreHeardWithTheirData() throws {
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

  @Test func aNameIsCutAndLosesItsControlCharacters() throws {
    let stand = try RadioStand.ready()
    let loud = stand.fake.addSensor(
      "C0:00:00:00:00:02", name: "A\n\u{1b}[31m\u{202e}\u{2066}\u{2028}\u{200b}" + String(repeating: "é", count: 90),
      services: [])
    loud.advertise()
    stand.radio.search(SearchDemand())
    #expect(try stand.world.run { !stand.adverts.isEmpty })
    #expect(stand.adverts.last?.name == "A[31m" + String(repeating: "é", count: 59))
  }

  @Test func aBondedSensorIsNotHeardBecauseItIsKnown() throws {
    let stand = try RadioStand.ready { $0.sensors[0].isPaired = true }
    try stand.world.run(for: .seconds(5))
    #expect(stand.adverts.isEmpty)
    #expect(stand.radio.connectedSensors().isEmpty)
  }

  @Test func whatSomebodyElseConnectsIsHeardAndListed() throws {
    let stand = try RadioStand.ready { $0.sensors[0].isPaired = true }
    stand.belt.isInRange = true
    let other = stand.world.makeBus()
    #expect(try stand.world.run { other.isConnected })
    let path = try #require(stand.fake.adapters[0].device(stand.belt))
    other.call(Message.call(to: "org.bluez", path: path, interface: "org.bluez.Device1", member: "Connect")) { _ in }
    #expect(try stand.world.run { stand.adverts.contains(where: \.isConnected) })
    #expect(stand.radio.connectedSensors().map(\.address) == [RadioStand.address])
    let late = BlueZRadio(loop: stand.world.loop, bus: stand.bus, log: Log { _ in })
    stand.adverts = []
    late.delegate = stand
    late.start()
    #expect(try stand.world.run { stand.adverts.contains(where: \.isConnected) })
  }

  @Test func discoveryGoesOnAfterBluetoothdRestarts() throws {
    let stand = try RadioStand.heard()
    stand.radio.search(SearchDemand())
    try stand.world.run(for: .seconds(1))
    stand.fake.crash()
    #expect(try stand.world.run { stand.radio.condition.obstacle == .bluetoothdGone })
    stand.adverts = []
    stand.fake.start()
    #expect(try stand.world.run { !stand.adverts.isEmpty })
    #expect(stand.fake.adapters[0].discoverySessions == 1)
  }

  @Test func aStoppedRadioLeavesNothingBehind() throws {
    let stand = try RadioStand.heard()
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
