// Links open, carry values and close, whatever bluetoothd does.

import BlueZRadio
import DBus
import EventLoop
import Linux
import Radio
import TestSupport
import Testing
import Wire

struct LinkOpeningTests {
  @Test("a link connects and finds its endpoints")
  func connects() throws {
    let stand = try RadioStand.discovered()
    let probe = try stand.openLink()
    #expect(probe.endpoints?.count == 4)
    #expect(probe.endpoints?.first == RadioStand.rate)
    #expect(stand.belt.isConnected)
  }

  @Test("a sensor that is already connected is adopted")
  func connectedAlready() throws {
    let stand = try RadioStand.discovered()
    let path = try #require(stand.fake.adapters[0].device(stand.belt))
    let other = stand.world.makeBus()
    #expect(try stand.world.run { other.isConnected })
    other.call(BusMessage.call(to: "org.bluez", path: path, interface: "org.bluez.Device1", member: "Connect")) { _ in }
    try stand.world.run(for: .seconds(2))
    _ = try stand.openLink()
    #expect(stand.fake.count(of: "Connect") == 1)
  }

  @Test("a link to an unknown device fails")
  func unknownDevice() throws {
    let stand = try RadioStand.ready()
    let probe = try stand.makeLink()
    probe.open()
    #expect(try stand.world.run { probe.failure?.reason == .connectingFailed })
    #expect(probe.failure?.detail.contains("gone") == true)
  }

  @Test(
    "services may resolve late, early or more than once",
    arguments: [
      ("services before their objects", ResolveOutcome.early(objectsAfter: .seconds(3))),
      ("services that come and go", .flip(every: .seconds(1))), ("services late", .resolve(after: .seconds(10))),
    ])
  func resolveOrder(name: String, outcome: ResolveOutcome) throws {
    let stand = try RadioStand.discovered { $0.script.onResolve = { _, _ in outcome } }
    let probe = try stand.openLink()
    #expect(probe.endpoints?.count == 4)
    #expect(try probe.subscribe(RadioStand.rate) == nil)
  }

  @Test("a link whose services never resolve is dropped")
  func neverResolved() throws {
    let stand = try RadioStand.discovered { $0.script.onResolve = { _, _ in .never } }
    let probe = try stand.makeLink()
    probe.open()
    #expect(try stand.world.run { probe.failure?.reason == .connectingFailed })
    #expect(try stand.world.run { !stand.belt.isConnected })
  }

  @Test(
    "a failed connect reports its cause, and the next one succeeds",
    arguments: [
      ("aborted", ConnectOutcome.fail(.connectionAborted, after: .seconds(1)), "le-connection-abort-by-local"),
      ("up for a moment", .flap(upFor: .milliseconds(50), .connectionAborted), "ended"),
      ("the object vanishes", .vanish(after: .seconds(1)), "gone"),
      ("never answered", .never, "no answer"),
    ])
  func failedConnect(name: String, outcome: ConnectOutcome, detail: String) throws {
    let stand = try RadioStand.discovered { fake in
      fake.script.onConnect = { _, attempt in attempt == 1 ? outcome : .succeed() }
    }
    let probe = try stand.makeLink()
    probe.open()
    #expect(try stand.world.run { probe.failure != nil })
    #expect(probe.failure?.reason == .connectingFailed)
    #expect(probe.failure?.detail.contains(detail) == true, "\(probe.failure?.detail ?? "")")
    probe.close()
    stand.radio.search(SearchDemand())
    stand.adverts = []
    #expect(try stand.world.run { !stand.adverts.isEmpty })
    stand.radio.search(nil)
    _ = try stand.openLink()
  }

  /// A Connect while discovery runs or stops can break discovery for good.
  @Test("a connect waits until discovery has stopped")
  func waitsForDiscovery() throws {
    let stand = try RadioStand.discovered()
    stand.radio.search(SearchDemand())
    #expect(try stand.world.run { stand.fake.adapters[0].isScanning })
    let probe = try stand.makeLink()
    probe.open()
    try stand.world.run(for: .seconds(1))
    #expect(stand.fake.count(of: "Connect") == 0)
    stand.radio.search(nil)
    #expect(try stand.world.run { probe.isOpen })
    let calls = stand.fake.calls.filter { $0.hasPrefix("Connect") || $0.hasPrefix("StopDiscovery") }
    #expect(calls.last?.hasPrefix("Connect") == true)
  }

  @Test("closing a link while it connects cancels the connect")
  func closedWhileConnecting() throws {
    let stand = try RadioStand.discovered { fake in
      fake.script.onConnect = { _, attempt in attempt == 1 ? .never : .succeed() }
    }
    let probe = try stand.makeLink()
    probe.open()
    try stand.world.run(for: .seconds(1))
    #expect(stand.belt.connectAttempts == 1)
    probe.close()
    #expect(try stand.world.run { probe.failure?.reason == .user })
    #expect(stand.fake.count(of: "Disconnect") == 1)
    #expect(!stand.belt.isConnected)
  }

