// `fleet watch`: the lines and the screen of all bikes, against a scripted bridge, and what the screen
// shows of values that are not current.

import CyclometerClient
import Foundation
import JSON
import Linux
import TestSupport
import Testing
import Time
import Wire

@testable import cyclo

private let connected = #"{"class":"broker","address":"mqtt://127.0.0.1:1883","state":"connected"}"#

private func receiver(_ bike: String, _ state: String, _ more: String = "", group: String = "studio") -> String {
  #"{"class":"receiver","group":"\#(group)","receiver":"\#(bike)","state":"\#(state)"\#(more)}"#
}

private func sensor(_ bike: String, _ id: String, _ kind: String, _ state: String, _ more: String = "") -> String {
  #"{"class":"sensor","group":"studio","receiver":"\#(bike)","change":"changed","sensor":{"id":"\#(id)","#
    + #""name":"\#(id)","address":"A0:9E:1A:00:00:01","kinds":["\#(kind)"],"state":"\#(state)"\#(more)}}"#
}

private func sample(_ bike: String, _ id: String, _ kind: String, _ fields: String, age: Int? = 0) -> String {
  let ageMember = age.map { ",\"age_ms\":\($0)" } ?? ""
  return
    #"{"class":"sample","group":"studio","receiver":"\#(bike)","sensor":"\#(id)","kind":"\#(kind)","seq":1,"t":9,"#
    + #"\#(fields),"instance":"a"\#(ageMember)}"#
}

/// A board and what it shows.
private struct BoardHarness {
  var board: FleetBoard
  var now = MonotonicTime.at(1000)

  init(_ lines: String...) {
    board = FleetBoard(style: .plain)
    board.bridgeFound()
    for line in [connected] + lines { take(line) }
  }

  mutating func take(_ line: String) {
    guard let record = ReceivedRecord(line: Array(line.utf8).span) else { return }
    board.take(record, at: now)
  }

  func text(columns: Int = 80, rows: Int = 24, offset: Int = 0) -> String {
    FleetView(board: board, now: now, hint: "q quit", offset: offset).lines(Terminal.Size(columns: columns, rows: rows))
      .map { $0.text(style: .plain) }.joined(separator: "\n")
  }
}

extension MonotonicTime {
  fileprivate static func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(seconds: seconds) }
}

