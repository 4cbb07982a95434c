// A reader at the broker, which keeps everything it receives, and stores the records of batches by
// their keys.

import EventLoop
import JSON
import MQTT
import Time

final class BrokerReader {
  struct Message {
    let topic: String
    let payload: [UInt8]
    let isRetained: Bool

    /// Null if it is not JSON.
    var json: JSONValue { (try? JSONValue.parse(payload)) ?? .null }
  }

  private static let limit = Duration.seconds(240)
  private let loop: EventLoop
  private var connection: BrokerConnection?
  private(set) var isSubscribed = false
  private(set) var messages: [Message] = []
  private(set) var store = RecordStore()
  /// The newest retained message of each topic.
  private(set) var retained: [String: Message] = [:]

  init(port: UInt16, id: String = "reader", user: String? = nil, authorities: String? = nil) throws {
    loop = try EventLoop()
    let host = authorities == nil ? "127.0.0.1" : "localhost"
    var settings = BrokerSettings(
      BrokerAddress(host: host, port: port, isEncrypted: authorities != nil), clientID: id)
    (settings.user, settings.password) = (user, user)
    if let authorities { settings.authorities = authorities }
    var policy = RetryPolicy()
    (policy.afterLoss, policy.first, policy.longest) = (.milliseconds(200), .milliseconds(200), .milliseconds(200))
    connection = BrokerConnection(
      settings, retry: policy, in: loop,
      onMessage: { [unowned self] in self.add($0, $1, isRetained: $2.isRetained) },
      onEvent: { [unowned self] in self.handle($0) })
    guard try loop.run(until: loop.now + Self.limit, { isSubscribed }) else { throw Problem.notSubscribed }
  }

  enum Problem: Error { case notSubscribed }

  func stop() { connection?.stop() }

  /// False if it does not become true in time.
  func run(until condition: () -> Bool) throws -> Bool { try loop.run(until: loop.now + Self.limit, condition) }

  func run(for span: Duration) throws { _ = try loop.run(until: loop.now + span) { false } }

  func publish(_ payload: String, to topic: String, isRetained: Bool = false) throws {
    _ = try connection?.publish(
      Array(payload.utf8).span, to: Array(topic.utf8).span, .atLeastOnce, isRetained: isRetained)
  }

  /// False if it does not fit now.
  func publish(_ payload: [UInt8], to topic: String, isRetained: Bool) -> Bool {
    (try? connection?.publish(payload.span, to: Array(topic.utf8).span, .atLeastOnce, isRetained: isRetained)) != nil
  }

  func messages(below prefix: String) -> [Message] { messages.filter { $0.topic.hasPrefix(prefix) } }

  private func handle(_ event: BrokerEvent) {
    switch event {
    case .connected: _ = try? connection?.subscribe(to: ["cyclometer/#", "homeassistant/#"])
    case .subscribed: isSubscribed = true
    case .disconnected: isSubscribed = false
    default: break
    }
  }

  private func add(_ topic: Span<UInt8>, _ payload: Span<UInt8>, isRetained: Bool) {
    let name = String(decoding: [UInt8](topic), as: UTF8.self)
    let message = Message(topic: name, payload: [UInt8](payload), isRetained: isRetained)
    messages.append(message)
    if name.hasSuffix("/log") { store.add(message.json) } else { retained[name] = message }
  }
}

extension [UInt8] {
  fileprivate init(_ bytes: Span<UInt8>) {
    self = bytes.indices.map { bytes[$0] }
  }
}

/// Records of batches, each once.
struct RecordStore {
  private struct Key: Hashable {
    let instance: String
    let sensor: String
    let kind: String
    let sequence: Int
  }

  private struct Stream: Hashable {
    let instance: String
    let sensor: String
    let kind: String
  }

  private var records: [Key: JSONValue] = [:]
  private(set) var batches: Set<Int> = []
  /// Records that came again with another content.
  private(set) var contradictions: [JSONValue] = []
  private(set) var others: [JSONValue] = []

  var count: Int { records.count }

  var kinds: Set<String> { Set(records.keys.map(\.kind)) }

  /// The lowest number of a sample, and the highest one.
  var sequences: ClosedRange<Int>? {
    let numbers = records.keys.map(\.sequence)
    return numbers.min().flatMap { first in numbers.max().map { first...$0 } }
  }

  /// The last sample of a kind.
  func newest(_ kind: String) -> JSONValue? {
    let samples = records.filter { $0.key.kind == kind }.values
    return samples.max { ($0["t"]?.number ?? 0) < ($1["t"]?.number ?? 0) }
  }

  /// The times of a kind's samples on the clock of the computer, in order, with the daemon's instance.
  func times(of kind: String) -> [(t: Double, instance: String)] {
    records.filter { $0.key.kind == kind }.map { ($0.value["t"]?.number ?? 0, $0.key.instance) }.sorted { $0.0 < $1.0 }
  }

  var instances: Set<String> { Set(records.keys.map(\.instance)) }

  mutating func add(_ batch: JSONValue) {
    let instance = batch["instance"]?.text ?? ""
    let isNew = batch["batch"]?.integer.map { batches.insert($0).inserted } ?? false
    for record in batch["records"]?.items ?? [] {
      guard record["class"] == "sample" else {
        if isNew { others.append(record) }
        continue
      }
      let key = Key(
        instance: instance, sensor: record["sensor"]?.text ?? "", kind: record["kind"]?.text ?? "",
        sequence: record["seq"]?.integer ?? 0)
      if let known = records[key], known["t"] != record["t"] { contradictions.append(record) }
      records[key] = record
    }
  }

  /// Streams with numbers that are missing between the first and the last one.
  var gaps: [String] {
    var numbers: [Stream: Set<Int>] = [:]
    for key in records.keys {
      numbers[Stream(instance: key.instance, sensor: key.sensor, kind: key.kind), default: []].insert(key.sequence)
    }
    return numbers.compactMap { stream, found in
      guard let first = found.min(), let last = found.max(), last - first + 1 != found.count else { return nil }
      return "\(stream.sensor) \(stream.kind): \(found.count) of \(first)...\(last)"
    }
  }

  /// Numbers of batches that are missing between the first and the last one.
  var missingBatches: Int {
    guard let first = batches.min(), let last = batches.max() else { return 0 }
    return last - first + 1 - batches.count
  }
}
