// Files that clients send: read at the pace of the handler, and what happens if either side stops.

import HTTP
import Linux
import RequestRows
import Testing

@testable import HTTPServing

struct FileTests {
  let world: ServerWorld
  let client: TestClient
  static let file = Array(BodyTests.large.prefix(1_000_000))

  init() throws {
    world = try ServerWorld()
    client = try world.connect()
  }

  private func head(_ length: Int, _ fields: String...) -> String {
    let lines =
      ["POST /import HTTP/1.1", "Host: bike", "Content-Type: application/octet-stream", "Content-Length: \(length)"]
      + fields
    return lines.map { $0 + "\r\n" }.joined() + "\r\n"
  }

  /// Reads the file in pieces, and answers with its length.
  private final class Reader {
    private(set) var received: [UInt8] = []
    private let size: Int

    init(_ size: Int) { self.size = size }

    func read(_ exchange: HTTPExchange) {
      exchange.readFile(size) { [weak self, weak exchange] piece in
        guard let self, let exchange else { return }
        received += piece
        guard received.count == exchange.request.fileLength else { return read(exchange) }
        exchange.answer(HTTPResponse(.ok, type: "text/plain", "\(received.count)"))
      }
    }
  }

  /// Returns how many bytes the server took.
  private func send(_ bytes: [UInt8]) throws -> Int {
    var sent = 0
    while sent < bytes.count {
      let count = try client.send(Array(bytes[sent...].prefix(30_000)))
      sent += count
      try world.settle()
      if count == 0 { break }
    }
    return sent
  }

  @Test("a file is read in pieces, and the connection is kept", arguments: [45_000, 1, 1_000_000])
  func whole(_ size: Int) throws {
    let file = size == 1 ? Array(Self.file.prefix(1000)) : Self.file
    let reader = Reader(size)
    world.handler.script = reader.read
    try client.send(head(file.count))
    #expect(try send(file) == file.count)
    try world.run(for: .milliseconds(10))
    #expect(client.answers.map(\.body) == ["\(file.count)"] && reader.received == file)
    world.handler.script = { $0.answer(HTTPResponse(.noContent)) }
    try client.send(plainRequest)
    try world.settle()
    #expect(client.statuses == [200, 204])
  }

  @Test("a client cannot send faster than its file is read")
  func paced() throws {
    try client.send(head(Self.file.count))
    var exchange: HTTPExchange?
    world.handler.script = { exchange = $0 }
    let taken = try send(Self.file)
    // What the buffers of the socket hold.
    #expect(taken < 600_000)
    var pieces = 0
    exchange?.readFile(45_000) { _ in pieces += 1 }
    try world.settle()
    #expect(pieces == 1)
    #expect(try send(Self.file) < 100_000)
  }

  @Test("a client that waits to be told to go on is told when its file is wanted")
  func continues() throws {
    var exchange: HTTPExchange?
    world.handler.script = { exchange = $0 }
    try client.send(head(4, "Expect: 100-continue"))
    try world.settle()
    #expect(client.text.isEmpty)
    let reader = Reader(4)
    reader.read(try #require(exchange))
    try world.settle()
    #expect(client.text == "HTTP/1.1 100 Continue\r\n\r\n")
    try client.send("file")
    try world.settle()
    #expect(client.statuses == [100, 200])
  }

  @Test("a refusal reaches a client that goes on sending, and ends the connection")
  func refused() throws {
    world.handler.script = { $0.answer(HTTPResponse(.forbidden, type: "text/plain", "no")) }
    try client.send(head(Self.file.count))
    #expect(try send(Self.file) == Self.file.count)
    try world.settle()
    #expect(client.statuses == [403] && client.answers[0].fields["connection"] == "close")
    #expect(!client.wasReset && client.hasEnded)
    try world.run(for: .seconds(31))
    #expect(world.server.connectionCount == 0)
  }

  @Test("a file that stops coming is refused after 30 s without a piece")
  func stalled() throws {
    var abandoned = 0
    let reader = Reader(4)
    world.handler.script = { exchange in
      exchange.whenAbandoned { abandoned += 1 }
      reader.read(exchange)
    }
    try client.send(head(8) + "file")
    try world.run(for: .seconds(29))
    #expect(client.statuses == [] && reader.received.count == 4)
    try world.run(for: .seconds(2))
    #expect(client.statuses == [408] && abandoned == 1)
  }

  @Test("a handler that does not go on has the time of an answer")
  func forgotten() throws {
    world.handler.script = { exchange in exchange.readFile(4) { _ in } }
    try client.send(head(8) + "file")
    try world.run(for: .seconds(6))
    #expect(client.statuses == [503])
  }

  @Test("a client that is gone in the middle of its file abandons it")
  func gone() throws {
    var abandoned = 0
    let reader = Reader(100)
    world.handler.script = { exchange in
      exchange.whenAbandoned { abandoned += 1 }
      reader.read(exchange)
    }
    try client.send(head(200) + "file")
    try world.settle()
    try client.stopSending()
    try world.settle()
    #expect(abandoned == 1 && world.server.connectionCount == 0)
  }
}
