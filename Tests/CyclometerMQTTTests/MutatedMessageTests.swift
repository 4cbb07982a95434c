// What others send to a bridge is not to be trusted: damaged messages, and a flood of them, keep it neither
// from storing every record nor from reading the next good message.

import Foundation
import JSON
import TestSupport
import Testing
import Time

@Suite(.serialized, .timeLimit(.minutes(30)))
struct MutatedMessageTests {
  private static let messages = 4_000
  /// Of resident memory, in KiB. A message is at most some hundred bytes.
  private static let mostGrowth = 4_096
  private static let good = [
    #"{"kinds":["heart_rate","radar"],"hz":1,"until":"2026-11-22T16:00:00Z"}"#, #"{"until":"9999-12-31T23:59:59Z"}"#,
    #"{"kinds":null,"hz":0.1,"until":"2026-11-22T16:00:00.250+01:00"}"#, "online", "",
    #"{"id":"x1","method":"ride","params":{"action":"lap"},"until":"2026-11-22T16:00:00Z"}"#,
    #"{"rssi_dbm":-61,"t":81234.5}"#, #"{"receiver":"rx-1f09a3","since":"2026-11-22T16:00:00Z"}"#,
  ]

  /// Cut, with other bytes, with a part twice, or many times as long.
  private func mutated(_ random: inout SeededRandom) -> [UInt8] {
    var bytes = Array(Self.good[random.below(Self.good.count)].utf8)
    for _ in 0..<random.below(4) where !bytes.isEmpty {
      let place = random.below(bytes.count)
      switch random.below(5) {
      case 0: bytes.removeSubrange(place...)
      case 1: bytes[place] = UInt8(random.below(256))
      case 2: bytes.insert(contentsOf: bytes[..<place], at: place)
      case 3: bytes.insert(contentsOf: [UInt8](repeating: UInt8(ascii: "["), count: random.below(2_000)), at: place)
      default: bytes.remove(at: place)
      }
    }
    return bytes
  }

  private func resident(_ process: Int32) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first)
  }

  @Test("a flood of damaged messages loses no record and costs no memory, and the next good one is read")
  func flood() throws {
    let broker = try RealBroker()
    let receiver = try BridgedReceiver(port: broker.port, "[HomeAssistant]\nEnabled=yes")
    let reader = try BrokerReader(port: broker.port)
    #expect(try reader.run { reader.store.count > 50 })
    let before = try resident(receiver.bridge.number)
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededRandom(seed)
    let topics = [receiver.prefix + "want", receiver.prefix + "do", "homeassistant/status"]
    for number in 0..<Self.messages {
      let message = mutated(&random)
      let topic = topics[random.below(topics.count)]
      // While the connection is full, it waits for the broker.
      let isSent = try reader.run { reader.publish(message, to: topic, isRetained: number % 7 == 0) }
      try #require(isSent, "seed \(seed), message \(number)")
    }
    // Home Assistant is told everything again for each `online`, and this is the last message.
    let until = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 600))
    try reader.publish(#"{"kinds":["power"],"hz":4,"until":"\#(until)"}"#, to: receiver.prefix + "want")
    _ = try receiver.peer().status { $0["live"]?["kinds"]?.texts?.contains("power") == true }
    let stored = reader.store.count
    #expect(try reader.run { reader.store.count > stored + 50 })
    #expect(reader.store.gaps.isEmpty && reader.store.missingBatches == 0, "seed \(seed): \(reader.store.gaps)")
    let growth = try resident(receiver.bridge.number) - before
    #expect(growth < Self.mostGrowth, "seed \(seed): it has grown by \(growth) KiB")
    #expect(receiver.bridge.stop() == 0, "seed \(seed): \(receiver.bridge.diagnostics)")
  }
}
