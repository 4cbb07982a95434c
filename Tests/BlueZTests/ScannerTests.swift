// Discovery follows demand.

import BlueZ
import DBus
import EventLoop
import Linux
import TestSupport
import Testing

struct ScannerTests {
  let world: TestWorld
  let fake: FakeBlueZ
  let tree: ObjectTree
  let scanner: Scanner

  init() throws {
    world = try TestWorld()
    fake = FakeBlueZ(world)
    fake.addAdapter()
    tree = ObjectTree(bus: world.makeBus())
    tree.start()
    let tree = tree
    #expect(try world.run { tree.adapters.count == 1 })
    scanner = Scanner(tree.adapters[0], loop: world.loop)
    tree.observer = { [weak scanner] event in
      if case .changed(_, BlueZName.Interface.adapter, _) = event { scanner?.adapterChanged() }
    }
  }

  var adapter: FakeAdapter { fake.adapters[0] }

  @Test("discovery runs while there is demand")
  func runs() throws {
    scanner.want(Scanner.Demand(repeats: false))
    #expect(try world.run { adapter.isScanning })
    try world.run(for: .seconds(80))
    #expect(fake.count(of: "StartDiscovery") == 1)
    scanner.want(nil)
    #expect(try world.run { !adapter.isScanning })
    try world.run(for: .seconds(300))
    #expect(fake.count(of: "StopDiscovery") == 1)
  }

  @Test("rapid changes of demand leave no discovery session behind")
  func rapidChanges() throws {
    for _ in 0..<5 {
      scanner.want(Scanner.Demand(repeats: true))
      scanner.want(nil)
    }
    try world.run(for: .seconds(5))
    #expect(!adapter.isScanning)
    scanner.want(Scanner.Demand(repeats: true))
    scanner.want(Scanner.Demand(repeats: false))
    #expect(try world.run { scanner.isRunning && adapter.isScanning })
    #expect(adapter.discoverySessions == 1)
  }

  @Test("a leftover discovery session is stopped first")
  func leftoverSession() throws {
    // As if the answer to an earlier StartDiscovery had been lost.
    tree.bus.call(
      BusMessage.call(to: "org.bluez", path: adapter.path, interface: "org.bluez.Adapter1", member: "StartDiscovery")
    ) { _ in }
    try world.settle()
    scanner.want(Scanner.Demand(repeats: false))
    #expect(try world.run { scanner.isRunning })
    #expect(fake.count(of: "StopDiscovery") == 1)
    #expect(scanner.problem == nil)
    scanner.want(nil)
    try world.run(for: .seconds(1))
    #expect(adapter.discoverySessions == 0)
  }

  @Test("a failed start is retried with backoff")
  func retries() throws {
    fake.script.refuse = { $0.member == "StartDiscovery" ? .bluezFailed("Operation failed") : nil }
    scanner.want(Scanner.Demand(repeats: false))
    try world.run(for: .seconds(120))
    #expect((6...12).contains(fake.count(of: "StartDiscovery")))
    #expect(scanner.problem?.name == .bluezFailed)
    fake.script.refuse = { _ in nil }
    #expect(try world.run { scanner.isRunning })
    #expect(adapter.isScanning)
  }

  @Test("a failed start is not retried without demand")
  func noDemand() throws {
    fake.script.refuse = { $0.member == "StartDiscovery" ? .inProgress : nil }
    scanner.want(Scanner.Demand(repeats: false))
    try world.run(for: .seconds(5))
    scanner.want(nil)
    try world.run(for: .seconds(1))
    let count = fake.calls.count
    try world.run(for: .seconds(300))
    #expect(fake.calls.count == count)
  }

  @Test("a silent discovery reported as stopped is restarted")
  func silentAndStopped() throws {
    fake.script.claimedDiscovering = false
    scanner.want(Scanner.Demand(repeats: false))
    try world.run(for: .seconds(30))
    #expect(fake.count(of: "StartDiscovery") > 1)
    #expect(adapter.isScanning)
  }

  @Test("a silent discovery reported as running is restarted with backoff")
  func silentAndRunning() throws {
    scanner.want(Scanner.Demand(repeats: false))
    try world.run(for: .seconds(85))
    #expect(fake.count(of: "StartDiscovery") == 1)
    try world.run(for: .seconds(10))
    #expect(fake.count(of: "StartDiscovery") == 2)
    // Without adverts: after 90 s, then after 3, 6 and every 12 minutes.
    try world.run(for: .seconds(3600))
    #expect((6...8).contains(fake.count(of: "StartDiscovery")))
    for _ in 0..<100 {
      scanner.advertArrived()
      try world.run(for: .seconds(80))
    }
    let before = fake.count(of: "StartDiscovery")
    try world.run(for: .seconds(11))
    #expect(fake.count(of: "StartDiscovery") <= before + 1)
  }

  @Test("the 90 s without an advert count from the last one")
  func silenceAfterAnAdvert() throws {
    scanner.want(Scanner.Demand(repeats: false))
    try world.run(for: .seconds(1))
    scanner.advertArrived()
    try world.run(for: .seconds(85))
    #expect(fake.count(of: "StartDiscovery") == 1)
    try world.run(for: .seconds(10))
    #expect(fake.count(of: "StartDiscovery") == 2)
  }

  @Test("discovery that delivers adverts is not restarted, whatever bluetoothd reports")
  func advertsProveDiscovery() throws {
    fake.script.claimedDiscovering = false
    scanner.want(Scanner.Demand(repeats: false))
    for _ in 0..<60 {
      try world.run(for: .seconds(1))
      scanner.advertArrived()
    }
    #expect(fake.count(of: "StartDiscovery") == 1)
  }

  @Test("discovery resumes when the adapter is powered on")
  func power() throws {
    scanner.want(Scanner.Demand(repeats: false))
    #expect(try world.run { scanner.isRunning })
    adapter.setPowered(false)
    try world.run(for: .seconds(60))
    #expect(!scanner.isRunning)
    #expect(fake.count(of: "StartDiscovery") == 1)
    adapter.setPowered(true)
    #expect(try world.run { adapter.isScanning })
  }
}
