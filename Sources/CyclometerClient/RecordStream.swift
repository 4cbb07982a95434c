// The socket of a `Connection`: whole lines out, records in. It only blocks in `poll`, so every wait
// has a deadline.

import JSON
import Linux
package import Time

package final class RecordStream {
  private let socket: ClientSocket
  private var splitter = LineSplitter()
  /// Records that arrived together and were not requested yet.
  private var arrived = Queue<ReceivedRecord>()
  /// A line was longer than the protocol allows. Earlier records still count; nothing after it is
  /// read.
  private var isGarbled = false
  /// A line was only sent in part, so anything after it would be read as its rest.
  private var isCutOff = false

  package var number: Int32 { socket.number }

  init(_ socket: ClientSocket) {
    self.socket = socket
  }

  package convenience init(path: String) throws(ClientError) {
    self.init(try ClientSocket(path: path))
  }

  package func send(_ bytes: Span<UInt8>, until deadline: MonotonicTime? = nil) throws(ClientError) {
    guard !isCutOff else { throw .closed }
    isCutOff = true
    var sent = 0
    while sent < bytes.count {
      let count = try socket.send(bytes.extracting(sent...))
      sent += count
      if count > 0 { continue }
      let isReady = try translatingErrors { () throws(SystemError) in
        try Waiting.untilReadableOrWritable(socket.number, deadline: deadline)
      }
      guard isReady else { throw .timeout }
      try read()
    }
    isCutOff = false
  }

  /// The next record. Returns nil if the deadline passes first. Data that has arrived is read even
  /// after the deadline.
  package func next(until deadline: MonotonicTime?) throws(ClientError) -> ReceivedRecord? {
    while arrived.isEmpty {
      if isGarbled { throw .longLine }
      let isReady = try translatingErrors { () throws(SystemError) in
        try Waiting.untilReadable(socket.number, deadline: deadline)
      }
      guard isReady else { return nil }
      try read()
    }
    return arrived.popFirst()
  }

  /// The next record that has arrived; nil if there is none at present. A loop's time can be virtual, so this
  /// does not compare it with the clock.
  package func nextArrived() throws(ClientError) -> ReceivedRecord? { try next(until: MonotonicTime(seconds: 0)) }

  /// Waits until there is data here or on another descriptor. Returns false if the deadline passes
  /// first.
  func wait(or number: Int32, until deadline: MonotonicTime?) throws(ClientError) -> Bool {
    if !arrived.isEmpty || isGarbled { return true }
    return try translatingErrors { () throws(SystemError) in
      try Waiting.untilReadable(socket.number, or: number, deadline: deadline)
    }
  }

  /// Reads available data, if any.
  private func read() throws(ClientError) {
    var records: [ReceivedRecord] = []
    var outcome = LineSplitter.Outcome.done
    try socket.read { bytes in
      outcome = splitter.feed(bytes) { line in
        if let record = ReceivedRecord(line: line) { records.append(record) }
        return true
      }
    }
    for record in records { arrived.append(record) }
    if outcome == .lineTooLong { isGarbled = true }
  }
}
