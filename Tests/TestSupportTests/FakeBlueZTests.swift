// To a client, the fake behaves like BlueZ.

import DBus
import EventLoop
import Linux
import TestSupport
import Testing
import Time

struct FakeBlueZTests {
  let client: FakeClient

  init() throws {
    client = try FakeClient()
  }

  @Test("an adapter is in the object tree")
  func adapterInObjectTree() throws {
    let adapter = try #require(try client.objects()[FakeClient.hci0]?[FakeClient.adapter])
    #expect(adapter["Address"]?.text == "00:11:22:33:44:55")
    #expect(adapter["Powered"]?.boolean == true)
    #expect(adapter["Discovering"]?.boolean == false)
  }

  @Test("discovery shows advertising devices and removes them later")
  func discoveryShowsAdvertisingDevicesAndRemoves() throws {
    let belt = client.fake.addSensor("C0:00:00:00:00:01", name: "Belt", services: [FakeService("180d", [])])
    belt.advertise()
    try client.world.run(for: .seconds(5))
    #expect(client.fake.adapters[0].device(belt) == nil)
    try client.startDiscovery()
    try client.world.run(for: .seconds(1))
    #expect(client.signals.contains("Discovering=true"))
    #expect(client.signals.contains("InterfacesAdded /org/bluez/hci0/dev_C0_00_00_00_00_01"))
    let device = try client.objects()["/org/bluez/hci0/dev_C0_00_00_00_00_01"]?[FakeClient.device]
    #expect(device?["UUIDs"]?.texts == ["0000180d-0000-1000-8000-00805f9b34fb"])
    #expect(device?["RSSI"]?.integer == -60)
    belt.stopAdvertising()
    try client.world.run(for: .seconds(29))
    #expect(client.fake.adapters[0].device(belt) != nil)
    try client.world.run(for: .seconds(2))
    #expect(client.signals.last == "InterfacesRemoved /org/bluez/hci0/dev_C0_00_00_00_00_01")
  }

  @Test("discovery is counted per client")
  func discoveryIsCountedPerClient() throws {
    let other = client.world.makeBus()
    _ = try client.world.run { other.isConnected }
    try client.startDiscovery()
    let again = try client.call(FakeClient.hci0, FakeClient.adapter, "StartDiscovery")
    #expect(client.error(of: again)?.hasPrefix("org.bluez.Error.InProgress") == true)
    other.call(
      BusMessage.call(to: "org.bluez", path: FakeClient.hci0, interface: FakeClient.adapter, member: "StartDiscovery")
    ) {
      _ in
    }
    try client.world.settle()
    #expect(client.fake.adapters[0].discoverySessions == 2)
    other.stop()
    try client.world.settle()
    #expect(client.fake.adapters[0].discoverySessions == 1)
    _ = try client.call(FakeClient.hci0, FakeClient.adapter, "StopDiscovery").get()
    #expect(client.fake.adapters[0].isScanning == false)
  }

  @Test("connecting shows the services, then ServicesResolved")
  func connectingShowsServicesThenServicesResolved() throws {
    let (belt, path, characteristic) = try client.connectedBelt()
    #expect(belt.isConnected)
    let added = try #require(client.signals.firstIndex(of: "InterfacesAdded \(characteristic)"))
    let resolved = try #require(client.signals.firstIndex(of: "ServicesResolved=true"))
    let connected = try #require(client.signals.firstIndex(of: "Connected=true"))
    #expect(connected < added && added < resolved)
    #expect(try client.objects()[path]?["org.bluez.Battery1"]?["Percentage"]?.integer == 80)
    #expect(client.error(of: try client.call(path, FakeClient.device, "Connect")) == nil)
  }

