// A service from the build directory, next to a real daemon: in its folder, with its sockets. It
// never outlives its object.

internal import Foundation
internal import Linux
internal import Time

public final class RealService {
  private let process = Process()
  private let log: String
  public let stateFolder: String
  public let socket: String

  public struct StartError: Error, CustomStringConvertible {
    public let description: String
  }

  /// Waits until it listens. `socket` is the name of its socket's file.
  public init(_ program: String, in folder: TemporaryFolder, socket: String) throws {
    (stateFolder, self.socket) = (folder.file(program), folder.file("run/\(socket)"))
    log = folder.file("\(program)-log-\(UInt32.random(in: .min ... .max))")
    try Files.replace(log, with: [], mode: 0o600)
    process.executableURL = URL(fileURLWithPath: productFolder + "/" + program)
    process.arguments = [
      "--config", folder.file("\(program).conf"), "--socket", folder.file("run/control.sock"), "--runtime-dir",
      folder.file("run"), "--state-dir", stateFolder,
    ]
    process.environment = programEnvironment.merging(["TZ": "UTC"]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle(forWritingAtPath: log)
    try withSignalsUnblocked { try process.run() }
    let deadline = MonotonicTime.now + .seconds(20)
    while process.isRunning, MonotonicTime.now < deadline {
      if (try? UnixSocket.connect(to: self.socket)) != nil { return }
      try Waiting.until(.now + .milliseconds(10))
    }
    throw StartError(description: "\(program) does not listen: \(diagnostics)")
  }

  deinit { if process.isRunning { kill() } }

  public var number: Int32 { process.processIdentifier }

  /// The standard error so far.
  public var diagnostics: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

  /// Like a service manager. Returns the exit status.
  @discardableResult
  public func stop() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Like a crash.
  public func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
