// A daemon as the bridge sees it, and a reader of batches as docs/fleet.md describes one: it stores
// by key, and dates what it stored.

import CZlib
import Fleet
import JSON
import Testing
import Time
import Wire

/// A message on a topic.
struct Published: Equatable {
  let topic: String
  let payload: String
}

func copied(_ bytes: Span<UInt8>) -> [UInt8] {
  var copy: [UInt8] = []
  copy.append(bytes)
  return copy
}

func text(_ bytes: Span<UInt8>) -> String { String(decoding: copied(bytes), as: UTF8.self) }

let homeTopics = FleetTopics(group: name("home"), receiver: name("rx-1f09a3"))

private func name(_ text: String) -> FleetName {
  guard let name = FleetName(text) else { preconditionFailure("\(text) is not a name") }
  return name
}

/// Writes lines as the daemon does.
struct ScriptedDaemon {
  var instance = "5e0c9d1d72f34cf0a6bb3bd3fa6a3e01"
  /// UTC minus boot time, in nanoseconds; nil while the clock is not set.
  var utcOffset: Int64?
  private var sequences: [String: Int] = [:]

  mutating func restart(as instance: String) {
    self.instance = instance
    sequences = [:]
  }

  mutating func sample(
    _ sensor: String, _ kind: String, at t: MonotonicTime, age: Int = 0, _ fields: String = #""bpm":142"#
  ) -> [UInt8] {
    let sequence = (sequences["\(sensor) \(kind)"] ?? 0) + 1
    sequences["\(sensor) \(kind)"] = sequence
    return line(sensor, kind, sequence, at: t, age: age, fields)
  }

  func line(_ sensor: String, _ kind: String, _ sequence: Int, at t: MonotonicTime, age: Int, _ fields: String)
    -> [UInt8]
  {
    var writer = JSONWriter()
    writer.beginRecord("sample")
    writer.member("sensor", sensor)
    writer.member("kind", kind)
    writer.member("seq", sequence)
    writer.member("t", t)
    writer.member("time", wall(at: t))
    writer.member("age_ms", age)
    return writer.bytes + Array(",\(fields)}".utf8)
  }

  func wall(at t: MonotonicTime) -> WallTime? {
    utcOffset.map { offset in
      let nanoseconds = t.nanoseconds + offset
      return WallTime(seconds: nanoseconds / 1_000_000_000, nanoseconds: Int32(nanoseconds % 1_000_000_000))
    }
  }
}

extension MonotonicTime {
  static func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(seconds: seconds) }
}

/// Stores each record once.
struct BatchReader {
  struct Record: Equatable {
    let boot: String
    let t: Double
    /// As the daemon knew it, or as the batch tells.
    let time: WallTime?
    let content: JSONValue
  }

  private(set) var samples: [String: Record] = [:]
  private(set) var others: [String: JSONValue] = [:]
  private(set) var numbers: [Int] = []
  private(set) var repeated = 0
  /// By boot: the newest clock, as UTC minus `t`.
  private var offsets: [String: Double] = [:]

  mutating func receive(_ payload: [UInt8]) throws {
    let text = payload.first == 0x78 ? try #require(inflated(payload, atMost: 1 << 20)) : payload
    let batch = try JSONValue.parse(text)
    let number = try #require(batch["batch"]?.integer)
    let instance = try #require(batch["instance"]?.text)
    let boot = try #require(batch["boot"]?.text)
    numbers.append(number)
    let clock = try batch["clock"].map { try #require(ClockReading($0)) }
    if let clock { offsets[boot] = clock.time.secondsSince1970 - clock.t.seconds }
    for (place, record) in try #require(batch["records"]?.items).enumerated() {
      if record["class"]?.text == "sample" {
        let sample = try #require(SampleRecord(record))
        let key = "\(instance) \(sample.sensor) \(sample.kind) \(sample.sequence)"
        let time = sample.time ?? clock.map { $0.time - ($0.t - .at(sample.t)) }
        let new = Record(boot: boot, t: sample.t, time: time, content: record)
        if samples.updateValue(new, forKey: key) != nil { repeated += 1 }
      } else {
        others["\(instance) \(number) \(place)"] = record
      }
    }
  }

  /// One clock dates all records of a boot: the newest one. Nil while none is known.
  func secondsSince1970(_ record: Record) -> Double? { offsets[record.boot].map { $0 + record.t } }
}

/// The message that was compressed; nil if the bytes are damaged.
func inflated(_ bytes: [UInt8], atMost limit: Int) -> [UInt8]? {
  var message = [UInt8](repeating: 0, count: limit)
  var count = UInt(limit)
  guard unsafe uncompress(&message, &count, bytes, UInt(bytes.count)) == Z_OK else { return nil }
  return Array(message.prefix(Int(count)))
}

/// Collects the batches of a ride.
struct BatcherHarness {
  var batcher: LogBatcher
  var reader = RecordReader()
  private(set) var batches: [(summary: BatchSummary, payload: [UInt8])] = []

  init(_ batcher: LogBatcher, instance: String = "a", boot: String = "b6f1c2d0") {
    self.batcher = batcher
    self.batcher.connected(instance: instance, boot: boot) { _, _ in }
  }

  @discardableResult
  mutating func add(_ line: [UInt8], at now: MonotonicTime) -> Bool {
    guard reader.read(line.span) else { return false }
    let reader = reader
    var isAdded = false
    change { isAdded = $0.add(line.span, reader, at: now, $1) }
    return isAdded
  }

  mutating func change(_ body: (inout LogBatcher, LogBatcher.Sink) -> Void) {
    var ended: [(BatchSummary, [UInt8])] = []
    body(&batcher) { ended.append(($0, copied($1))) }
    for (summary, payload) in ended { batches.append((summary, payload)) }
  }

  mutating func end() { change { $0.end($1) } }
}
