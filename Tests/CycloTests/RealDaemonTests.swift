// The command and the daemon as they are built, together: every verb, how it ends and what it prints.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct RealDaemonTests {
  struct Row {
    let arguments: String
    let status: Int32
    /// What is found in the output, or in the complaint of a failure.
    let pattern: String

    init(_ arguments: String, _ status: Int32, _ pattern: String) {
      (self.arguments, self.status, self.pattern) = (arguments, status, pattern)
    }
  }

  /// One after the other on the default scene: a strap that is paired, and a spare one.
  private static let rows = [
    Row("watch heart_rate -n 2", 0, #"(?s)\d+ bpm.*\n.*\d+ bpm"#),
    Row(
      "watch --json heart_rate -n 1", 0, #"^\{"class":"sample","sensor":"strap","kind":"heart_rate","#),
    Row("watch battery -n 5 -t 1", 5, "."),
    Row("watch watts -n 1", 2, "unknown kind 'watts'"),
    Row("status", 0, #"(?s)^cyclometerd \S+, up .*\nstrap +Strap +streaming +\d+ bpm"#),
    Row("status --json", 0, #"^\{"daemon":\{"release":.*"versions":"#),
    Row("doctor", 0, #"(?s)^machine\n +ok +daemon: cyclometerd .*\nstrap .*\n +ok +streaming; battery"#),
    Row("doctor --json", 0, #"^\{"release":"[^"]+","errors":0,"warnings":0,"checks":\[\{.*\}\]\}\n$"#),
    Row(
      "list", 0,
      #"(?m)^strap +Strap +C0:FF:EE:00:00:01 +heart_rate, battery +streaming +87 %$"#),
    Row("list --json", 0, #"^\{"id":"strap",[^\n]*\}\n$"#),
    Row("show str", 0, #"(?s)^strap\n.*\d+ bpm.*body location +chest\n"#),
    Row("show c0:ff:ee:00:00:01 --json", 0, #"^\{"id":"strap""#),
    Row("show absent", 4, "no sensor is named 'absent'"),
    Row("get heart_rate", 0, #"^\d+ bpm, [0-9.]+ m?s ago, strap\n$"#),
    Row("get battery --json", 0, #""kind":"battery".*"battery_pct":87"#),
    Row("get watts", 2, "unknown kind 'watts'"),
    Row("metrics", 0, #"(?m)^cyclometer_sensor_packets_total\{sensor="strap"\} \d+$"#),
    Row("scan -t 1", 0, #"(?m)^C0:FF:EE:00:00:02 +-\d+ +new +heart_rate.*Spare strap"#),
    Row("scan -t 1 --json", 0, #"(?s)"class":"found".*\{"class":"scan_ended"\}\n$"#),
    Row("pair C0:FF:EE:00:00:02 --name Drawer --role rear", 0, #"(?s)^spare-strap\n.*\d+ bpm"#),
    Row("pair C0:FF:EE:00:00:02", 1, "is already paired as spare-strap"),
    Row("list", 0, "(?m)^spare-strap +Drawer "),
    Row("forget drawer", 0, #"^Removed spare-strap \(Drawer\)\.\nTo restore it:\n"#),
    Row("forget drawer", 4, "no sensor is named 'drawer'"),
    Row("version", 0, "^cyclo "),
    Row("help pair", 0, "^Usage: cyclo "),
  ]

  @Test("every verb works with a real daemon")
  func everyVerbWorksWithReal() throws {
    let daemon = try RealDaemon()
    for row in Self.rows {
      let arguments = row.arguments.split(separator: " ").map(String.init)
      let outcome = try RunningCyclo(arguments, socket: daemon.controlSocket).finish()
      #expect(outcome.status == row.status, "\(row.arguments): \(outcome.complaint)")
      let text = row.status == 0 ? outcome.output : outcome.complaint
      #expect(text.range(of: row.pattern, options: .regularExpression) != nil, "\(row.arguments): \(text)")
    }
    #expect(daemon.stop() == 0)
    #expect(try cyclo("status", socket: daemon.controlSocket).status == 3)
  }

  @Test("watch continues after a restart of the daemon")
  func watchContinuesAfterRestart() throws {
    let first = try RealDaemon()
    let watch = try RunningCyclo(["watch", "--json", "heart_rate"], socket: first.controlSocket)
    #expect(watch.waitForLine(containing: #""class":"sample""#) != "")
    first.stop()
    let second = try RealDaemon(in: first.folder)
    #expect(watch.waitForLine(containing: #""class":"sample""#) != "")
    watch.process.interrupt()
    #expect(watch.finish().status == 130)
    #expect(second.stop() == 0)
  }

  /// The daemon's problem is reported, without advice for another one.
  @Test("every verb reports a missing bus")
  func everyVerbReportsMissingBus() throws {
    let daemon = try RealDaemon([], environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"])
    for arguments in [["scan", "-t", "1"], ["pair", "C0:FF:EE:00:00:02"]] {
      let outcome = try RunningCyclo(arguments, socket: daemon.controlSocket).finish()
      #expect(outcome.status == 6)
      #expect(outcome.complaint.hasPrefix("cyclo: no D-Bus "))
      #expect(outcome.complaint.hasSuffix("\n  Run 'cyclo doctor' to diagnose it\n"))
      #expect(!outcome.complaint.contains("rfkill") && !outcome.complaint.contains("bluetoothctl"))
    }
    let status = try cyclo("status", socket: daemon.controlSocket).output
    #expect(status.contains("\nBluetooth cannot be used: no D-Bus "))
    #expect(status.contains("run 'cyclo doctor'.\n"))
    #expect(status.hasSuffix("\nNo sensor is paired.\n"))
    let screen = try Screen(["watch"], socket: daemon.controlSocket)
    let live = try screen.wait(for: "what is the matter") { $0.hasPrefix("Bluetooth cannot be used: ") }
    #expect(live.contains("'cyclo doctor'") && live.contains("No sensor is paired.\n"))
    try screen.press("q")
    #expect(screen.exitStatus() == 0)
    #expect(daemon.stop() == 0)
  }
}
