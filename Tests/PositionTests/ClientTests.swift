// The client and a scripted gpsd: requests, timeouts, retries and arbitrary input. Runs in virtual
// time, on a Unix socket.

import EventLoop
import Linux
import Metrics
import TestSupport
import Testing
import Time

@testable import Position

final class ClientTests {
  let loop: EventLoop
  let gpsd: PlayedGPSD
  let client: GPSDClient
  var fixes: [Fix] = []
  var states: [GPSDClient.State] = []

  init() throws {
    loop = try EventLoop(.virtual(VirtualTime()))
    gpsd = try PlayedGPSD()
    client = GPSDClient(loop: loop, address: .unix(path: gpsd.path))
    client.fix = { [unowned self] in fixes.append($0) }
    client.stateChanged = { [unowned self] in states.append($0) }
  }

  func run(for span: Duration) throws { _ = try loop.run(until: loop.now + span) { false } }

  func connect(
    _ rate: GPSDClient.Rate = .full, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try gpsd.listen()
    client.want(rate)
    try run(for: .milliseconds(1))
    #expect(try gpsd.accept(), sourceLocation: sourceLocation)
    try gpsd.say(PlayedGPSD.greeting)
    try run(for: .milliseconds(1))
    try gpsd.receive()
  }

  static func position(_ second: Int, mode: Int = 3, device: String = "/dev/a") -> String {
    #"{"class":"TPV","device":"\#(device)","mode":\#(mode),"time":"2026-11-21T12:00:\#(second % 50 + 10).000Z","lat":47.0,"lon":8.0,"speed":5.0}"#
      + "\n"
  }

  @Test("the client subscribes after gpsd's greeting")
  func clientSubscribesAfterGpsdsGreeting() throws {
    try connect()
    #expect(gpsd.received == "?WATCH={\"enable\":true,\"json\":true}\n")
    #expect(client.state == .watching(receivers: 0))
    try gpsd.say(Self.position(1))
    try run(for: .milliseconds(1))
    #expect(fixes.count == 1)
    #expect(try #require(fixes.first).time <= loop.now)
    #expect(loop.now.nanoseconds - (try #require(fixes.first).time.nanoseconds) <= 2_000_000)
  }

  /// Absence is normal: the client retries some 290 times per day and reports the absence once.
  @Test("a missing gpsd is retried with growing delays")
  func missingGpsdRetriedWithGrowing() throws {
    client.want(.full)
    try run(for: .seconds(60))
    // After 0, 1, 3, 7, 15 and 31 s.
    #expect(client.attempts == 6)
    try run(for: .seconds(86_400))
    #expect(client.attempts < 300)
    #expect(states == [.absent])
    #expect(loop.deadlineCount == 1)
    client.want(.none)
    try run(for: .seconds(1))
    #expect(client.state == .idle)
    #expect(loop.deadlineCount == 0)
  }

  @Test("a gpsd that hangs up at once is retried with delays")
  func gpsdThatHangsUp() throws {
    try gpsd.listen()
    client.want(.full)
    for _ in 0..<3_600 {
      try run(for: .seconds(1))
      if try gpsd.accept() { gpsd.hangUp() }
    }
    #expect(client.attempts < 25)
    #expect(states == [.absent])
  }

  @Test("a gpsd that sends no greeting is disconnected")
  func gpsdThatSendsNoGreeting() throws {
    try gpsd.listen()
    client.want(.full)
    try run(for: .seconds(9))
    #expect(client.problem == nil)
    try run(for: .seconds(2))
    #expect(client.problem == .silent)
    #expect(client.state == .absent)
  }

  @Test("after a long connection the first retry is quick")
  func afterLongConnectionFirstRetry() throws {
    client.want(.full)
    try run(for: .seconds(3_000))
    try gpsd.listen()
    var waited = 0
    while waited < 301, try !gpsd.accept() {
      try run(for: .seconds(1))
      waited += 1
    }
    #expect(waited > 30)
    try gpsd.say(PlayedGPSD.greeting)
    try run(for: .seconds(3_600))
    #expect(client.state == .watching(receivers: 0))
    gpsd.hangUp()
    try run(for: .milliseconds(1_100))
    #expect(try gpsd.accept())
  }

  @Test("a hint that gpsd may be back triggers a retry")
  func hintThatGpsdMay() throws {
    client.lookAgain()
    try run(for: .seconds(1))
    #expect(client.attempts == 0, "no position is needed")
    client.want(.full)
    try run(for: .seconds(3_000))
    let before = client.attempts
    client.lookAgain()
    try run(for: .milliseconds(1))
    #expect(client.attempts == before + 1)
    // The backoff restarts with the shortest wait.
    try run(for: .milliseconds(1_100))
    #expect(client.attempts == before + 2)
    try gpsd.listen()
    client.lookAgain()
    try run(for: .milliseconds(1))
    #expect(try gpsd.accept())
    try gpsd.say(PlayedGPSD.greeting)
    try run(for: .milliseconds(1))
    client.lookAgain()
    try run(for: .seconds(1))
    #expect(client.attempts == before + 3, "the client is connected already")
    #expect(client.state == .watching(receivers: 0))
  }

  @Test("the rate can change at any time")
  func rateCanChange() throws {
    try connect()
    client.fix = { [unowned self] in
      fixes.append($0)
      client.want(.none)
    }
    try gpsd.say(Self.position(1) + Self.position(2) + Self.position(3))
    try run(for: .milliseconds(1))
    #expect(fixes.count == 1)
    #expect(client.state == .idle)
    #expect(loop.watchCount == 0)
    #expect(loop.deadlineCount == 0)
    // The rate changes several times before the loop runs.
    client.want(.full)
    client.want(.none)
    client.want(.slow)
    try run(for: .milliseconds(1))
    #expect(try gpsd.accept())
    try gpsd.say(PlayedGPSD.greeting + Self.position(4))
    try run(for: .milliseconds(1))
    #expect(fixes.count == 2)
  }

