// A service that is not the daemon: its own socket, its own methods.

import EventLoop
import JSON
import Linux
import ProgramKit
import TestSupport
import Testing
import Wire

@testable import Serving

@Suite struct ServiceTests {
  private final class Library: RequestHandler {
    var waiting: Asker?
    private(set) var hasEnded = false

    func answer(_ request: Request, from asker: Asker) throws(Refusal) -> Answer {
      switch request.method {
      case "titles": return .result { $0.value(["Alpe", "Ventoux"]) }
      case "touch": return .done.then { asker.client?.send(LagRecord(dropped: 7)) }
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
    _ = try UnixSocket.send(socket.number, Array((line + "\n").utf8).span)
    return try records()
  }

  private func records() throws -> [JSONValue] {
    loop.schedule(after: .milliseconds(5)) { [loop] in loop.stop() }
    try loop.run()
    var splitter = LineSplitter()
    var lines: [[UInt8]] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while case .done(let count) = try readDescriptor(socket.number, into: &buffer), count > 0 {
      _ = splitter.feed(buffer.span.extracting(..<count)) { line in
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
