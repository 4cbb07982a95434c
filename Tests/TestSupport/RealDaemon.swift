// The real `cyclometerd` from the build directory, with its own directories, on a simulated ride by
// default.
//
// It never outlives its object. Its standard error goes to a file, so that it never blocks on a
// reader.

internal import Foundation
internal import Linux
import Time

/// The directory of the build products, taken from the test bundle.
public let productFolder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path

public final class RealDaemon {
  public let folder: TemporaryFolder
  private let process = Process()
  private let log: String
  /// The other end is the daemon's standard input, so this hangs up when the daemon exits.
  private let lifeline: FileDescriptor

  public var runtimeFolder: String { folder.file("run") }
  public var stateFolder: String { folder.file("state") }
  public var controlSocket: String { runtimeFolder + "/control.sock" }
  public var metricsSocket: String { runtimeFolder + "/metrics.sock" }

  public struct StartError: Error, CustomStringConvertible {
    public let status: Int32?
    public let diagnostics: String

    public var description: String {
      "cyclometerd \(status.map { "ended with \($0)" } ?? "does not listen"): \(diagnostics)"
    }
  }

  /// Starts the daemon and waits until it listens. Throws if it exits first or does not listen
  /// within 20 seconds. A launcher is a program with arguments that executes the daemon.
  public convenience init(
    _ arguments: [String] = ["--simulate"], in folder: TemporaryFolder? = nil, environment: [String: String] = [:],
    launcher: [String] = []
  ) throws {
    try self.init(starting: arguments, in: folder, environment, launcher: launcher)
    guard listens(before: .now + .seconds(20)) else {
      let status = process.isRunning ? nil : process.terminationStatus
      throw StartError(status: status, diagnostics: diagnostics)
    }
  }

  private init(
    starting arguments: [String], in folder: TemporaryFolder?, _ environment: [String: String], launcher: [String] = []
  ) throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    log = folder.file("log-\(UInt32.random(in: .min ... .max))")
    try Files.replace(log, with: [], mode: 0o600)
    let command =
      launcher + [
        productFolder + "/cyclometerd", "--runtime-dir", folder.file("run"), "--state-dir", folder.file("state"),
      ]
      // Not the files of this computer.
      + (arguments.contains("--sensors") ? [] : ["--sensors", folder.file("sensors")]) + arguments
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = programEnvironment.merging(environment) { $1 }
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

  public var number: Int32 { process.processIdentifier }

  /// The standard error so far.
  public var diagnostics: String {
    (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
  }

  /// Stops it like a service manager. Returns the exit status.
  @discardableResult
  public func stop() -> Int32 {
    if process.isRunning { process.terminate() }
    return waitForEnd()
  }

  /// Kills it if it does not exit; the resulting status differs from all regular ones.
  private func waitForEnd() -> Int32 {
    let hasEnded = try? Waiting.untilReadable(lifeline.number, deadline: .now + .seconds(20))
    if hasEnded != true { Foundation.kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Like a crash.
  public func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Runs a daemon that is expected to exit by itself, and returns how it did.
  public static func end(
    _ arguments: [String], in folder: TemporaryFolder? = nil, environment: [String: String] = [:]
  ) throws -> (status: Int32, diagnostics: String) {
    let daemon = try RealDaemon(starting: arguments, in: folder, environment)
    return (daemon.waitForEnd(), daemon.diagnostics)
  }

  /// Without systemd, the socket is the only sign of being ready, so it is polled.
  private func listens(before deadline: MonotonicTime) -> Bool {
    while process.isRunning, MonotonicTime.now < deadline {
      if (try? UnixSocket.connect(to: controlSocket)) != nil { return true }
      try? Waiting.until(.now + .milliseconds(20))
    }
    return false
  }
}
