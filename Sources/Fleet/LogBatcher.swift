// Collects the daemon's records in batches for storing: every sample once and in order, with states
// and events in between.
//
// A batch is complete in itself. It names the daemon's instance and the boot of the computer, and
// has the clock that dates it: at `t` it was `time`. From that, the `time` of its samples follows,
// and is left out of them. If the clock was not set yet, a later batch of the same boot dates them.

import Compression
import JSON
public import Time
import Wire

/// Limits of a batch; it ends with whatever is reached first.
public struct BatchLimits: Equatable, Sendable {
  public var duration: Duration
  public var records: Int
  public var bytes: Int

  public init(duration: Duration = .seconds(5), records: Int = 200, bytes: Int = 48 << 10) {
    (self.duration, self.records, self.bytes) = (duration, records, bytes)
  }
}

/// A moment on both clocks.
public struct RecordMoment: Equatable, Sendable {
  public var t: MonotonicTime
  /// Nil if the clock was not set.
  public var time: WallTime?

  public init(t: MonotonicTime, time: WallTime?) {
    (self.t, self.time) = (t, time)
  }
}

/// What a batch has, without its payload.
public struct BatchSummary: Equatable, Sendable {
  public var number: UInt64
  public var records: Int
  /// Of its first record and of its last one.
  public var from: RecordMoment
  public var to: RecordMoment

  public init(number: UInt64, records: Int, from: RecordMoment, to: RecordMoment) {
    (self.number, self.records, self.from, self.to) = (number, records, from, to)
  }
}

public struct LogBatcher {
  /// Receives each batch when it ends, with the payload for the topic `log`.
  public typealias Sink = (BatchSummary, Span<UInt8>) -> Void

  private let limits: BatchLimits
  private let filter: RecordFilter
  private let deflater: Deflater?
  /// Of the batch that is being collected.
  public private(set) var number: UInt64
  private var instance: [UInt8] = []
  private var boot: [UInt8] = []
  private var streams = StreamTable()
  /// By stream: the number of the last sample of this instance.
  private var lastSequences: [Int] = []

  private var records: [UInt8] = []
  private var count = 0
  private var began: MonotonicTime?
  /// When the first record was measured, and the last one.
  private var first: MonotonicTime?
  private var last: MonotonicTime?
  /// What dates the batch: the first sample with a time.
  private var clock: (t: MonotonicTime, time: WallTime)?
  private var writer = JSONWriter()
  private var packed: [UInt8] = []

  /// `firstNumber` is one more than the number of the last batch that was ever made.
  public init(
    firstNumber: UInt64, limits: BatchLimits = BatchLimits(), filter: RecordFilter = RecordFilter(),
    compresses: Bool = false
  ) throws(FleetProblem) {
    do throws(CompressionError) {
      deflater = compresses ? try Deflater() : nil
    } catch {
      throw FleetProblem("\(error)")
    }
    number = firstNumber
    (self.limits, self.filter) = (limits, filter)
  }

  /// When `timePassed` ends the batch; nil while it is empty.
  public var deadline: MonotonicTime? { began.map { $0 + limits.duration } }

  /// A daemon greeted. Its records belong to this instance from now on. `boot` names the boot of
  /// the computer.
  public mutating func connected(instance: String, boot: String, _ sink: Sink) {
    guard !self.instance.elementsEqual(instance.utf8) else { return }
    end(sink)
    self.instance = Array(instance.utf8)
    self.boot = Array(boot.utf8)
    for index in lastSequences.indices { lastSequences[index] = 0 }
  }

  /// Adds the record that was read last. A sample that a daemon sends again, in a snapshot, is left
  /// out. Returns whether it was added.
  @discardableResult
  public mutating func add(_ line: Span<UInt8>, _ record: RecordReader, at now: MonotonicTime, _ sink: Sink) -> Bool {
    guard filter.passes(record, line), isNew(record, line) else { return false }
    if count > 0, records.count + line.count > limits.bytes { end(sink) }
    let moment = record.t ?? now
    if began == nil { began = now }
    if count == 0 { first = moment }
    last = moment
    if count > 0 { records.append(UInt8(ascii: ",")) }
    record.append(line, without: omissions(record), to: &records)
    count += 1
    if count >= limits.records || records.count >= limits.bytes { end(sink) }
    return true
  }

  public mutating func timePassed(at now: MonotonicTime, _ sink: Sink) {
    if let deadline, deadline <= now { end(sink) }
  }

  /// Ends the batch, if it has a record.
  public mutating func end(_ sink: Sink) {
    guard count > 0, let first, let last else { return }
    writeText()
    let summary = BatchSummary(number: number, records: count, from: moment(first), to: moment(last))
    number += 1
    let payload = payload
    sink(summary, payload.span)
    records.removeAll(keepingCapacity: true)
    (count, began, self.first, self.last, clock) = (0, nil, nil, nil, nil)
  }
}

// MARK: Records

extension LogBatcher {
  private mutating func isNew(_ record: RecordReader, _ line: Span<UInt8>) -> Bool {
    guard record.recordClass == .sample,
      let stream = streams.number(line.extracting(record.sensor), line.extracting(record.kind))
    else { return true }
    if stream == lastSequences.count { lastSequences.append(0) }
    guard record.sequence > lastSequences[stream] else { return false }
    lastSequences[stream] = record.sequence
    return true
  }

  /// Of a sample, what follows from the batch.
  private mutating func omissions(_ record: RecordReader) -> RecordReader.Omissions {
    guard record.recordClass == .sample else { return [] }
    guard let t = record.t, let time = record.time else { return .age }
    guard let clock else {
      self.clock = (t, time)
      return [.age, .time]
    }
    // Both texts are cut to milliseconds.
    return time.differs(from: clock.time + (t - clock.t), byMoreThan: .milliseconds(1)) ? .age : [.age, .time]
  }

  private func moment(_ t: MonotonicTime) -> RecordMoment {
    RecordMoment(t: t, time: clock.map { $0.time + (t - $0.t) })
  }

  /// Compressed, if that was asked for and there is memory.
  private var payload: [UInt8] {
    mutating get {
      let text = writer.bytes
      guard let deflater, (try? deflater.compress(text.span, into: &packed)) != nil else { return text }
      return packed
    }
  }

  private mutating func writeText() {
    writer.removeAll()
    writer.beginObject()
    writer.member("batch")
    writer.number(number)
    writer.member("instance")
    let (instance, boot) = (instance, boot)
    writer.string(instance.span)
    writer.member("boot")
    writer.string(boot.span)
    if let clock {
      writer.member("clock")
      writer.beginObject()
      writer.member("t", clock.t)
      writer.member("time", clock.time)
      writer.endObject()
    }
    writer.member("records")
    writer.beginArray()
    writer.encoded(records[...])
    writer.endArray()
    writer.endObject()
  }
}

extension WallTime {
  static func + (time: WallTime, span: Duration) -> WallTime { time - (.zero - span) }

  /// Whatever the two are: a receiver's clock can be set to any year.
  func differs(from other: WallTime, byMoreThan tolerance: Duration) -> Bool {
    let whole = seconds - other.seconds
    guard whole.magnitude < 1_000_000 else { return true }
    let difference = whole * 1_000_000_000 + Int64(nanoseconds - other.nanoseconds)
    return difference.magnitude > tolerance.wholeNanoseconds.magnitude
  }
}
