// The allocations of a message: those of the library, and none of ours. Meaningful for optimized code
// only: `swift test -c release --filter AllocationTests`.

import AllocationCounting
import CAllocationCounter
import CMosquitto
import EventLoop
import Linux
import MQTT
import TestSupport
import Testing
import Time

@Suite(.enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"))
struct MQTTAllocationTests {
  static let topic = Array("cyclometer/v1/home/rx-1f09a3/now/polar-h10-1a2b/heart_rate".utf8)
  static let payload = [UInt8](repeating: 0x20, count: 250)
  static let rounds = 1_000

  /// What the library allocates for as many messages, driven by a bare loop.
  static func ofLibrary(_ broker: RealBroker, _ quality: Int32) throws -> Int {
    let acknowledged = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    unsafe acknowledged.initialize(to: 0)
    defer { unsafe acknowledged.deallocate() }
    guard let client = unsafe mosquitto_new("bare", true, acknowledged) else { throw BrokerFailure.invalidSettings }
    defer { unsafe mosquitto_destroy(client) }
    unsafe mosquitto_publish_callback_set(client) { _, count, _ in
      unsafe count?.assumingMemoryBound(to: Int.self).pointee += 1
    }
    unsafe mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5)
    guard unsafe mosquitto_connect(client, "127.0.0.1", Int32(broker.port), 60) == 0 else { throw BrokerFailure.closed }
    let text = topic.map { CChar($0) } + [0]
    for _ in 0..<100 { unsafe mosquitto_loop(client, 10, 1) }
    let before = allocation_count()
    for count in 1...rounds {
      unsafe mosquitto_publish(client, nil, text, Int32(payload.count), payload, quality, false)
      while quality == 1, unsafe acknowledged.pointee < count {
        guard unsafe mosquitto_loop(client, 1_000, 1) == 0 else { throw BrokerFailure.closed }
      }
    }
    return allocation_count() - before
  }

  @Test("publishing allocates nothing of ours", arguments: [QualityOfService.atMostOnce, .atLeastOnce])
  func publishesWithoutAllocations(_ quality: QualityOfService) throws {
    let (broker, loop) = (try RealBroker(), try EventLoop())
    let (topic, payload) = (Self.topic, Self.payload)
    var (acknowledged, isConnected) = (0, false)
    let connection = BrokerConnection(broker.settings(), in: loop) { event in
      switch event {
      case .acknowledged: acknowledged += 1
      case .connected: isConnected = true
      default: break
      }
    }
    // As many as may wait for their acknowledgement, or for the socket.
    func publish(_ count: Int) throws {
      for _ in 0..<count / 20 {
        let goal = acknowledged + 20
        for _ in 0..<20 { try connection.publish(payload.span, to: topic.span, quality, isRetained: false) }
        let isDone = try loop.run(until: loop.now + .seconds(120)) {
          quality == .atLeastOnce ? acknowledged == goal : connection.unwrittenBytes == 0
        }
        try #require(isDone)
      }
    }
    try #require(try loop.run(until: loop.now + .seconds(120)) { isConnected })
    try publish(200)
    let before = allocation_count()
    try publish(Self.rounds)
    let ours = allocation_count() - before
    let bare = try Self.ofLibrary(broker, Int32(quality.rawValue))
    let (each, alone) = (Double(ours) / Double(Self.rounds), Double(bare) / Double(Self.rounds))
    print("\(quality): \(each) allocations for a message, \(alone) of the library alone")
    #expect(bare >= Self.rounds)
    // One would be a thousand. The loop and the test need a few for each batch.
    #expect(ours <= bare + Self.rounds / 4)
  }
}
