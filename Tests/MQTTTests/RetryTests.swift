// When a connection is tried again: pure, and then on virtual time against real brokers.

import EventLoop
import Linux
import MQTT
import TestSupport
import Testing
import Time

struct RetryTests {
  @Test("after a loss, clients come back spread over 30 s")
  func lossIsSpread() {
    let policy = RetryPolicy()
    // A lasting connection, and the first short one.
    for failures in 0...1 {
      let delays = [0, 0.5, 1].map { policy.delay(failures: failures, wasConnected: true, chance: $0) }
      #expect(delays == [.zero, .seconds(15), .seconds(30)])
    }
    let delays = [0, 0.5, 1].map { policy.delay(failures: 2, wasConnected: true, chance: $0) }
    #expect(delays == [.seconds(4), .seconds(15), .seconds(30)])
  }

  @Test("delays double up to a bound, and are never without chance")
  func delaysDouble() {
    let policy = RetryPolicy()
    func delay(_ failures: Int, _ chance: Double) -> Duration {
      policy.delay(failures: failures, wasConnected: false, chance: chance)
    }
    #expect((1...7).map { delay($0, 1) } == [4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    #expect((1...5).map { delay($0, 0) } == [2, 4, 8, 16, 30].map { .seconds($0) })
    #expect(delay(.max, 1) == .seconds(60))
  }

  /// A loop on virtual time, which stands still while the connection is being made.
  final class World {
    let time = VirtualTime()
    let loop: EventLoop
    private(set) var client: TestClient?

    init() throws {
      loop = try EventLoop(.virtual(time))
    }

    func connect(_ settings: BrokerSettings, random: @escaping () -> Double = { 1 }) -> TestClient {
      let client = TestClient(settings, in: loop, retry: RetryPolicy(), random: random)
      let connection = client.connection
      time.quiescence = { [weak connection] in connection?.isConnecting == true ? .underway : .settled }
      self.client = client
      return client
    }
  }

  @Test("without a broker, attempts come less and less often, and then it connects")
  func backsOff() throws {
    let broker = try RealBroker()
    broker.kill()
    let world = try World()
    let client = world.connect(broker.settings())
    var times: [Double] = []
    client.reports.onEvent = { _ in times.append(world.loop.now.seconds(since: world.time.start)) }
    try client.wait(1_000) { times.count == 7 }
    #expect(times.map { $0.rounded() } == [0, 4, 12, 28, 60, 120, 180])
    for event in client.events {
      guard case .failed(.unreachable(let error), _) = event else {
        Issue.record("\(event)")
        continue
      }
      #expect(error.isRefused)
    }
    try broker.start()
    try client.wait(100) { client.connection.isConnected }
    #expect(world.loop.now.seconds(since: world.time.start).rounded() == 240)
  }

  @Test("a lost connection is tried again by chance within 30 s, but not at once after short ones in a row")
  func lossesDiffer() throws {
    let broker = try RealBroker()
    let world = try World()
    let client = world.connect(broker.settings(), random: { 0.125 })
    for seconds in [0, 0, 11] {
      try client.wait { client.connection.isConnected }
      _ = try world.loop.run(until: world.loop.now + .seconds(seconds)) { false }
      broker.kill()
      try client.wait { !client.connection.isConnected }
      if seconds == 0 { try broker.start() }
    }
    #expect(client.delays == [.seconds(3.75), .seconds(4), .seconds(3.75)])
    // There is still no broker: the first failure. 4 s, of which at least half, and an eighth of the rest.
    try client.wait { client.delays.count == 4 }
    #expect(client.delays.last == .seconds(2.25))
  }
}

extension TestClient {
  /// Until the next attempt, for each failure.
  fileprivate var delays: [Duration] {
    events.compactMap {
      switch $0 {
      case .failed(_, let delay), .disconnected(_, let delay): delay
      default: nil
      }
    }
  }
}
