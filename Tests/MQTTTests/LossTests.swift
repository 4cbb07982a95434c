// Every way in which there is no connection, and what is reported.

import EventLoop
import Glibc
import Linux
import MQTT
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(30)))
struct LossTests {
  @Test("a broker that is killed and returns: the client is back, and unacknowledged messages are the caller's")
  func survivesRestart() throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    let client = try TestClient.connected(broker.settings(), in: loop)
    broker.hang()
    for _ in 0..<5 { try client.publish([1], to: "t") }
    broker.kill()
    try client.wait { !client.connection.isConnected }
    #expect(client.failures.first == .closed || client.failures.first.isLost)
    #expect(client.connection.unacknowledgedCount == 0)
    #expect(client.acknowledged.isEmpty)
    try broker.start()
    try client.wait { client.connection.isConnected }
    try client.publish([1], to: "t")
    try client.wait { client.acknowledged.count == 1 }
    #expect(client.sessions.count == 2)
  }

  @Test("20 restarts leave no watch and no deadline behind")
  func leavesNothingInLoop() throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    let client = try TestClient.connected(broker.settings(), in: loop)
    let watches = loop.watchCount
    for round in 1...20 {
      broker.kill()
      try client.wait { !client.connection.isConnected }
      try broker.start()
      try client.wait { client.sessions.count == round + 1 }
      #expect(loop.watchCount == watches)
    }
    client.connection.stop()
    #expect(loop.watchCount == 0)
    #expect(loop.deadlineCount == 0)
  }

  @Test("a broker that shuts down says so")
  func reportsShutdown() throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    let client = try TestClient.connected(broker.settings(), in: loop)
    broker.stop()
    try client.wait { !client.failures.isEmpty }
    #expect(client.failures.first == .ended(BrokerRefusal(code: 0x8b)) || client.failures.first == .closed)
    #expect(client.failures.first?.needsUser == false)
  }

  @Test("where nothing listens, the connection is refused")
  func reportsNoBroker() throws {
    let broker = try RealBroker()
    broker.kill()
    let client = TestClient(broker.settings(), in: try EventLoop())
    try client.wait { client.failures.count == 2 }
    guard case .unreachable(let error) = client.failures[0] else { throw BrokerRequestError.notConnected }
    #expect(error.isRefused)
    #expect("\(client.failures[0])".contains("cannot reach the broker: Connection refused"))
  }

  @Test("an unknown host is reported with the words of the resolver")
  func reportsUnknownHost() throws {
    // RFC 6761: `invalid` never exists.
    let settings = BrokerSettings(BrokerAddress(host: "broker.invalid", port: 1883, isEncrypted: false), clientID: "a")
    let client = TestClient(settings, in: try EventLoop())
    try client.wait { !client.failures.isEmpty }
    guard case .unknownHost(let words) = client.failures[0] else { throw BrokerRequestError.notConnected }
    #expect(!words.isEmpty)
    #expect("\(client.failures[0])".hasPrefix("cannot find the broker's host: \(words); check Address="))
  }

  @Test("a broker that accepts and says nothing is given up")
  func reportsSilentBroker() throws {
    let loop = try EventLoop()
    let broker = try StandInBroker(in: loop)
    var settings = broker.settings
    settings.answerLimit = .milliseconds(300)
    let client = TestClient(settings, in: loop)
    try client.wait { client.failures.count == 2 }
    #expect(client.failures == [.noAnswer(.milliseconds(300)), .noAnswer(.milliseconds(300))])
  }

  @Test("while the network swallows the connection, the loop goes on and the wait is reported")
  func staysResponsive() throws {
    // The queue of a listener that accepts nothing is full after some connections; then the kernel
    // ignores further ones, as a firewall does.
    let listener = try TCPSocket.listen(on: .loopback(port: 0), backlog: 0)
    let address = try TCPSocket.localAddress(of: listener.number)
    let others = try (0..<4).map { _ in FileDescriptorBox(try TCPSocket.connect(to: address)) }
    let loop = try EventLoop()
    var settings = BrokerSettings(
      BrokerAddress(host: "127.0.0.1", port: address.port, isEncrypted: false), clientID: "a")
    settings.answerLimit = .milliseconds(200)
    let client = TestClient(settings, in: loop)
    try client.wait { !client.events.isEmpty }
    #expect(client.events == [.slow(.noAnswer(.milliseconds(200)))])
    #expect(client.connection.isConnecting)
    #expect(others.count == 4)
    // The thread still has the link. It must not be touched, and nothing is reported any more.
    client.connection.stop()
    _ = try loop.run(until: loop.now + .milliseconds(100)) { false }
    #expect(client.events.count == 1)
    #expect(loop.watchCount == 0)
  }

  @Test("a service that is not a broker is recognized")
  func reportsOtherService() throws {
    let loop = try EventLoop()
    let server = try StandInBroker(in: loop)
    server.answer = { _ in Array(("HTTP/1.1 400 Bad Request\r\n" + String(repeating: "a", count: 200)).utf8) }
    let client = TestClient(server.settings, in: loop)
    try client.wait { !client.failures.isEmpty }
    #expect(client.failures[0] == .notMQTT)
    #expect(client.failures[0].needsUser)
  }

  @Test("a broker that hangs is noticed by the keep-alive")
  func noticesHang() throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    var settings = broker.settings()
    settings.keepAlive = .seconds(5)
    let client = try TestClient.connected(settings, in: loop)
    broker.hang()
    let start = loop.now
    try client.wait { !client.failures.isEmpty }
    #expect(client.failures == [.silent])
    // A ping after 6 s, and 6 s for its answer.
    #expect(loop.now.seconds(since: start) > 11)
    broker.goOn()
    try client.wait { client.connection.isConnected }
  }

  @Test("an idle connection stays, with a ping for each keep-alive")
  func staysIdle() throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    var settings = broker.settings()
    settings.keepAlive = .seconds(20)
    let client = try TestClient.connected(settings, in: loop)
    // The second ping is later than the 30 s after which the broker would drop it.
    try client.poll { broker.log.components(of: "Received PINGREQ from test") == 2 }
    #expect(client.failures == [])
  }

  @Test("a second client of the same name takes over; Debian's Mosquitto gives the first one no reason")
  func losesToNamesake() throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    let first = try TestClient.connected(broker.settings("same"), in: loop, retry: RetryPolicy())
    let second = try TestClient.connected(broker.settings("same"), in: loop, retry: RetryPolicy())
    try first.wait { !first.failures.isEmpty }
    #expect(first.failures == [.closed])
    #expect(second.connection.isConnected)
  }

  @Test("a connection that is stopped by one of its handlers reports nothing more")
  func stopsInHandler() throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    let client = try TestClient.connected(broker.settings(), in: loop)
    try client.subscribe(to: "t")
    client.reports.onMessage = { _ in client.connection.stop() }
    for _ in 0..<5 { try client.publish([], to: "t") }
    try client.wait { !client.messages.isEmpty }
    let events = client.events.count
    _ = try loop.run(until: loop.now + .milliseconds(200)) { false }
    #expect(client.messages.count == 1)
    #expect(client.events.count == events)
    #expect(loop.watchCount == 0)
    client.reports.onMessage = { _ in }
  }

  @Test("settings that are not valid for MQTT are reported", arguments: 0..<5)
  func reportsInvalidSettings(_ row: Int) throws {
    let broker = try RealBroker()
    var settings = broker.settings()
    switch row {
    case 0: settings.clientID = ""
    case 1: settings.will = BrokerWill(topic: "a/#", payload: [])
    case 2: settings.clientID = "a\0b"
    case 3: settings.unacknowledgedLimit = 70_000
    default: settings.keepAlive = .seconds(1)
    }
    let client = TestClient(settings, in: try EventLoop())
    try client.wait { !client.failures.isEmpty }
    #expect(client.failures[0] == .invalidSettings)
    // The library would close it.
    #expect(fcntl(0, F_GETFD) >= 0)
  }
}

extension StandInBroker {
  var settings: BrokerSettings {
    BrokerSettings(BrokerAddress(host: "127.0.0.1", port: port, isEncrypted: false), clientID: "test")
  }
}

extension String {
  /// How often it has the other text.
  func components(of other: String) -> Int { split(separator: other, omittingEmptySubsequences: false).count - 1 }
}

extension BrokerFailure? {
  var isLost: Bool { if case .lost? = self { true } else { false } }
}
