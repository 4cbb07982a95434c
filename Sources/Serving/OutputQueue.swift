// Output that a client has not read yet. Above the limit, samples are not queued: only the newest
// of each stream is kept, and sent when there is room. A `lag` record before them counts the
// samples lost. Other records are always queued.

import JSON
import Linux
import SampleLines
import Wire

struct OutputQueue {
  static let limit = 64 << 10
  /// A client with more bytes than this is disconnected.
  static let ceiling = 1 << 20

  private var bytes: [UInt8] = []
  private var head = 0
  /// Streams whose newest sample found no room.
  private var deferred: [SampleStream] = []
  private var dropped = 0
  /// How many bytes the socket has taken in total.
  private(set) var written = 0

  var count: Int { bytes.count - head }
  var isEmpty: Bool { count == 0 }
  var isFull: Bool { count >= Self.limit }

  mutating func append(_ line: some Sequence<UInt8>) {
    bytes.append(contentsOf: line)
  }

  /// A sample of the stream.
  mutating func append(_ line: ArraySlice<UInt8>, of stream: SampleStream, isFull: Bool) {
    guard isFull || !deferred.isEmpty else { return append(line) }
    if deferred.contains(where: { $0 === stream }) {
      dropped += 1
    } else {
      deferred.append(stream)
    }
  }

  mutating func write(to socket: Int32) throws(SystemError) {
    while !isEmpty {
      guard case .done(let count) = try StreamSocket.send(socket, bytes.span.extracting(head...)) else { break }
      head += count
      written += count
    }
    compact()
    catchUp()
  }

  private mutating func compact() {
    if head == bytes.count {
      bytes.removeAll(keepingCapacity: bytes.capacity <= 2 * Self.limit)
      head = 0
    } else if head > Self.limit / 2 {
      bytes.removeSubrange(..<head)
      head = 0
    }
  }

  private mutating func catchUp() {
    if count < Self.limit / 2 { flushDeferred() }
  }

  /// Appends the late samples even if there is no room. At the end of a subscription too, each
  /// sample is either sent or counted as lost.
  mutating func flushDeferred() {
    guard !deferred.isEmpty else { return }
    // The last sample of a forgotten sensor is not sent.
    let lost = dropped + deferred.count { !$0.hasLast }
    if lost > 0 {
      var writer = JSONWriter()
      writer.line(LagRecord(dropped: lost))
      bytes.append(contentsOf: writer.bytes)
    }
    for stream in deferred where stream.hasLast { bytes.append(contentsOf: stream.encoded.line) }
    deferred.removeAll(keepingCapacity: true)
    dropped = 0
  }
}
