// What a client may take its time for, in virtual time.

import EventLoop
import HTTP
import Linux
import RequestRows
import Testing
import Time

@testable import HTTPServing

struct TimeTests {
  let world: ServerWorld
  let client: TestClient

  init() throws {
    world = try ServerWorld()
    client = try world.connect()
  }

  @Test("a client that sends nothing is disconnected after 10 s, without a word")
  func silent() throws {
    try world.run(for: .milliseconds(9_900))
    #expect(!client.hasEnded)
    try world.run(for: .milliseconds(200))
    #expect(client.hasEnded && client.received.isEmpty)
  }

  @Test("a head has 10 s, however its bytes come")
  func slowHead() throws {
    let bytes = Array(("GET /" + String(repeating: "x", count: 100)).utf8)
    for byte in bytes.prefix(99) {
      try client.send([byte])
      try world.run(for: .milliseconds(100))
    }
    #expect(!client.hasEnded)
    try world.run(for: .milliseconds(200))
    #expect(client.statuses == [408] && client.hasEnded)
  }

  @Test("the head of a later request has 10 s from its first byte")
  func slowLaterHead() throws {
    try client.send(plainRequest)
    try world.run(for: .seconds(29))
    try client.send("GET / ")
    try world.run(for: .milliseconds(9_900))
    #expect(!client.hasEnded)
    try world.run(for: .milliseconds(200))
    #expect(client.statuses == [200, 408] && client.hasEnded)
  }

  @Test("a body has 30 s from the end of its head")
  func slowBody() throws {
    try client.send("POST / HTTP/1.1\r\nHost: bike\r\nContent-Length: 100\r\n")
    try world.run(for: .seconds(9))
    try client.send("\r\n")
    for _ in 0..<29 {
      try client.send("x")
      try world.run(for: .seconds(1))
    }
    #expect(!client.hasEnded)
    try world.run(for: .milliseconds(1_100))
    #expect(client.statuses == [408] && client.hasEnded)
  }

  @Test("a connection is kept for 30 s between requests")
  func idle() throws {
    for _ in 0..<3 {
      try client.send(plainRequest)
      try world.run(for: .seconds(29))
    }
    #expect(client.statuses == [200, 200, 200] && !client.hasEnded)
    try world.run(for: .milliseconds(1_100))
    #expect(client.hasEnded && client.statuses.count == 3)
  }

  @Test("the connection ends with its 100th request")
  func requestsOfConnection() throws {
    try client.send(String(repeating: plainRequest, count: 101))
    try world.run(for: .seconds(1))
    #expect(client.statuses == Array(repeating: 200, count: 100) && client.hasEnded && !client.wasReset)
    let last = client.answers.map { $0.fields["connection"] }
    #expect(last.dropLast().allSatisfy { $0 == nil } && last.last == "close")
    #expect(world.handler.exchanges.count == 100)
  }

  @Test("the answer to HEAD that comes too late is a head")
  func tooLateHead() throws {
    world.handler.script = { _ in }
    try client.send(requestHead("HEAD / HTTP/1.1", "Host: bike"))
    try world.run(for: .seconds(6))
    #expect(client.text.hasPrefix("HTTP/1.1 503 ") && client.text.hasSuffix("\r\n\r\n") && client.hasEnded)
  }

  @Test("clients of all kinds leave nothing behind")
  func leavesNothing() throws {
    for round in 0..<200 {
      var visitor: TestClient? = try world.connect()
      let texts = [
        "", "GET / HT", plainRequest, plainRequest + plainRequest, "PATCH / HTTP/1.1\r\n", "POST / HTTP/1.1\r\n",
      ]
      try visitor?.send(texts[round % texts.count])
      if round % 2 == 0 { try world.settle() }
      if round % 4 == 1 { try visitor?.stopSending() }
      if round % 8 > 2 { visitor = nil }
      try world.settle()
    }
    try world.run(for: .seconds(60))
    #expect(client.hasEnded && world.server.connectionCount == 0 && world.loop.deadlineCount == 0)
    #expect(world.loop.watchCount == 1, "the listener")
  }

