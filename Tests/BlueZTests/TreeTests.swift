// The object tree mirrors bluetoothd's objects.

import BlueZ
import BlueZReleases
import DBus
import EventLoop
import Linux
import TestSupport
import Testing

struct TreeTests {
  let world: TestWorld
  let fake: FakeBlueZ
  let tree: ObjectTree

  init() throws {
    world = try TestWorld()
    fake = FakeBlueZ(world)
    fake.addAdapter()
    tree = ObjectTree(bus: world.makeBus())
    tree.start()
  }

  @Test("the tree shows the adapters and follows their changes")
  func adapters() throws {
    #expect(tree.state == .busGone)
    #expect(try world.run { tree.adapters.count == 1 })
    #expect(tree.state == .ready)
    #expect(tree.adapters[0].name == "hci0")
    #expect(tree.adapters[0].isPowered)
    fake.adapters[0].setPowered(false)
    try world.settle()
    #expect(!tree.adapters[0].isPowered)
    let second = fake.addAdapter("hci1", address: "00:11:22:33:44:66")
    #expect(try world.run { tree.adapters.count == 2 })
    fake.removeAdapter(second)
    try world.settle()
    #expect(tree.adapters.map(\.name) == ["hci0"])
  }

  @Test("the tree is empty while bluetoothd is not running")
  func noOwner() throws {
    #expect(try world.run { tree.adapters.count == 1 })
    fake.crash()
    #expect(try world.run { tree.state == .bluetoothdGone })
    #expect(tree.adapters.isEmpty)
    fake.start()
    #expect(try world.run { tree.adapters.count == 1 })
  }

  @Test("the tree survives a restart of the bus")
  func busRestart() throws {
    #expect(try world.run { tree.adapters.count == 1 })
    world.privateBus.stop()
    #expect(try world.run { tree.state == .busGone })
    #expect(tree.adapters.isEmpty)
    try world.privateBus.start()
    #expect(try world.run { tree.adapters.count == 1 })
  }

  @Test("the tree asks again after a refusal")
  func refused() throws {
    let denied = BusError(.accessDenied, "Rejected send message")
    fake.script.refuse = { $0.member == "GetManagedObjects" ? denied : nil }
    #expect(try world.run { tree.state == .failing(denied) })
    fake.script.refuse = { _ in nil }
    #expect(try world.run { tree.state == .ready })
  }

  @Test("values that another program subscribed to do not reach the observer")
  func otherSubscriptions() throws {
    let belt = fake.addSensor(
      "C0:00:00:00:00:01", name: "Belt", services: [FakeService("180d", [FakeCharacteristic("2a37")])])
    belt.advertise()
    #expect(try world.run { tree.adapters.count == 1 })
    let other = world.makeBus()
    #expect(try world.run { other.isConnected })
    let adapter = BusMessage.call(
      to: "org.bluez", path: "/org/bluez/hci0", interface: "org.bluez.Adapter1", member: "StartDiscovery")
    other.call(adapter) { _ in }
    #expect(try world.run { tree.devices.count == 1 })
    let path = tree.devices[0].path
    other.call(BusMessage.call(to: "org.bluez", path: path, interface: "org.bluez.Device1", member: "Connect")) { _ in }
    #expect(try world.run { tree.devices[0].areServicesResolved })
    let characteristic = try #require(tree.devices[0].characteristics.first)
    #expect(characteristic.serviceUUID == "0000180d-0000-1000-8000-00805f9b34fb")
    var events = 0
    tree.observer = { _ in events += 1 }
    let start = BusMessage.call(
      to: "org.bluez", path: characteristic.path, interface: "org.bluez.GattCharacteristic1", member: "StartNotify")
    other.call(start) { _ in }
    try world.run(for: .seconds(1))
    belt.notify("2a37", [0, 60])
    try world.settle()
    #expect(events == 0)
  }

  @Test(
    "the BlueZ release is parsed from the modalias",
    arguments: [
      ("usb:v1D6Bp0246d0542", "5.66"), ("usb:v1D6Bp0246d0552", "5.82"), ("usb:v1D6Bp0246d", nil),
      ("bluetooth:v000Fp1200d1436", nil), ("", nil),
    ] as [(String, String?)])
  func releaseOfModalias(modalias: String, release: String?) {
    #expect(BlueZRelease(modalias: modalias)?.description == release)
  }
}
