// The real daemon on a simulated ride, in folders of its own: for tests that hold the command and the daemon together.

import Foundation
import Linux

final class RealDaemon {
  let folder: String
  private let process = Process()

  var controlSocket: String { folder + "/run/control.sock" }

  static var isBuilt: Bool { Files.exists(productFolder + "/cyclometerd") }

  /// Starts it and waits until it listens; nil when it ended before, or did not listen within 10 seconds.
  init?(_ arguments: [String] = ["--simulate"]) throws {
    folder = NSTemporaryDirectory() + "cyclometerd-\(UUID().uuidString.prefix(8))"
    for name in ["run", "state"] { try Files.makeFolder("\(folder)/\(name)", mode: 0o755) }
    process.executableURL = URL(fileURLWithPath: productFolder + "/cyclometerd")
    process.arguments = ["--runtime-dir", folder + "/run", "--state-dir", folder + "/state"] + arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    guard listens(before: .now + .seconds(10)) else {
      stop()
      return nil
    }
  }

  /// Ends it as a service manager would; its exit status.
  @discardableResult
  func stop() -> Int32 {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
    try? FileManager.default.removeItem(atPath: folder)
    return process.terminationStatus
  }

  /// A socket is the only sign that a program which knows no systemd gives: it is looked for until it answers.
  private func listens(before deadline: BootTime) -> Bool {
    while process.isRunning, BootTime.now < deadline {
      if (try? UnixSocket.connect(to: controlSocket)) != nil { return true }
      try? Waiting.until(.now + .milliseconds(20))
    }
    return false
  }
}
