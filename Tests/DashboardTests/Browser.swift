// A browser with one connection: it sends requests with the fields that browsers send, and takes
// streams of events apart.

import EventLoop
import Foundation
import JSON
import Linux
import Testing

final class Browser {
  /// How it reaches the server.
  enum Way: CaseIterable {
    case loopback, front
  }

  struct Answer {
    let status: Int
    let head: String
    let body: String

    var json: JSONValue? { try? JSONValue.parse(body) }

    func field(_ name: String) -> String? {
      let lines = head.components(separatedBy: "\r\n")
      return lines.first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.utf8.count + 2)) }
    }
  }

  struct Message: Equatable {
    let event: String
    let data: JSONValue

    /// A word for each record: `sample:speed`, or the class alone.
    var records: [String] {
      (data["records"]?.items ?? []).map { record in
        let detail =
          record["kind"]?.text ?? record["event"]?.text ?? record["state"]?.text
          ?? record["present"]?.bool.map { "\($0)" }
        return (record["class"]?.text ?? "") + (detail.map { ":" + $0 } ?? "")
      }
    }
  }

  private let world: any ServedWorld
  private let way: Way
  private let socket: FileDescriptor
  private var watch: Watch?
  private var received: [UInt8] = []
  private(set) var hasEnded = false
  var token: String?
  var host: String
  var origin: String
  /// What it sends with a change besides its length; nil for what the page sends.
  var changeFields: [String]?

  init(_ world: any ServedWorld, _ way: Way = .loopback, token: String? = nil) throws {
    (self.world, self.way, self.token) = (world, way, token)
    host = way == .front ? "bike" : world.address
    origin = (way == .front ? "https://" : "http://") + host
    socket = try world.connect(way)
    try resume()
  }

  /// Another one of the same computer and page.
  convenience init(_ other: Browser, token: String?) throws {
    try self.init(other.world, other.way, token: token)
    (host, origin, changeFields) = (other.host, other.origin, other.changeFields)
  }

  deinit { watch?.cancel() }

  /// Reads nothing from now on.
  func stop() {
    watch?.cancel()
    watch = nil
  }

  func resume() throws {
    watch = try world.loop.watch(socket.number, for: .readable) { [weak self] _ in self?.read() }
  }

  func close() throws {
    stop()
    try StreamSocket.shutdownWrite(socket.number)
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    do throws(SystemError) {
      guard case .done(let count) = try socket.read(into: &buffer) else { return }
      received += buffer[..<count]
      if count == 0 { end() }
    } catch {
      end()
    }
  }

  private func end() {
    hasEnded = true
    stop()
  }

  func send(_ method: String, _ path: String, _ body: String? = nil, _ fields: [String] = []) throws {
    var lines = ["\(method) \(path) HTTP/1.1", "Host: \(host)"] + fields
    if let token { lines.append("Cookie: cyclometer=\(token)") }
    if method != "GET" && method != "HEAD" {
      let isFile = path.hasPrefix("/api/1/import")
      lines.append("Content-Length: \(body?.utf8.count ?? 0)")
      lines +=
        changeFields ?? [
          "Origin: \(origin)", "X-Cyclometer: 1",
          "Content-Type: \(isFile ? "application/octet-stream" : "application/json")",
        ]
    }
    let bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")).utf8)
    guard case .done(bytes.count) = try StreamSocket.send(socket.number, bytes.span) else {
      throw Problem.notSent
    }
  }

  enum Problem: Error {
    case notSent, noAnswer
  }

  /// A connection has a limit of requests, so each has its own.
  func ask(_ method: String, _ path: String, _ body: String? = nil, _ fields: [String] = []) throws -> Answer {
    let other = try Browser(self, token: token)
    try other.send(method, path, body, fields)
    var answer: Answer?
    try world.waitForAnswer {
      answer = other.answer
      return answer != nil || other.hasEnded
    }
    guard let answer else { throw Problem.noAnswer }
    return answer
  }

  /// The answer, if it is complete.
  var answer: Answer? {
    let text = text
    guard let end = text.range(of: "\r\n\r\n"), let status = Int(text.dropFirst(9).prefix(3)) else { return nil }
    let answer = Answer(status: status, head: String(text[..<end.lowerBound]), body: String(text[end.upperBound...]))
    guard let length = answer.field("Content-Length").flatMap({ Int($0) }), answer.head.hasPrefix("HTTP/1.1 200") else {
      return answer
    }
    return answer.body.utf8.count >= length ? answer : nil
  }

  /// All that came, as text.
  var text: String { String(decoding: received, as: UTF8.self) }

  /// Whether the last that came is this.
  func hasReceived(_ end: String) -> Bool { received.suffix(end.utf8.count).elementsEqual(end.utf8) }

  /// The messages of a stream so far.
  var messages: [Message] {
    (answer?.body ?? "").components(separatedBy: "\n\n").compactMap { part in
      let lines = part.components(separatedBy: "\n")
      guard let event = lines.first(where: { $0.hasPrefix("event: ") }),
        let data = lines.first(where: { $0.hasPrefix("data: ") }),
        let json = try? JSONValue.parse(String(data.dropFirst(6)))
      else { return nil }
      return Message(event: String(event.dropFirst(7)), data: json)
    }
  }

  /// All records that came with messages of this name.
  func records(_ event: String) -> [String] { messages.filter { $0.event == event }.flatMap(\.records) }

  /// How many messages have come.
  func count(_ event: String) -> Int { messages.count { $0.event == event } }

  /// The values of the samples of a kind that came, in their order.
  func values(_ kind: String) -> [Double] {
    messages.flatMap { $0.data["records"]?.items ?? [] }.filter { $0["kind"]?.text == kind }.compactMap {
      $0["value"]?.number
    }
  }

  /// Opens a stream, and waits for its greeting. Returns its name.
  func openStream(_ query: String = "") throws -> String {
    try send("GET", "/events\(query)")
    try #require(try world.run { !self.messages.isEmpty })
    return try #require(messages.first?.data["stream"]?.text)
  }
}