  @Test("a descriptor carries notifications and hangs up with the link")
  func descriptorCarriesNotificationsAndHangsUp() throws {
    let (belt, _, characteristic) = try client.connectedBelt()
    let answer = try client.call(characteristic, FakeClient.characteristic, "AcquireNotify", .properties([:])).get()
    var reader = answer.reader
    guard let descriptor = reader.fileDescriptor() else {
      Issue.record("the reply contains no descriptor")
      return
    }
    let mtu = reader.uint16()
    #expect(mtu == 247)
    belt.notify("2a37", [0, 60])
    belt.notify("2a37", [0, 61])
    var buffer = [UInt8](repeating: 0, count: 32)
    #expect(try descriptor.read(into: &buffer) == .done(2))
    #expect(buffer[1] == 60)
    #expect(try descriptor.read(into: &buffer) == .done(2))
    #expect(try descriptor.read(into: &buffer) == .wouldBlock)
    let second = try client.call(characteristic, FakeClient.characteristic, "AcquireNotify", .properties([:]))
    #expect(client.error(of: second) == "org.bluez.Error.NotPermitted: Notify acquired")
    belt.dropLink()
    #expect(try descriptor.read(into: &buffer) == .done(0))
    try client.world.settle()
    #expect(client.signals.contains("NotifyAcquired=false"))
    #expect(client.signals.contains("Connected=false"))
  }

  @Test("closing the descriptor releases the characteristic")
  func closingDescriptorReleasesCharacteristic() throws {
    let (belt, _, characteristic) = try client.connectedBelt()
    do {
      let answer = try client.call(characteristic, FakeClient.characteristic, "AcquireNotify", .properties([:])).get()
      #expect(answer.signature == "hq")
      #expect(belt.characteristic("2a37")?.isAcquired == true)
    }
    try client.world.settle()
    #expect(belt.characteristic("2a37")?.isAcquired == false)
  }

  @Test("notifications as signals repeat equal values")
  func notificationsAsSignalsRepeatEqualValues() throws {
    let (belt, _, characteristic) = try client.connectedBelt()
    _ = try client.call(characteristic, FakeClient.characteristic, "StartNotify").get()
    client.forgetSignals()
    belt.notify("2a37", [0, 60])
    belt.notify("2a37", [0, 60])
    try client.world.settle()
    #expect(client.signals == ["Value=[0, 60]", "Value=[0, 60]"])
    let acquire = try client.call(characteristic, FakeClient.characteristic, "AcquireNotify", .properties([:]))
    #expect(client.error(of: acquire)?.hasPrefix("org.bluez.Error.InProgress") == true)
  }

  @Test("values are read and written")
  func valuesAreReadAndWritten() throws {
    let (belt, path, _) = try client.connectedBelt()
    let characteristics = try client.objects().filter {
      $0.key.hasPrefix(path) && $0.value[FakeClient.characteristic] != nil
    }
    func find(_ uuid: String) throws -> String {
      try #require(
        characteristics.first { $0.value[FakeClient.characteristic]?["UUID"]?.text?.contains(uuid) == true }?.key)
    }
    let answer = try client.call(find("2a38"), FakeClient.characteristic, "ReadValue", .properties([:])).get()
    var reader = answer.reader
    let value = reader.bytes()
    #expect(value == [1])
    _ = try client.call(find("2a39"), FakeClient.characteristic, "WriteValue", .bytes([1]), .properties([:])).get()
    #expect(belt.characteristic("2a39")?.written == [[1]])
  }
}

/// The failures that the script can cause.
struct FakeTroubleTests {
  let client: FakeClient

  init() throws {
    client = try FakeClient()
  }

