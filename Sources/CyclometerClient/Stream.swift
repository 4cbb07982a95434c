// The socket itself: whole lines out, records in. Errors of the system become what they mean to a client.

import Linux
import Wire

final class Stream {
  private let socket: FileDescriptor
  private var splitter = LineSplitter()
  /// Records that arrived in one piece and were not asked for yet, the next one last.
  private var arrived: [ReceivedRecord] = []
  private var chunk = [UInt8](repeating: 0, count: 16 << 10)

  init(path: String) throws(ClientError) {
    do throws(SystemError) {
      socket = try UnixSocket.connect(to: path)
    } catch {
      if error.isMissingFile || error.isRefused { throw .noDaemon(path: path) }
      if error.isNotAllowed { throw .notAllowed(path: path) }
      throw .system(error)
    }
  }

  func send(_ bytes: Span<UInt8>) throws(ClientError) {
    try understanding { () throws(SystemError) in
      var sent = 0
      while sent < bytes.count {
        guard case .done(let count) = try UnixSocket.send(socket.number, bytes.extracting(sent...)) else { continue }
        sent += count
      }
    }
  }

  /// The next record; nil when the deadline passed first. What has arrived is read even when it has passed.
  func next(until deadline: BootTime?) throws(ClientError) -> ReceivedRecord? {
    while arrived.isEmpty {
      let count = try understanding { () throws(SystemError) -> Int? in
        guard try Waiting.untilReadable(socket.number, deadline: deadline) else { return nil }
        guard case .done(let count) = try socket.read(into: &chunk) else { return nil }
        return count
      }
      guard let count else { return nil }
      if count == 0 { throw .closed }
      var records: [ReceivedRecord] = []
      let outcome = splitter.feed(chunk.span.extracting(..<count)) { line in
        if let record = ReceivedRecord(line: line) { records.append(record) }
        return true
      }
      if outcome == .lineTooLong { throw .notUnderstood("the daemon sent a longer line than the protocol allows") }
      arrived = records.reversed()
    }
    return arrived.removeLast()
  }

  private func understanding<Result>(_ body: () throws(SystemError) -> Result) throws(ClientError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw error.isPeerGone ? .closed : .system(error)
    }
  }
}
