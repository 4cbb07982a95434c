// The real `cyclometer-web` from the build directory, with its own directories, on any free port of
// the loopback. It never outlives its object.

internal import Foundation
internal import Linux
internal import Time

public final class RealDashboard {
  private let folder: TemporaryFolder
  private let process = Process()
  private let log: String

  public var runtimeFolder: String { folder.file("run") }
  /// Where a daemon would listen next to it.
  public var controlSocket: String { runtimeFolder + "/control.sock" }
  public var stateFolder: String { folder.file("state") }

  /// Without a daemon's socket, it finds no daemon. Names are those that its front may have.
  public init(daemon: String? = nil, names: String? = nil) throws {
    folder = try TemporaryFolder()
    log = folder.file("log")
    try Files.replace(log, with: [], mode: 0o600)
    let configuration = names.map { "[Web]\nName=\($0)\n" } ?? ""
    try Files.replace(folder.file("web.conf"), with: Array(configuration.utf8), mode: 0o600)
    process.executableURL = URL(fileURLWithPath: productFolder + "/cyclometer-web")
    process.arguments = [
      "--config", folder.file("web.conf"), "--socket", daemon ?? folder.file("run/control.sock"), "--runtime-dir",
      folder.file("run"), "--state-dir", folder.file("state"), "--listen", "127.0.0.1:0", "--page", folder.file("page"),
    ]
    process.environment = programEnvironment
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle(forWritingAtPath: log)
    try withSignalsUnblocked { try process.run() }
    let end = MonotonicTime.now + .seconds(20)
    while process.isRunning, MonotonicTime.now < end,
      (try? UnixSocket.connect(to: runtimeFolder + "/web.sock")) == nil
    {
      try Waiting.until(.now + .milliseconds(10))
    }
  }

  deinit { stop() }

  public func stop() {
    guard process.isRunning else { return }
    process.terminate()
    process.waitUntilExit()
  }

  public var number: Int32 { process.processIdentifier }

  /// The standard error so far.
  public var diagnostics: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }
}
