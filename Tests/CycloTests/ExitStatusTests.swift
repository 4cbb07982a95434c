// Every exit status that scripts decide by, produced by the command and the daemon as they are built. The daemon's refusals, code
// by code, are in ControlTests.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct ExitStatusTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let status: Int32
    let arguments: [String]
    /// What the complaint contains.
    let complaint: String

    init(_ status: Int32, _ arguments: String, _ complaint: String) {
      self.status = status
      self.arguments = arguments.split(separator: " ").map(String.init)
      self.complaint = complaint
    }
    var testDescription: String { arguments.joined(separator: " ") + " -> \(status)" }
  }

  /// One after the other on the default scene: a strap that is paired, and a spare one.
  private static let rows = [
    Row(0, "watch heart_rate -n 1", ""),
    Row(0, "set strap priority=7 role=front", ""),
    Row(0, "rename strap Chest", ""),
    Row(0, "command strap", ""),
    Row(2, "set strap circumference=5", "circumference must be 300 to 4000 mm, not '5'"),
    Row(2, "set strap colour=red", "unknown setting colour"),
    Row(1, "pair C0:FF:EE:00:00:01", "is already paired"),
    Row(2, "watch watts", "unknown kind 'watts'"),
    Row(1, "command strap zero_offset", "this sensor does not support zero_offset: it supports reset_energy"),
    Row(1, "get power", "no power since the daemon started"),
    Row(1, "get battery --max-age 0.001", "the last battery is "),
    Row(1, "decode /nowhere.capture", "cannot read /nowhere.capture: No such file or directory"),
    Row(1, "replay /nowhere.capture", "cannot read /nowhere.capture: No such file or directory"),
    Row(1, "capture /nowhere/a.capture", "cannot write /nowhere/a.capture: No such file or directory"),
    Row(2, "", "Usage: cyclo"),
    Row(2, "fly", "unknown verb 'fly'"),
    Row(2, "set strap nothing", "'nothing' is not a setting"),
    Row(2, "command strap reset_energy 5", "reset_energy takes no number"),
    Row(2, "set strap circumference=-5", "circumference must be 300 to 4000 mm, not '-5'"),
    Row(2, "set strap circumfernce=2105", "Did you mean 'circumference'?"),
    Row(2, "set strap circumference=2,105", "'2,105' is neither a tire size"),
    Row(2, "rider wieght=70", "Did you mean 'weight'?"),
    Row(2, "scan -t 99999", "--seconds is a number above 0, at most 3600 for a scan, not 99999"),
    Row(2, "scan -t 0", "--seconds is a number above 0, at most 3600 for a scan, not 0"),
    Row(0, "set strap circumference=25-622", ""),
    Row(4, "show absent", "no sensor is named 'absent'"),
    Row(4, "watch --sensor absent", "no sensor is named 'absent'"),
    Row(5, "watch battery -n 5 -t 0.3", "samples did not arrive in time"),
    Row(0, "disable strap", ""),
    Row(5, "command strap reset_energy", "it is not connected (disabled, user)"),
    Row(0, "enable strap", ""),
  ]

  @Test("each verb ends with the documented status")
  func eachVerbEndsWithDocumented() throws {
    let daemon = try RealDaemon()
    for row in Self.rows {
      let outcome = try RunningCyclo(row.arguments, socket: daemon.controlSocket).finish()
      #expect(outcome.status == row.status, "\(row): \(outcome.complaint)")
      if row.status != 0 { #expect(outcome.complaint.contains(row.complaint), "\(row): \(outcome.complaint)") }
    }
    #expect(daemon.stop() == 0)
    let outcome = try cyclo("list", socket: daemon.controlSocket)
    #expect(outcome.status == 3)
    #expect(outcome.complaint.contains("no daemon listens at \(daemon.controlSocket)"))
  }

  @Test("a problem found by doctor is status 1")
  func problemFoundByDoctorStatus() throws {
    let daemon = try RealDaemon([], environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"])
    #expect(try cyclo("doctor", socket: daemon.controlSocket).status == 1)
  }

  @Test("scan and pair without Bluetooth are status 6")
  func scanAndPairWithoutBluetooth() throws {
    let daemon = try RealDaemon([], environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"])
    for arguments in [["scan"], ["pair", "A0:9E:1A:00:00:01"]] {
      let outcome = try RunningCyclo(arguments, socket: daemon.controlSocket).finish()
      #expect(outcome.status == 6, "\(outcome.complaint)")
      #expect(outcome.complaint.contains("cyclo doctor"))
    }
  }

  /// The daemon finds and connects it, but supports none of its services.
  @Test("a failed pairing is status 7")
  func failedPairingStatus7() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("thing.capture")
    let capture = """
      #cyclometer-capture 1
      device thing address=C0:00:00:00:00:09 name=Thing services=ffff
      0 thing connected

      """
    try Data(capture.utf8).write(to: URL(filePath: path))
    let daemon = try RealDaemon(["--simulate", path])
    #expect(try cyclo("forget", "thing", socket: daemon.controlSocket).status == 0)
    let outcome = try cyclo("pair", "C0:00:00:00:00:09", socket: daemon.controlSocket)
    #expect(outcome.status == 7, "\(outcome.complaint)")
    #expect(outcome.complaint.contains("none of its services is supported"))
  }

  /// Root may do everything, so another user runs the command.
  @Test(
    "missing permission is status 8",
    .enabled(if: getuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")),
    arguments: ["rename strap Mine", "status"])
  func missingPermissionStatus8(line: String) throws {
    let daemon = try RealDaemon()
    let copy = daemon.folder.file("cyclo")
    try FileManager.default.copyItem(atPath: productFolder + "/cyclo", toPath: copy)
    for path in [daemon.folder.file(""), daemon.runtimeFolder, copy] {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    let process = Process()
    let complaint = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/setpriv")
    process.arguments = [
      "--reuid", "65534", "--regid", "65534", "--clear-groups", copy, "--socket", daemon.controlSocket,
    ]
    process.arguments? += line.split(separator: " ").map(String.init)
    process.standardError = complaint
    try withSignalsUnblocked { try process.run() }
    let text = String(decoding: complaint.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 8, "\(text)")
    #expect(text.contains("no permission to use \(daemon.controlSocket)"))
    #expect(daemon.stop() == 0)
  }

  @Test("an interrupt is status 130", arguments: ["watch", "scan -t 60", "capture - -t 60", "pair AA:BB:CC:00:00:09"])
  func anInterruptionIs130(line: String) throws {
    let daemon = try RealDaemon()
    let running = try RunningCyclo(line.split(separator: " ").map(String.init), socket: daemon.controlSocket)
    // When it has printed a line, or after a while, it is in the midst of it.
    if line.hasPrefix("pair") { Thread.sleep(forTimeInterval: 1) } else { _ = running.waitForLine(containing: " ") }
    running.process.interrupt()
    let outcome = running.finish()
    #expect(running.process.terminationReason == .exit)
    #expect(outcome.status == 130, "\(outcome.complaint)")
    #expect(daemon.stop() == 0)
  }
}
