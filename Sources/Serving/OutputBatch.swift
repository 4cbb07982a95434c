// The lines published in this iteration of the loop, shared by all subscribers. A subscriber that wants
// all lines writes these bytes directly; the others select theirs.

package struct OutputBatch {
  /// Incremented with each iteration.
  private(set) var number: Int
  private(set) var bytes: [UInt8] = []
  private(set) var entries: [Entry] = []

  struct Entry {
    /// Nil for a record that is not a sample.
    let stream: SampleStream?
    /// Nil for a record that is not an event. A record that is neither goes to every subscriber.
    let event: EventOrigin?
    let line: Range<Int>
  }

  /// What filters match an event against.
  final class EventOrigin {
    let sensor: String
    let kind: String

    init(sensor: String, kind: String) {
      self.sensor = sensor
      self.kind = kind
    }
  }

  init(number: Int = 0) {
    self.number = number
  }

  mutating func append(_ line: [UInt8], of stream: SampleStream?, event: EventOrigin? = nil) {
    let start = bytes.count
    bytes.append(contentsOf: line)
    entries.append(Entry(stream: stream, event: event, line: start..<bytes.count))
  }

  mutating func begin(number: Int) {
    self.number = number
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
    entries.removeAll(keepingCapacity: true)
  }

  private static let keptCapacity = 64 << 10
}
