// `watch` shows the samples of the guide among the daemon's records, and does without one.

import Foundation
import Linux
import TestSupport
import Testing
import Time
import Wire

@testable import cyclo

@Suite(.timeLimit(.minutes(30)))
struct WatchGuideTests {
  private static let daemonScript: StandInDaemon.Script = [
    "subscribe": [[.reply(), .line(Fixture.heartRate(142, seq: 1))]],
    "status": [[.reply(Fixture.status)]],
  ]
  private static let coach =
    #"{"class":"sample","sensor":"guide","kind":"coach","seq":1,"t":9,"age_ms":0,"sport":"cycling","#
    + #""target_per_min":90,"actual_per_min":84,"deviation_per_min":-6}"#

  private static func route(_ state: String = "on_route", seq: Int = 1, toGo: Double = 21360, more: String = "")
    -> String
  {
    #"{"class":"sample","sensor":"guide","kind":"route","seq":\#(seq),"t":9,"age_ms":0,"route":4,"name":"Mill loop","#
      + #""state":"\#(state)","distance_m":40,"distance_to_go_m":\#(toGo),"cross_track_m":45,"lap":1\#(more)}"#
  }

  private static let turn = #","cue":"sharp_right","cue_text":"Mill Street","cue_distance_m":120"#

  private func with(
    guide script: StandInDaemon.Script, daemon daemonScript: StandInDaemon.Script = daemonScript,
    _ body: (_ daemon: StandInDaemon, _ guide: StandInDaemon) throws -> Void
  ) throws {
    let daemon = try StandInDaemon(daemonScript)
    defer { daemon.stop() }
    let guide = try StandInDaemon(script, socket: "guide.sock", beside: daemon)
    defer { guide.stop() }
    try body(daemon, guide)
  }

  @Test("samples of the guide are lines among the others")
  func lines() throws {
    try with(guide: ["subscribe": [[.reply(), .line(Self.route(more: Self.turn)), .line(Self.coach)]]]) { daemon, _ in
      let watch = try RunningCyclo(["watch", "--lines"], socket: daemon.controlSocket)
      let seen = watch.waitForLine(containing: "coach")
      watch.process.interrupt()
      #expect(seen.contains("142 bpm"))
      #expect(seen.contains("guide             route             21.36 km"), "\(seen)")
      #expect(seen.contains("cue sharp_right, cue text Mill Street, cue distance 120.0 m"), "\(seen)")
      #expect(watch.finish().status == 130)
    }
  }