  private func belt(sourceLocation: SourceLocation = #_sourceLocation, _ script: (inout FakeScript) -> Void) throws -> (
    FakeSensor, path: String
  ) {
    script(&client.fake.script)
    let belt = client.fake.addSensor(
      "C0:00:00:00:00:01", name: "Belt", services: [FakeService("180d", [FakeCharacteristic("2a37")])])
    belt.advertise()
    try client.startDiscovery()
    try client.world.run(for: .seconds(1))
    client.forgetSignals()
    return (belt, try #require(client.fake.adapters[0].device(belt), sourceLocation: sourceLocation))
  }

  @Test("a link that comes and goes fails the call")
  func linkThatComesAndGoesFails() throws {
    let (_, path) = try belt { $0.onConnect = { _, _ in .flap(upFor: .seconds(1), .connectionAborted) } }
    let result = try client.call(path, FakeClient.device, "Connect")
    #expect(client.error(of: result) == "org.bluez.Error.Failed: le-connection-abort-by-local")
    #expect(client.signals.filter { $0.hasPrefix("Connected") } == ["Connected=true", "Connected=false"])
  }

  @Test("a connect that never ends is in progress until Disconnect")
  func connectThatNeverEndsInProgress() throws {
    let (_, path) = try belt { $0.onConnect = { _, attempt in attempt == 1 ? .never : .succeed() } }
    var first: Result<BusMessage, BusError>?
    client.bus.call(BusMessage.call(to: "org.bluez", path: path, interface: FakeClient.device, member: "Connect")) {
      first = $0
    }
    #expect(client.error(of: try client.call(path, FakeClient.device, "Connect"))?.contains("InProgress") == true)
    _ = try client.call(path, FakeClient.device, "Disconnect").get()
    #expect(client.error(of: try #require(first)) == "org.bluez.Error.Failed: br-connection-canceled")
    _ = try client.call(path, FakeClient.device, "Connect").get()
  }

  @Test("an object that vanishes leaves the call open")
  func objectThatVanishesLeavesCallOpen() throws {
    let (_, path) = try belt { $0.onConnect = { _, _ in .vanish(after: .seconds(1)) } }
    let result = try client.call(path, FakeClient.device, "Connect")
    #expect(client.error(of: result)?.hasPrefix("org.freedesktop.DBus.Error.Timeout") == true)
    #expect(client.signals.contains("InterfacesRemoved \(path)"))
  }

  @Test(
    "services resolve as scripted",
    arguments: [
      ("never", ResolveOutcome.never, ["Connected"]),
      ("early", .early(objectsAfter: .seconds(1)), ["Connected", "ServicesResolved", "InterfacesAdded"]),
      (
        "flip", .flip(every: .seconds(1)),
        ["Connected", "InterfacesAdded", "ServicesResolved", "ServicesResolved", "ServicesResolved"]
      ),
    ])
  func servicesResolveAsScripted(_ row: (name: String, outcome: ResolveOutcome, expected: [String])) throws {
    let (_, path) = try belt { $0.onResolve = { _, _ in row.outcome } }
    _ = try client.call(path, FakeClient.device, "Connect").get()
    try client.world.run(for: .seconds(5))
    let seen = client.signals.filter { !$0.contains("/char") && !$0.hasPrefix("UUIDs") && !$0.hasPrefix("RSSI") }
    #expect(seen.map { String($0.prefix { $0.isLetter }) } == row.expected)
  }

  @Test("a crash removes the name and the tree")
  func crashRemovesNameAndTree() throws {
    let (belt, path) = try belt { _ in }
    _ = try client.call(path, FakeClient.device, "Connect").get()
    var owners: [Bool] = []
    _ = client.bus.watchName("org.bluez") { owners.append($0 != nil) }
    try client.world.settle()
    client.fake.crash()
    try client.world.run(for: .seconds(1))
    #expect(!belt.isConnected)
    client.fake.start()
    try client.world.run(for: .seconds(1))
    #expect(owners == [true, false, true])
    #expect(try client.objects().keys.sorted() == ["/org/bluez", FakeClient.hci0])
  }

  @Test("an adapter leaves and another arrives")
  func adapterLeavesAndAnotherArrives() throws {
    let (_, path) = try belt { _ in }
    client.fake.removeAdapter(client.fake.adapters[0])
    client.fake.addAdapter("hci1")
    try client.world.run(for: .seconds(1))
    #expect(
      client.signals == [
        "InterfacesRemoved \(path)", "InterfacesRemoved \(FakeClient.hci0)", "InterfacesAdded /org/bluez/hci1",
      ])
  }

