// A connection to a service that listens next to the daemon, for requests.

import CyclometerClient
import JSON
import Linux
import Time
import Wire

struct ServiceSession {
  private let name: String
  private let limit: Duration
  private let stream: RecordStream

  /// `name` is how messages name the service: "guide". `limit` is the longest time to wait for an answer.
  init(_ name: String, at path: String, limit: Duration) throws(ClientError) {
    (self.name, self.limit) = (name, limit)
    stream = try RecordStream(path: path)
    guard let first = try stream.next(until: .now + limit) else { throw .timeout }
    if first.recordClass == "error" { throw first.refusal }
    _ = try first.greeting(of: name, from: path)
  }

  /// Sends the request that `write` writes, and returns its reply.
  func answer<Reply: WireObject>(
    to method: String, _ write: (inout JSONWriter) -> Void
  ) throws(ClientError) -> Received<Reply> {
    let deadline = MonotonicTime.now + limit
    let line = try requestLine(write)
    try stream.send(line.span, until: deadline)
    while let record = try stream.next(until: deadline) {
      switch record.recordClass {
      case "reply":
        guard let reply = Received<Reply>(record["result"] ?? .object([])) else {
          throw .notUnderstood("the \(name)'s reply to \(method) lacks a member that it must have")
        }
        return reply
      case "error": throw record.refusal
      default: break
      }
    }
    throw .timeout
  }
}
