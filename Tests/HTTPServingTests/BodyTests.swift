// Bodies from memory and in pieces, to clients that read them slowly, in part or not at all.

import HTTP
import RequestRows
import Testing

@testable import HTTPServing

struct BodyTests {
  let world: ServerWorld
  let client: TestClient
  /// More than the buffers of a socket hold.
  static let large: [UInt8] = {
    var bytes = Array(UInt8(0)...250)
    while bytes.count < 3_000_000 { bytes += bytes }
    return Array(bytes.prefix(3_000_000))
  }()

  init() throws {
    world = try ServerWorld()
    client = try world.connect()
  }

  @Test("a large body is sent as the client takes it")
  func slowly() throws {
    world.handler.script = { $0.answer(HTTPResponse(.ok, .bytes(Self.large))) }
    client.stop()
    try client.send(plainRequest + plainRequest)
    try world.run(for: .seconds(14))
    try client.resume()
    try world.run(for: .seconds(1))
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n"
    #expect(client.received == Array(head.utf8) + Self.large + Array(head.utf8) + Self.large)
  }

  @Test("a client that takes nothing for 15 s is disconnected, and no other is disturbed")
  func stalled() throws {
    world.handler.script = { $0.answer(HTTPResponse(.ok, .bytes(Self.large))) }
    client.stop()
    try client.send(plainRequest)
    try world.run(for: .milliseconds(14_900))
    #expect(world.server.connectionCount == 1)
    let other = try world.connect()
    try other.send(plainRequest)
    try world.settle()
    #expect(other.received.count > Self.large.count)
    try world.run(for: .milliseconds(200))
    #expect(world.server.connectionCount == 1)
  }

  /// Gives the pieces one by one, and `progress` after the last one.
  private final class Pieces: BodySource {
    private(set) var asked = 0
    private var rest: [[UInt8]]
    private let last: BodyProgress

    init(_ pieces: [String], _ last: BodyProgress = .end) {
      rest = pieces.map { Array($0.utf8) }
      self.last = last
    }

    func add(_ piece: String) { rest.append(Array(piece.utf8)) }

    func appendPiece(to bytes: inout [UInt8]) -> BodyProgress {
      asked += 1
      if !rest.isEmpty { bytes += rest.removeFirst() }
      return rest.isEmpty ? last : .more
    }
  }

  private func serve(_ pieces: Pieces, length: Int?) {
    world.handler.script = { exchange in
      exchange.answer(HTTPResponse(.ok, .pieces(length: length)), from: pieces)
      #expect(pieces.asked == 0, "the source is not asked in the call of its owner")
    }
  }

  @Test("a body in pieces with a length")
  func sized() throws {
    serve(Pieces(["one", "", "three"]), length: 8)
    try client.send(plainRequest)
    try world.settle()
    #expect(client.text == "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nonethree" && !client.hasEnded)
  }

  @Test("a body of unknown length comes in chunks")
  func chunked() throws {
    serve(Pieces(["one", "", String(repeating: "x", count: 300)]), length: nil)
    try client.send(plainRequest)
    try world.settle()
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    let long = String(repeating: "x", count: 300)
    #expect(client.text == head + "00000003\r\none\r\n0000012c\r\n\(long)\r\n0\r\n\r\n" && !client.hasEnded)
  }

  @Test("a body of unknown length to HTTP/1.0 ends with the connection")
  func untilEnd() throws {
    serve(Pieces(["one", "two"]), length: nil)
    try client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    try world.settle()
    #expect(client.text == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nonetwo" && client.hasEnded)
  }

  @Test("HEAD does not ask for pieces")
  func head() throws {
    let pieces = Pieces(["one"])
    serve(pieces, length: 3)
    try client.send(requestHead("HEAD / HTTP/1.1", "Host: bike"))
    try world.settle()
    #expect(client.text == "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n" && pieces.asked == 0)
  }

