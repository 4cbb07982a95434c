// From samples to lines, and to everybody who asked for them. A sample is encoded once, however many read it, and what a turn
// of the loop brought leaves at its end, all together.

import EventLoop
import Linux
import Metrics
import SensorKit
import Wire

/// Somebody who receives lines.
protocol Subscriber: AnyObject {
  /// The turn is over: what of it is this subscriber's leaves now.
  func deliver(_ turn: Turn)
}

final class Publisher {
  private let loop: EventLoop
  private var streams: [Stream] = []
  private var subscribers: [any Subscriber] = []
  private var writer = JSONWriter()
  /// What nobody has been given yet.
  let turn = Turn()
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

  /// The stream of a sensor and kind, made when it is first asked for.
  func stream(_ sensor: String, _ kind: SampleKind) -> Stream {
    if let known = streams.first(where: { $0.kind == kind && $0.sensor == sensor }) { return known }
    let stream = Stream(sensor: sensor, kind: kind, index: streams.count)
    streams.append(stream)
    return stream
  }

  func publish(_ entry: Batch.Entry, of batch: borrowing Batch, on stream: Stream, at time: MonotonicTime) {
    stream.encode(entry, of: batch, at: time, wallTime: Clock.wallTime)
    hand(stream.encoded.line, of: stream)
  }

  /// Something that happened: sent to the subscribers whose filters it passes, and not kept. `owner` is the sensor of an event that
  /// names none.
  func publish(
    event name: Word, _ entry: Batch.Entry, of batch: borrowing Batch, owner: String, at time: MonotonicTime
  ) {
    guard !subscribers.isEmpty else { return }
    writer.removeAll()
    writer.eventLine(name, time: time, wallTime: Clock.wallTime, entry, of: batch)
    let sensor = batch.text(Field("sensor"), of: entry) ?? owner
    let kind = RideMetrics.kind(ofEvent: name).name.description
    hand(writer.bytes, of: nil, event: Turn.EventOrigin(sensor: sensor, kind: kind))
  }

  func publish(_ record: some Record) {
    guard !subscribers.isEmpty else { return }
    writer.removeAll()
    writer.line(record)
    hand(writer.bytes, of: nil)
  }

  private func hand(_ line: [UInt8], of stream: Stream?, event: Turn.EventOrigin? = nil) {
    guard !subscribers.isEmpty else { return }
    turn.append(line, of: stream, event: event)
    endOfTurn?.schedule()
  }

  private func deliver() {
    for subscriber in subscribers { subscriber.deliver(turn) }
    turn.begin()
  }

  /// Its last samples are shown no more.
  func forget(_ sensor: String) {
    for stream in streams where stream.sensor == sensor { stream.forgetLast() }
  }

  func forget(_ sensor: String, _ kind: SampleKind) { stream(sensor, kind).forgetLast() }

  /// The last sample of every stream that passes the filter.
  func lastSamples(_ filter: Filter) -> [Stream] {
    streams.filter { $0.hasLast && filter.passes(sensor: $0.sensor, kind: $0.kind.name.description) }
  }

  var now: MonotonicTime { Clock.monotonic(loop.now) }
}