  @Test("a blocked adapter stays off")
  func aBlockedAdapterStaysOff() throws {
    client.fake.adapters[0].setBlocked(true)
    let off = try client.call(FakeClient.hci0, FakeClient.adapter, "StartDiscovery")
    #expect(client.error(of: off) == "org.bluez.Error.NotReady: Resource Not Ready")
    let on = Value.variant(.bool(true))
    let set = try client.call(
      FakeClient.hci0, "org.freedesktop.DBus.Properties", "Set", .string(FakeClient.adapter), .string("Powered"), on)
    #expect(client.error(of: set) == "org.bluez.Error.Blocked: Blocked through rfkill")
    client.fake.adapters[0].setBlocked(false)
    _ = try client.call(
      FakeClient.hci0, "org.freedesktop.DBus.Properties", "Set", .string(FakeClient.adapter), .string("Powered"), on
    ).get()
    #expect(client.fake.adapters[0].isPowered)
  }

  @Test("StopNotify on an ended link crashes an old bluetoothd")
  func stopNotifyOnEndedLinkCrashesOld() throws {
    client.fake.script.release = (5, 82)
    let (belt, path, characteristic) = try client.connectedBelt()
    let acquire = BusMessage.call(
      to: "org.bluez", path: characteristic, interface: FakeClient.characteristic, member: "AcquireNotify")
    client.bus.call(acquire.append([.properties([:])])) { _ in }
    try client.world.run(for: .milliseconds(10))
    belt.dropLink()
    try client.world.run(for: .seconds(1))
    _ = try client.call(path, FakeClient.device, "Connect").get()
    try client.world.run(for: .seconds(1))
    let again = try client.call(characteristic, FakeClient.characteristic, "AcquireNotify", .properties([:]))
    #expect(client.error(of: again)?.contains("NotPermitted") == true)
    let start = try client.call(characteristic, FakeClient.characteristic, "StartNotify")
    #expect(client.error(of: start)?.contains("NotPermitted") == true)
    #expect(client.fake.isRunning)
    _ = try client.call(characteristic, FakeClient.characteristic, "StopNotify")
    #expect(!client.fake.isRunning)
  }

  @Test("connecting to an absent sensor fails after the kernel's timeout")
  func connectingToAbsentSensorFails() throws {
    let (belt, path) = try belt { _ in }
    belt.goAway()
    let before = client.world.loop.now
    let result = try client.call(path, FakeClient.device, "Connect")
    #expect(client.error(of: result) == "org.bluez.Error.Failed: le-connection-abort-by-local")
    #expect(client.world.loop.now - before >= .seconds(20))
  }

  @Test("the cache hides new firmware until the device is removed")
  func cacheHidesNewFirmwareUntilDevice() throws {
    let (belt, path) = try belt { _ in }
    _ = try client.call(path, FakeClient.device, "Connect").get()
    try client.world.run(for: .seconds(1))
    belt.dropLink(.remote)
    belt.services = [FakeService("180d", [FakeCharacteristic("2a38"), FakeCharacteristic("2a37")])]
    _ = try client.call(path, FakeClient.device, "Connect").get()
    try client.world.run(for: .seconds(1))
    let stale = try #require(try client.objects().keys.first { $0.contains("/char") })
    let result = try client.call(stale, FakeClient.characteristic, "AcquireNotify", .properties([:]))
    #expect(client.error(of: result)?.contains("ATT error") == true)
    _ = try client.call(FakeClient.hci0, FakeClient.adapter, "RemoveDevice", .objectPath(path)).get()
    try client.world.run(for: .seconds(1))
    _ = try client.call(path, FakeClient.device, "Connect").get()
    try client.world.run(for: .seconds(1))
    #expect(try client.objects().keys.count { $0.contains("/char") } == 2)
  }

  @Test("a flood has the requested number of signals")
  func floodHasRequestedNumberOfSignals() throws {
    client.forgetSignals()
    client.fake.adapters[0].flood(signalsPerSecond: 2000, for: .seconds(3))
    try client.world.run(for: .seconds(4))
    #expect(client.signals.count { $0.hasPrefix("RSSI") } == 6000)
  }
}
