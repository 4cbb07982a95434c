// How `cyclo` ends where no daemon is asked, where the user or the reader of its output had enough, and where it may not.

import Foundation
import Linux
import TestSupport
import Testing

struct EndingTests {
  @Test("version needs no daemon", arguments: [["version"], ["--version"]])
  func versionAsksNobody(arguments: [String]) throws {
    let outcome = try RunningCyclo(arguments, socket: "/nowhere").finish()
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("cyclo "))
  }

  @Test("version --json includes the protocol")
  func versionJsonIncludesProtocol() throws {
    let words = try cyclo("version").output.split(whereSeparator: \.isWhitespace)
    #expect(words.count == 2)
    let outcome = try cyclo("version", "--json", socket: "/nowhere")
    #expect(outcome.status == 0)
    #expect(outcome.output == #"{"release":"\#(words.last ?? "")","protocol":"1.0"}"# + "\n")
  }

  @Test("help goes to standard output", arguments: [["help"], ["--help"], ["help", "watch"], ["watch", "-h"]])
  func helpIsData(arguments: [String]) throws {
    let outcome = try RunningCyclo(arguments).finish()
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("Usage: cyclo "))
    #expect(outcome.complaint == "")
  }

  @Test(
    "a usage error is status 2",
    arguments: [
      [], ["sttus"], ["docter"], ["get"], ["watch", "--bogus"], ["pair", "x"], ["watch", "-n", "0"],
    ])
  func usageIs(arguments: [String]) throws {
    let outcome = try RunningCyclo(arguments).finish()
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.complaint.contains("cyclo help"))
  }

  @Test(
    "without a daemon the status is 3",
    arguments: [
      ["status"], ["scan"], ["pair", "A0:9E:1A:00:00:01"], ["list"], ["show", "x"], ["forget", "x"], ["watch"],
      ["get", "power"],
    ])
  func withoutDaemonStatus3(arguments: [String]) throws {
    let outcome = try RunningCyclo(arguments, socket: "/nowhere/control.sock").finish()
    #expect(outcome.status == 3)
    #expect(outcome.output == "")
    #expect(outcome.complaint.contains("/nowhere/control.sock"))
    #expect(outcome.complaint.contains("systemctl start cyclometerd"))
  }

  @Test("an interrupt is status 130")
  func anInterruptionIs130() throws {
    let daemon = try StandInDaemon(["subscribe": [[.reply(), .line(Fixture.heartRate(142, seq: 1))]]])
    defer { daemon.stop() }
    let running = try RunningCyclo(["watch"], socket: daemon.controlSocket)
    _ = running.waitForLine(containing: "142 bpm")
    running.process.interrupt()
    let outcome = running.finish()
    #expect(running.process.terminationReason == .exit)
    #expect(outcome.status == 130)
    #expect(outcome.complaint == "")
  }

  @Test("a closed pipe ends cyclo quietly")
  func closedPipeEndsCycloQuietly() throws {
    // More than a pipe holds, so that a reader that stops late is noticed too.
    let samples = (1...1000).map { StandInDaemon.Step.line(Fixture.heartRate(100, seq: $0)) }
    let daemon = try StandInDaemon(["subscribe": [[.reply()] + samples]])
    defer { daemon.stop() }
    let running = try RunningCyclo(["watch", "--json"], socket: daemon.controlSocket)
    try running.stopReading()
    let end = running.complaintAfterClosedOutput()
    #expect(end.status == 0)
    #expect(end.complaint == "")
  }

  @Test("a full output is an error, not a crash", arguments: [(">&-", 0), (">/dev/full", 1)])
  func fullOutputErrorNotCrash(redirection: String, status: Int32) throws {
    let process = Process()
    let complaint = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "\"$0\" version \(redirection)", productFolder + "/cyclo"]
    process.standardError = complaint
    try process.run()
    let text = complaint.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == status)
    #expect(String(decoding: text, as: UTF8.self).hasPrefix(status == 0 ? "" : "cyclo: cannot write: "))
  }

  /// Root may do everything, so another user runs a copy of the command.
  @Test(
    "without permission cyclo reads from metrics.sock or says why it cannot",
    .enabled(if: getuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")))
  func withoutPermissionCycloReads() throws {
    let daemon = try StandInDaemon(Fixture.reading, mode: 0o600)
    defer { daemon.stop() }
    let outcome = try asNobody(["list"], daemon)
    #expect(outcome.status == 8)
    #expect(outcome.complaint.contains("usermod -aG cyclometer"))
    let diagnosis = try asNobody(["doctor"], daemon)
    #expect(diagnosis.status == 1)
    #expect(diagnosis.output.contains("usermod -aG cyclometer"))
    #expect(try asNobody(["metrics"], daemon).status == 8)
    try Files.rename(daemon.controlSocket, to: daemon.folder + "/metrics.sock")
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: daemon.folder + "/metrics.sock")
    let locked = try UnixSocket.listen(at: daemon.controlSocket, mode: 0o600)
    #expect(try asNobody(["list"], daemon).status == 0)
    // Whether a service that this user may not ask runs is unknown.
    let guide = try StandInDaemon([:], socket: "guide.sock", beside: daemon, mode: 0o600)
    defer { guide.stop() }
    let metrics = try asNobody(["metrics"], daemon)
    #expect(metrics.status == 0 && metrics.output.contains(#"cyclometer_up{service="cyclometerd"} 1"#))
    #expect(!metrics.output.contains("guide"), "\(metrics)")
    #expect(try asNobody(["scan"], daemon).status == 8)
    #expect(try asNobody(["doctor"], daemon).output.contains("error   permission: "))
    withExtendedLifetime(locked) {}
  }

  private func asNobody(_ arguments: [String], _ daemon: StandInDaemon) throws -> Outcome {
    let copy = daemon.folder + "/cyclo"
    if !Files.exists(copy) { try FileManager.default.copyItem(atPath: productFolder + "/cyclo", toPath: copy) }
    // Listening narrows the process's umask for a moment, and other tests listen at the same time.
    for path in [daemon.folder, copy] {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    let process = Process()
    let output = Pipe()
    let complaint = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
    process.arguments =
      ["--reuid", "65534", "--regid", "65534", "--clear-groups", copy, "--socket", daemon.controlSocket] + arguments
    // A debug build finds Swift's libraries by its own path.
    process.standardOutput = output
    process.standardError = complaint
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let reason = complaint.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
      complaint: String(decoding: reason, as: UTF8.self))
  }
}
