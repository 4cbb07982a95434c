// A plain client of logbook.sock: writes lines, reads lines.

import JSON
import Linux
import LogbookWire
import TestSupport
import Time

final class LogbookPeer {
  enum Problem: Error {
    case ended
    case silent
    case refused(JSONValue)
  }

  private static let timeout = Duration.seconds(30)
  private let socket: FileDescriptor
  private let tap: LineTap
  private var bytes: [UInt8] = []
  private var lastID = 0
  private(set) var hello = JSONValue.null
  /// Records that came before the ones that were wanted.
  private(set) var passed: [JSONValue] = []

  init(_ path: String) throws {
    socket = try UnixSocket.connect(to: path)
    tap = LineTap(path.hasSuffix("logbook.sock") ? .recorder : .daemon)
    hello = try next()
  }

  func send(_ line: String) throws {
    let bytes = Array((line + "\n").utf8)
    var sent = 0
    while sent < bytes.count {
      guard case .done(let count) = try StreamSocket.send(socket.number, bytes.span.extracting(sent...)) else {
        try Waiting.until(.now + .milliseconds(1))
        continue
      }
      sent += count
    }
    tap.sent(bytes)
  }

  func next(within span: Duration = timeout) throws -> JSONValue {
    let deadline = MonotonicTime.now + span
    var searched = 0
    while true {
      if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { bytes.removeSubrange(...end) }
        return try JSONValue.parse(Array(bytes[..<end]))
      }
      searched = bytes.count
      guard try Waiting.untilReadable(socket.number, deadline: deadline) else { throw Problem.silent }
      var chunk = [UInt8](repeating: 0, count: 64 << 10)
      guard case .done(let count) = try socket.read(into: &chunk) else { continue }
      guard count > 0 else { throw Problem.ended }
      bytes += chunk[..<count]
      tap.received(chunk[..<count])
    }
  }

  func next(where fits: (JSONValue) -> Bool) throws -> JSONValue {
    if let index = passed.firstIndex(where: fits) { return passed.remove(at: index) }
    while true {
      let record = try next()
      if fits(record) { return record }
      passed.append(record)
    }
  }

  @discardableResult
  func begin(_ method: String, _ parameters: String = "{}") throws -> Int {
    lastID += 1
    try send(#"{"id":\#(lastID),"method":"\#(method)","params":\#(parameters)}"#)
    return lastID
  }

  /// The reply or the error.
  func answer(to id: Int) throws -> JSONValue {
    // Changes of activities and segments have ids of their own.
    try next { $0["id"]?.integer == id && $0["class"] != "activity" && $0["class"] != "segment" }
  }

  func ask(_ method: String, _ parameters: String = "{}") throws -> JSONValue {
    try answer(to: begin(method, parameters))
  }

  /// The result; throws if the request is refused.
  func result(_ method: String, _ parameters: String = "{}") throws -> JSONValue {
    let answer = try ask(method, parameters)
    guard let result = answer["result"] else { throw Problem.refused(answer) }
    return result
  }

  /// The content of a transfer.
  func content(_ method: String, _ parameters: String) throws -> (name: String?, bytes: [UInt8]) {
    let begun = try result(method, parameters)
    var bytes: [UInt8] = []
    while true {
      let piece = try next { $0["class"] == "data" }
      guard let more = piece["base64"]?.text.flatMap({ Base64.decode($0.utf8) }) else { throw Problem.refused(piece) }
      bytes += more
      if piece["end"] == true { return (begun["name"]?.text, bytes) }
    }
  }

  func event(_ name: String) throws -> JSONValue { try next { $0["class"] == "event" && $0["event"]?.text == name } }

  func change(_ name: String) throws -> JSONValue {
    try next { $0["class"] == "activity" && $0["change"]?.text == name }
  }

  /// Totals are computed in the background.
  func waitForLoad(of id: Int) throws {
    let deadline = MonotonicTime.now + .seconds(20)
    while true {
      let activity = try result("show", #"{"id":\#(id)}"#)
      if activity["training_load"]?.number ?? 0 > 0 { return }
      guard MonotonicTime.now < deadline else { throw Problem.refused(activity) }
      try Waiting.until(.now + .milliseconds(20))
    }
  }
}
