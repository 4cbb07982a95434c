// The feed as an asynchronous sequence. FeedTests covers what it shares with the blocking feed.

import CyclometerClient
import CyclometerClientAsync
import JSON
import Linux
import Testing
import Wire

@Suite(.timeLimit(.minutes(30)))
struct AsyncFeedTests {
  private func server(_ body: @escaping @Sendable (borrowing FakeServer.Connection) -> Void) throws -> FakeServer {
    try FakeServer([
      { server in
        server.welcome()
        body(server)
        server.waitUntilItLeaves()
      }
    ])
  }

  @Test("a small buffer loses nothing")
  func smallBuffer() async throws {
    let server = try server { server in
      for number in 1...5000 { server.send(FakeServer.sample(number)) }
    }
    defer { server.stop() }
    let feed = try AsyncFeed(from: server.endpoint, timeout: testTimeout, buffering: 2)
    var numbers: [Int] = []
    for try await update in feed {
      if case .gap = update { Issue.record("\(update)") }
      if let sample = update.sample { numbers.append(sample.sequence) }
      if numbers.count == 5000 { break }
    }
    #expect(numbers == Array(1...5000))
  }

  @Test("a cancelled task ends, and the feed continues")
  func cancelledTask() async throws {
    let server = try server { server in
      server.reply(server.request())
      server.send(FakeServer.sample(1))
    }
    defer { server.stop() }
    let feed = try AsyncFeed(from: server.endpoint, timeout: testTimeout)
    let updates = feed.makeAsyncIterator()
    #expect(try await updates.next()?.brief == "connected one")
    let reader = Task {
      var seen = 0
      for try await _ in feed { seen += 1 }
      return seen
    }
    await Task.yield()
    reader.cancel()
    #expect(try await reader.value == 0)
    _ = try await feed.request("ping", within: testTimeout)
    #expect(try await updates.next()?.brief == "sample 1")
  }

