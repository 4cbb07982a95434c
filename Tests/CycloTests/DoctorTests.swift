// `cyclo doctor` as it is built, against a daemon that answers as scripted. What it finds of the machine is the machine's own;
// a simulated daemon needs no Bluetooth, so with one only what the daemon says counts.

import Foundation
import JSON
import TestSupport
import Testing

struct DoctorTests {
  private func status(
    _ sensors: String, release: String = "0.1.0", simulated: Bool = true, adapters: String = ""
  ) -> String {
    #"{"daemon":{"release":"\#(release)","uptime_s":7200\#(simulated ? #","simulated":true"# : "")},"#
      + #""bluetooth":{"message":"ready"},"adapters":[\#(adapters)],"sensors":[\#(sensors)],"versions":{"bluez":"5.82"}}"#
  }

  private func daemon(_ status: String) throws -> StandInDaemon {
    try StandInDaemon([
      "status": [[.reply(status)]], "poll": [[.reply(Fixture.records(Fixture.heartRate(142, seq: 7)))]],
    ])
  }

  private static let bondLost =
    #"{"id":"strap-2","name":"Old","address":"A0:9E:1A:00:00:02","plugins":["heart_rate"],"kinds":["heart_rate"],"#
    + #""state":"error","reason":"bond_lost","battery_pct":12}"#

  @Test("without problems the status is 0")
  func withoutProblemsStatus0() throws {
    let release = try cyclo("version").output.dropFirst("cyclo ".count).prefix { $0 != "\n" }
    let daemon = try daemon(status(Fixture.polar, release: String(release)))
    defer { daemon.stop() }
    let outcome = try cyclo("doctor", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.complaint == "No errors found.\n")
    #expect(
      outcome.output == """
        machine
          ok      daemon: cyclometerd \(release) answers at \(daemon.controlSocket); its sensors are simulated
          ok      release: cyclo and cyclometerd are both \(release)
          ok      permission: you have permission to use the control socket

        polar-h10-1a2b (Polar H10)
          ok      streaming; battery 80 %; signal -61 dBm

        """)
  }

  @Test("a problem is printed with its fix and gives status 1")
  func problemPrintedWithFix() throws {
    let daemon = try daemon(status(Fixture.polar + "," + Self.bondLost))
    defer { daemon.stop() }
    let outcome = try cyclo("doctor", socket: daemon.controlSocket)
    #expect(outcome.status == 1)
    #expect(outcome.complaint == "cyclo: found 2 errors\n")
    #expect(outcome.output.contains("\nstrap-2 (Old)\n  error   state: error: the bond was lost"))
    #expect(outcome.lines.contains("            cyclo pair A0:9E:1A:00:00:02"))
    #expect(outcome.output.contains("  error   battery: battery 12 %\n"))
    #expect(!outcome.output.contains("\u{1B}"))
  }

  @Test("doctor --json prints one object")
  func doctorJsonPrintsOneObject() throws {
    let daemon = try daemon(status(Self.bondLost, release: "9.0"))
    defer { daemon.stop() }
    let outcome = try cyclo("doctor", "--json", socket: daemon.controlSocket)
    #expect(outcome.status == 1)
    #expect(outcome.lines.count == 1)
    let report = try JSONValue.parse(outcome.lines.first ?? "")
    #expect(report.members?.map(\.name) == ["release", "errors", "warnings", "checks"])
    #expect(report["errors"] == 2)
    #expect(report["warnings"] == 1)
    let checks = try #require(report["checks"]?.items)
    let bond = try #require(checks.first { $0["sensor"] == "strap-2" && $0["check"] == "state" })
    #expect(bond["verdict"] == "error")
    #expect(bond["command"] == "cyclo pair A0:9E:1A:00:00:02")
    #expect(bond["why"]?.text?.isEmpty == false && bond["fix"]?.text?.isEmpty == false)
    let words: Set<String> = ["check", "sensor", "verdict", "found", "why", "fix", "command"]
    #expect(checks.allSatisfy { Set(($0.members ?? []).map(\.name)).isSubset(of: words) })
    #expect(checks.allSatisfy { $0["check"]?.text != nil && $0["found"]?.text?.isEmpty == false })
  }

  @Test("an adapter that is off is an error")
  func adapterThatOffError() throws {
    let adapter = #"{"class":"adapter","adapter":"hci7","address":"00:11:22:33:44:55","state":"off"}"#
    let daemon = try daemon(status("", simulated: false, adapters: adapter))
    defer { daemon.stop() }
    let outcome = try cyclo("doctor", socket: daemon.controlSocket)
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("  error   adapter: hci7 is off\n"))
    #expect(outcome.lines.contains("            bluetoothctl power on"))
    #expect(outcome.output.contains("ok      bluez: BlueZ 5.82; "))
  }

  @Test("without a daemon the machine is checked, and the fix starts the daemon")
  func withoutDaemonMachineChecked() throws {
    let outcome = try cyclo("doctor", socket: "/nowhere/control.sock")
    #expect(outcome.status == 1)
    #expect(
      outcome.output.contains("error   daemon: the daemon is not running: nothing listens at /nowhere/control.sock"))
    #expect(outcome.output.contains("systemctl enable --now cyclometerd"))
    // Which of the verdicts is the machine's own.
    #expect(outcome.output.contains(" adapter: "))
    #expect(try cyclo("doctor", "--json", socket: "/nowhere/control.sock").lines.count == 1)
  }

  @Test("a server that is not cyclometerd is reported")
  func serverThatNotCyclometerdReported() throws {
    let daemon = try StandInDaemon([:], greetings: ["HTTP/1.1 400 Bad Request"])
    defer { daemon.stop() }
    let outcome = try cyclo("doctor", socket: daemon.controlSocket)
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("error   daemon: "))
  }

  @Test("doctor works for users who can only read")
  func doctorWorksForUsersWho() throws {
    let daemon = try StandInDaemon(
      ["status": [[.reply(status(Fixture.polar))]], "poll": [[.reply(#"{"records":[]}"#)]]], socket: "metrics.sock")
    defer { daemon.stop() }
    let outcome = try cyclo("doctor", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("  unknown permission: only the read-only socket is available here"))
  }

  @Test("names from the air cannot control the terminal")
  func namesFromTheAirDoNotSteerTheTerminal() throws {
    let nasty = #"{"id":"x-1","name":"\u001b[2Jgone","address":"\u001b[2J","state":"error","reason":"bond_lost"}"#
    let daemon = try daemon(status(nasty))
    defer { daemon.stop() }
    #expect(try !cyclo("doctor", socket: daemon.controlSocket).output.contains("\u{1B}"))
  }
}
