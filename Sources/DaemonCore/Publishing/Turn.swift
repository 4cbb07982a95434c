// What was published in this turn of the loop: the lines one behind the other, once for all who read them. Who wants all of
// them writes them from here as they lie; the others pick theirs.

final class Turn {
  /// Which turn it is: another one each time that lines are gathered.
  private(set) var number = 0
  private(set) var bytes: [UInt8] = []
  private(set) var entries: [Entry] = []

  struct Entry {
    /// Nil for a record that is not a sample.
    let stream: Stream?
    /// Nil for a record that is not an event. A record that is neither goes to every subscriber.
    let event: EventOrigin?
    let line: Range<Int>
  }

  /// What filters compare an event with.
  final class EventOrigin {
    let sensor: String
    let kind: String

    init(sensor: String, kind: String) {
      self.sensor = sensor
      self.kind = kind
    }
  }

  func append(_ line: [UInt8], of stream: Stream?, event: EventOrigin? = nil) {
    let start = bytes.count
    bytes.append(contentsOf: line)
    entries.append(Entry(stream: stream, event: event, line: start..<bytes.count))
  }

  func begin() {
    number += 1
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.usualRoom)
    entries.removeAll(keepingCapacity: true)
  }

  private static let usualRoom = 64 << 10
}
