// A board, a clock and the lines of a daemon, and what a reader received, taken apart again.

import HTTP
import JSON
import Testing
import Time

@testable import WebFrames

struct Message: Equatable {
  let event: String
  let id: Int
  let data: JSONValue

  var now: Double? { data["now"]?.number }
  /// Each record in a word: `speed:3` for the third sample of the kind, `state:strap:stale`.
  var records: [String] {
    (data["records"]?.items ?? []).map { record in
      switch record["class"]?.text {
      case "sample": "\(record["kind"]?.text ?? ""):\(record["seq"]?.integer ?? 0)"
      case "state": "state:\(record["sensor"]?.text ?? ""):\(record["state"]?.text ?? "")"
      case "sensor": "sensor:\(record["sensor"]?["id"]?.text ?? ""):\(record["change"]?.text ?? "")"
      case "adapter": "adapter:\(record["state"]?.text ?? "")"
      case "event": "event:\(record["event"]?.text ?? "")"
      case let other: other ?? "nothing"
      }
    }
  }

  /// The messages of a stream, each with its event, id and data.
  static func all(_ bytes: [UInt8]) throws -> [Message] {
    let text = String(decoding: bytes, as: UTF8.self)
    return try text.split(separator: "\n\n").map { part in
      var lines = part.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      if lines.first == "retry: 1000" { lines.removeFirst() }
      try #require(
        lines.count == 3 && lines[0].hasPrefix("event: ") && lines[1].hasPrefix("id: ") && lines[2].hasPrefix("data: "))
      return Message(
        event: String(lines[0].dropFirst(7)), id: try #require(Int(lines[1].dropFirst(4))),
        data: try JSONValue.parse(String(lines[2].dropFirst(6))))
    }
  }
}

final class FrameWorld {
  let board = LiveBoard()
  private(set) var milliseconds: Int64 = 81_000_000
  /// How many samples of each sensor and kind there were.
  private(set) var counts: [String: Int] = [:]

  var now: MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }
  func pass(_ milliseconds: Int64) { self.milliseconds += milliseconds }

  static func target(_ query: String) throws -> RequestTarget {
    var parser = RequestParser()
    parser.append(Array("GET /events?\(query) HTTP/1.1\r\nHost: bike\r\n\r\n".utf8).span)
    guard case .request(let request) = parser.next() else { throw HTTPRefusal(.internalError, query) }
    return request.target
  }

  /// A reader that was greeted.
  func reader(_ query: String = "") throws -> TestReader {
    let subscription = try FrameSubscription(Self.target(query))
    return TestReader(FrameReader(subscription, name: "s1", board: board, now: now), self)
  }

  @discardableResult
  func line(_ text: String) -> Bool { board.receive(Array(text.utf8).span, at: now) }

  /// A sample as the daemon writes it, numbered by sensor and kind.
  func sample(_ kind: String, _ sensor: String = "ride", fields: String = "") {
    let key = "\(sensor) \(kind)"
    counts[key, default: 0] += 1
    let t = "\(milliseconds / 1000).\(String(1000 + milliseconds % 1000).dropFirst())"
    line(
      #"{"class":"sample","sensor":"\#(sensor)","kind":"\#(kind)","seq":\#(counts[key] ?? 0),"t":\#(t),"#
        + #""age_ms":0\#(fields)}"#)
  }

  func state(_ sensor: String, _ state: String) {
    line(#"{"class":"state","sensor":"\#(sensor)","state":"\#(state)"}"#)
  }

  func event(_ name: String) {
    line(#"{"class":"event","event":"\#(name)","t":81000.5,"sensor":"varia"}"#)
  }

  func snapshot() throws -> JSONValue {
    var writer = JSONWriter()
    board.writeSnapshot(into: &writer, now: now)
    return try JSONValue.parse(writer.bytes)
  }

  func snapshotRecords() throws -> [String] {
    Message(event: "", id: 0, data: try snapshot()).records
  }
}

/// Reproducible random numbers.
struct Random {
  var state: UInt64

  mutating func below(_ bound: UInt64) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % bound)
  }
}

/// A reader whose connection can be stuck.
final class TestReader {
  private var reader: FrameReader
  private let world: FrameWorld
  var isStuck = false

  init(_ reader: FrameReader, _ world: FrameWorld) {
    self.reader = reader
    self.world = world
    var bytes: [UInt8] = []
    self.reader.greet(StreamGreeting(instance: "i", release: "1", rights: ["view"]), now: world.now, into: &bytes)
  }

  var deadline: MonotonicTime { reader.deadline(world.board) }
  var hasUrgent: Bool { reader.hasUrgent(world.board) }
  func add(taskRecord text: String) { reader.add(taskRecord: Array(text.utf8)) }

  /// What is due now.
  func read() throws -> [Message] {
    if isStuck { return [] }
    var bytes: [UInt8] = []
    let hasMessages = reader.write(from: world.board, now: world.now, into: &bytes)
    #expect(hasMessages == !bytes.isEmpty)
    return try Message.all(bytes)
  }
}
