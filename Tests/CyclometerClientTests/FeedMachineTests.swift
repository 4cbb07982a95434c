// The machine of a feed without a socket, in virtual time.

import CyclometerClient
import JSON
import Testing
import Time
import Wire

struct FeedMachineTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000)
  private static let limit = Duration.seconds(10)

  /// A machine and its clock. The test plays the daemon.
  private struct Player {
    var machine: FeedMachine
    var now = start

    init(keepsSampleLines: Bool = false) {
      machine = FeedMachine(
        Subscription(kinds: ["heart_rate"]), path: "/run/control.sock", timeout: limit,
        keepsSampleLines: keepsSampleLines, at: start)
    }

    mutating func receive(_ text: String) {
      machine.received(Array(text.utf8).span, at: now)
    }

    /// What the machine wants to send, which the socket then accepts.
    mutating func sent() -> String {
      defer { machine.sent(machine.output.count) }
      return String(decoding: machine.output, as: UTF8.self)
    }

    /// Lets time pass until the machine's next deadline. Returns how long that took.
    mutating func untilDeadline() -> Duration? {
      guard let deadline = machine.deadline else { return nil }
      defer {
        now = max(now, deadline)
        machine.timePassed(at: now)
      }
      return deadline - now
    }

    mutating func updates() -> [String] {
      var updates: [String] = []
      while let update = machine.nextUpdate() { updates.append(update.brief) }
      return updates
    }

    /// Updates and sample lines, in their order.
    mutating func news() -> [String] {
      var (news, line): ([String], [UInt8]) = ([], [])
      while true {
        if machine.nextSampleLine(&line) {
          news.append(String(decoding: line, as: UTF8.self) + "\n")
        } else if let update = machine.nextUpdate() {
          news.append(update.brief)
        } else {
          return news
        }
      }
    }

    /// Opens the socket and accepts the subscription, whose request has this number.
    mutating func connect(_ request: Int = 1) {
      _ = untilDeadline()
      machine.connected(at: now)
      receive(FakeServer.hello())
      _ = sent()
      receive(#"{"class":"reply","id":\#(request),"result":{}}"# + "\n")
    }

    func followed() -> Player {
      var player = self
      player.connect()
      _ = player.machine.nextUpdate()
      return player
    }
  }

  @Test("sample lines and updates keep their order, whether they are taken at once or late", arguments: [1, 7, 10_000])
  func sampleLines(piece: Int) {
    let state = #"{"class":"state","sensor":"strap","state":"connected"}"# + "\n"
    let long = String(repeating: " ", count: 70_000)
    let text = [
      FakeServer.sample(1), state, state, FakeServer.sample(2), FakeServer.sample(3), state, FakeServer.sample(4),
    ]
    for takesAtOnce in [true, false] {
      var player = Player(keepsSampleLines: true)
      player.connect()
      var news: [String] = []
      let bytes = Array((text.joined() + long).utf8)
      for start in stride(from: 0, to: bytes.count, by: piece) where player.machine.socketUse == .keep {
        player.machine.received(Array(bytes[start..<min(start + piece, bytes.count)]).span, at: player.now)
        if takesAtOnce { news += player.news() }
      }
      if !takesAtOnce {
        news += [player.machine.nextUpdate()?.brief ?? ""]
        #expect(player.machine.nextUpdate() == nil, "a sample line comes first")
        news += player.news()
      }
      let expected = text.map { $0 == state ? "state " : $0 }
      #expect(Array(news.prefix(8)) == ["connected one"] + expected)
      #expect(news.count == 9 && news.last?.hasPrefix("disconnected") == true && !player.machine.hasNews)
    }
  }

  @Test("the socket is opened at once, and the subscription is sent after the greeting")
  func connecting() {
    var player = Player()
    #expect(player.machine.socketUse == .close)
    #expect(player.untilDeadline() == .zero)
    #expect(player.machine.socketUse == .open)
    player.machine.connected(at: player.now)
    #expect(player.machine.socketUse == .keep && player.sent().isEmpty && player.machine.greeting == nil)
    player.receive(FakeServer.hello())
    #expect(player.sent() == #"{"id":1,"method":"subscribe","params":{"kinds":["heart_rate"]}}"# + "\n")
    player.receive(#"{"class":"reply","id":1,"result":{}}"# + "\n" + FakeServer.sample(1))
    #expect(player.updates() == ["connected one", "sample 1"])
    #expect(player.machine.greeting?.instance == "one" && player.machine.deadline == nil)
  }

  @Test("failed attempts are repeated with a delay that doubles up to 4 s")
  func backOff() {
    var player = Player()
    var delays: [Duration] = []
    for _ in 1...7 {
      if let delay = player.untilDeadline() { delays.append(delay) }
      #expect(player.machine.socketUse == .open)
      player.machine.closed(.noDaemon(path: "/run/control.sock"), at: player.now)
    }
    #expect(delays == [0, 250, 500, 1000, 2000, 4000, 4000].map { .milliseconds($0) })
    #expect(player.updates() == ["disconnected no daemon listens at /run/control.sock"], "reported once")
    #expect(player.machine.absence == .noDaemon(path: "/run/control.sock"))
  }

  @Test("a connection that lasted resets the delay", arguments: [true, false])
  func resetsDelay(lasts: Bool) {
    var player = Player()
    for _ in 1...4 {
      _ = player.untilDeadline()
      player.machine.closed(.closed, at: player.now)
    }
    player.connect()
    #expect(player.updates() == ["disconnected the daemon closed the connection", "connected one"])
    if lasts { player.now = player.now + .seconds(4) }
    player.machine.closed(.closed, at: player.now)
    #expect(player.untilDeadline() == (lasts ? .milliseconds(250) : .seconds(4)))
  }

  @Test("the greeting and the reply to the subscription share a time limit")
  func timeout() {
    var player = Player()
    _ = player.untilDeadline()
    player.machine.connected(at: player.now)
    player.now = player.now + .seconds(4)
    player.machine.timePassed(at: player.now)
    player.receive(FakeServer.hello())
    #expect(player.machine.socketUse == .keep)
    #expect(player.untilDeadline() == .seconds(6))
    #expect(player.machine.socketUse == .close)
    #expect(player.updates() == ["disconnected the daemon did not answer in time"])
    #expect(player.sent().isEmpty, "a request of a lost connection is not sent to the next daemon")
  }

  @Test("output that the socket does not accept ends the connection")
  func stuckOutput() throws {
    var player = Player().followed()
    let number = try player.machine.send("ping", at: player.now)
    player.machine.sent(3)
    #expect(player.untilDeadline() == Self.limit)
    #expect(player.updates() == ["answer \(number)", "disconnected the daemon did not answer in time"])
  }

  @Test("another protocol or a refused subscription is permanent")
  func permanentErrors() {
    for (line, isPermanent) in [
      (FakeServer.hello(version: "2.0"), true),
      (FakeServer.hello() + #"{"class":"error","id":1,"code":"no_such_kind","message":"no"}"# + "\n", true),
      (FakeServer.hello() + #"{"class":"error","code":"too_many","message":"full"}"# + "\n", false),
    ] {
      var player = Player()
      _ = player.untilDeadline()
      player.machine.connected(at: player.now)
      player.receive(line + FakeServer.sample(1))
      #expect((player.machine.failure != nil) == isPermanent)
      #expect(player.machine.socketUse == .close && (player.machine.deadline == nil) == isPermanent)
      #expect(player.updates() == (isPermanent ? [] : ["disconnected full"]))
    }
  }

  @Test("pending requests fail with the connection, and later ones are refused")
  func requests() throws {
    var player = Player()
    #expect(throws: ClientError.closed) { try player.machine.send("ping", at: player.now) }
    player = player.followed()
    let first = try player.machine.send("ping", at: player.now)
    let second = try player.machine.send("status", at: player.now)
    player.receive(#"{"class":"reply","id":\#(second),"result":{"n":1}}"# + "\n")
    #expect(player.machine.takeAnswer(to: first) == nil)
    player.machine.closed(.closed, at: player.now)
    #expect(player.machine.takeAnswer(to: second) == .success(["n": 1]))
    #expect(player.machine.takeAnswer(to: first) == .failure(.closed))
    #expect(player.updates() == ["disconnected the daemon closed the connection"])
    #expect(throws: ClientError.closed) { try player.machine.send("ping", at: player.now) }
  }

  @Test("an abandoned pairing is cancelled, and its reply is dropped")
  func abandons() throws {
    var player = Player().followed()
    let pairing = try player.machine.send("pair", at: player.now)
    let ping = try player.machine.send("ping", at: player.now)
    _ = player.sent()
    player.machine.abandon(ping, of: "ping", at: player.now)
    #expect(player.sent().isEmpty)
    player.machine.abandon(pairing, of: "pair", at: player.now)
    #expect(player.sent().hasPrefix(#"{"id":4,"method":"cancel""#))
    for number in pairing...4 { player.receive(#"{"class":"reply","id":\#(number),"result":{}}"# + "\n") }
    #expect(player.updates().isEmpty)
  }

  @Test("a change of the subscription takes effect with its reply and survives a reconnection")
  func changes() throws {
    var player = Player().followed()
    player.receive(FakeServer.sample(1))
    let refused = try player.machine.change(to: Subscription(kinds: ["none"]), at: player.now)
    player.receive(#"{"class":"error","id":\#(refused ?? 0),"code":"no_such_kind","message":"no"}"# + "\n")
    #expect(player.machine.subscription.kinds == ["heart_rate"])
    let number = try player.machine.change(to: Subscription(kinds: ["power"]), at: player.now)
    player.receive(#"{"class":"reply","id":\#(number ?? 0),"result":{}}"# + "\n" + FakeServer.sample(9))
    #expect(player.updates() == ["sample 1", "answer 2", "answer 3", "sample 9"], "no gap")
    player.machine.closed(.closed, at: player.now)
    #expect(try player.machine.change(to: Subscription(kinds: ["speed"]), at: player.now) == nil)
    _ = player.untilDeadline()
    player.machine.connected(at: player.now)
    player.receive(FakeServer.hello())
    #expect(player.sent().hasSuffix(#""params":{"kinds":["speed"]}}"# + "\n"))
  }

  @Test("what remains of a line is not mixed with the next connection")
  func partialLine() {
    var player = Player().followed()
    player.receive(FakeServer.sample(1) + #"{"class":"#)
    player.machine.closed(.closed, at: player.now)
    player.connect(2)
    player.receive(FakeServer.sample(2))
    #expect(
      player.updates() == ["sample 1", "disconnected the daemon closed the connection", "connected one", "sample 2"])
  }
}