  @Test("a new link waits until the previous one has ended")
  func waitsForPreviousLink() throws {
    let stand = try RadioStand.discovered()
    let first = try stand.openLink()
    first.close()
    let second = try stand.makeLink()
    second.open()
    #expect(try stand.world.run { second.isOpen })
    try stand.world.run(for: .seconds(5))
    #expect(second.failure == nil)
    #expect(stand.belt.isConnected)
  }
}

struct LinkValueTests {
  @Test("notifications arrive one by one through a descriptor")
  func notificationsArrive() throws {
    let stand = try RadioStand.discovered()
    let probe = try stand.openLink()
    #expect(try probe.subscribe(RadioStand.rate) == nil)
    for beat in UInt8(0)..<100 { stand.belt.notify("2a37", [0, beat]) }
    #expect(try stand.world.run { probe.values.count == 100 })
    #expect(probe.values.map { $0[1] } == Array(0..<100))
    #expect(stand.belt.characteristic("2a37")?.isAcquired == true)
    #expect(!probe.indicated.contains(true))
  }

  @Test(
    "when AcquireNotify fails, notifications arrive as signals",
    arguments: [BusError.notSupported, .notPermitted, .bluezFailed("no"), .inProgress])
  func noDescriptor(refusal: BusError) throws {
    let stand = try RadioStand.discovered { $0.script.refuse = { $0.member == "AcquireNotify" ? refusal : nil } }
    let probe = try stand.openLink()
    #expect(try probe.subscribe(RadioStand.rate) == nil)
    for beat: UInt8 in 60...61 { stand.belt.notify("2a37", [0, beat]) }
    #expect(try stand.world.run { probe.values == [[0, 60], [0, 61]] })
    probe.close()
    try stand.world.run(for: .seconds(1))
    #expect(stand.belt.characteristic("2a37")?.isSubscribed == false)
  }

  @Test("indications arrive as signals")
  func indicationsArrive() throws {
    let stand = try RadioStand.discovered()
    let probe = try stand.openLink()
    #expect(try probe.subscribe(try #require(probe.endpoints?[3])) == nil)
    stand.belt.notify("2a9d", [7])
    #expect(try stand.world.run { probe.values == [[7]] && probe.indicated == [true] })
    #expect(stand.fake.count(of: "AcquireNotify") == 0)
  }

  @Test("notifications held by another program are reported, and its link stays up")
  func heldElsewhere() throws {
    let stand = try RadioStand.discovered()
    let path = try #require(stand.fake.adapters[0].device(stand.belt))
    let other = stand.world.makeBus()
    #expect(try stand.world.run { other.isConnected })
    other.call(BusMessage.call(to: "org.bluez", path: path, interface: "org.bluez.Device1", member: "Connect")) { _ in }
    try stand.world.run(for: .seconds(2))
    stand.belt.characteristic("2a37")?.isHeldByAnother = true
    let probe = try stand.openLink()
    #expect(try probe.subscribe(RadioStand.rate)?.reason == .heldElsewhere)
    #expect(stand.fake.count(of: "StopNotify") == 0, "it would end the other program's notifications")
    probe.link.leave()
    #expect(try stand.world.run { probe.failure?.reason == .user })
    try stand.world.run(for: .seconds(1))
    #expect(stand.belt.isConnected, "the other program keeps it")
    stand.belt.characteristic("2a37")?.isHeldByAnother = false
    #expect(try stand.openLink().subscribe(RadioStand.rate) == nil)
    #expect(stand.fake.count(of: "Connect") == 1)
  }

  /// When a link drops while subscribing, bluetoothd keeps the notification session until the next
  /// link ends.
  @Test("notifications left over from our previous link are cleared by disconnecting")
  func leftoverNotifications() throws {
    let stand = try RadioStand.discovered()
    stand.belt.characteristic("2a37")?.isHeldByAnother = true
    let probe = try stand.openLink()
    #expect(try probe.subscribe(RadioStand.rate)?.reason == .heldElsewhere)
    #expect(try stand.world.run { stand.fake.count(of: "StopNotify") == 1 })
    probe.link.leave()
    #expect(try stand.world.run { !stand.belt.isConnected })
  }

  /// bluetoothd emits each value once per client, and every client receives all of them.
  @Test("equal signals at the same moment are one value")
  func duplicateSignals() throws {
    let stand = try RadioStand.discovered { $0.script.refuse = { $0.member == "AcquireNotify" ? .notSupported : nil } }
    let probe = try stand.openLink()
    #expect(try probe.subscribe(RadioStand.rate) == nil)
    for value: UInt8 in [7, 7, 7, 8] { stand.belt.notify("2a37", [value]) }
    #expect(try stand.world.run { probe.values == [[7], [8]] })
    try stand.world.run(for: .milliseconds(100))
    stand.belt.notify("2a37", [8])
    #expect(try stand.world.run { probe.values == [[7], [8], [8]] })
  }