  @Test("a request between two updates is answered")
  func requestBetweenUpdates() async throws {
    let server = try server { server in
      let request = server.request()
      for number in 1...500 { server.send(FakeServer.sample(number)) }
      server.reply(request, #"{"n":1}"#)
    }
    defer { server.stop() }
    let feed = try AsyncFeed(from: server.endpoint, timeout: testTimeout, buffering: 1)
    var samples = 0
    for try await update in feed {
      if case .connected = update { #expect(try await feed.request("status", within: testTimeout) == ["n": 1]) }
      if update.sample != nil { samples += 1 }
      if samples == 500 { break }
    }
    #expect(samples == 500)
  }

  @Test("a request ends when it times out, its task is cancelled or the feed stops")
  func requestEnds() async throws {
    let server = try server { _ in }
    defer { server.stop() }
    let feed = try AsyncFeed(from: server.endpoint, timeout: testTimeout)
    await #expect(throws: ClientError.timeout) { try await feed.request("ping", within: .milliseconds(100)) }
    let cancelled = Task { try await feed.request("ping", within: testTimeout) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    let waiting = Task { try await feed.request("ping", within: testTimeout) }
    feed.stop()
    await #expect(throws: ClientError.closed) { try await waiting.value }
    await #expect(throws: ClientError.closed) { try await feed.request("ping", within: testTimeout) }
    for try await update in feed { #expect(update.brief == "connected one") }
  }

  @Test("a pairing that times out is cancelled, and the connection stays usable")
  func cancelsOnTimeout() async throws {
    let server = try FakeServer([FeedTests.awaitsCancel])
    defer { server.stop() }
    let feed = try AsyncFeed(from: server.endpoint, timeout: testTimeout)
    await #expect(throws: ClientError.timeout) { try await feed.request("pair", within: .milliseconds(100)) }
    #expect(try await feed.request("ping", within: testTimeout) == .object([]))
  }

  @Test("an unsupported protocol version ends the sequence with an error")
  func refusedSubscription() async throws {
    let server = try FakeServer([{ $0.send(FakeServer.hello(version: "9.0")) }])
    defer { server.stop() }
    let feed = try AsyncFeed(from: server.endpoint, timeout: testTimeout)
    await #expect(throws: ClientError.self) { for try await _ in feed {} }
    let after = feed.makeAsyncIterator()
    #expect(try await after.next() == nil)
  }

  @Test("the error that ended the feed is thrown once to a late reader")
  func lateReader() async throws {
    let server = try FakeServer([{ $0.send(FakeServer.hello(version: "9.0")) }])
    defer { server.stop() }
    let feed = try AsyncFeed(from: server.endpoint, timeout: testTimeout)
    // A request before the end fails with the reason, a later one with `closed`.
    var failure: ClientError?
    repeat {
      failure = await #expect(throws: ClientError.self) { try await feed.request("ping", within: testTimeout) }
    } while failure != nil && failure != .closed
    let why = ClientError.notUnderstood("the daemon speaks version 9.0 of the protocol, and this program 1")
    await #expect(throws: why) { for try await _ in feed {} }
    let after = feed.makeAsyncIterator()
    #expect(try await after.next() == nil, "thrown only once")
  }

  @Test("a changed subscription also applies to later connections")
  func changedSubscription() async throws {
    let server = try FakeServer([
      { server in
        server.welcome()
        let change = server.request()
        guard change?["method"] == "subscribe", change?["params"] == ["kinds": ["heart_rate"]] else { return }
        server.reply(change)
        server.send(FakeServer.sample(1))
      },
      { server in
        let request = server.welcome()
        if request?["params"] == ["kinds": ["heart_rate"]] { server.send(FakeServer.sample(2)) }
      },
    ])
    defer { server.stop() }
    let feed = try AsyncFeed(Subscription(kinds: ["power"]), from: server.endpoint, timeout: testTimeout)
    let updates = feed.makeAsyncIterator()
    #expect(try await updates.next()?.brief == "connected one")
    try await feed.change(to: Subscription(kinds: ["heart_rate"]), within: testTimeout)
    let lost = "disconnected the daemon closed the connection"
    for expected in ["sample 1", lost, "connected one", "sample 2"] {
      #expect(try await updates.next()?.brief == expected)
    }
  }

  @Test("a refused change keeps the current subscription")
  func refusedChange() async throws {
    let server = try FakeServer([
      { server in
        server.welcome()
        let change = server.request()
        let id = change?["id"]?.encoded ?? "0"
        server.send(#"{"class":"error","id":\#(id),"code":"no_such_kind","message":"no kind is called x"}"# + "\n")
      },
      { server in
        let request = server.welcome()
        if request?["params"] == ["kinds": ["power"]] { server.send(FakeServer.sample(2)) }
      },
    ])
    defer { server.stop() }
    let feed = try AsyncFeed(Subscription(kinds: ["power"]), from: server.endpoint, timeout: testTimeout)
    let updates = feed.makeAsyncIterator()
    #expect(try await updates.next()?.brief == "connected one")
    await #expect(throws: ClientError.refused(code: "no_such_kind", message: "no kind is called x")) {
      try await feed.change(to: Subscription(kinds: ["x"]), within: testTimeout)
    }
    let lost = "disconnected the daemon closed the connection"
    for expected in [lost, "connected one", "sample 2"] {
      #expect(try await updates.next()?.brief == expected)
    }
  }

  @Test("a feed that is released closes its connection")
  func released() async throws {
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let server = try server { server in
      server.waitUntilItLeaves()
      end.finish()
    }
    defer { server.stop() }
    do {
      let feed = try AsyncFeed(from: server.endpoint, timeout: testTimeout)
      let updates = feed.makeAsyncIterator()
      #expect(try await updates.next()?.brief == "connected one")
    }
    for await _ in ended {}
  }
}
