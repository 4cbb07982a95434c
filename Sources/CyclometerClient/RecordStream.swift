// The socket: whole lines out, records in. System errors become errors for clients. It only blocks
// in `poll`, so every wait has a deadline.

import JSON
import Linux
import Time

final class RecordStream {
  private let socket: FileDescriptor
  private var splitter = LineSplitter()
  /// Records that arrived together and were not requested yet.
  private var arrived = Queue<ReceivedRecord>()
  /// Large enough for a reply; it grows for streams.
  private var chunk = [UInt8](repeating: 0, count: 2 << 10)
  /// A line was longer than the protocol allows. Earlier records still count; nothing after it is
  /// read.
  private var isGarbled = false
  /// A line was only sent in part, so anything after it would be read as its rest.
  private var isCutOff = false

  init(path: String) throws(ClientError) {
    do throws(SystemError) {
      socket = try UnixSocket.connect(to: path, nonBlocking: true)
    } catch {
      if error.isMissingFile || error.isRefused { throw .noDaemon(path: path) }
      if error.isNotAllowed { throw .notAllowed(path: path) }
      // The kernel's queue of connections is full: the daemon exists but does not accept any.
      if error.isBusy { throw .timeout }
      throw .system(error)
    }
  }

  func send(_ bytes: Span<UInt8>, until deadline: MonotonicTime? = nil) throws(ClientError) {
    guard !isCutOff else { throw .closed }
    isCutOff = true
    var sent = 0
    while sent < bytes.count {
      let result = try understanding { () throws(SystemError) in
        try UnixSocket.send(socket.number, bytes.extracting(sent...))
      }
      switch result {
      case .done(let count): sent += count
      case .wouldBlock:
        let isReady = try understanding { () throws(SystemError) in
          try Waiting.untilReadableOrWritable(socket.number, deadline: deadline)
        }
        guard isReady else { throw .timeout }
        try read()
      }
    }
    isCutOff = false
  }

  /// The next record. Returns nil if the deadline passes first, `waker` was called, or `input` has
  /// data. Data that has arrived is read even after the deadline.
  func next(
    until deadline: MonotonicTime?, waker: Waker? = nil, input: Int32 = -1
  ) throws(ClientError) -> ReceivedRecord? {
    while arrived.isEmpty {
      if isGarbled { throw .notUnderstood("the daemon sent a longer line than the protocol allows") }
      let isReady = try understanding { () throws(SystemError) in
        try Waiting.untilReadable(socket.number, or: waker?.number ?? -1, or: input, deadline: deadline)
      }
      guard isReady else { return nil }
      try read()
      if arrived.isEmpty, let waker, waker.clear() { return nil }
      if arrived.isEmpty, try isReadable(input) { return nil }
    }
    return arrived.popFirst()
  }

  /// Waits until there is data here or on another descriptor. Returns false if the deadline passes
  /// first.
  func wait(or number: Int32, until deadline: MonotonicTime?) throws(ClientError) -> Bool {
    if !arrived.isEmpty || isGarbled { return true }
    return try understanding { () throws(SystemError) in
      try Waiting.untilReadable(socket.number, or: number, deadline: deadline)
    }
  }

  private func isReadable(_ input: Int32) throws(ClientError) -> Bool {
    guard input >= 0 else { return false }
    return try understanding { () throws(SystemError) in try Waiting.untilReadable(input, deadline: .now) }
  }

  /// Reads available data, if any.
  private func read() throws(ClientError) {
    let result = try understanding { () throws(SystemError) in try socket.read(into: &chunk) }
    guard case .done(let count) = result else { return }
    if count == 0 { throw .closed }
    defer { if count == chunk.count, count < 32 << 10 { chunk = [UInt8](repeating: 0, count: count * 4) } }
    var records: [ReceivedRecord] = []
    let outcome = splitter.feed(chunk.span.extracting(..<count)) { line in
      if let record = ReceivedRecord(line: line) { records.append(record) }
      return true
    }
    for record in records { arrived.append(record) }
    isGarbled = outcome == .lineTooLong
  }

  private func understanding<Result>(_ body: () throws(SystemError) -> Result) throws(ClientError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw error.isPeerGone ? .closed : .system(error)
    }
  }
}
