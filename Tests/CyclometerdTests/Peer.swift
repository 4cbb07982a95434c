// A plain client of a daemon's socket: writes bytes, reads lines.

import JSON
import Linux
import TestSupport
import Time

final class Peer {
  private let socket: FileDescriptor
  private let tap = LineTap()
  private var bytes: [UInt8] = []
  private var lastID = 0
  /// The daemon's first line.
  private(set) var hello: JSONValue = .null
  /// Records that arrived before the expected one.
  private(set) var passed: [JSONValue] = []
  /// Waits until the descriptor is readable. A test with its own loop replaces this.
  var wait: (Int32, MonotonicTime) throws -> Bool = { try Waiting.untilReadable($0, deadline: $1) }

  enum Problem: Error {
    case ended(JSONValue)
    case silent(after: JSONValue)
  }

  var number: Int32 { socket.number }

  static let timeout = Duration.seconds(20)

  init(_ path: String) throws {
    socket = try UnixSocket.connect(to: path)
    hello = try next()
  }

  /// Sends the bytes without a line feed.
  func send(bytes: [UInt8]) throws {
    tap.sent(bytes)
    var sent = 0
    while sent < bytes.count {
      guard case .done(let count) = try StreamSocket.send(socket.number, bytes.span.extracting(sent...)) else {
        continue
      }
      sent += count
    }
  }

  func send(_ lines: String...) throws {
    try send(bytes: lines.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] })
  }

  /// The next line, unchanged.
  func line(within time: Duration = timeout) throws -> String {
    let deadline = MonotonicTime.now + time
    var searched = 0
    while true {
      if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { bytes.removeSubrange(...end) }
        return String(decoding: bytes[..<end], as: UTF8.self)
      }
      searched = bytes.count
      guard try wait(socket.number, deadline) else { throw Problem.silent(after: hello) }
      guard try fill() else { throw Problem.ended(hello) }
    }
  }

  func next() throws -> JSONValue {
    try JSONValue.parse(line())
  }

  /// The next matching record. The others are kept in `passed`.
  func next(where fits: (JSONValue) -> Bool) throws -> JSONValue {
    while true {
      let record = try next()
      if fits(record) { return record }
      passed.append(record)
    }
  }

  func next(_ className: String) throws -> JSONValue {
    try next { $0["class"]?.text == className }
  }

  /// Sends a request and returns its reply or error.
  func ask(_ method: String, _ parameters: String = "{}") throws -> JSONValue {
    let id = try begin(method, parameters)
    return try answer(to: id)
  }

  /// Sends a request without waiting for the answer.
  @discardableResult
  func begin(_ method: String, _ parameters: String = "{}") throws -> Int {
    lastID += 1
    try send(#"{"id":\#(lastID),"method":"\#(method)","params":\#(parameters)}"#)
    return lastID
  }

  func answer(to id: Int) throws -> JSONValue {
    try next { ($0["class"] == "reply" || $0["class"] == "error") && $0["id"]?.integer == id }
  }

  /// Whether the stream ends. Discards what it still contains.
  func ends() throws -> Bool {
    let deadline = MonotonicTime.now + Self.timeout
    while try wait(socket.number, deadline) {
      if try !fill() { return true }
    }
    return false
  }

  /// Shuts down the writing side.
  func stopSending() throws {
    try StreamSocket.shutdownWrite(socket.number)
  }

  /// False at the end of the stream.
  private func fill() throws -> Bool {
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    guard case .done(let count) = try socket.read(into: &chunk) else { return true }
    tap.received(chunk[..<count])
    bytes += chunk[..<count]
    return count > 0
  }
}

extension JSONValue {
  var className: String? { self["class"]?.text }
  var code: String? { self["code"]?.text }
  var sequence: Int? { self["seq"]?.integer }
  /// The `result` of a reply.
  var result: JSONValue? { self["result"] }
}
