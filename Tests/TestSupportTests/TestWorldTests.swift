// Virtual time with a real bus: no message is missed, and idle time takes no real time.

import DBus
import EventLoop
import Linux
import TestSupport
import Testing
import Time

struct TestWorldTests {
  @Test("a long chain of calls ends before time passes")
  func longChainOfCallsEnds() throws {
    let world = try TestWorld()
    let buses = (0..<4).map { _ in world.makeBus() }
    for bus in buses { bus.handleCalls { .reply(.reply(to: $0)) } }
    try world.run(for: .seconds(1))
    var hops = 0
    func hop() {
      hops += 1
      guard hops < 500, let target = buses[hops % 4].connection?.name else { return }
      buses[(hops + 1) % 4].call(BusMessage.call(to: target, path: "/", interface: "test.One", member: "Hop")) { _ in
        hop()
      }
    }
    world.loop.schedule(after: .seconds(1), hop)
    var hopsWhenTimePassed = 0
    world.loop.schedule(after: .seconds(1) + .nanoseconds(1)) { hopsWhenTimePassed = hops }
    try world.run(for: .seconds(2))
    #expect(hopsWhenTimePassed == 500)
  }

  @Test("a day without traffic takes no time")
  func dayWithoutTrafficTakes() throws {
    let world = try TestWorld()
    let bus = world.makeBus()
    try world.run(for: .seconds(1))
    let before = bus.connection?.traffic
    var ticks = 0
    func tick() {
      ticks += 1
      if ticks < 86_400 { world.loop.schedule(after: .seconds(1), tick) }
    }
    tick()
    try world.run(for: .seconds(86_400))
    #expect(ticks == 86_400)
    #expect(bus.connection?.traffic == before, "the bus received no message")
  }

  /// As in tests that run the daemon's binary.
  @Test("the fake works on the boot clock too")
  func fakeWorksOnBootClock() throws {
    let loop = try EventLoop()
    let privateBus = try PrivateBus()
    let fake = FakeBlueZ(loop: loop) { Bus(loop: loop, address: privateBus.address) }
    fake.script.timing.start = .milliseconds(1)
    fake.addAdapter()
    fake.start()
    let bus = Bus(loop: loop, address: privateBus.address)
    var paths: [String] = []
    _ = bus.addMatch(MatchRule(sender: "org.bluez", member: "InterfacesAdded")) { signal in
      var reader = signal.reader
      if let path = reader.objectPath() { paths.append(path) }
    }
    bus.start()
    #expect(try loop.run(until: loop.now + .seconds(20)) { fake.isRunning && bus.isConnected })
    // The bus handles the ping after the match rule, so its reply shows that the rule is active.
    var isListening = false
    let ping = BusMessage.call(
      to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus.Peer", member: "Ping")
    _ = bus.connection?.call(ping) { _ in isListening = true }
    #expect(try loop.run(until: loop.now + .seconds(20)) { isListening })
    fake.addAdapter("hci1")
    #expect(try loop.run(until: loop.now + .seconds(20)) { paths.contains("/org/bluez/hci1") })
  }
}
