// Encodes samples and delivers them to subscribers. Each sample is encoded once, for any number of
// subscribers. All lines of one iteration of the loop are delivered together at its end.

package import EventLoop
import JSON
import Linux
import ProgramKit
import SampleLines
package import SensorKit
package import Time
package import Vocabulary
package import Wire

package protocol Subscriber: AnyObject {
  /// Called at the end of an iteration of the loop.
  func deliver(_ output: OutputBatch)
}

package final class Publisher {
  private let loop: EventLoop
  private var streams: [SampleStream] = []
  private var subscribers: [any Subscriber] = []
  private var writer = JSONWriter()
  /// Lines that were not delivered yet.
  private(set) var output = OutputBatch()
  private var endOfTurn: Hook?

  package init(loop: EventLoop) {
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
  package func stream(_ sensor: String, _ kind: SampleKind) -> SampleStream {
    if let known = streams.first(where: { $0.kind == kind && $0.sensor == sensor }) { return known }
    let stream = SampleStream(sensor: sensor, kind: kind, index: streams.count)
    streams.append(stream)
    return stream
  }

  package func publish(_ entry: Batch.Entry, of batch: borrowing Batch, on stream: SampleStream, at time: MonotonicTime)
  {
    stream.encode(entry, of: batch, at: time, wallTime: Clock.wallTime)
    hand(stream.encoded.line, of: stream)
  }

  /// Sends an event to the subscribers whose filters it passes: those that want the kind that it
  /// belongs to. Events are not kept. `owner` is the sensor of an event that names none; with
  /// `namesOwner` its line names that one.
  package func publish(
    event name: Word, _ entry: Batch.Entry, of batch: borrowing Batch, kind: SampleKind, owner: String,
    namesOwner: Bool = false, at time: MonotonicTime
  ) {
    guard !subscribers.isEmpty else { return }
    writer.removeAll()
    writer.eventLine(
      name, sensor: namesOwner ? owner : nil, time: time, wallTime: Clock.wallTime, entry, of: batch)
    let sensor = batch.text(Field("sensor"), of: entry) ?? owner
    hand(writer.bytes, of: nil, event: OutputBatch.EventOrigin(sensor: sensor, kind: kind.name.description))
  }

  package func publish(_ record: some Record) {
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
    var turn = OutputBatch(number: output.number + 1)
    swap(&turn, &output)
    for subscriber in subscribers { subscriber.deliver(turn) }
    // What was published meanwhile is delivered in the next iteration.
    guard output.entries.isEmpty else { return }
    turn.begin(number: output.number)
    output = turn
  }

  /// Removes the last samples of the sensor from snapshots.
  package func forget(_ sensor: String) {
    for stream in streams where stream.sensor == sensor { stream.forgetLast() }
  }

  package func forget(_ sensor: String, _ kind: SampleKind) { stream(sensor, kind).forgetLast() }

  /// The last sample of every stream that passes the filter.
  package func lastSamples(_ filter: Filter) -> [SampleStream] {
    streams.filter { $0.hasLast && filter.passes(sensor: $0.sensor, kind: $0.kind.name.description) }
  }

  package var now: MonotonicTime { loop.now }
}
