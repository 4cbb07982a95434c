// The feed in an event loop, over real sockets. FeedMachineTests covers what it shares with the
// other feeds.

import CyclometerClient
import CyclometerClientLoop
import EventLoop
import JSON
import Linux
import TestSupport
import Testing
import Time
import Wire

@Suite(.timeLimit(.minutes(30)))
struct LoopFeedTests {
  /// What the handlers of a feed were called with.
  private final class Log {
    var updates: [Update] = []
    var failure: ClientError?
    var briefs: [String] { updates.map(\.brief) }
  }

  private func feed(
    _ endpoint: Endpoint, in loop: EventLoop, _ log: Log, timeout: Duration = testTimeout
  ) -> LoopFeed {
    LoopFeed(
      from: endpoint, timeout: timeout, in: loop, onUpdate: { log.updates.append($0) }, onFailure: { log.failure = $0 })
  }

  private func run(_ loop: EventLoop, until condition: () -> Bool) throws {
    #expect(try loop.run(until: .now + testTimeout, condition))
  }

  @Test("it reconnects, and the loop serves others in the meantime")
  func reconnects() throws {
    let server = try FakeServer([
      { server in
        server.welcome()
        server.send(FakeServer.sample(1) + FakeServer.sample(4))
      },
      { server in
        server.welcome("two")
        server.send(FakeServer.sample(1))
        server.waitUntilItLeaves()
      },
    ])
    defer { server.stop() }
    let loop = try EventLoop()
    let log = Log()
    let feed = feed(server.endpoint, in: loop, log)
    var hasWaited = false
    loop.schedule(after: .milliseconds(1)) { hasWaited = true }
    try run(loop) { log.updates.count >= 7 }
    #expect(
      log.briefs == [
        "connected one", "sample 1", "gap heart_rate 2", "sample 4", "disconnected the daemon closed the connection",
        "connected two new", "sample 1",
      ])
    #expect(hasWaited && feed.greeting?.instance == "two")
    feed.stop()
    #expect(loop.watchCount == 0 && loop.deadlineCount == 0)
  }

  @Test("sample lines arrive unparsed, in order with updates, without a control socket")
  func sampleLines() throws {
    let state = #"{"class":"state","sensor":"strap","state":"connected"}"# + "\n"
    let server = try FakeServer(
      [
        { server in
          server.welcome()
          server.send(FakeServer.sample(1) + state + FakeServer.sample(4))
        },
        { server in
          server.welcome("two")
          server.send(FakeServer.sample(1) + FakeServer.sample(2))
          server.waitUntilItLeaves()
        },
      ], at: "metrics.sock")
    defer { server.stop() }
    let loop = try EventLoop()
    var news: [String] = []
    var feed: LoopFeed?
    feed = LoopFeed(
      from: server.endpoint, for: .metrics, timeout: testTimeout, in: loop,
      onSampleLine: { line in
        var bytes: [UInt8] = []
        for index in line.indices { bytes.append(line[index]) }
        news.append(String(decoding: bytes, as: UTF8.self))
        if news.count == 7 { feed?.stop() }
      },
      onUpdate: { news.append($0.brief) }, onFailure: { news.append("\($0)") })
    try run(loop) { news.count >= 7 }
    #expect(
      news.map { $0 + "\n" } == [
        "connected one\n", FakeServer.sample(1), "state \n", FakeServer.sample(4),
        "disconnected the daemon closed the connection\n", "connected two new\n", FakeServer.sample(1),
      ], "the handler stops it before the last line")
    #expect(loop.watchCount == 0 && loop.deadlineCount == 0)
  }

  @Test("requests are answered, also from within a handler, and a slow daemon blocks nothing")
  func requests() throws {
    let server = try FakeServer([
      { server in
        server.welcome()
        server.reply(server.request(), #"{"n":1}"#)
        // Large enough to fill the socket, and read only now.
        for _ in 1...30 { server.reply(server.request()) }
        server.waitUntilItLeaves()
      }
    ])
    defer { server.stop() }
    let loop = try EventLoop()
    let log = Log()
    var feed: LoopFeed?
    feed = LoopFeed(
      from: server.endpoint, timeout: testTimeout, in: loop,
      onUpdate: { update in
        log.updates.append(update)
        if case .connected = update { _ = try? feed?.send("status") }
      }, onFailure: { log.failure = $0 })
    try run(loop) { log.updates.count == 2 }
    #expect(log.updates.last == .answer(FeedAnswer(request: 2, result: .success(["n": 1]))))
    let long = JSONValue.string(String(repeating: "x", count: 60_000))
    for _ in 1...30 { _ = try feed?.send("rename", long) }
    try run(loop) { log.updates.count == 32 }
    #expect(log.briefs.suffix(30) == (3...32).map { "answer \($0)" } && log.failure == nil)
  }

  @Test("errors that a retry cannot fix are reported once")
  func permanentErrors() throws {
    let server = try FakeServer([{ $0.send(FakeServer.hello(version: "2.0")) }])
    defer { server.stop() }
    let loop = try EventLoop()
    let log = Log()
    let feed = feed(server.endpoint, in: loop, log)
    try run(loop) { log.failure != nil }
    #expect(log.failure == .notUnderstood("the daemon speaks version 2.0 of the protocol, and this program 1"))
    #expect(log.updates.isEmpty && feed.greeting == nil && loop.watchCount == 0)
  }

  @Test("a missing daemon and a silent one are retried")
  func retries() throws {
    let silent = try FakeServer([{ $0.waitUntilItLeaves() }])
    defer { silent.stop() }
    let loop = try EventLoop()
    let log = Log()
    let missing = feed(Endpoint(controlSocket: "/nowhere/control.sock"), in: loop, log)
    try run(loop) { log.updates.count == 1 }
    missing.stop()
    let timed = feed(silent.endpoint, in: loop, log, timeout: .milliseconds(100))
    try run(loop) { log.updates.count == 2 }
    #expect(log.updates == [.disconnected(.noDaemon(path: "/nowhere/control.sock")), .disconnected(.timeout)])
    timed.stop()
  }

  @Test("a feed that is released closes its connection")
  func released() throws {
    let hasLeft = try Waker()
    let server = try FakeServer([
      { server in
        server.welcome()
        server.waitUntilItLeaves()
        hasLeft.wake()
      }
    ])
    defer { server.stop() }
    let loop = try EventLoop()
    let log = Log()
    do {
      let feed = feed(server.endpoint, in: loop, log)
      try run(loop) { feed.greeting != nil }
    }
    #expect(try Waiting.untilReadable(hasLeft.number, deadline: .now + testTimeout))
    #expect(loop.watchCount == 0)
  }
}
