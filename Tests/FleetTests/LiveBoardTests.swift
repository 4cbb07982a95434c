// What is published live, when, and who asked for it.

import JSON
import TestSupport
import Testing
import Time
import Wire

@testable import Fleet

/// A board, what it published, and the daemon before it.
private struct LiveHarness {
  var board: LiveBoard
  var reader = RecordReader()
  var daemon = ScriptedDaemon()
  var now = MonotonicTime.at(1000)
  /// How many messages the broker takes before it is full.
  var room = Int.max
  private(set) var published: [(at: MonotonicTime, message: Published)] = []

  init(_ mode: LiveMode, filter: RecordFilter = RecordFilter(), isConnected: Bool = true) {
    board = LiveBoard(topics: homeTopics, mode: mode, filter: filter)
    board.connected(instance: "a")
    if isConnected { board.brokerConnected(at: now) { _, _ in true } }
  }

  mutating func change(_ body: (inout LiveBoard, LiveBoard.Sink) -> Void) {
    var new: [Published] = []
    var room = room
    body(&board) {
      guard room > 0 else { return false }
      room -= 1
      new.append(Published(topic: text($0), payload: text($1)))
      return true
    }
    self.room = room
    for message in new { published.append((now, message)) }
  }

  /// Time passes, and what is due is published.
  mutating func pass(to end: MonotonicTime) {
    while let deadline = board.deadline(at: now), deadline <= end {
      now = max(now, deadline)
      let now = now
      change { $0.timePassed(at: now, $1) }
    }
    now = end
  }

  mutating func sample(_ sensor: String, _ kind: String, _ fields: String = #""bpm":142"#) {
    let line = daemon.sample(sensor, kind, at: now, fields)
    _ = reader.read(line.span)
    let (reader, now) = (reader, now)
    change { $0.add(line.span, reader, at: now, $1) }
  }

  mutating func want(_ message: String, isRetained: Bool = false) throws {
    let now = now
    let want = try LiveWant(
      Array(message.utf8).span, isRetained: isRetained, at: now, wall: WallTime(seconds: 1_795_000_000))
    change { $0.add(want, at: now, $1) }
  }

  var topics: [String] { published.map(\.message.topic) }
  func payloads(_ topic: String) -> [String] { published.map(\.message).filter { $0.topic == topic }.map(\.payload) }
}

private let prefix = "cyclometer/v1/home/rx-1f09a3/now/"
private let inTenMinutes = #""until":"2026-11-18T11:16:40Z""#