  @Test("a source that has nothing yet is asked again when its owner says so")
  func later() throws {
    let pieces = Pieces(["one"], .later)
    serve(pieces, length: nil)
    try client.send(plainRequest)
    try world.run(for: .seconds(10))
    #expect(client.text.hasSuffix("00000003\r\none\r\n") && pieces.asked == 1)
    pieces.add("two")
    world.handler.exchanges[0].resume()
    try world.run(for: .seconds(10))
    #expect(client.text.hasSuffix("00000003\r\ntwo\r\n") && pieces.asked == 2)
    try world.run(for: .seconds(6))
    #expect(client.hasEnded, "after 15 s without a piece")
  }

  @Test("a source is asked only as fast as the client reads")
  func paced() throws {
    let pieces = Pieces(Array(repeating: String(repeating: "x", count: 100_000), count: 50))
    serve(pieces, length: 5_000_000)
    client.stop()
    try client.send(plainRequest)
    try world.run(for: .seconds(10))
    #expect(pieces.asked < 10)
    try client.resume()
    try world.run(for: .seconds(1))
    #expect(pieces.asked == 50 && client.answers.first?.body.utf8.count == 5_000_000)
  }

  @Test(
    "a body that fails, or is not as long as announced, ends the connection",
    arguments: [(["one"], .failed, 8), (["one"], .end, 8), (["one", "two"], .end, 5), (["one"], .failed, nil)]
      as [([String], BodyProgress, Int?)])
  func failed(_ pieces: [String], _ last: BodyProgress, _ length: Int?) throws {
    var abandoned = 0
    serve(Pieces(pieces, last), length: length)
    let script = world.handler.script
    world.handler.script = { exchange in
      exchange.whenAbandoned { abandoned += 1 }
      script(exchange)
    }
    try client.send(plainRequest)
    try world.settle()
    #expect(client.hasEnded && abandoned == 1)
    #expect(!client.text.hasSuffix("0\r\n\r\n") && client.answers.filter { $0.fields["content-length"] != nil }.isEmpty)
  }

  @Test("the owner of a body is told when the client is gone")
  func gone() throws {
    var abandoned = 0
    serve(Pieces(["one"], .later), length: nil)
    let script = world.handler.script
    world.handler.script = { exchange in
      exchange.whenAbandoned { abandoned += 1 }
      script(exchange)
    }
    var visitor: TestClient? = try world.connect()
    try visitor?.send(plainRequest)
    try world.settle()
    #expect(abandoned == 0 && visitor?.text.isEmpty == false)
    visitor = nil
    try world.settle()
    #expect(abandoned == 1)
  }
}

// MARK: Tags, ranges and encodings

extension BodyTests {
  /// A file of 26 letters with a tag, also compressed.
  private func file(_ exchange: HTTPExchange) -> HTTPResponse {
    let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)
    let request = exchange.request
    if request.has(#""v1""#) { return HTTPResponse(.notModified).setting("ETag", #""v1""#) }
    if request.accepts(encoding: "gzip") {
      return HTTPResponse(.ok, .bytes([0x1f])).setting("Content-Encoding", "gzip")
    }
    switch request.part(of: letters.count, tag: #""v1""#) {
    case .whole: return HTTPResponse(.ok, .bytes(letters))
    case .bytes(let range):
      return HTTPResponse(.partialContent, .bytes(Array(letters[range])))
        .setting("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(letters.count)")
    case .nothing: return HTTPResponse(.rangeNotSatisfiable).setting("Content-Range", "bytes */\(letters.count)")
    }
  }

  @Test("a client gets what its tags, ranges and encodings ask for, on one connection")
  func negotiation() throws {
    world.handler.script = { $0.answer(file($0)) }
    let fields = [
      "Range: bytes=2-4", #"If-None-Match: "v1""#, "Range: bytes=-1", "Accept-Encoding: gzip", "Range: bytes=26-",
      "A: b",
    ]
    for field in fields { try client.send(requestHead("GET /f HTTP/1.1", "Host: bike", field)) }
    try world.settle()
    #expect(client.statuses == [206, 304, 206, 200, 416, 200] && !client.hasEnded)
    #expect(client.answers.map(\.body) == ["cde", "", "z", "\u{1f}", "", "abcdefghijklmnopqrstuvwxyz"])
    #expect(client.answers[0].fields["content-range"] == "bytes 2-4/26")
  }
}