  /// A control point may send the same answer twice in a row.
  @Test("equal indications are separate values")
  func repeatedIndications() throws {
    let stand = try RadioStand.discovered()
    let probe = try stand.openLink()
    #expect(try probe.subscribe(try #require(probe.endpoints?[3])) == nil)
    for _ in 0..<2 { stand.belt.notify("2a9d", [0x80, 5, 1]) }
    #expect(try stand.world.run { probe.values == [[0x80, 5, 1], [0x80, 5, 1]] })
  }

  /// The other program needs the link.
  @Test("the link stays up when another program takes over the notifications")
  func notificationsTaken() throws {
    let stand = try RadioStand.discovered()
    let probe = try stand.openLink()
    #expect(try probe.subscribe(RadioStand.rate) == nil)
    stand.belt.characteristic("2a37")?.isHeldByAnother = true
    stand.belt.characteristic("2a37")?.hangUpDescriptor()
    #expect(try stand.world.run { probe.failure?.reason == .heldElsewhere })
    try stand.world.run(for: .seconds(1))
    #expect(stand.belt.isConnected && stand.fake.count(of: "Disconnect") == 0)
  }

  @Test("values are read and written")
  func readsAndWrites() throws {
    let stand = try RadioStand.discovered()
    let probe = try stand.openLink()
    #expect(try probe.read(RadioStand.location) == [1])
    #expect(try probe.write([1, 2], to: RadioStand.control) == nil)
    #expect(stand.belt.characteristic("2a39")?.written == [[1, 2]])
    #expect(try probe.write([1], to: RadioStand.rate)?.reason == .unsupported)
    #expect(try probe.read(RadioStand.battery) == nil)
  }

  @Test("bluetoothd's battery level replaces the battery service")
  func batteryLevel() throws {
    let stand = try RadioStand.discovered()
    stand.belt.batteryPercentage = 80
    let probe = try stand.openLink()
    #expect(probe.endpoints?.last == RadioStand.battery)
    #expect(try probe.read(RadioStand.battery) == [80])
    #expect(try probe.subscribe(RadioStand.battery) == nil)
    stand.belt.setBattery(79)
    #expect(try stand.world.run { probe.values == [[79]] })
  }
}

struct LinkLossTests {
  @Test("a lost link is reported once and leaves no watch behind")
  func lostLink() throws {
    let stand = try RadioStand.discovered { $0.script.saysDisconnectReason = true }
    let watches = stand.world.loop.watchCount
    let probe = try stand.openLink()
    #expect(try probe.subscribe(RadioStand.rate) == nil)
    stand.belt.dropLink(.timeout)
    #expect(try stand.world.run(within: .milliseconds(100)) { probe.failure?.reason == .linkLost })
    #expect(probe.failure?.detail.contains("org.bluez.Reason.Timeout") == true)
    try stand.world.run(for: .seconds(10))
    #expect(stand.world.loop.watchCount == watches)
    #expect(stand.fake.count(of: "Disconnect") == 0)
  }

  @Test("a descriptor that closes by itself is acquired again once")
  func descriptorCloses() throws {
    let stand = try RadioStand.discovered()
    let probe = try stand.openLink()
    #expect(try probe.subscribe(RadioStand.rate) == nil)
    stand.belt.characteristic("2a37")?.hangUpDescriptor()
    try stand.world.run(for: .seconds(3))
    stand.belt.notify("2a37", [0, 61])
    #expect(try stand.world.run { probe.values == [[0, 61]] })
    stand.belt.characteristic("2a37")?.hangUpDescriptor()
    #expect(try stand.world.run { probe.failure?.reason == .linkLost })
    #expect(try stand.world.run { !stand.belt.isConnected })
  }

  @Test("when bluetoothd exits, its links end")
  func bluetoothdExits() throws {
    let stand = try RadioStand.discovered()
    let probe = try stand.openLink()
    #expect(try probe.subscribe(RadioStand.rate) == nil)
    stand.fake.crash()
    #expect(try stand.world.run { probe.failure?.reason == .bluetoothdGone })
  }

  @Test("when the bus stops, the links end")
  func busGone() throws {
    let stand = try RadioStand.discovered()
    let probe = try stand.openLink()
    stand.world.privateBus.stop()
    #expect(try stand.world.run { probe.failure?.reason == .busGone })
  }

  @Test("a descriptor that arrives after the link has closed is closed")
  func lateDescriptor() throws {
    let stand = try RadioStand.discovered { $0.script.timing.subscribe = .milliseconds(10) }
    let watches = stand.world.loop.watchCount
    let probe = try stand.openLink()
    probe.link.subscribe(RadioStand.rate) { _ in Issue.record("answered after the end") }
    probe.close()
    try stand.world.run(for: .seconds(5))
    #expect(stand.belt.characteristic("2a37")?.isAcquired == false)
    #expect(stand.world.loop.watchCount == watches)
  }
}