  @Test("a late answer is sent when it is there, and the connection is kept")
  func late() throws {
    world.handler.script = { _ in }
    try client.send(plainRequest)
    try world.run(for: .seconds(4))
    world.handler.exchanges[0].answer(HTTPResponse(.ok, type: "text/plain", "late"))
    try world.settle()
    #expect(client.answers.map(\.body) == ["late"] && !client.hasEnded)
    world.handler.exchanges[0].answer(HTTPResponse(.ok, type: "text/plain", "again"))
    try world.settle()
    #expect(client.answers.count == 1, "an exchange has one answer")
  }

  @Test("after 5 s without an answer the client gets 503, and the handler is told")
  func tooLate() throws {
    var abandoned = 0
    world.handler.script = { $0.whenAbandoned { abandoned += 1 } }
    try client.send(plainRequest)
    try world.run(for: .milliseconds(4_900))
    #expect(client.answers.isEmpty && abandoned == 0)
    try world.run(for: .milliseconds(200))
    #expect(client.statuses == [503] && client.hasEnded && abandoned == 1)
    world.handler.exchanges[0].answer(HTTPResponse(.ok))
    try world.settle()
    #expect(client.statuses == [503] && abandoned == 1)
  }

  @Test("the handler can extend the limit of a request")
  func extended() throws {
    world.handler.script = { $0.extendLimit(to: .seconds(45)) }
    try client.send(plainRequest)
    try world.run(for: .milliseconds(44_900))
    #expect(client.answers.isEmpty)
    try world.run(for: .milliseconds(200))
    #expect(client.statuses == [503])
  }

  @Test("the handler is told when the client is gone", arguments: [false, true])
  func gone(isHalfClosed: Bool) throws {
    var abandoned = 0
    world.handler.script = { $0.whenAbandoned { abandoned += 1 } }
    var visitor: TestClient? = try world.connect()
    try visitor?.send(plainRequest)
    try world.settle()
    #expect(world.server.connectionCount == 2 && abandoned == 0)
    if isHalfClosed { try visitor?.stopSending() } else { visitor = nil }
    try world.settle()
    #expect(world.server.connectionCount == 1 && abandoned == 1)
  }

  @Test("an answer to a client that is gone disturbs no other")
  func goneBefore() throws {
    world.handler.script = { _ in }
    var visitor: TestClient? = try world.connect()
    try visitor?.send(plainRequest)
    try world.settle()
    visitor = nil
    world.handler.exchanges[0].answer(HTTPResponse(.ok, type: "text/plain", "unread"))
    try client.send(plainRequest)
    try world.settle()
    world.handler.exchanges[1].answer(HTTPResponse(.ok))
    try world.settle()
    #expect(client.statuses == [200] && world.server.connectionCount == 1)
  }

  @Test("closing the server abandons what waits and closes all connections")
  func closing() throws {
    var abandoned = 0
    world.handler.script = { $0.whenAbandoned { abandoned += 1 } }
    try client.send(plainRequest)
    let other = try world.connect()
    world.server.close()
    try world.settle()
    #expect(abandoned == 1 && client.hasEnded && other.hasEnded)
    #expect(throws: SystemError.self) { _ = try world.connect() }
  }

  @Test("a connection that waits for nothing has no deadline, and the server none without connections")
  func deadlines() throws {
    try client.send(requestHead("GET / HTTP/1.1", "Host: bike", "Connection: close"))
    try world.settle()
    #expect(client.hasEnded && world.loop.deadlineCount == 1, "the server waits for the client to close")
    try world.run(for: .seconds(3))
    #expect(world.loop.deadlineCount == 0 && world.server.connectionCount == 0)
  }
}
