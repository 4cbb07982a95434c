// A connection under test, with all that it reports.

import EventLoop
import Linux
import MQTT
import TestSupport
import Testing
import Time

final class TestClient {
  struct Message: Equatable {
    let topic: String
    let payload: [UInt8]
    let isRetained: Bool
    var user: String?
  }

  /// Filled by the handlers. A call of the user is marked, because no handler may run within one.
  final class Reports {
    var events: [BrokerEvent] = []
    var messages: [Message] = []
    var isInCall = false
    var onEvent: (BrokerEvent) -> Void = { _ in }
    var onMessage: (Message) -> Void = { _ in }
  }

  let loop: EventLoop
  let reports = Reports()
  let connection: BrokerConnection

  init(
    _ settings: BrokerSettings, in loop: EventLoop, retry: RetryPolicy = .prompt,
    random: @escaping () -> Double = { 0.5 }
  ) {
    self.loop = loop
    connection = BrokerConnection(
      settings, retry: retry, in: loop, random: random,
      onMessage: { [reports] topic, payload, message in
        #expect(!reports.isInCall)
        let topic = String(decoding: topic.bytes, as: UTF8.self)
        reports.messages.append(
          Message(
            topic: topic, payload: payload.bytes, isRetained: message.isRetained, user: message.user))
        reports.onMessage(reports.messages[reports.messages.count - 1])
      },
      onEvent: { [reports] event in
        #expect(!reports.isInCall)
        reports.events.append(event)
        reports.onEvent(event)
      })
  }

  var events: [BrokerEvent] { reports.events }
  var messages: [Message] { reports.messages }

  var acknowledged: [MessageID] {
    events.compactMap { if case .acknowledged(let id, nil) = $0 { id } else { nil } }
  }

  var sessions: [BrokerSession] {
    events.compactMap { if case .connected(let session) = $0 { session } else { nil } }
  }

  /// Of attempts and of connections, in order.
  var failures: [BrokerFailure] {
    events.compactMap {
      switch $0 {
      case .failed(let failure, _), .disconnected(let failure, _): failure
      default: nil
      }
    }
  }

  func wait(_ seconds: Int = 240, until condition: () -> Bool) throws {
    let isMet = try loop.run(until: loop.now + .seconds(seconds), condition)
    try #require(isMet, "after \(seconds) s: \(events)")
  }

  /// For a condition that no event of the loop announces, such as a line in the broker's log.
  func poll(_ seconds: Int = 240, until condition: () -> Bool) throws {
    let limit = loop.now + .seconds(seconds)
    while !condition() {
      try #require(loop.now < limit, "after \(seconds) s: \(events)")
      _ = try loop.run(until: loop.now + .milliseconds(100)) { false }
    }
  }

  @discardableResult
  func publish(
    _ payload: [UInt8], to topic: String, _ quality: QualityOfService = .atLeastOnce, isRetained: Bool = false
  ) throws(BrokerRequestError) -> MessageID {
    reports.isInCall = true
    defer { reports.isInCall = false }
    return try connection.publish(payload.span, to: Array(topic.utf8).span, quality, isRetained: isRetained)
  }

  /// Waits until it is granted.
  func subscribe(to filter: String, _ quality: QualityOfService = .atLeastOnce) throws {
    // An earlier connection may have had the same id.
    let count = events.count
    let id = try connection.subscribe(to: [filter], quality)
    try wait { events.dropFirst(count).contains(.subscribed(id, [nil])) }
  }
}

extension TestClient {
  /// Returns when it is connected.
  static func connected(
    _ settings: BrokerSettings, in loop: EventLoop, retry: RetryPolicy = .prompt
  ) throws -> TestClient {
    let client = TestClient(settings, in: loop, retry: retry)
    try client.wait { client.connection.isConnected }
    return client
  }
}

extension RetryPolicy {
  /// Nothing waits for more than a moment.
  static var prompt: RetryPolicy {
    var policy = RetryPolicy()
    policy.afterLoss = .milliseconds(20)
    policy.first = .milliseconds(20)
    policy.longest = .milliseconds(100)
    policy.lasting = .zero
    return policy
  }
}

extension RealBroker {
  func settings(_ clientID: String = "test", host: String = "127.0.0.1", isEncrypted: Bool = false) -> BrokerSettings {
    BrokerSettings(BrokerAddress(host: host, port: port, isEncrypted: isEncrypted), clientID: clientID)
  }
}

extension Span<UInt8> {
  var bytes: [UInt8] { indices.map { self[$0] } }
}
