// The real `cyclometer-recorder` from the build directory. Its standard error goes to a file, and it
// never outlives its object.

import Foundation
import Linux
import TestSupport
import Time

final class RunningRecorder {
  let folder: TemporaryFolder
  private let process = Process()
  private let log: String
  /// The other end is the recorder's standard input, so this hangs up when it exits.
  private let lifeline: FileDescriptor

  struct StartError: Error, CustomStringConvertible {
    let description: String
  }

  var runtimeFolder: String { folder.file("run") }
  let stateFolder: String
  var exportFolder: String { stateFolder + "/export" }
  var controlSocket: String { runtimeFolder + "/control.sock" }
  var socket: String { runtimeFolder + "/logbook.sock" }
  var number: Int32 { process.processIdentifier }

  /// Starts it and waits until it listens. In the folder of a daemon it finds that one.
  convenience init(
    _ arguments: [String] = [], in folder: TemporaryFolder? = nil, state stateFolder: String? = nil,
    environment: [String: String] = [:]
  ) throws {
    try self.init(starting: arguments, in: folder ?? TemporaryFolder(), state: stateFolder, environment)
    let deadline = MonotonicTime.now + .seconds(20)
    while process.isRunning, MonotonicTime.now < deadline {
      if (try? UnixSocket.connect(to: socket)) != nil { return }
      try Waiting.until(.now + .milliseconds(10))
    }
    throw StartError(description: "the recorder does not listen: \(diagnostics)")
  }

  private init(
    starting arguments: [String], in folder: TemporaryFolder, state stateFolder: String? = nil,
    _ environment: [String: String]
  ) throws {
    self.folder = folder
    self.stateFolder = stateFolder ?? folder.file("recorder")
    log = folder.file("recorder-log-\(UInt32.random(in: .min ... .max))")
    try Files.replace(log, with: [], mode: 0o600)
    process.executableURL = URL(fileURLWithPath: productFolder + "/cyclometer-recorder")
    process.arguments =
      [
        "--config", folder.file("recorder.conf"), "--socket", folder.file("run/control.sock"), "--runtime-dir",
        folder.file("run"), "--state-dir", self.stateFolder,
      ] + arguments
    process.environment = programEnvironment.merging(["TZ": "UTC"]) { $1 }.merging(environment) { $1 }
    let process = process
    lifeline = try PacketPair().keepNear { far in
      process.standardInput = FileHandle(fileDescriptor: dup(far.number), closeOnDealloc: true)
    }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle(forWritingAtPath: log)
    try withSignalsUnblocked { try process.run() }
    process.standardInput = nil
  }

  deinit {
    if process.isRunning { stop() }
  }

  /// The standard error so far.
  var diagnostics: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

  /// Whether the log contains the text by now, or soon.
  func logs(_ text: String, within span: Duration = .seconds(20)) throws -> Bool {
    let deadline = MonotonicTime.now + span
    while MonotonicTime.now < deadline {
      if diagnostics.contains(text) { return true }
      try Waiting.until(.now + .milliseconds(20))
    }
    return false
  }

  func signal(_ number: Int32) { Foundation.kill(process.processIdentifier, number) }

  /// Like a service manager. Returns the exit status.
  @discardableResult
  func stop() -> Int32 {
    if process.isRunning { process.terminate() }
    return waitForEnd()
  }

  private func waitForEnd() -> Int32 {
    let hasEnded = try? Waiting.untilReadable(lifeline.number, deadline: .now + .seconds(20))
    if hasEnded != true { signal(SIGKILL) }
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Like a power cut, as far as a process can have one.
  func kill() {
    signal(SIGKILL)
    process.waitUntilExit()
  }

  /// Runs one that is expected to exit by itself.
  static func end(
    _ arguments: [String] = [], in folder: TemporaryFolder, environment: [String: String] = [:]
  ) throws -> (status: Int32, diagnostics: String) {
    let recorder = try RunningRecorder(starting: arguments, in: folder, environment)
    return (recorder.waitForEnd(), recorder.diagnostics)
  }
}

/// Runs the `cyclo` that was built beside these tests, against a recorder.
func cyclo(
  _ arguments: [String], with recorder: RunningRecorder, verb: String = "logbook"
) throws -> (status: Int32, output: String, complaint: String) {
  try runProgram(
    productFolder + "/cyclo", ["--socket", recorder.controlSocket, verb] + arguments, ["TERM": "xterm", "TZ": "UTC"])
}
