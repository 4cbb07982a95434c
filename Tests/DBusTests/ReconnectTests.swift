// The bus stops and restarts. Only pending calls are lost.

import DBus
import EventLoop
import Linux
import TestSupport
import Testing
import Time

struct ReconnectTests {
  let world: TestWorld

  init() throws {
    world = try TestWorld()
  }

  @Test("rules and names are requested again when the bus returns")
  func rulesAndNamesRequestedAgain() throws {
    let (bus, service) = (world.makeBus(), world.makeBus())
    service.requestName("test.service")
    var events: [String] = []
    _ = bus.observe(connected: { events.append("connected") }, lost: { events.append("lost \($0.name)") })
    _ = bus.watchName("test.service") { events.append($0 == nil ? "gone" : "there") }
    _ = bus.addMatch(MatchRule(sender: "test.service", member: "Now")) { _ in events.append("signal") }
    try world.run(for: .seconds(1))
    bus.call(BusMessage.call(to: "test.service", path: "/", interface: "test.Service", member: "Do")) { result in
      if case .failure(let error) = result { events.append("failed \(error.name)") }
    }
    service.handleCalls { _ in .later }
    try world.settle()
    let gone = BusError.Name.disconnected
    #expect(events.filter { $0 != "gone" } == ["connected", "there"])
    events = []
    world.privateBus.stop()
    try world.settle()
    #expect(events == ["failed \(gone)", "gone", "lost \(gone)"])
    #expect(!bus.isConnected)
    events = []
    try world.privateBus.start()
    try world.run(for: .seconds(5))
    #expect(events.filter { $0 != "gone" } == ["connected", "there"])
    service.send(BusMessage.signal(path: "/", interface: "test.One", member: "Now"))
    try world.settle()
    #expect(events.last == "signal")
  }

  @Test("a missing bus is retried with growing delays")
  func missingBusRetriedWithGrowingDelays() throws {
    world.privateBus.stop()
    let bus = world.makeBus()
    // Attempts at 0, 0.25, 0.75, 1.75, 3.75, 7.75, 15.75, 25.75 seconds, then every 10 s.
    try world.run(for: .seconds(30))
    #expect(!bus.isConnected)
    #expect(bus.lastError?.name == "org.freedesktop.DBus.Error.NoServer")
    try world.privateBus.start()
    let start = world.loop.now
    #expect(try world.run { bus.isConnected })
    let waited = world.loop.now - start
    #expect(waited > .seconds(5) && waited < .seconds(6))
  }

  @Test("a call without a bus fails, but not from within the call")
  func callWithoutBusFails() throws {
    world.privateBus.stop()
    let bus = world.makeBus()
    var failures: [BusError.Name] = []
    bus.call(BusMessage.call(to: "test.service", path: "/", interface: "test.Service", member: "Do")) {
      if case .failure(let error) = $0 { failures.append(error.name) }
    }
    #expect(failures.isEmpty)
    #expect(bus.send(BusMessage.signal(path: "/", interface: "test.One", member: "Now"))?.name == .disconnected)
    try world.settle()
    #expect(failures == [.disconnected])
  }

  @Test("a call cancelled before it fails is never answered")
  func callCancelledBeforeItFails() throws {
    world.privateBus.stop()
    let bus = world.makeBus()
    var count = 0
    bus.call(BusMessage.call(to: "test.service", path: "/", interface: "test.Service", member: "Do")) { _ in count += 1
    }
    .cancel()
    try world.run(for: .seconds(1))
    #expect(count == 0)
  }

  @Test("nothing leaks over many reconnects")
  func nothingLeaksOverManyReconnects() throws {
    let (watches, deadlines) = (world.loop.watchCount, world.loop.deadlineCount)
    for _ in 0..<5 {
      let bus = world.makeBus()
      _ = bus.addMatch(MatchRule(sender: "test.service")) { _ in }
      try world.run(for: .seconds(1))
      bus.call(BusMessage.call(to: "test.service", path: "/", interface: "test.Service", member: "Do")) { _ in }
      bus.stop()
    }
    #expect(world.loop.watchCount == watches)
    #expect(world.loop.deadlineCount == deadlines)
  }

  @Test("a bus is freed with its connection")
  func busFreedWithConnection() throws {
    weak var freed: Bus?
    weak var connection: BusConnection?
    do {
      let bus = world.makeBus()
      _ = bus.addMatch(MatchRule(sender: "test.service")) { _ in }
      try world.run(for: .seconds(1))
      freed = bus
      connection = bus.connection
    }
    #expect(freed == nil)
    #expect(connection == nil)
    #expect(world.loop.watchCount == 0)
  }

  @Test("a missing bus is reported once, however often it is retried")
  func missingBusReportedOnceHowever() throws {
    world.privateBus.stop()
    let bus = world.makeBus()
    var events: [String] = []
    _ = bus.observe(connected: { events.append("connected") }, lost: { events.append("lost \($0.name)") })
    try world.run(for: .seconds(60))
    #expect(events.count == 1 && events[0].hasPrefix("lost "))
    try world.privateBus.start()
    try world.run(for: .seconds(15))
    #expect(events.last == "connected" && events.count == 2)
  }

  @Test("the bus can be stopped from its own callback")
  func busCanBeStopped() throws {
    let bus = world.makeBus()
    var events: [String] = []
    _ = bus.observe(
      connected: { [unowned bus] in
        events.append("connected")
        bus.stop()
      }, lost: { _ in events.append("lost") })
    try world.run(for: .seconds(60))
    #expect(events == ["connected"])
    #expect(bus.connection == nil)
  }
}
