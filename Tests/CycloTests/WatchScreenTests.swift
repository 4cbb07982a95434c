// `watch` and `status` on a real terminal.

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct WatchScreenTests {
  /// Two values whose ages do not change while a test runs: a strap that is lost, and a tire.
  private static let tire =
    #"{"class":"sample","sensor":"cap-0001","kind":"tire_pressure","seq":1,"t":1,"age_ms":300000,"#
    + #""pressure_gauge_pa":596000,"temperature_c":21,"wheel":"front"}"#
  private static let cap =
    #"{"id":"cap-0001","name":"Cap","address":"80:EA:CA:00:00:02","plugins":["tire_pressure"],"#
    + #""kinds":["tire_pressure"],"state":"streaming","role":"front","settings":{"target_pressure_pa":600000}}"#
  private static let status =
    #"{"daemon":{"release":"0.1.0","uptime_s":11520},"adapters":[{"adapter":"hci0","address":"00:11:22:33:44:55","#
    + #""state":"on"}],"sensors":[\#(Fixture.polarVerity),\#(cap)],"versions":{"bluez":"5.66","kernel":"6.1.0"}}"#
  private static let heartRate = Fixture.heartRate(142, seq: 7, sensor: "polar-sense-77aa", age: 10_800_000)
  private static let following: StandInDaemon.Script = [
    "subscribe": [[.reply(), .line(heartRate), .line(tire)]], "status": [[.reply(status)]],
    "poll": [[.reply(Fixture.records(heartRate, tire))]],
  ]

  @Test("the live view matches its snapshot", arguments: [(80, 24), (40, 24), (40, 10), (120, 30)])
  func theLiveView(columns: Int, rows: Int) throws {
    let daemon = try StandInDaemon(Self.following)
    defer { daemon.stop() }
    let screen = try Screen(["watch"], socket: daemon.controlSocket, columns: columns, rows: rows)
    try screen.wait(forText: "Arm band")
    try screen.expect(snapshot: "watch-\(columns)x\(rows)")
    try screen.press("q")
    #expect(screen.exitStatus() == 0)
    // What was there before is there again.
    #expect(try screen.text() == "\n")
  }

  @Test("the live view in colour matches its snapshot", arguments: [80, 40])
  func inColour(columns: Int) throws {
    let daemon = try StandInDaemon(Self.following)
    defer { daemon.stop() }
    let screen = try Screen(["watch"], socket: daemon.controlSocket, columns: columns)
    try screen.wait(forText: "Arm band")
    try screen.expect(snapshot: "watch-\(columns)-coloured", coloured: true)
    let status = try Screen(["status"], socket: daemon.controlSocket, columns: columns)
    #expect(status.exitStatus() == 0)
    try status.expect(snapshot: "status-\(columns)-coloured", coloured: true)
    let plain = try Screen(["status"], socket: daemon.controlSocket, columns: columns, environment: ["NO_COLOR": "1"])
    #expect(plain.exitStatus() == 0)
    try plain.expect(snapshot: "status-\(columns)")
    #expect(try !plain.text(coloured: true).contains("\u{1B}"))
  }

  @Test("a locale without UTF-8 gets ASCII")
  func localeWithoutUTF8GetsASCII() throws {
    let daemon = try StandInDaemon(Self.following)
    defer { daemon.stop() }
    let screen = try Screen(["watch"], socket: daemon.controlSocket, environment: ["LC_ALL": "C"])
    let text = try screen.wait(forText: "Arm band")
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    try screen.expect(snapshot: "watch-80-ascii")
  }

  @Test("the live view follows the terminal's size and the keys")
  func liveViewFollowsTerminalsSize() throws {
    let daemon = try StandInDaemon(Self.following)
    defer { daemon.stop() }
    let screen = try Screen(["watch"], socket: daemon.controlSocket)
    try screen.wait(forText: "on target: 6.00 bar")
    try screen.type("xu")
    try screen.wait(forText: "on target: 87.0 psi")
    try screen.resize(columns: 40, rows: 6)
    try screen.wait(forText: "Front tire       86.4 psi")
    try screen.resize(columns: 100, rows: 30)
    try screen.wait(forText: "on target: 87.0 psi")
    try screen.press("C-c")
    #expect(screen.exitStatus() == 130)
  }

  @Test("a key changes the units and changes them back")
  func keyChangesUnitsAndChanges() throws {
    let daemon = try StandInDaemon(Self.following)
    defer { daemon.stop() }
    let screen = try Screen(["watch"], socket: daemon.controlSocket)
    try screen.wait(forText: "on target: 6.00 bar")
    try screen.type("u")
    try screen.wait(forText: "on target: 87.0 psi")
    try screen.type("U")
    try screen.wait(forText: "on target: 6.00 bar")
    try screen.press("q")
    #expect(screen.exitStatus() == 0)
  }

  @Test("a long message about the adapter wraps")
  func longMessageAboutAdapterWraps() throws {
    let adapters =
      #"[{"adapter":"hci0","address":"00:11:22:33:44:55","state":"on","links":{"supervision_timeout_ms":420}}]"#
    let daemon = try StandInDaemon([
      "status": [[.reply(#"{"adapters":\#(adapters),"sensors":[]}"#)]], "poll": [[.reply(Fixture.records())]],
    ])
    defer { daemon.stop() }
    let expected = """
      cyclometerd 0.1.0
      hci0  on
        00:11:22:33:44:55
        drops links after 420 ms without data

      No sensor is paired. 'cyclo scan' looks for sensors.

      """
    let screen = try Screen(["status"], socket: daemon.controlSocket, columns: 60)
    #expect(screen.exitStatus() == 0)
    try screen.wait(for: "the adapter on three lines") { $0 == expected }
    let wide = try cyclo("status", socket: daemon.controlSocket)
    #expect(wide.lines.contains("hci0  on  00:11:22:33:44:55  drops links after 420 ms without data"))
  }

  /// The program ends and restores the terminal.
  @Test("quitting restores the terminal")
  func quittingRestoresTerminal() throws {
    let daemon = try StandInDaemon(Self.following)
    defer { daemon.stop() }
    let screen = try Screen(
      ["watch"], socket: daemon.controlSocket, environment: ["SWIFT_BACKTRACE": "enable=no"])
    try screen.wait(forText: "on target: 6.00 bar")
    try screen.press("C-\\")
    #expect(screen.exitStatus() == 128 + 3)
    #expect(try !screen.text().contains("on target"))
  }

  @Test("Ctrl-Z restores the terminal until the view continues")
  func ctrlZRestoresTerminalUntilView() throws {
    let daemon = try StandInDaemon(Self.following)
    defer { daemon.stop() }
    let screen = try Screen(command: ["bash", "--norc", "--noprofile"], environment: ["PS1": "> "])
    try screen.wait(forText: ">")
    try screen.enter("clear; \(productFolder)/cyclo --socket \(daemon.controlSocket) watch")
    try screen.wait(forText: "on target: 6.00 bar")
    try screen.press("C-z")
    try screen.wait(for: "the shell") { $0.contains("Stopped") && !$0.contains("Front tire") }
    // Shown while it is typed, and a line is a line.
    try screen.type("echo what is typed is $((6 * 7))")
    try screen.wait(forText: "> echo what is typed is")
    try screen.press("Enter")
    try screen.wait(forText: "\nwhat is typed is 42")
    try screen.enter("fg")
    try screen.wait(for: "the live view") { $0.contains("on target: 6.00 bar") && !$0.contains("Stopped") }
    try screen.press("q")
    try screen.wait(forText: "what is typed is 42")
  }

  @Test("the view shows that the daemon is gone, and back")
  func viewShowsThatDaemonGone() throws {
    let daemon = try StandInDaemon([
      "subscribe": [
        [.reply(), .line(Self.tire), .line(Fixture.stale), .hangUp], [.error("internal", "not yet")],
        [.reply(), .line(Self.tire)],
      ],
      "status": [[.reply(Self.status)]],
    ])
    defer { daemon.stop() }
    let screen = try Screen(["watch"], socket: daemon.controlSocket)
    let gone = try screen.wait(forText: "No daemon: waiting for it to come back.")
    #expect(!gone.contains("streaming"))
    try screen.wait(forText: "Cap streaming")
    try screen.press("q")
    #expect(screen.exitStatus() == 0)
  }

  @Test("at the end of its time the last view stays on screen")
  func atEndOfTimeLast() throws {
    let daemon = try StandInDaemon(Self.following)
    defer { daemon.stop() }
    let screen = try Screen(["watch", "-t", "1.5"], socket: daemon.controlSocket)
    #expect(screen.exitStatus() == 0)
    try screen.wait(forText: "on target: 6.00 bar")
  }

  @Test(
    "--lines prints lines on a terminal",
    arguments: [(["watch", "--lines"], [:]), (["watch", "-n", "9"], [:]), (["watch"], ["TERM": "dumb"])])
  func linesPrintsLinesOnTerminal(arguments: [String], environment: [String: String]) throws {
    let daemon = try StandInDaemon(Self.following)
    defer { daemon.stop() }
    let screen = try Screen(arguments, socket: daemon.controlSocket, environment: environment)
    try screen.wait(forText: "tire_pressure     5.96 bar")
    try screen.press("C-c")
    #expect(screen.exitStatus() == 130)
  }

  @Test("without a daemon the error is on the ordinary screen")
  func withoutDaemonErrorOnOrdinary() throws {
    let screen = try Screen(["watch"], socket: "/nowhere/control.sock")
    #expect(screen.exitStatus() == 3)
    try screen.wait(forText: "no daemon listens at /nowhere/control.sock")
  }

  @Test("the ride of a real daemon is shown")
  func rideOfRealDaemonShown() throws {
    let daemon = try RealDaemon()
    let screen = try Screen(["watch", "heart_rate"], socket: daemon.controlSocket)
    try screen.wait(for: "a heart rate in large digits") { $0.contains("Heart rate") && $0.contains("████") }
    #expect(daemon.stop() == 0)
    try screen.wait(for: "what was") { $0.contains("No daemon") && $0.contains("▄▄▄▄▄▄  was ") }
    let second = try RealDaemon(in: daemon.folder)
    try screen.wait(for: "a live one") { !$0.contains("No daemon") && $0.contains("████") }
    try screen.press("q")
    #expect(screen.exitStatus() == 0)
    #expect(second.stop() == 0)
  }
}
