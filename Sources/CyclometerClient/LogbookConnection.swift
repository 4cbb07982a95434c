// A blocking connection to the recorder: requests, and transfers in both directions.

import JSON
import Linux
package import LogbookWire
import Time
package import Wire

extension Endpoint {
  package var logbookSocket: String { socketBeside("logbook.sock") }
}

package final class LogbookConnection {
  package let greeting: LogbookHelloRecord
  private let stream: RecordStream
  private var lastRequest = 0

  package init(to path: String, within timeout: Duration = .seconds(10)) throws(ClientError) {
    let stream = RecordStream(try ClientSocket(path: path))
    guard let first = try stream.next(until: .now + timeout) else { throw .timeout }
    if first.recordClass == "error" { throw first.refusal }
    guard let greeting = LogbookHelloRecord(first.content) else {
      throw .notUnderstood("\(path): what listens there is not a recorder")
    }
    guard greeting.logbookVersion.hasPrefix("1.") else {
      throw .notUnderstood("the recorder uses version \(greeting.logbookVersion) of its protocol, and this program 1")
    }
    self.greeting = greeting
    self.stream = stream
  }

  /// Sends a request and waits for its reply. Without a limit of time it waits until the recorder
  /// disconnects, because a large file takes long to import.
  package func request<Asked: LogbookRequest>(
    _ request: Asked, within timeout: Duration? = .seconds(30)
  ) throws(ClientError) -> Received<Asked.Reply> {
    let deadline = timeout.map { MonotonicTime.now + $0 }
    lastRequest += 1
    let number = lastRequest
    let line = try requestLine(limit: greeting.lineLimit) { $0.request(RequestID(number), request) }
    try stream.send(line.span, until: deadline)
    while let record = try stream.next(until: deadline) {
      switch record.recordClass {
      case "reply" where record.requestNumber == number:
        guard let reply = Received<Asked.Reply>(record["result"] ?? .object([])) else {
          throw .notUnderstood("the recorder's reply to \(Asked.method.rawValue) lacks a member that it must have")
        }
        return reply
      case "error" where record.requestNumber == number || record.requestNumber == nil: throw record.refusal
      default: break
      }
    }
    throw .timeout
  }

  /// The next piece of a transfer, which the reply to a request began. It must continue the
  /// `length` bytes before it.
  package func piece(of transfer: Int, after length: Int) throws(ClientError) -> DataRecord {
    let deadline = MonotonicTime.now + .seconds(60)
    while let record = try stream.next(until: deadline) {
      if record.recordClass == "error" { throw record.refusal }
      guard record.recordClass == DataRecord.className else { continue }
      guard let piece = DataRecord(record.content) else { throw .notUnderstood("a piece of the file is not Base64") }
      if piece.transfer != transfer { continue }
      guard piece.offset == length else { throw .notUnderstood("the recorder left out a piece of the file") }
      let end = length + piece.piece.bytes.count
      if piece.isLast, let total = piece.totalBytes, total != end {
        throw .notUnderstood("the recorder sent \(end) bytes of \(total)")
      }
      return piece
    }
    throw .timeout
  }

  /// Uploads a file. Each piece waits for the reply to the one before.
  package func upload(
    _ content: [UInt8], named name: String, as target: ImportTarget? = nil, progress: (Int) -> Void
  ) throws(ClientError) -> Received<PutReply> {
    var begin = ImportRequest()
    (begin.name, begin.bytes, begin.target) = (name, content.count, target)
    let transfer = try request(begin).content.transfer
    var offset = 0
    while true {
      let end = min(content.count, offset + Piece.mostBytes)
      var put = PutRequest()
      (put.transfer, put.offset) = (transfer, offset)
      put.piece = Piece(Array(content[offset..<end]))
      put.end = end == content.count
      put.bytes = put.end ? end : nil
      let reply = try request(put, within: put.end ? nil : .seconds(60))
      if put.end { return reply }
      offset = end
      progress(offset)
    }
  }
}
