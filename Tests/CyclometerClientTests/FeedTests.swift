// A feed with a server that the test scripts byte by byte and that may misbehave.

import CyclometerClient
import JSON
import Linux
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(30)))
struct FeedTests {
  typealias Script = @Sendable (borrowing FakeServer.Connection) -> Void

  private func follow(_ scripts: Script..., subscription: Subscription = Subscription(), updates: Int) throws
    -> [String]
  {
    let server = try FakeServer(scripts)
    defer { server.stop() }
    return try Feed(subscription, from: server.endpoint, timeout: testTimeout).briefs(updates)
  }

  @Test("gaps in seq are reported per sensor and kind")
  func gaps() throws {
    let updates = try follow(
      { server in
        server.welcome()
        for number in [7, 8, 11] { server.send(FakeServer.sample(number)) }
        server.send(
          FakeServer.sample(3, kind: "battery") + FakeServer.sample(12) + FakeServer.sample(5, kind: "battery"))
        server.send(#"{"class":"lag","dropped":37}"# + "\n" + FakeServer.sample(2))
        server.waitUntilItLeaves()
      }, updates: 11)
    #expect(
      updates == [
        "connected one", "sample 7", "sample 8", "gap heart_rate 2", "sample 11", "sample 3", "sample 12",
        "gap battery 1", "sample 5", "lag 37", "sample 2",
      ])
  }

  @Test("with max_hz, missing numbers are not reported as gaps")
  func maxRate() throws {
    let updates = try follow(
      { server in
        let request = server.welcome()
        if request?["params"] == ["max_hz": 4] { server.send(FakeServer.sample(1) + FakeServer.sample(9)) }
        server.waitUntilItLeaves()
      }, subscription: Subscription(maxHz: 4), updates: 3)
    #expect(updates == ["connected one", "sample 1", "sample 9"])
  }

