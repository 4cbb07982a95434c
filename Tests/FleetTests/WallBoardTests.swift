// What a wall knows of other receivers, and what its readers get of it.

import JSON
import TestSupport
import Testing
import Time
import Wire

@testable import Fleet

/// A board, and a reader that has read everything so far.
private final class WallHarness {
  var board: WallBoard
  var position: WallPosition
  var now = MonotonicTime.at(5000)
  /// The calendar of the wall; nil while its clock is not set.
  var calendar: WallTime? = WallTime(seconds: 1_795_000_000)
  var filter = WallFilter()

  init(limit: Int = WallBoard.defaultLimit) {
    board = WallBoard(limit: limit)
    position = board.start
  }

  @discardableResult
  func receive(_ topic: String, _ payload: String, isRetained: Bool = false) -> WallReceiver? {
    board.add(
      Array(payload.utf8).span, on: Array("cyclometer/v1/\(topic)".utf8).span, isRetained: isRetained, at: now,
      calendar: calendar)
  }

  func pass(_ seconds: Double) {
    now = now + .seconds(seconds)
    calendar = calendar.map { $0 - .seconds(-seconds) }
  }

  /// What the reader lacks.
  func read() throws -> [JSONValue] { try read(atMost: 1 << 20) }

  func read(atMost size: Int) throws -> [JSONValue] {
    var lines: [UInt8] = []
    _ = board.write(filter, after: &position, at: now, calendar: calendar, into: &lines, atMost: size)
    return try lines.split(separator: UInt8(ascii: "\n")).map { try JSONValue.parse(Array($0)) }
  }

  /// What a reader gets that begins now.
  func snapshot() throws -> [JSONValue] {
    let own = position
    defer { position = own }
    position = board.start
    return try read()
  }
}

private let online = status(since: "11:00:00")

private func status(since: String) -> String {
  #"{"state":"online","instance":"a","since":"2026-11-18T\#(since).000Z"}"#
}

private func sample(_ t: Double, _ bpm: Int = 142, _ more: String = #","instance":"a""#) -> String {
  #"{"sensor":"strap","kind":"heart_rate","seq":1,"t":\#(t),"bpm":\#(bpm)\#(more)}"#
}

private let strap = "studio/bike-1/now/strap/heart_rate"