@Suite struct LiveBoardTests {
  @Test("a sample is published without class and age, with the instance and the signal strength")
  func payload() {
    var harness = LiveHarness(.always)
    harness.daemon.utcOffset = 1_795_000_000_000_000_000
    harness.board.setSignalStrength(-61, of: "strap")
    harness.board.setSignalStrength(-61, of: "cap")
    harness.sample("strap", "heart_rate")
    let expected =
      #"{"sensor":"strap","kind":"heart_rate","seq":1,"t":1000,"time":"2026-11-18T11:23:20.000Z","bpm":142,"#
      + #""instance":"a","rssi_dbm":-61}"#
    #expect(harness.published.map(\.message) == [Published(topic: prefix + "strap/heart_rate", payload: expected)])
    harness.now = .at(1002)
    harness.sample("cap", "tire_pressure", #""rssi_dbm":-70"#)
    let own = harness.payloads(prefix + "cap/tire_pressure")
    #expect(own.map { $0.hasSuffix(#""rssi_dbm":-70,"instance":"a"}"#) } == [true])
  }

  @Test("each stream is published at most once a second, with its newest sample")
  func thinning() {
    var harness = LiveHarness(.always)
    for count in 0..<100 {
      harness.pass(to: .at(1000 + Double(count) / 10))
      harness.sample("crank", "power", #""power_w":\#(count)"#)
      harness.sample("crank", "cadence", #""cadence_rpm":\#(count)"#)
    }
    harness.pass(to: .at(1020))
    let power = harness.published.filter { $0.message.topic == prefix + "crank/power" }
    #expect(power.count == 11)
    for (earlier, later) in zip(power, power.dropFirst()) { #expect(later.at - earlier.at >= .seconds(1)) }
    #expect(power.last?.message.payload.hasSuffix(#""power_w":99,"instance":"a"}"#) == true)
    #expect(harness.board.deadline(at: harness.now) == nil)
  }

  @Test("radar is published at once")
  func radar() {
    var harness = LiveHarness(.always)
    for count in 0..<50 {
      harness.pass(to: .at(1000 + Double(count) / 50))
      harness.sample("radar-1", "radar", #""clear":false,"targets":[]"#)
    }
    #expect(harness.published.count == 50)
  }

  @Test("without a want nothing is published, and with one the last values at once")
  func wanted() throws {
    var harness = LiveHarness(.wanted)
    harness.sample("strap", "heart_rate")
    harness.sample("strap", "battery", #""battery_pct":87"#)
    harness.sample("radar-1", "radar", #""clear":true"#)
    #expect(harness.published.isEmpty)
    #expect(harness.board.deadline(at: harness.now) == nil)
    harness.pass(to: .at(1300))
    try harness.want(#"{"kinds":["heart_rate","radar"],"hz":1,"until":"2026-11-18T11:07:40Z"}"#)
    #expect(harness.topics == [prefix + "strap/heart_rate", prefix + "radar-1/radar"])
    // 60 s later the want has ended.
    for count in 1...120 {
      harness.pass(to: .at(1300 + Double(count)))
      harness.sample("strap", "heart_rate")
    }
    #expect(harness.payloads(prefix + "strap/heart_rate").count == 60)
    #expect(harness.payloads(prefix + "strap/battery").isEmpty)
  }

  @Test("several wants are joined by kind: the highest rate counts until its end")
  func joined() throws {
    var harness = LiveHarness(.wanted)
    try harness.want(#"{"hz":0.5,"until":"2026-11-18T11:07:00Z"}"#)
    try harness.want(#"{"kinds":["power"],"hz":4,"until":"2026-11-18T11:06:50Z"}"#)
    for count in 0..<400 {
      harness.pass(to: .at(1000 + Double(count) / 20))
      harness.sample("crank", "power", #""power_w":\#(count)"#)
      harness.sample("crank", "cadence", #""cadence_rpm":\#(count)"#)
    }
    // 10 s at 4 Hz, then 10 s at 0.5 Hz.
    #expect((43...46).contains(harness.payloads(prefix + "crank/power").count))
    #expect(harness.payloads(prefix + "crank/cadence").count == 10)
  }

  @Test("never means never")
  func never() throws {
    var harness = LiveHarness(.never)
    try harness.want("{\(inTenMinutes)}")
    harness.sample("radar-1", "radar")
    #expect(harness.published.isEmpty)
  }

  @Test("while the broker is away nothing is published, and afterwards the newest of each stream")
  func reconnect() {
    var harness = LiveHarness(.always)
    harness.sample("strap", "battery", #""battery_pct":87"#)
    harness.board.brokerDisconnected()
    harness.now = .at(1005)
    harness.sample("strap", "heart_rate")
    #expect(harness.published.count == 1)
    #expect(harness.board.deadline(at: harness.now) == nil)
    harness.now = .at(1100)
    harness.change { $0.brokerConnected(at: .at(1100), $1) }
    #expect(harness.topics.suffix(2) == [prefix + "strap/battery", prefix + "strap/heart_rate"])
  }

  @Test("a lost sensor leaves its value, and a forgotten one does not")
  func forgotten() {
    var harness = LiveHarness(.always)
    harness.sample("strap", "heart_rate")
    harness.sample("crank", "power")
    harness.pass(to: .at(2000))
    #expect(harness.published.count == 2)
    harness.change { $0.forget(sensor: "strap", $1) }
    #expect(harness.published.last?.message == Published(topic: prefix + "strap/heart_rate", payload: ""))
    harness.board.brokerDisconnected()
    harness.change { $0.forget(sensor: "crank", $1) }
    #expect(harness.published.count == 3)
    harness.change { $0.brokerConnected(at: .at(2001), $1) }
    #expect(harness.published.map(\.message).suffix(1) == [Published(topic: prefix + "crank/power", payload: "")])
  }

  @Test("after a restart of the daemon, no old value is published")
  func newInstance() throws {
    var harness = LiveHarness(.wanted)
    harness.sample("strap", "heart_rate")
    harness.board.connected(instance: "b")
    try harness.want("{\(inTenMinutes)}")
    #expect(harness.published.isEmpty)
    harness.sample("strap", "heart_rate")
    #expect(harness.published.first?.message.payload.hasSuffix(#""instance":"b"}"#) == true)
  }

  @Test("when the broker is back, values of an earlier daemon are not published again")
  func otherInstance() {
    var harness = LiveHarness(.always)
    harness.sample("strap", "heart_rate")
    harness.sample("crank", "power")
    harness.board.connected(instance: "b")
    harness.board.brokerDisconnected()
    harness.now = .at(1010)
    harness.sample("strap", "heart_rate")
    harness.change { $0.brokerConnected(at: .at(1020), $1) }
    #expect(harness.published.count == 3)
    #expect(harness.published.last?.message.payload.hasSuffix(#""instance":"b"}"#) == true)
  }

  @Test("what a full broker does not take is published when it has room, and nothing else again")
  func full() {
    var harness = LiveHarness(.always)
    harness.sample("strap", "battery", #""battery_pct":87"#)
    harness.room = 1
    for name in ["strap", "second", "third"] { harness.sample(name, "heart_rate") }
    #expect(harness.topics == ["strap/battery", "strap/heart_rate"].map { prefix + $0 })
    #expect(harness.board.deadline(at: harness.now) == nil)
    harness.pass(to: .at(1005))
    harness.room = .max
    harness.change { $0.brokerIsWritable(at: .at(1005), $1) }
    #expect(Array(harness.topics.dropFirst(2)) == ["second/heart_rate", "third/heart_rate"].map { prefix + $0 })
  }

  @Test("kinds that are announced are published whatever the mode is", arguments: [LiveMode.never, .wanted])
  func announced(_ mode: LiveMode) {
    var harness = LiveHarness(mode)
    harness.board = LiveBoard(topics: homeTopics, mode: mode) { $0 == "heart_rate" }
    harness.change { $0.brokerConnected(at: .at(1000), $1) }
    harness.sample("strap", "heart_rate")
    harness.sample("strap", "ecg")
    #expect(harness.topics == [prefix + "strap/heart_rate"])
    #expect(harness.board.wantedKinds(at: harness.now).isEmpty)
  }

  @Test("positions are published only if that is allowed")
  func position() {
    for (allowed, count) in [(false, 1), (true, 2)] {
      var harness = LiveHarness(.always, filter: RecordFilter(position: allowed))
      harness.sample("ride", "position", #""latitude_deg":48.1"#)
      harness.sample("ride", "speed", #""speed_mps":8"#)
      #expect(harness.published.count == count)
    }
  }

  @Test("names that cannot be levels of a topic are not published", arguments: ["a/b", "+", "#", "é", ""])
  func names(_ name: String) {
    var harness = LiveHarness(.always)
    harness.sample(name, "speed")
    harness.sample("strap", name)
    #expect(harness.published.isEmpty)
  }

  @Test("more streams than any receiver has are not kept")
  func manyStreams() {
    var harness = LiveHarness(.always)
    for count in 0..<2_000 { harness.sample("sensor-\(count)", "speed") }
    #expect(harness.published.count == StreamTable.most)
  }

  @Test("an event is published at once, with the instance, below its name")
  func events() {
    var publisher = EventPublisher(topics: homeTopics, filter: RecordFilter(kinds: ["radar"]))
    var reader = RecordReader()
    var published: [Published] = []
    for name in ["radar_approach", "lap", "radar/x"] {
      let line = Array(#"{"class":"event","event":"\#(name)","t":81234.5,"level":2,"sensor":"radar-1"}"#.utf8)
      let isRead = reader.read(line.span)
      #expect(isRead)
      publisher.add(line.span, reader, instance: "a") {
        published.append(Published(topic: text($0), payload: text($1)))
      }
    }
    let payload = #"{"class":"event","event":"radar_approach","t":81234.5,"level":2,"sensor":"radar-1","instance":"a"}"#
    #expect(published == [Published(topic: "cyclometer/v1/home/rx-1f09a3/event/radar_approach", payload: payload)])
  }
}

@Suite struct LiveWantTests {
  private static let wall = WallTime(seconds: 1_795_000_000)

  private func want(
    _ message: String, isRetained: Bool = false, wall: WallTime? = Self.wall
  ) throws(FleetProblem) -> LiveWant {
    try LiveWant(Array(message.utf8).span, isRetained: isRetained, at: .at(10), wall: wall)
  }

  @Test("a want lasts until its time, an hour at most")
  func duration() throws {
    #expect(try want(#"{"kinds":["radar"],"hz":4,"until":"2026-11-18T11:07:40Z"}"#).until == .at(70))
    #expect(try want(#"{"until":"2026-11-18T11:07:40Z"}"#).hz == 1)
    #expect(try want(#"{"until":"2036-01-01T00:00:00Z"}"#).until == .at(3610))
  }

  @Test("without a clock, a want that was sent just now lasts ten minutes, and a kept one is refused")
  func unset() throws {
    let message = #"{"until":"2026-11-18T11:07:40Z"}"#
    #expect(try want(message, wall: nil).until == .at(610))
    #expect(throws: FleetProblem.self) { try want(message, isRetained: true, wall: nil) }
    #expect(try want(message, isRetained: true).until == .at(70))
  }

  @Test(
    "a want with a mistake is refused with what is wrong",
    arguments: [
      ("", "is not JSON"), ("[]", "is not an object"), ("{}", "until is missing"),
      (#"{"until":5}"#, "until is missing"),
      (#"{"until":"tomorrow"}"#, "not a time"), (#"{"until":"2020-01-01T00:00:00Z"}"#, "has passed"),
      (#"{"hz":5,"until":"2026-11-18T11:07:40Z"}"#, "from 0.1 to 4"),
      (#"{"hz":"1","until":"2026-11-18T11:07:40Z"}"#, "from 0.1 to 4"),
      (#"{"hz":0.01,"until":"2026-11-18T11:07:40Z"}"#, "from 0.1 to 4"),
      (#"{"kinds":"radar","until":"2026-11-18T11:07:40Z"}"#, "list of at most"),
      (#"{"kinds":[1],"until":"2026-11-18T11:07:40Z"}"#, "list of at most"),
    ])
  func refused(_ message: String, _ reason: String) {
    let problem = #expect(throws: FleetProblem.self) { try want(message) }
    #expect(problem?.description.contains(reason) == true, "\(problem?.description ?? "")")
  }

  @Test("whatever others send, the wants stay bounded, and what they agree on is kept")
  func bounded() throws {
    var wants = LiveWants()
    for count in 0..<1_000 {
      wants.add(try want(#"{"kinds":["kind-\#(count)"],"until":"2026-11-18T11:07:40Z"}"#), at: .at(10))
    }
    wants.add(try want(#"{"kinds":["power"],"hz":2,"until":"2026-11-18T11:16:40Z"}"#), at: .at(10))
    wants.add(try want(#"{"kinds":["power"],"hz":1,"until":"2026-11-18T11:07:40Z"}"#), at: .at(10))
    #expect(wants.hz(of: Array("power".utf8), at: .at(11)) == 2)
    #expect(wants.hz(of: Array("speed".utf8), at: .at(11)) == nil)
    #expect(wants.end(after: .at(11)) == .at(610))
    #expect(wants.end(after: .at(610)) == nil)
    let kept = (0..<1_000).count { wants.hz(of: Array("kind-\($0)".utf8), at: .at(11)) != nil }
    #expect(kept == LiveWants.mostRows - 1)
  }
}
