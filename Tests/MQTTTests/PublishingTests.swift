// Messages there and back, with a real broker.

import EventLoop
import Linux
import MQTT
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(30)))
struct PublishingTests {
  static let versions: [BrokerSettings.Version] = [.v5, .v311]

  @Test("a session says what the broker supports", arguments: versions)
  func connects(_ version: BrokerSettings.Version) throws {
    let broker = try RealBroker()
    var settings = broker.settings()
    settings.version = version
    let client = try TestClient.connected(settings, in: try EventLoop())
    #expect(client.sessions.map(\.version) == [version == .v5 ? "5" : "3.1.1"])
    #expect(client.sessions.map(\.unacknowledgedLimit) == [20])
  }

  @Test("messages arrive in order, with topic, payload and quality", arguments: versions)
  func deliversMessages(_ version: BrokerSettings.Version) throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    var settings = broker.settings()
    settings.version = version
    let client = try TestClient.connected(settings, in: loop)
    try client.subscribe(to: "a/#")
    let payloads: [[UInt8]] = [Array("first".utf8), [], [0, 1, 255, 0]]
    for (payload, quality) in zip(payloads, [QualityOfService.atLeastOnce, .atMostOnce, .atLeastOnce]) {
      try client.publish(payload, to: "a/ü", quality)
    }
    try client.publish([1], to: "b")
    try client.wait { client.messages.count == 3 && client.acknowledged.count == 3 }
    #expect(client.messages == payloads.map { TestClient.Message(topic: "a/ü", payload: $0, isRetained: false) })
    #expect(client.connection.unacknowledgedCount == 0)
    #expect(client.connection.unwrittenBytes == 0)
  }

  @Test("a retained message waits for later subscribers, and an empty one removes it")
  func retains() throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    let client = try TestClient.connected(broker.settings(), in: loop)
    try client.publish([1], to: "kept", isRetained: true)
    try client.publish([2], to: "not kept")
    try client.wait { client.acknowledged.count == 2 }
    try client.subscribe(to: "#")
    try client.publish([3], to: "end")
    try client.wait { client.messages.last?.topic == "end" }
    #expect(client.messages.map(\.topic) == ["kept", "end"])
    #expect(client.messages.map(\.isRetained) == [true, false])
    try client.publish([], to: "kept", isRetained: true)
    try client.wait { client.acknowledged.count == 4 }
    let other = try TestClient.connected(broker.settings("other"), in: loop)
    try other.subscribe(to: "#")
    try other.publish([], to: "end")
    try other.wait { !other.messages.isEmpty }
    #expect(other.messages.map(\.topic) == ["end"])
  }

  @Test("10,000 messages are each acknowledged once, with at most 20 on the way")
  func acknowledgesEach() throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    let client = try TestClient.connected(broker.settings(), in: loop)
    let count = 10_000
    var published: [MessageID] = []
    func publishMore() {
      while published.count < count,
        let id = try? client.publish(Array("\(published.count)".utf8), to: "log")
      {
        published.append(id)
        #expect(client.connection.unacknowledgedCount <= 20)
      }
    }
    client.reports.onEvent = { if case .acknowledged = $0 { publishMore() } }
    publishMore()
    #expect(published.count == 20)
    #expect(throws: BrokerRequestError.full) { try client.publish([], to: "log") }
    try client.wait(600) { client.acknowledged.count >= count }
    #expect(client.acknowledged.map(\.number) == published.map(\.number))
    #expect(Set(published).count == count)
  }

  @Test("a payload of 256 KiB arrives whole", arguments: [QualityOfService.atMostOnce, .atLeastOnce])
  func sendsLargePayload(_ quality: QualityOfService) throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    let client = try TestClient.connected(broker.settings(), in: loop)
    try client.subscribe(to: "large")
    let payload = (0..<256 << 10).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
    try client.publish(payload, to: "large", quality)
    try client.wait { !client.messages.isEmpty }
    #expect(client.messages.count == 1)
    // A failed comparison would print both.
    #expect(client.messages[0].payload == payload ? true : false)
  }

  @Test("messages over the limit for incoming ones are discarded", arguments: versions)
  func discardsTooLarge(_ version: BrokerSettings.Version) throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    var settings = broker.settings()
    settings.incomingLimit = 1_000
    settings.version = version
    let client = try TestClient.connected(settings, in: loop)
    try client.subscribe(to: "t")
    let other = try TestClient.connected(broker.settings("other"), in: loop)
    for size in [10, 2_000, 20] { try other.publish([UInt8](repeating: 1, count: size), to: "t") }
    try client.wait { client.messages.count == 2 }
    #expect(client.messages.map(\.payload.count) == [10, 20])
  }

  @Test("a message that the broker does not take is refused here")
  func refusesOversize() throws {
    var configuration = RealBroker.Configuration()
    configuration.lines = ["max_packet_size 2000"]
    let broker = try RealBroker(configuration)
    let client = try TestClient.connected(broker.settings(), in: try EventLoop())
    #expect(client.sessions.map(\.messageLimit) == [2_000])
    for quality in [QualityOfService.atMostOnce, .atLeastOnce] {
      #expect(throws: BrokerRequestError.tooLarge) {
        try client.publish([UInt8](repeating: 1, count: 2_000), to: "t", quality)
      }
    }
    #expect(client.connection.unwrittenBytes == 0)
    #expect(client.connection.unacknowledgedCount == 0)
    try client.publish([UInt8](repeating: 1, count: 1_900), to: "t")
    try client.wait { client.acknowledged.count == 1 }
  }

  @Test(
    "topics to publish to have no wildcards, no zero, and are UTF-8",
    arguments: [
      [], Array("a/+".utf8), Array("#".utf8), Array("a\0b".utf8), [0xff], [UInt8](repeating: 0x61, count: 65_536),
    ])
  func refusesTopics(_ topic: [UInt8]) throws {
    let broker = try RealBroker()
    let client = try TestClient.connected(broker.settings(), in: try EventLoop())
    for quality in [QualityOfService.atMostOnce, .atLeastOnce] {
      #expect(throws: BrokerRequestError.invalidTopic) {
        try client.connection.publish([UInt8](arrayLiteral: 1).span, to: topic.span, quality, isRetained: false)
      }
    }
    #expect(client.connection.unwrittenBytes == 0)
    #expect(client.connection.unacknowledgedCount == 0)
  }

  @Test("filters that are not valid are refused here", arguments: [[], [""], ["a/#/b"], ["a", "b+"], ["a\0b"]])
  func refusesFilters(_ filters: [String]) throws {
    let broker = try RealBroker()
    let client = try TestClient.connected(broker.settings(), in: try EventLoop())
    #expect(throws: BrokerRequestError.invalidTopic) { try client.connection.subscribe(to: filters) }
  }

  @Test("without a connection, requests are refused")
  func needsConnection() throws {
    let broker = try RealBroker()
    let client = TestClient(broker.settings(), in: try EventLoop())
    #expect(throws: BrokerRequestError.notConnected) { try client.publish([], to: "t") }
    #expect(throws: BrokerRequestError.notConnected) { try client.connection.subscribe(to: ["t"]) }
    try client.wait { client.connection.isConnected }
    client.connection.stop()
    #expect(throws: BrokerRequestError.notConnected) { try client.publish([], to: "t") }
  }
}