@Suite struct FleetViewTests {
  private static let bike = [
    receiver("bike-1", "online"), sensor("bike-1", "strap", "heart_rate", "streaming"),
    sample("bike-1", "strap", "heart_rate", #""bpm":142"#),
  ]

  private func one() -> BoardHarness {
    var harness = BoardHarness()
    for line in Self.bike { harness.take(line) }
    return harness
  }

  @Test("a value that is current is large, with what it is")
  func current() {
    let text = one().text()
    #expect(text.contains("bike-1") && text.contains("bpm Heart rate"), "\(text)")
    #expect(text.contains("1 of 1 receivers are there") && text.contains("q quit"))
    #expect(!text.contains("was 142"))
  }

  @Test(
    "a value that is not current is dashes with the last value, its age and the reason",
    arguments: [
      (receiver("bike-1", "offline"), "lost"), (receiver("bike-1", "offline", #","reason":"stopped""#), "switched off"),
      (receiver("bike-1", "blind"), "no daemon"),
      (sensor("bike-1", "strap", "heart_rate", "stale", #","reason":"silent""#), "stale"),
      (#"{"class":"broker","state":"waiting","reason":"unreachable","message":"cannot reach it"}"#, "cannot reach it"),
      (sample("bike-1", "strap", "heart_rate", #""bpm":142"#, age: nil), "age unknown"),
    ])
  func past(line: String, reason: String) {
    var harness = one()
    harness.now = .at(1003)
    harness.take(line)
    let text = harness.text()
    #expect(text.contains(reason) && text.contains("was 142 bpm"), "\(text)")
    #expect(!text.contains("bpm Heart rate"), "\(text)")
    #expect(text.contains("3 s ago") || reason == "age unknown", "\(text)")
  }

  @Test("silence alone makes a value old, and a bridge that is gone all of them")
  func silence() {
    var harness = one()
    harness.now = .at(1040)
    #expect(harness.text().contains("no new data") && harness.text().contains("40 s ago"))
    harness = one()
    harness.board.bridgeLost()
    let text = harness.text()
    #expect(text.contains("No bridge") && text.contains("no bridge") && text.contains("was 142 bpm"), "\(text)")
    // When it is back, only new records are shown.
    harness.board.bridgeFound()
    harness.take(connected)
    #expect(harness.board.bikes.isEmpty && harness.text().contains("No receiver has published"))
  }

  @Test("a radar is clear only while it says so")
  func radar() {
    var harness = one()
    harness.take(sensor("bike-1", "varia", "radar", "streaming"))
    #expect(harness.text().contains("radar: nothing yet"))
    harness.take(sample("bike-1", "varia", "radar", #""clear":true,"targets":[]"#))
    #expect(harness.text().contains("radar: clear"))
    harness.take(sample("bike-1", "varia", "radar", #""clear":false,"targets":[{"distance_m":40,"level":1}]"#))
    #expect(harness.text().contains("radar: 1 car, 40 m"))
    harness.take(sample("bike-1", "varia", "radar", #""clear":true,"targets":[]"#))
    harness.now = .at(1010)
    #expect(harness.text().contains("radar silent: no new data, 10 s") && !harness.text().contains("clear"))
    harness.take(sensor("bike-1", "varia", "radar", "stale"))
    #expect(harness.text().contains("radar silent: stale") && !harness.text().contains("clear"))
    harness.take(receiver("bike-1", "offline"))
    #expect(harness.text().contains("radar silent: lost") && !harness.text().contains("clear"))
  }

  @Test("a removed sensor and a removed receiver are not shown any more")
  func removal() {
    var harness = one()
    harness.take(
      #"{"class":"sensor","group":"studio","receiver":"bike-1","change":"removed","sensor":{"id":"strap"}}"#)
    #expect(!harness.text().contains("142") && harness.text().contains("no value yet"))
    harness.take(receiver("bike-1", "removed"))
    #expect(!harness.text().contains("bike-1"))
  }

  @Test("thirty bikes fit as lines, and if they do not, the screen says so and scrolls", arguments: [80, 160, 40, 12])
  func many(columns: Int) {
    var harness = BoardHarness()
    for bike in 10..<40 {
      harness.take(receiver("bike-\(bike)", bike == 12 ? "offline" : "online"))
      harness.take(sensor("bike-\(bike)", "strap", "heart_rate", "streaming"))
      harness.take(sample("bike-\(bike)", "strap", "heart_rate", #""bpm":\#(100 + bike)"#))
    }
    let tall = harness.text(columns: columns, rows: 40)
    #expect(tall.contains("bike-10") && tall.contains("bike-39") || columns < 20, "\(tall)")
    #expect(tall.contains("lost") && !tall.contains("do not fit"))
    #expect(tall.split(separator: "\n").allSatisfy { $0.count <= columns })
    let short = harness.text(columns: 80, rows: 10)
    #expect(short.contains("21 do not fit") && !short.contains("bike-39"), "\(short)")
    #expect(harness.text(columns: 80, rows: 10, offset: 99).contains("bike-39"))
    for rows in 0..<4 { _ = harness.text(columns: columns, rows: rows) }
  }

  @Test("bikes of several groups are named with their group, and units are switched")
  func groups() {
    var harness = one()
    harness.take(receiver("bike-1", "online", group: "home"))
    #expect(harness.text().contains("home/bike-1") && harness.text().contains("studio/bike-1"))
    harness.take(sample("bike-1", "wheel", "speed", #""speed_mps":10"#))
    #expect(harness.text().contains("km/h Speed"))
    harness.board.show(in: .imperial)
    #expect(harness.text().contains("mph Speed"))
  }
}

@Suite(.timeLimit(.minutes(30)))
struct FleetWatchTests {
  private static let records = [
    connected, receiver("bike-1", "online"), sensor("bike-1", "strap", "heart_rate", "streaming"),
    sample("bike-1", "strap", "heart_rate", #""bpm":142"#), #"{"class":"snapshot_ended"}"#,
  ]
  private static let script: StandInDaemon.Script = ["subscribe": [[.reply()] + records.map { .line($0) }]]

  private func with(_ script: StandInDaemon.Script, _ body: (StandInDaemon) throws -> Void) throws {
    let bridge = try StandInDaemon(script, socket: "mqtt.sock")
    defer { bridge.stop() }
    try body(bridge)
  }

  @Test("in a pipe there is one line per record, with the bike")
  func lines() throws {
    try with(Self.script) { bridge in
      let watch = try RunningCyclo(["fleet", "watch", "studio"], socket: bridge.controlSocket)
      let seen = watch.waitForLine(containing: "142 bpm")
      watch.process.interrupt()
      #expect(watch.finish().status == 130)
      #expect(seen.contains("bike-1 strap") && seen.contains("online") && seen.contains("connected"), "\(seen)")
      #expect(bridge.requests.first?["params"]?["groups"] == ["studio"])
    }
  }

  @Test("with --json each record is printed as it came, and --seconds ends it")
  func json() throws {
    try with(Self.script) { bridge in
      let outcome = try cyclo("fleet", "watch", "--json", "-t", "1", socket: bridge.controlSocket)
      #expect(outcome.status == 0 && outcome.lines == Self.records, "\(outcome)")
      #expect(bridge.requests.first?["params"]?["groups"] == nil)
    }
  }

  @Test("a terminal shows all bikes, and q quits")
  func screen() throws {
    try with(Self.script) { bridge in
      let screen = try Screen(["fleet", "watch"], socket: bridge.controlSocket)
      try screen.wait(forText: "Heart rate")
      let text = try screen.wait(forText: "1 of 1 receivers are there")
      #expect(text.contains("bike-1") && text.contains("u units"), "\(text)")
      try screen.wait(forText: "no new data")
      try screen.press("q")
      #expect(screen.exitStatus() == 0)
    }
  }

  @Test("a bridge that ends is reported once, and followed again when it returns")
  func returns() throws {
    let script: StandInDaemon.Script = [
      "subscribe": [[.reply(), .line(Self.records[1]), .hangUp], [.reply(), .line(Self.records[3])]]
    ]
    try with(script) { bridge in
      let watch = try RunningCyclo(["fleet", "watch", "--json"], socket: bridge.controlSocket)
      #expect(watch.waitForLine(containing: "142") != "")
      watch.process.interrupt()
      let complaint = watch.finish().complaint
      #expect(complaint.contains("lost the bridge") && complaint.contains("there again"), "\(complaint)")
    }
  }

  @Test("without a bridge, and with one that reads no groups, it fails with what to do")
  func absent() throws {
    let folder = try TemporaryFolder()
    let absent = try cyclo("fleet", "watch", socket: folder.file("control.sock"))
    #expect(absent.status == 1 && absent.complaint.contains("no bridge listens"), "\(absent)")
    try with(["subscribe": [[.error("not_supported", "set Groups= of [Wall] in mqtt.conf")]]]) { bridge in
      let refused = try cyclo("fleet", "watch", socket: bridge.controlSocket)
      #expect(refused.status == 1 && refused.complaint.contains("Groups="), "\(refused)")
    }
    let wrong = try cyclo("fleet", "status", "studio", socket: folder.file("control.sock"))
    #expect(wrong.status == 2 && wrong.complaint.contains("unexpected argument"), "\(wrong)")
  }
}
