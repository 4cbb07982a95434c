// A plain client of a socket: writes lines, reads lines.

import JSON
import Linux
import TestSupport
import Time

final class GuidePeer {
  enum Problem: Error {
    case ended
    case silent(after: [JSONValue])
    case refused(JSONValue)
  }

  private static let timeout = Duration.seconds(30)
  private let socket: FileDescriptor
  private let tap: LineTap
  private var bytes: [UInt8] = []
  private var lastID = 0
  private(set) var hello = JSONValue.null
  /// Records that came before the one that was wanted last.
  private(set) var passed: [JSONValue] = []

  init(_ path: String, _ server: LineTap.Server = .guide) throws {
    socket = try UnixSocket.connect(to: path)
    tap = LineTap(server)
    hello = try next()
  }

  /// The reply or the error.
  func ask(_ method: String, _ parameters: String = "{}") throws -> JSONValue {
    let id = try send(method, parameters)
    return try next { $0["id"]?.integer == id }
  }

  /// The result; throws if the request is refused.
  @discardableResult
  func result(_ method: String, _ parameters: String = "{}") throws -> JSONValue {
    let answer = try ask(method, parameters)
    guard let result = answer["result"] else { throw Problem.refused(answer) }
    return result
  }

  @discardableResult
  func send(_ method: String, _ parameters: String = "{}") throws -> Int {
    lastID += 1
    let line = Array("{\"id\":\(lastID),\"method\":\"\(method)\",\"params\":\(parameters)}\n".utf8)
    _ = try StreamSocket.send(socket.number, line.span)
    tap.sent(line)
    return lastID
  }

  func sample(_ kind: String, where fits: (JSONValue) -> Bool = { _ in true }) throws -> JSONValue {
    try next { $0["class"] == "sample" && $0["kind"]?.text == kind && fits($0) }
  }

  func next(where fits: (JSONValue) -> Bool) throws -> JSONValue {
    passed = []
    while true {
      let record = try next()
      if fits(record) { return record }
      passed.append(record)
    }
  }

  private func next() throws -> JSONValue {
    let deadline = MonotonicTime.now + Self.timeout
    while true {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        defer { bytes.removeSubrange(...end) }
        return try JSONValue.parse(Array(bytes[..<end]))
      }
      guard try Waiting.untilReadable(socket.number, deadline: deadline) else { throw Problem.silent(after: passed) }
      var chunk = [UInt8](repeating: 0, count: 64 << 10)
      guard case .done(let count) = try socket.read(into: &chunk) else { continue }
      guard count > 0 else { throw Problem.ended }
      bytes += chunk[..<count]
      tap.received(chunk[..<count])
    }
  }
}