  @Test("a receiver with an adjustable rate is set")
  func receiverWithAdjustableRateSet() throws {
    try connect(.slow)
    let able =
      #"{"class":"DEVICE","path":"/dev/a","activated":"2026-11-21T12:00:00.000Z","cycle":1.00,"mincycle":0.10}"#
    try gpsd.say(
      #"{"class":"DEVICES","devices":["# + able
        + #",{"class":"DEVICE","path":"/dev/b","activated":"2026-11-21T12:00:00.000Z"}]}"# + "\n")
    try run(for: .milliseconds(1))
    try gpsd.receive()
    #expect(gpsd.received.contains("?DEVICE={\"path\":\"/dev/a\",\"cycle\":5.0}\n"))
    #expect(!gpsd.received.contains("/dev/b"))
    #expect(client.state == .watching(receivers: 2))
    client.want(.full)
    try gpsd.receive()
    #expect(gpsd.received.hasSuffix("?DEVICE={\"path\":\"/dev/a\",\"cycle\":1.0}\n"))
    // A confirmed cycle is not requested again.
    let before = gpsd.received
    try gpsd.say(able + "\n")
    try run(for: .milliseconds(1))
    try gpsd.receive()
    #expect(gpsd.received == before)
  }

  @Test("the slow rate is one fix in 5 s")
  func slowRateOneFix() throws {
    try connect(.slow)
    for second in 0..<60 {
      try gpsd.say(Self.position(second))
      try run(for: .seconds(1))
    }
    #expect(fixes.count == 12)
    client.want(.full)
    for second in 0..<10 {
      try gpsd.say(Self.position(second))
      try run(for: .seconds(1))
    }
    #expect(fixes.count == 22)
  }

  @Test("a receiver is kept while it has a fix")
  func receiverKept() throws {
    try connect()
    for second in 0..<10 {
      try gpsd.say(Self.position(second) + Self.position(second, device: "/dev/b"))
      try run(for: .seconds(1))
    }
    #expect(fixes.count == 10)
    for second in 0..<10 {
      try gpsd.say(Self.position(second, mode: 1) + Self.position(second, device: "/dev/b"))
      try run(for: .seconds(1))
    }
    // Six reports without a fix from the first receiver, then the second receiver takes over.
    #expect(fixes.suffix(10).prefix(6).allSatisfy { $0.mode == .none })
    #expect(fixes.suffix(3).allSatisfy { $0.mode == .full })
  }

  @Test("an old number of satellites is unknown")
  func oldNumberOfSatellitesUnknown() throws {
    try connect()
    try gpsd.say(#"{"class":"SKY","device":"/dev/a","hdop":0.8,"uSat":11}"# + "\n" + Self.position(1))
    try run(for: .seconds(1))
    #expect(fixes.last?.satellites == 11)
    try run(for: .seconds(30))
    try gpsd.say(Self.position(2))
    try run(for: .seconds(1))
    #expect(fixes.last?.satellites == nil)
  }

  @Test("an endless line ends the connection")
  func endlessLineEndsConnection() throws {
    try connect()
    for _ in 0..<9 {
      try gpsd.say([UInt8](repeating: UInt8(ascii: "x"), count: 4_096))
      try run(for: .milliseconds(1))
    }
    #expect(client.problem == .longLine)
    #expect(client.state == .absent)
  }

  /// Valid lines with bytes changed, removed and inserted. The client survives each of them and
  /// reads the next valid line.
  @Test("random bytes do not crash the client")
  func randomBytesDoNotCrash() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed)
    try connect()
    let lines = [
      PlayedGPSD.greeting, Self.position(1),
      #"{"class":"SKY","device":"/dev/a","hdop":0.8,"uSat":11,"satellites":[{"PRN":1,"used":true}]}"# + "\n",
      #"{"class":"DEVICE","path":"/dev/a","activated":"2026-11-21T12:00:00.000Z","mincycle":0.1}"# + "\n",
      #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a"}]}"# + "\n",
      #"{"class":"ERROR","message":"no"}"# + "\n",
      #"{"class":"TPV","mode":1e99,"lat":[[[[]]]],"lon":{"a":null}}"# + "\n",
    ].map { Array($0.utf8) }
    for _ in 0..<4_000 {
      var line = lines[Int(random.next() % UInt64(lines.count))]
      for _ in 0..<random.next() % 6 {
        let place = Int(random.next() % UInt64(line.count))
        switch random.next() % 3 {
        case 0: line[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: line.insert(line[Int(random.next() % UInt64(line.count))], at: place)
        default: if line.count > 1 { line.remove(at: place) }
        }
      }
      try gpsd.say(line)
      try run(for: .milliseconds(1))
      try gpsd.receive()
    }
    #expect(client.state != .absent, "seed \(seed)")
    try run(for: .seconds(10))
    let count = fixes.count
    try gpsd.say("\n")
    // The noise can invent a receiver. The client drops it for one that has a fix.
    for second in 0..<10 {
      try gpsd.say(Self.position(second))
      try run(for: .seconds(1))
    }
    #expect(fixes.count > count, "seed \(seed)")
    #expect(fixes.last?.latitudeDeg == 47, "seed \(seed)")
  }
}