  @Test("after reconnecting, the feed resubscribes and reports lost samples")
  func reconnects() throws {
    let script: @Sendable (String, Int) -> Script = { instance, number in
      { server in
        let request = server.welcome(instance)
        if request?["params"] == ["kinds": ["heart_rate"]] { server.send(FakeServer.sample(number)) }
      }
    }
    let updates = try follow(
      script("one", 5), script("one", 9), script("two", 4), subscription: Subscription(kinds: ["heart_rate"]),
      updates: 9)
    let lost = "disconnected the daemon closed the connection"
    #expect(
      updates == [
        "connected one", "sample 5", lost, "connected one", "gap heart_rate 3", "sample 9", lost, "connected two new",
        "sample 4",
      ])
  }

  @Test("invalid lines are skipped, and unknown records are passed on")
  func unknownRecords() throws {
    let updates = try follow(
      { server in
        server.welcome()
        server.send("not JSON\n\n[1]\n\"x\"\n{\"class\":\"sample\",\"seq\":1e400}\n\u{0}\u{1}\n{}\r\n")
        server.send(#"{"class":"of_tomorrow","x":{"y":[1,null]}}"# + "\n" + FakeServer.sample(1))
        server.send(#"{"class":"sample","sensor":7,"kind":[],"seq":"x"}"# + "\n" + FakeServer.sample(2))
        server.waitUntilItLeaves()
      }, updates: 6)
    #expect(updates == ["connected one", " ", "of_tomorrow ", "sample 1", #"sample "x""#, "sample 2"])
  }

  @Test("half a line is not a record, and a line may arrive byte by byte")
  func partialLines() throws {
    let updates = try follow(
      { server in
        server.welcome()
        server.send(String(FakeServer.sample(1).dropLast(20)))
      },
      { server in
        server.welcome()
        for byte in FakeServer.sample(2) { server.send(String(byte)) }
        server.waitUntilItLeaves()
      }, updates: 4)
    #expect(
      updates == ["connected one", "disconnected the daemon closed the connection", "connected one", "sample 2"])
  }

  @Test("the longest allowed line is accepted, and a longer one ends the connection")
  func lineLimit() throws {
    let frame = #"{"class":"big","x":""}"#
    let longest = #"{"class":"big","x":""# + String(repeating: "x", count: 65_536 - frame.count) + "\"}\n"
    let updates = try follow(
      { server in
        server.welcome()
        server.send(longest + "x" + longest)
        server.waitUntilItLeaves()
      },
      { server in
        server.welcome()
        server.send(FakeServer.sample(2))
        server.waitUntilItLeaves()
      }, updates: 5)
    #expect(
      updates == [
        "connected one", "big ", "disconnected the daemon sent a longer line than the protocol allows", "connected one",
        "sample 2",
      ])
  }

  @Test("errors that a retry cannot fix are thrown")
  func permanentErrors() throws {
    let otherVersion = try FakeServer([{ $0.send(FakeServer.hello(version: "2.0")) }])
    let refuses = try FakeServer([
      { server in
        server.send(FakeServer.hello())
        _ = server.request()
        server.send(#"{"class":"error","id":1,"code":"no_such_kind","message":"no kind is called x"}"# + "\n")
      }
    ])
    defer {
      otherVersion.stop()
      refuses.stop()
    }
    #expect(throws: ClientError.notUnderstood("the daemon speaks version 2.0 of the protocol, and this program 1")) {
      try Feed(from: otherVersion.endpoint, timeout: testTimeout).next()
    }
    let feed = try Feed(from: refuses.endpoint, timeout: testTimeout)
    for _ in 1...2 {
      #expect(throws: ClientError.refused(code: "no_such_kind", message: "no kind is called x")) { try feed.next() }
    }
  }

  @Test("a full or missing daemon is retried with a delay")
  func retries() throws {
    let updates = try follow(
      { $0.send(#"{"class":"error","code":"too_many","message":"256 clients are connected"}"# + "\n") },
      { server in
        server.welcome()
        server.waitUntilItLeaves()
      }, updates: 2)
    #expect(updates == ["disconnected 256 clients are connected", "connected one"])
    let folder = try TemporaryFolder()
    let feed = try Feed(from: Endpoint(controlSocket: folder.file("control.sock")))
    let begin = MonotonicTime.now
    #expect(try feed.next(within: testTimeout) == .disconnected(.noDaemon(path: feed.endpoint.controlSocket)))
    #expect(try feed.next(within: .milliseconds(600)) == nil)
    #expect(MonotonicTime.now - begin >= .milliseconds(600))
  }

  @Test("the daemon's reason for closing a connection is reported")
  func closeReason() throws {
    let updates = try follow(
      { server in
        server.welcome()
        server.send(#"{"class":"error","code":"too_slow","message":"you do not read"}"# + "\n")
      }, updates: 2)
    #expect(updates == ["connected one", "disconnected you do not read"])
  }

  @Test("a silent server times out")
  func silentServer() throws {
    let server = try FakeServer([{ $0.waitUntilItLeaves() }])
    defer { server.stop() }
    let feed = try Feed(from: server.endpoint, timeout: .milliseconds(100))
    #expect(try feed.next(within: testTimeout) == .disconnected(.timeout))
  }

  @Test("requests are answered while records arrive")
  func requests() throws {
    let server = try FakeServer([
      { server in
        server.welcome()
        let first = server.request()
        server.send(FakeServer.sample(1))
        let second = server.request()
        server.reply(second, #"{"n":2}"#)
        server.send(FakeServer.sample(2))
        server.reply(first, #"{"n":1}"#)
        let third = server.request()
        server.send(#"{"class":"error","id":\#(third?["id"]?.encoded ?? ""),"code":"busy","message":"later"}"# + "\n")
        _ = server.request()
      }
    ])
    defer { server.stop() }
    let feed = try Feed(from: server.endpoint, timeout: testTimeout)
    #expect(try feed.briefs(1) == ["connected one"])
    let first = try feed.send("status")
    #expect(try feed.request("ping", within: testTimeout) == ["n": 2])
    #expect(try feed.briefs(2) == ["sample 1", "sample 2"])
    #expect(try feed.next() == .answer(FeedAnswer(request: first, result: .success(["n": 1]))))
    #expect(throws: ClientError.refused(code: "busy", message: "later")) {
      try feed.request("scan", within: testTimeout)
    }
    #expect(throws: ClientError.closed) { try feed.request("ping", within: testTimeout) }
    let tooLong = JSONValue.string(String(repeating: "x", count: 70_000))
    #expect(try feed.briefs(2) == ["disconnected the daemon closed the connection", "connected one"])
    let refusal = #expect(throws: ClientError.self) { try feed.request("rename", tooLong) }
    #expect(refusal?.description.contains("65536 bytes") == true)
  }

  @Test("an unanswered request times out")
  func unansweredRequest() throws {
    let server = try FakeServer([
      { server in
        server.welcome()
        server.waitUntilItLeaves()
      }
    ])
    defer { server.stop() }
    let feed = try Feed(from: server.endpoint, timeout: testTimeout)
    #expect(throws: ClientError.timeout) { try feed.request("ping", within: .milliseconds(100)) }
  }

  @Test("a pairing that times out is cancelled, and the connection stays usable")
  func cancelsOnTimeout() throws {
    let server = try FakeServer([Self.awaitsCancel])
    defer { server.stop() }
    let feed = try Feed(from: server.endpoint, timeout: testTimeout)
    #expect(throws: ClientError.timeout) { try feed.request("pair", within: .milliseconds(100)) }
    #expect(try feed.request("ping", within: testTimeout) == .object([]))
    #expect(Feed.deadline(of: "pair") > .seconds(45) && Feed.deadline(of: "command") > .seconds(30))
  }

  /// Answers only the request that follows a `pair` and its `cancel`.
  static let awaitsCancel: Script = { server in
    server.welcome()
    guard server.request()?["method"] == "pair", server.request()?["method"] == "cancel" else { return }
    server.reply(server.request())
    server.waitUntilItLeaves()
  }

  @Test("another thread can wake a waiting feed")
  func wakes() throws {
    let server = try FakeServer([
      { server in
        server.welcome()
        server.waitUntilItLeaves()
      }
    ])
    defer { server.stop() }
    let feed = try Feed(from: server.endpoint, timeout: testTimeout)
    #expect(try feed.briefs(1) == ["connected one"])
    let waker = feed.waker
    try OwnThread.start { waker.wake() }
    #expect(try feed.next() == nil)
    #expect(try feed.next(within: .milliseconds(50)) == nil)
  }

  @Test("pending input makes next return, both connected and disconnected")
  func input() throws {
    let server = try FakeServer([
      { server in
        server.welcome()
        server.waitUntilItLeaves()
      }
    ])
    defer { server.stop() }
    let following = try Feed(from: server.endpoint, timeout: testTimeout)
    #expect(try following.briefs(1) == ["connected one"])
    let waiting = try Feed(from: Endpoint(controlSocket: "/nowhere/control.sock"))
    #expect(try waiting.next(within: .seconds(5)) != nil)
    for feed in [following, waiting] {
      let keys = try Waker()
      feed.wake(onInputOf: -1, keys.number)
      keys.wake()
      let begin = MonotonicTime.now
      // `next` returns at once until the input is read.
      #expect(try feed.next(within: .seconds(60)) == nil)
      #expect(try feed.next(within: .seconds(60)) == nil)
      #expect(MonotonicTime.now - begin < .seconds(60))
      #expect(keys.clear())
      #expect(try feed.next(within: .milliseconds(50)) == nil)
    }
  }
}