@Suite struct WallBoardTests {
  @Test("a reader gets receivers, sensors, samples and events with whose they are")
  func records() throws {
    let wall = WallHarness()
    wall.receive("studio/bike-1/status", online)
    wall.receive("studio/bike-1/sensor/strap", #"{"id":"strap","name":"Strap","state":"streaming"}"#)
    wall.receive(strap, sample(100))
    wall.receive("studio/bike-1/event/radar_lost", #"{"class":"event","event":"radar_lost","t":100,"instance":"a"}"#)
    let records = try wall.read()
    #expect(records.compactMap { $0["class"]?.text } == ["receiver", "sensor", "sample", "event"])
    #expect(records.allSatisfy { $0["group"] == "studio" && $0["receiver"] == "bike-1" })
    #expect(records[0]["state"] == "online" && records[1]["sensor"]?["state"] == "streaming")
    #expect(records[2]["bpm"] == 142 && records[2]["age_ms"] == 0)
    #expect(wall.board.counts == (1, 1))
    #expect(try wall.read().isEmpty, "nothing has changed")
  }

  @Test("a receiver cannot pretend to be another one, in any of its messages")
  func forged() throws {
    let wall = WallHarness()
    wall.receive("studio/bike-1/status", #"{"state":"online","receiver":"bike-2","class":"broker","group":"home"}"#)
    wall.receive(strap, sample(100, 142, #","receiver":"bike-2","group":"home","class":"receiver""#))
    wall.receive(
      "studio/bike-1/event/lap", #"{"class":"event","event":"lap","receiver":"bike-2","t":1}"#)
    let records = try wall.read()
    #expect(records.compactMap { $0["class"]?.text } == ["receiver", "sample", "event"])
    #expect(records.allSatisfy { $0["group"] == "studio" && $0["receiver"] == "bike-1" })
    // Of another sensor, kind or event than the topic says.
    wall.receive("studio/bike-1/now/other/heart_rate", sample(100))
    wall.receive("studio/bike-1/now/strap/power", sample(100))
    wall.receive("studio/bike-1/sensor/other", #"{"id":"strap"}"#)
    wall.receive("studio/bike-1/event/other", #"{"class":"event","event":"lap"}"#)
    #expect(try wall.read().isEmpty)
    #expect(wall.board.refused == 4)
  }

  @Test(
    "what is not a record of a receiver is counted, and nothing of it is passed on",
    arguments: [
      "", "{", "[1]", "142", "null", #"{"sensor":"strap"}"#, sample(-1), sample(1e12),
      "{\"sensor\":\"strap\",\n\"kind\":\"heart_rate\",\"seq\":1,\"t\":1}",
      #"{"sensor":"strap","kind":"heart_rate","t":1,"x":"\#(String(repeating: "x", count: 50_000))"}"#,
    ])
  func junk(payload: String) throws {
    let wall = WallHarness()
    for topic in [strap, "studio/bike-1/status", "studio/bike-1/sensor/strap", "studio/bike-1/event/lap"] {
      if !(payload.isEmpty && !topic.hasSuffix("lap")) { wall.receive(topic, payload) }
    }
    for topic in [
      "studio/bike-1", "studio/bike-1/log", "studio//status", "studio/bike-1/now/a/b/c", "studio/b d/status",
    ] {
      wall.receive(topic, online)
    }
    #expect(try wall.read().isEmpty)
    #expect(wall.board.refused > 0)
  }

  @Test("a value ages, and one that was held up on the way is as old as it is")
  func ages() throws {
    let wall = WallHarness()
    wall.calendar = nil
    wall.receive("studio/bike-1/status", online)
    wall.receive(strap, sample(100))
    #expect(try wall.read().last?["age_ms"] == 0)
    wall.pass(3)
    let later = try #require(try wall.snapshot().last?["age_ms"]?.integer)
    #expect(2_990...3_000 ~= later, "\(later)")
    // It was measured a second after the first one, and arrives seven seconds after it.
    wall.pass(4)
    wall.receive(strap, sample(101))
    let age = try #require(try wall.read().last?["age_ms"]?.integer)
    #expect(5_990...6_000 ~= age, "\(age)")
  }

  @Test("the age of a kept value is that of the receiver's clock, and unknown without one")
  func keptAges() throws {
    let wall = WallHarness()
    wall.calendar = nil
    wall.receive(strap, sample(100), isRetained: true)
    #expect(try wall.read().last?["age_ms"] == nil, "nothing tells how old it is")
    wall.receive("studio/bike-1/status", online)
    wall.receive("studio/bike-1/now/strap/power", #"{"sensor":"strap","kind":"power","seq":1,"t":160,"instance":"a"}"#)
    #expect(try wall.snapshot().first { $0["kind"] == "heart_rate" }?["age_ms"] == 60_000)
    // By both calendars: the status is ten seconds old, and the value a minute older.
    let other = WallHarness()
    let clock = #","clock":{"t":160,"time":"2026-11-18T11:06:30.000Z"}}"#
    other.receive("studio/bike-1/status", online.dropLast() + clock, isRetained: true)
    other.receive(strap, sample(100), isRetained: true)
    #expect(try other.read().last?["age_ms"] == 70_000)
  }

  @Test("a value of another run of the daemon is as old as the calendar says, or of unknown age")
  func otherInstance() throws {
    let wall = WallHarness()
    wall.receive("studio/bike-1/status", online)
    wall.receive(strap, sample(100))
    _ = try wall.read()
    wall.receive(strap, sample(90_000, 99, #","instance":"b""#), isRetained: true)
    #expect(try wall.read().last?["age_ms"] == nil)
    wall.receive(strap, sample(90_000, 99, #","instance":"b","time":"2026-11-18T11:06:30.000Z""#), isRetained: true)
    #expect(try wall.read().last?["age_ms"] == 10_000)
    // A new run begins with new clocks.
    wall.receive("studio/bike-1/status", #"{"state":"online","instance":"b"}"#)
    wall.receive(strap, sample(7, 140, #","instance":"b""#))
    #expect(try wall.read().last?["age_ms"] == 0)
  }

  @Test("a slow reader gets the newest of each record, once, in pieces of whole lines")
  func slow() throws {
    let wall = WallHarness()
    for bike in 1...40 { wall.receive("studio/bike-\(bike)/status", online) }
    for round in 1...100 {
      for bike in 1...40 {
        wall.receive("studio/bike-\(bike)/now/strap/heart_rate", sample(Double(round), round))
      }
    }
    var (records, pieces) = ([JSONValue](), 0)
    while true {
      let piece = try wall.read(atMost: 1000)
      if piece.isEmpty { break }
      records += piece
      pieces += 1
    }
    #expect(pieces > 5)
    #expect(records.count == 80, "\(records.count)")
    #expect(records.filter { $0["class"] == "sample" }.allSatisfy { $0["bpm"] == 100 })
    #expect(wall.position.hasSnapshot)
  }

  @Test("a removed sensor is told to those who know it, and a new reader gets no trace of it")
  func removal() throws {
    let wall = WallHarness()
    wall.receive("studio/bike-1/status", online)
    wall.receive("studio/bike-1/sensor/strap", #"{"id":"strap","state":"streaming"}"#)
    wall.receive(strap, sample(100))
    _ = try wall.read()
    wall.receive(strap, "")
    wall.receive("studio/bike-1/sensor/strap", "")
    let told = try wall.read()
    #expect(told.count == 1 && told[0]["change"] == "removed" && told[0]["sensor"]?["id"] == "strap")
    #expect(try wall.snapshot().compactMap { $0["class"]?.text } == ["receiver"])
    wall.receive("studio/bike-1/status", "")
    #expect(try wall.read().first?["state"] == "removed")
    #expect(try wall.snapshot().isEmpty && wall.board.counts == (0, 0))
  }

  @Test("a new reader gets the events of the last ten seconds, and none that the broker kept")
  func events() throws {
    let wall = WallHarness()
    let event = #"{"class":"event","event":"radar_lost","t":100,"instance":"a"}"#
    wall.receive("studio/bike-1/event/radar_lost", event, isRetained: true)
    #expect(try wall.snapshot().isEmpty)
    wall.receive("studio/bike-1/event/radar_lost", event)
    wall.receive("studio/bike-1/event/radar_lost", event)
    wall.pass(9)
    #expect(try wall.snapshot().count == 2, "each of them")
    wall.pass(2)
    #expect(try wall.snapshot().isEmpty)
    #expect(try wall.read().count == 2, "who was there before missed nothing")
    for _ in 0..<1000 { wall.receive("studio/bike-1/event/radar_lost", event) }
    #expect(try wall.snapshot().count == WallBoard.mostEvents)
  }

  @Test("groups and kinds are filtered, and states pass whatever the kinds are")
  func filters() throws {
    let wall = WallHarness()
    wall.filter = WallFilter(groups: ["home"], kinds: ["power"])
    for group in ["home", "studio"] {
      wall.receive("\(group)/bike-1/status", online)
      wall.receive("\(group)/bike-1/sensor/strap", #"{"id":"strap","state":"stale"}"#)
      wall.receive("\(group)/bike-1/now/strap/heart_rate", sample(100))
    }
    wall.receive("home/bike-1/now/strap/power", #"{"sensor":"strap","kind":"power","seq":1,"t":1,"power_w":2}"#)
    let records = try wall.read()
    #expect(records.allSatisfy { $0["group"] == "home" })
    #expect(records.compactMap { $0["class"]?.text } == ["receiver", "sensor", "sample"])
    #expect(records.last?["power_w"] == 2)
  }

  @Test("memory is bounded, whatever others publish, and what has no room is not shown as if it were current")
  func bound() throws {
    let limit = 200 << 10
    let wall = WallHarness(limit: limit)
    wall.receive(strap, sample(100))
    for number in 0..<5000 {
      wall.receive("studio/bike-\(number)/status", online)
      wall.receive("studio/bike-\(number)/event/lap", #"{"class":"event","event":"lap","t":1}"#)
    }
    #expect(wall.board.bytes <= limit && wall.board.refused > 5000)
    let fat = sample(101, 150, #","x":"\#(String(repeating: "x", count: 40_000))""#)
    for _ in 0..<3 { wall.receive(strap, fat) }
    #expect(wall.board.bytes <= limit)
    #expect(try !wall.snapshot().contains { $0["kind"] == "heart_rate" }, "neither the old nor the new one")
    wall.board.removeAll()
    #expect(wall.board.bytes == 0 && wall.board.refused > 5000)
    wall.receive(strap, sample(102))
    #expect(try wall.read().last?["t"] == 102, "the reader that was there goes on")
  }

  @Test("a receiver is told what is wanted when it comes online, with its own calendar")
  func wanted() throws {
    let wall = WallHarness()
    wall.calendar = nil
    let clock = #","clock":{"t":160,"time":"2026-11-18T11:00:00.000Z"}}"#
    #expect(wall.receive("studio/bike-1/status", #"{"state":"offline"}"#, isRetained: true) == nil)
    let new = wall.receive("studio/bike-1/status", online)
    #expect(new?.want == "cyclometer/v1/studio/bike-1/want" && new?.calendar == nil)
    #expect(wall.receive("studio/bike-1/status", online) == nil, "it says so every minute")
    let timed = wall.receive("studio/bike-1/status", online.dropLast() + clock)
    #expect(timed?.calendar == WallTime("2026-11-18T11:00:00.000Z"), "its clock was set")
    wall.pass(60)
    #expect(wall.board.online(at: wall.now).map(\.calendar) == [WallTime("2026-11-18T11:01:00.000Z")])
    #expect(wall.receive("studio/bike-1/status", status(since: "11:30:00")) != nil, "it has connected again")
    wall.receive("studio/bike-1/status", #"{"state":"blind"}"#)
    #expect(wall.board.online(at: wall.now).isEmpty && wall.board.counts == (1, 1))
  }

  @Test("clocks that run apart by a hundredth of a percent do not make values old")
  func drift() {
    var clock = ReceiverClock()
    // The receiver's clock loses 50 millionths: in ten hours, 1.8 s.
    for second in 0...36_000 {
      let now = MonotonicTime.at(Double(second))
      clock.observe(.at(Double(second) * 0.99995), at: now)
    }
    let age = clock.age(of: .at(36_000 * 0.99995), at: .at(36_000)) ?? .seconds(99)
    #expect(age < .milliseconds(10), "\(age)")
  }
}
