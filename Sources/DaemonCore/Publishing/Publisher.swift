// Encodes samples and delivers them to subscribers. Each sample is encoded once, for any number of
// subscribers. All lines of one iteration of the loop are delivered together at its end.

import EventLoop
import JSON
import Linux
import Metrics
import SampleLines
import SensorKit
import Time
import Vocabulary
import Wire

protocol Subscriber: AnyObject {
  /// Called at the end of an iteration of the loop.
  func deliver(_ output: OutputBatch)
}

final class Publisher {
  private let loop: EventLoop
  private var streams: [SampleStream] = []
  private var subscribers: [any Subscriber] = []
  private var writer = JSONWriter()
  /// Lines that were not delivered yet.
  let output = OutputBatch()
  private var endOfTurn: Hook?

  init(loop: EventLoop) {
    self.loop = loop
    endOfTurn = loop.makeHook { [unowned self] in self.deliver() }
  }

  func add(_ subscriber: any Subscriber) {
    guard !subscribers.contains(where: { $0 === subscriber }) else { return }
    subscribers.append(subscriber)
  }

  func remove(_ subscriber: any Subscriber) {
    subscribers.removeAll { $0 === subscriber }
  }

  /// The stream of a sensor and kind, made on first use.
  func stream(_ sensor: String, _ kind: SampleKind) -> SampleStream {
    if let known = streams.first(where: { $0.kind == kind && $0.sensor == sensor }) { return known }
    let stream = SampleStream(sensor: sensor, kind: kind, index: streams.count)
    streams.append(stream)
    return stream
  }

  func publish(_ entry: Batch.Entry, of batch: borrowing Batch, on stream: SampleStream, at time: MonotonicTime) {
    stream.encode(entry, of: batch, at: time, wallTime: Clock.wallTime)
    hand(stream.encoded.line, of: stream)
  }

  /// Sends an event to the subscribers whose filters it passes. Events are not kept. `owner` is the
  /// sensor of an event that names none.
  func publish(
    event name: Word, _ entry: Batch.Entry, of batch: borrowing Batch, owner: String, at time: MonotonicTime
  ) {
    guard !subscribers.isEmpty else { return }
    writer.removeAll()
    writer.eventLine(name, time: time, wallTime: Clock.wallTime, entry, of: batch)
    let sensor = batch.text(Field("sensor"), of: entry) ?? owner
    let kind = RideMetrics.kind(ofEvent: name).name.description
    hand(writer.bytes, of: nil, event: OutputBatch.EventOrigin(sensor: sensor, kind: kind))
  }

  func publish(_ record: some Record) {
    guard !subscribers.isEmpty else { return }
    writer.removeAll()
    writer.line(record)
    hand(writer.bytes, of: nil)
  }

  private func hand(_ line: [UInt8], of stream: SampleStream?, event: OutputBatch.EventOrigin? = nil) {
    guard !subscribers.isEmpty else { return }
    output.append(line, of: stream, event: event)
    endOfTurn?.schedule()
  }

  private func deliver() {
    for subscriber in subscribers { subscriber.deliver(output) }
    output.begin()
  }

  /// Removes the last samples of the sensor from snapshots.
  func forget(_ sensor: String) {
    for stream in streams where stream.sensor == sensor { stream.forgetLast() }
  }

  func forget(_ sensor: String, _ kind: SampleKind) { stream(sensor, kind).forgetLast() }

  /// The last sample of every stream that passes the filter.
  func lastSamples(_ filter: Filter) -> [SampleStream] {
    streams.filter { $0.hasLast && filter.passes(sensor: $0.sensor, kind: $0.kind.name.description) }
  }

  var now: MonotonicTime { loop.now }
}