  @Test("the kinds of the guide are not requested from the daemon, and count as samples")
  func onlyGuide() throws {
    let script: StandInDaemon.Script = ["subscribe": [[.reply(), .line(Self.route()), .line(Self.route(seq: 2))]]]
    try with(guide: script, daemon: ["subscribe": [[.reply()]]]) { daemon, guide in
      let watch = try RunningCyclo(["watch", "route", "--json", "-n", "2", "-t", "20"], socket: daemon.controlSocket)
      let outcome = watch.finish()
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output.contains(Self.route() + "\n" + Self.route(seq: 2) + "\n"))
      #expect(daemon.requests.first?["params"]?["kinds"] == [])
      #expect(guide.requests.first?["params"]?["kinds"] == ["route"])
      #expect(guide.requests.first?["params"]?["snapshot"] == false)
    }
  }

  @Test("--sensor chooses the guide, or leaves it alone")
  func sensor() throws {
    try with(guide: ["subscribe": [[.reply(), .line(Self.coach)]]]) { daemon, guide in
      let other = try cyclo("watch", "--sensor", "ride", "-t", "0.5", socket: daemon.controlSocket)
      #expect(other.status == 0 && guide.requests.isEmpty)
      let chosen = try RunningCyclo(["watch", "--sensor", "guide"], socket: daemon.controlSocket)
      let seen = chosen.waitForLine(containing: "coach")
      chosen.process.interrupt()
      #expect(!seen.contains("142 bpm") && chosen.finish().status == 130)
    }
  }

  @Test("a guide that ends is reported once, and followed again when it returns")
  func returns() throws {
    let script: StandInDaemon.Script = [
      "subscribe": [[.reply(), .line(Self.route()), .hangUp], [.reply(), .line(Self.coach)]]
    ]
    try with(guide: script) { daemon, _ in
      let watch = try RunningCyclo(["watch", "--json"], socket: daemon.controlSocket)
      #expect(watch.waitForLine(containing: "coach") != "")
      watch.process.interrupt()
      let complaint = watch.finish().complaint
      #expect(
        complaint == "cyclo: lost the guide; waiting for it to return\ncyclo: the guide is there\n", "\(complaint)")
    }
  }

  @Test("a missing guide is reported only if its samples were asked for")
  func missing() throws {
    let daemon = try StandInDaemon(Self.daemonScript)
    defer { daemon.stop() }
    let all = try cyclo("watch", "-t", "0.5", socket: daemon.controlSocket)
    #expect(all.status == 0 && all.complaint.isEmpty, "\(all)")
    let route = try cyclo("watch", "route", "-t", "2", socket: daemon.controlSocket)
    #expect(route.complaint == "cyclo: no guide listens at \(daemon.folder)/guide.sock; waiting for it\n", "\(route)")
  }

  @Test("a guide that starts later is found if its samples were asked for")
  func startsLater() throws {
    let daemon = try StandInDaemon(Self.daemonScript)
    defer { daemon.stop() }
    let watch = try RunningCyclo(["watch", "coach"], socket: daemon.controlSocket)
    let deadline = MonotonicTime.now + .seconds(20)
    while daemon.requests.isEmpty, MonotonicTime.now < deadline { try Waiting.until(.now + .milliseconds(20)) }
    let guide = try StandInDaemon(
      ["subscribe": [[.reply(), .line(Self.coach)]]], socket: "guide.sock", beside: daemon)
    defer { guide.stop() }
    #expect(watch.waitForLine(containing: "coach").contains("90 /min"))
    watch.process.interrupt()
    _ = watch.finish()
  }

  @Test("a service that is not a guide is reported")
  func otherService() throws {
    let daemon = try StandInDaemon(Self.daemonScript)
    defer { daemon.stop() }
    let other = try StandInDaemon(
      [:], socket: "guide.sock", beside: daemon,
      greetings: [StandInDaemon.hello.replacing(#""protocol":"1.0""#, with: #""protocol":"2.0""#)])
    defer { other.stop() }
    let outcome = try cyclo("watch", "route", "-t", "1", socket: daemon.controlSocket)
    #expect(outcome.complaint.contains("guide.sock: what listens there is not a guide of this version"))
  }

  @Test("the screen shows the way to go, and that the guide is gone")
  func screen() throws {
    let script: StandInDaemon.Script = ["subscribe": [[.reply(), .line(Self.route(more: Self.turn))]]]
    try with(guide: script) { daemon, guide in
      let screen = try Screen(["watch", "route"], socket: daemon.controlSocket)
      try screen.wait(for: "the cue") { $0.contains("Route") && $0.contains("sharp right in 120.0 m: Mill Street") }
      guide.stop()
      try screen.wait(for: "that it is gone") { $0.contains("no guide") && $0.contains("was 21.36 km") }
      try screen.press("q")
      #expect(screen.exitStatus() == 0)
    }
  }

  @Test(
    "the screen says when the rider is not on the route",
    arguments: [
      ("off_route", "off the route: it is 45.0 m away"), ("reversed", "against the direction of the route"),
      ("approaching", "the route is 45.0 m away"), ("finished", "at the end of the route"),
    ])
  func deviation(state: String, words: String) throws {
    try with(guide: ["subscribe": [[.reply(), .line(Self.route(state)), .line(Self.coach)]]]) { daemon, _ in
      let screen = try Screen(["watch", "route", "coach"], socket: daemon.controlSocket)
      try screen.wait(for: "the state") { $0.contains(words) && $0.contains("Coach") }
      try screen.press("q")
      #expect(screen.exitStatus() == 0)
    }
  }
}
