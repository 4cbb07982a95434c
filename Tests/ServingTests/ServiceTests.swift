// A service that is not the daemon: its own socket, its own methods.

import EventLoop
import JSON
import Linux
import ProgramKit
import TestSupport
import Testing
import Time
import Wire

@testable import Serving

@Suite struct ServiceTests {
  /// Sends large lines, each when the one before has left.
  private final class Pages: ClientOperation {
    static let count = 40
    private weak var client: Client?
    private var sent = 0

    init(_ client: Client) { self.client = client }

    func didDrain() {
      guard let client, sent < Self.count else { return }
      sent += 1
      if sent == Self.count { client.endOperation() }
      var writer = JSONWriter()
      writer.beginRecord("page")
      writer.member("number", sent)
      writer.member("text", String(repeating: "x", count: 60_000))
      writer.endObject()
      writer.endLine()
      client.sendUncharged(line: writer.bytes)
    }

    func cancel() {}
    func end() {}
  }

  private final class Library: RequestHandler {
    var waiting: Asker?
    private(set) var hasEnded = false

    func answer(_ request: Request, from asker: Asker) throws(Refusal) -> Answer {
      switch request.method {
      case "titles": return .result { $0.value(["Alpe", "Ventoux"]) }
      case "touch": return .done.then { asker.client?.send(LagRecord(dropped: 7)) }
      case "read":
        guard let client = asker.client else { return .done }
        return .done.then { client.begin(Pages(client)) }
      case "wait":
        waiting = asker
        return .later
      case "everything":
        let text = String(repeating: "x", count: LineSplitter.protocolLimit)
        return .fitting({ $0.value(.string(text)) }, brief: { $0.value("too much") })
      case "too much": return .result { $0.value(.string(String(repeating: "x", count: LineSplitter.protocolLimit))) }
      default: throw Refusal(.unknownMethod, "the library does not \(request.method)")
      }
    }

    func ended(_ client: Client) { hasEnded = true }
  }

  private let folder: TemporaryFolder
  private let loop: EventLoop
  private let library = Library()
  private let server: SocketServer
  private let socket: FileDescriptorBox
  private let input = Input()

  /// Keeps the beginning of a line whose rest has not arrived.
  private final class Input {
    var splitter = LineSplitter()
  }

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
    server = SocketServer(
      loop: loop, log: Log { _ in }, publisher: Publisher(loop: loop),
      hello: HelloRecord(release: "1", instance: "library"), handler: library)
    let path = folder.path + "/library.sock"
    try server.listen(at: path, mode: 0o600, role: SocketRole("library"))
    socket = FileDescriptorBox(try UnixSocket.connect(to: path, nonBlocking: true))
  }

  /// The records that arrive after the request, without the greeting.
  private func ask(_ line: String) throws -> [JSONValue] {
    _ = try StreamSocket.send(socket.number, Array((line + "\n").utf8).span)
    return try records()
  }

  private func records() throws -> [JSONValue] {
    // A few turns, because a fixed time can pass without any on a busy machine.
    for _ in 0..<8 { _ = try loop.run(until: .now + .milliseconds(1)) { false } }
    var lines: [[UInt8]] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while case .done(let count) = try readDescriptor(socket.number, into: &buffer), count > 0 {
      _ = input.splitter.feed(buffer.span.extracting(..<count)) { line in
        lines.append(line.indices.map { line[$0] })
        return true
      }
    }
    return try lines.map { try JSONValue.parse($0) }.filter { $0["class"] != "hello" }
  }

  @Test("a handler returns a result, and the id of the request comes with it")
  func result() throws {
    #expect(
      try ask(#"{"id":"a","method":"titles"}"#) == [["class": "reply", "id": "a", "result": ["Alpe", "Ventoux"]]])
  }

  @Test("a refusal becomes the error of its request")
  func refusal() throws {
    let error = try #require(try ask(#"{"id":2,"method":"sing"}"#).first)
    #expect(error["class"] == "error" && error["id"] == 2 && error["code"] == "unknown_method")
    #expect(error["message"] == "the library does not sing")
  }

  @Test("what follows an answer is sent after it")
  func followed() throws {
    #expect(try ask(#"{"id":3,"method":"touch"}"#).map { $0["class"]?.text } == ["reply", "lag"])
  }

  @Test("an operation sends more whenever its client has read everything")
  func pages() throws {
    var pages = try ask(#"{"id":9,"method":"read"}"#).dropFirst()
    // The socket's buffer is full long before the last page.
    #expect(pages.count < Pages.count)
    for _ in 0..<Pages.count where pages.count < Pages.count { pages += try records() }
    #expect(pages.map { $0["number"]?.integer } == Array(1...Pages.count))
  }

  @Test("an answer may come later, and other requests are answered meanwhile")
  func later() throws {
    #expect(try ask(#"{"id":4,"method":"wait"}"#).isEmpty)
    #expect(try ask(#"{"id":5,"method":"titles"}"#).map { $0["id"]?.integer } == [5])
    library.waiting?.answer(.result { $0.value(true) })
    #expect(try records() == [["class": "reply", "id": 4, "result": true]])
  }

  @Test("a result that does not fit into a line is replaced by its brief form, or refused")
  func tooLong() throws {
    #expect(try ask(#"{"id":6,"method":"everything"}"#) == [["class": "reply", "id": 6, "result": "too much"]])
    #expect(try ask(#"{"id":7,"method":"too much"}"#).first?["code"] == "limit_reached")
  }

  @Test("a line that is not a request gets an error, and the next one an answer")
  func badLine() throws {
    #expect(try ask("garbage").first?["code"] == "bad_json")
    #expect(try ask(#"{"id":8,"method":"titles"}"#).count == 1)
  }
}
