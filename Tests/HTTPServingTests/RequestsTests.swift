// Requests over the wire: the table of the parser, in any division, gets its answers in order.

import HTTP
import Linux
import ProgramKit
import RequestRows
import Testing

@testable import HTTPServing

struct RequestsTests {
  /// What the client gets for these pieces, and whether the server has closed the connection.
  private func play(_ pieces: [[UInt8]]) throws -> (statuses: [Int], hasEnded: Bool) {
    let world = try ServerWorld()
    let client = try world.connect()
    for piece in pieces {
      // After a refusal the server may have closed.
      guard (try? client.send(piece)) == piece.count else { break }
      try world.settle()
    }
    try world.settle()
    return (client.statuses, client.hasEnded)
  }

  @Test("each connection gets its answers, whole, dripped and after another request", arguments: requestRows)
  func rows(_ row: RequestRow) throws {
    let bytes = Array(row.bytes.utf8)
    let ends = row.bytes.hasSuffix("HTTP/1.0\r\n\r\n") || row.statuses.contains { $0 != 200 }
    let whole = try play([bytes])
    #expect(whole.statuses == row.statuses && whole.hasEnded == ends, "\(row.name)")
    // Of long ones, larger pieces are enough.
    let size = 1 + bytes.count / 300
    let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min(bytes.count, $0 + size)]) }
    let dripped = try play(pieces)
    #expect(dripped.statuses == row.statuses && dripped.hasEnded == ends, "\(row.name), dripped")
    let glued = try play([Array(plainRequest.utf8) + bytes])
    #expect(glued.statuses == [200] + row.statuses && glued.hasEnded == ends, "\(row.name), after another")
  }

  @Test("requests in one piece are answered in order, each after the one before")
  func pipelining() throws {
    let world = try ServerWorld()
    world.handler.script = { _ in }
    let client = try world.connect()
    try client.send((0..<3).map { "GET /\($0) HTTP/1.1\r\nHost: bike\r\n\r\n" }.joined())
    for number in 0..<3 {
      try world.run(for: .seconds(1))
      #expect(world.handler.exchanges.map(\.request.target.path) == (0...number).map { ["\($0)"] })
      #expect(client.answers.count == number)
      world.handler.exchanges[number].answer(HTTPResponse(.ok, type: "text/plain", "\(number)"))
    }
    try world.settle()
    #expect(client.answers.map(\.body) == ["0", "1", "2"] && !client.hasEnded)
  }

  @Test("a client that sends many requests at once does not keep others waiting")
  func turns() throws {
    let world = try ServerWorld()
    var order: [String] = []
    world.handler.script = { exchange in
      order.append(exchange.request.target.path.joined())
      exchange.answer(HTTPResponse(.noContent))
    }
    let (eager, modest) = (try world.connect(), try world.connect())
    try eager.send(String(repeating: "GET /eager HTTP/1.1\r\nHost: bike\r\n\r\n", count: 50))
    try modest.send("GET /modest HTTP/1.1\r\nHost: bike\r\n\r\n")
    try world.settle()
    #expect(order.count == 51)
    #expect((order.firstIndex(of: "modest") ?? 51) < 3)
  }

  @Test("a client that has sent all its requests and closes its sending direction gets all answers")
  func halfClosed() throws {
    let world = try ServerWorld()
    let client = try world.connect()
    try client.send(plainRequest + postRequest + plainRequest)
    try client.stopSending()
    try world.settle()
    #expect(client.statuses == [200, 200, 200] && client.hasEnded && !client.wasReset)
    #expect(world.server.connectionCount == 0)
  }

  @Test("HEAD gets the head that GET would get")
  func head() throws {
    let world = try ServerWorld()
    world.handler.script = { $0.answer(HTTPResponse(.ok, type: "text/plain", "twelve bytes")) }
    let client = try world.connect()
    try client.send(requestHead("HEAD / HTTP/1.1", "Host: bike"))
    try world.settle()
    #expect(client.text == "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 12\r\n\r\n")
    client.forget()
    try client.send(plainRequest)
    try world.settle()
    #expect(client.answers.map(\.body) == ["twelve bytes"])
  }

  @Test("a client that waits before it sends its body is told to go on")
  func continues() throws {
    let world = try ServerWorld()
    let client = try world.connect()
    try client.send(requestHead("POST /ride HTTP/1.1", "Host: bike", "Content-Length: 4", "Expect: 100-continue"))
    try world.settle()
    #expect(client.text == "HTTP/1.1 100 Continue\r\n\r\n")
    try client.send("lap!")
    try world.settle()
    #expect(client.statuses == [100, 200] && client.answers.last?.body == "POST /ride lap!")
  }

  @Test(
    "the connection is kept as the request says",
    arguments: [
      (requestHead("GET / HTTP/1.1", "Host: bike"), false),
      (requestHead("GET / HTTP/1.1", "Host: bike", "Connection: close"), true), ("GET / HTTP/1.0\r\n\r\n", true),
      (requestHead("GET / HTTP/1.0", "Connection: keep-alive"), false),
    ])
  func keepsConnection(_ request: String, ends: Bool) throws {
    let world = try ServerWorld()
    let client = try world.connect()
    try client.send(request)
    try world.settle()
    #expect(client.statuses == [200] && client.hasEnded == ends)
    let kept = request.contains("HTTP/1.0") ? "keep-alive" : nil
    #expect(client.answers[0].fields["connection"] == (ends ? "close" : kept))
  }

  @Test("the handler's own answer is given to what the server refuses")
  func ownRefusals() throws {
    final class Handler: HTTPHandler {
      func handle(_ exchange: HTTPExchange) {}
      func answer(to refusal: HTTPRefusal) -> HTTPResponse {
        HTTPResponse(refusal).setting("X-Content-Type-Options", "nosniff")
      }
    }
    let world = try ServerWorld()
    let handler = Handler()
    let server = HTTPServer(loop: world.loop, log: .init(level: .error), handler: handler)
    let address = try server.listen(on: .loopback(port: 0), name: "web")
    let client = try world.connect(to: address)
    try client.send("GET\r\n\r\n")
    #expect(try world.run { client.hasEnded })
    #expect(client.answers.first?.fields["x-content-type-options"] == "nosniff")
    server.close()
  }
}