/// A broker that takes nothing for a while.
@Suite(.timeLimit(.minutes(30)))
struct BackPressureTests {
  @Test("messages without acknowledgement wait up to a limit, and then there is room again")
  func limitsUnwritten() throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    let client = try TestClient.connected(broker.settings(), in: loop)
    let counter = try TestClient.connected(broker.settings("counter"), in: loop)
    try counter.subscribe(to: "flood", .atMostOnce)
    broker.hang()
    let payload = [UInt8](repeating: 7, count: 10_000)
    var sent = 0
    while (try? client.publish(payload, to: "flood", .atMostOnce)) != nil {
      sent += 1
      try #require(sent < 10_000)
    }
    let limit = client.connection.settings.unwrittenLimit
    #expect(client.connection.unwrittenBytes > limit - payload.count - 5)
    #expect(client.connection.unwrittenBytes <= limit)
    #expect(throws: BrokerRequestError.full) { try client.publish(payload, to: "flood", .atMostOnce) }
    broker.goOn()
    try client.wait { client.events.contains(.writable) }
    #expect(client.connection.unwrittenBytes <= limit / 2)
    try client.publish([2], to: "flood", .atMostOnce)
    try client.wait { client.connection.unwrittenBytes == 0 && counter.messages.last?.payload == [2] }
    #expect(counter.messages.count { $0.payload == payload } == sent)
    #expect(client.events.count { $0 == .writable } == 1)
  }

  @Test("a message larger than the limit is sent when nothing else waits")
  func sendsLargeAlone() throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    var settings = broker.settings()
    settings.unwrittenLimit = 1_000
    let client = try TestClient.connected(settings, in: loop)
    broker.hang()
    // More than the buffers of both sockets hold.
    try client.publish([UInt8](repeating: 1, count: 16 << 20), to: "t", .atMostOnce)
    #expect(client.connection.unwrittenBytes == 16 << 20 + 1)
    #expect(throws: BrokerRequestError.full) { try client.publish([], to: "t", .atMostOnce) }
    broker.goOn()
    try client.wait { client.connection.unwrittenBytes == 0 }
  }

  @Test("with 20 messages that wait for the broker, there is no room for another")
  func limitsUnacknowledged() throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    let client = try TestClient.connected(broker.settings(), in: loop)
    broker.hang()
    for number in 0..<20 { try client.publish([UInt8(number)], to: "t") }
    #expect(throws: BrokerRequestError.full) { try client.publish([], to: "t") }
    #expect(client.connection.unacknowledgedCount == 20)
    broker.goOn()
    try client.wait { client.acknowledged.count == 20 }
  }

  @Test("a broker that can take fewer messages at once gets fewer")
  func followsReceiveMaximum() throws {
    var configuration = RealBroker.Configuration()
    configuration.lines = ["max_inflight_messages 3"]
    let broker = try RealBroker(configuration)
    let client = try TestClient.connected(broker.settings(), in: try EventLoop())
    #expect(client.sessions.map(\.unacknowledgedLimit) == [3])
    broker.hang()
    for _ in 0..<3 { try client.publish([], to: "t") }
    #expect(throws: BrokerRequestError.full) { try client.publish([], to: "t") }
  }
}
