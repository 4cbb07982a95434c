// `watch` shows the events of a recorder beside the daemon's records, and does without one.

import Foundation
import JSON
import LogbookWire
import Testing
import Time
import Wire

@testable import cyclo

struct WatchEventTests {
  private static let low =
    #"{"class":"event","event":"storage_low","time":"2026-05-03T07:30:00.250Z","message":"3 hours are left"}"#
  private static let hole =
    #"{"class":"event","event":"hole","time":"2026-05-03T07:31:00.000Z","activity":12,"message":"seconds are missing"}"#
  private static let failed = #"{"class":"event","event":"storage_failed","message":"the storage is full"}"#
  private static let change = #"{"class":"activity","change":"removed","id":3}"#
  private static let daemonScript: StandInDaemon.Script = [
    "subscribe": [[.reply(), .line(Fixture.heartRate(142, seq: 1))]],
    "status": [[.reply(Fixture.status)]],
  ]

  private func with(
    _ script: StandInDaemon.Script, _ body: (_ daemon: StandInDaemon, _ recorder: StandInDaemon) throws -> Void
  ) throws {
    let daemon = try StandInDaemon(Self.daemonScript)
    defer { daemon.stop() }
    let recorder = try StandInDaemon(
      script, socket: "logbook.sock", beside: daemon, greetings: [LogbookTests.hello])
    defer { recorder.stop() }
    try body(daemon, recorder)
  }

  @Test("events of the recorder are lines among the others")
  func lines() throws {
    let script: StandInDaemon.Script = [
      "subscribe": [[.reply(), .line(Self.change), .line(Self.low), .line(Self.hole)]]
    ]
    try with(script) { daemon, recorder in
      let watch = try RunningCyclo(["watch", "--lines"], socket: daemon.controlSocket)
      let seen = watch.waitForLine(containing: "hole")
      watch.process.interrupt()
      #expect(seen.contains("142 bpm"))
      #expect(seen.contains("\n07:30:00.250  logbook           event             storage_low: 3 hours are left\n"))
      #expect(
        seen.contains("\n07:31:00.000  logbook           event             hole of activity 12: seconds are missing\n"))
      #expect(!seen.contains("removed"))
      #expect(recorder.requests.map { $0["method"]?.text } == ["subscribe"])
      #expect(watch.finish().status == 130)
    }
  }

  @Test("with --json they are as received, and they do not count as samples")
  func json() throws {
    try with(["subscribe": [[.reply(), .line(Self.low), .line(Self.hole)]]]) { daemon, _ in
      let watch = try RunningCyclo(["watch", "--json", "-n", "2", "-t", "20"], socket: daemon.controlSocket)
      #expect(watch.waitForLine(containing: "hole").hasSuffix("\(Self.low)\n\(Self.hole)\n"))
      watch.process.interrupt()
      _ = watch.finish()
    }
  }

  @Test("with --no-events the recorder is left alone")
  func noEvents() throws {
    try with(["subscribe": [[.reply(), .line(Self.low)]]]) { daemon, recorder in
      let outcome = try cyclo("watch", "--no-events", "-t", "0.5", socket: daemon.controlSocket)
      #expect(outcome.status == 0 && !outcome.output.contains("storage"))
      #expect(recorder.requests.isEmpty)
    }
  }

  @Test("a recorder that goes is followed again when it returns")
  func returns() throws {
    let script: StandInDaemon.Script = [
      "subscribe": [[.reply(), .line(Self.low), .hangUp], [.reply(), .line(Self.hole)]]
    ]
    try with(script) { daemon, _ in
      let watch = try RunningCyclo(["watch", "--json"], socket: daemon.controlSocket)
      #expect(watch.waitForLine(containing: "storage_low") != "")
      #expect(watch.waitForLine(containing: "hole") != "")
      watch.process.interrupt()
      #expect(watch.finish().complaint.isEmpty)
    }
  }

  @Test("the screen says for as long as it holds that rides are not recorded")
  func screen() throws {
    try with(["subscribe": [[.reply(), .line(Self.failed)]]]) { daemon, _ in
      let screen = try Screen(["watch"], socket: daemon.controlSocket)
      _ = try screen.wait(for: "the trouble") { $0.contains("Rides are not recorded: the storage is full") }
      try screen.press("q")
      #expect(screen.exitStatus() == 0)
    }
  }

  @Test("trouble with the storage ends with storage_ok, or with the recorder")
  func trouble() throws {
    func event(_ line: String) throws -> LogbookEventRecord {
      try #require(LogbookEventRecord(try JSONValue.parse(line)))
    }
    let now = MonotonicTime(nanoseconds: 0)
    var dashboard = Dashboard(style: Style(isColoured: false))
    dashboard.take(try event(Self.failed), at: now)
    dashboard.take(try event(Self.hole), at: now)
    #expect(dashboard.storageTrouble == "the storage is full")
    #expect(dashboard.message(at: now) == "hole of activity 12: seconds are missing")
    dashboard.take(try event(#"{"class":"event","event":"storage_ok"}"#), at: now)
    #expect(dashboard.storageTrouble == nil && dashboard.message(at: now) == "storage ok")
    dashboard.take(try event(Self.failed), at: now)
    dashboard.lostRecorder()
    #expect(dashboard.storageTrouble == nil)
  }
}
