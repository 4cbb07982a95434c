// Sockets that a service manager opened. The daemon identifies them by name or by path and leaves
// them in place at the end.

import Foundation
import JSON
import Linux
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct ActivationTests {
  /// Does what systemd does: listens, passes the sockets from descriptor 3 on, and executes the
  /// daemon.
  private static let manager = """
    import os, socket, sys
    names, mode, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    paths = sys.argv[4:4 + count]
    sockets = []
    for number, path in enumerate(paths):
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.bind(path)
        os.chmod(path, mode)
        made.listen()
        sockets.append(made)
    for number, made in enumerate(sockets):
        os.dup2(made.fileno(), 20 + number)
    for number in range(count):
        os.dup2(20 + number, 3 + number, inheritable=True)
        os.close(20 + number)
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(count), LISTEN_FDNAMES=names)
    command = sys.argv[4 + count:]
    os.execv(command[0], command)
    """

  private func start(
    names: String, files: [String], in folder: TemporaryFolder, _ arguments: [String] = [],
    mode: Int = 0o660
  ) throws -> RealDaemon {
    try FileManager.default.createDirectory(atPath: folder.file("run"), withIntermediateDirectories: true)
    let paths = files.map { folder.file("run/" + $0) }
    return try RealDaemon(
      ["--simulate"] + arguments, in: folder,
      launcher: ["/usr/bin/python3", "-c", Self.manager, names, "\(mode)", "\(files.count)"] + paths)
  }

  @Test(
    "passed sockets are used, and left in place at the end",
    arguments: ["metrics:control", "metrics.sock:control.sock", "cyclometer.socket:cyclometer.socket", ""])
  func taken(_ names: String) throws {
    let folder = try TemporaryFolder()
    let daemon = try start(names: names, files: ["metrics.sock", "control.sock"], in: folder)
    #expect(try Peer(daemon.metricsSocket).ask("scan").code == "denied")
    #expect(try Peer(daemon.controlSocket).ask("scan", #"{"seconds":0.1}"#).result == [:])
    #expect(daemon.stop() == 0)
    #expect(Files.exists(daemon.metricsSocket) && Files.exists(daemon.controlSocket), "they belong to the manager")
  }

  @Test("the name of a passed socket takes precedence over its path")
  func namesFirst() throws {
    let folder = try TemporaryFolder()
    let daemon = try start(names: "control:metrics", files: ["metrics.sock", "control.sock"], in: folder)
    #expect(try Peer(daemon.controlSocket).ask("scan").code == "denied")
  }

  @Test("a socket that was not passed is created as usual")
  func notPassed() throws {
    let folder = try TemporaryFolder()
    let daemon = try start(names: "x", files: ["metrics.sock"], in: folder)
    #expect(try Peer(daemon.controlSocket).ask("ping").result == [:])
    #expect(daemon.stop() == 0)
    #expect(Files.exists(daemon.metricsSocket) && !Files.exists(daemon.controlSocket))
  }

  @Test("MetricsAccess applies to a passed metrics socket, but not to control", arguments: [true, false])
  func metricsAccess(isForEveryone: Bool) throws {
    let folder = try TemporaryFolder()
    let configuration = folder.file("conf")
    let text = "[Sockets]\nMetricsAccess=\(isForEveryone ? "everyone" : "group")\n"
    try Files.replace(configuration, with: Array(text.utf8), mode: 0o600)
    let daemon = try start(
      names: "", files: ["metrics.sock", "control.sock"], in: folder, ["--config", configuration],
      mode: isForEveryone ? 0o660 : 0o666)
    // The sockets exist before the daemon does, so only an answer shows that it has started.
    #expect(try Peer(daemon.controlSocket).ask("ping").result == [:])
    #expect(Files.isOpenToEveryone(daemon.metricsSocket) == isForEveryone)
    #expect(Files.isOpenToEveryone(daemon.controlSocket) != isForEveryone, "its mode is unchanged")
  }

  @Test("an invalid LISTEN_FDS is a start error", arguments: ["65", "-1", "two"])
  func invalidCount(_ number: String) throws {
    let script = "export LISTEN_PID=$$ LISTEN_FDS=\(number); exec \"$@\""
    let error = try #require(throws: RealDaemon.StartError.self) {
      try RealDaemon(launcher: ["/bin/sh", "-c", script, "sh"])
    }
    #expect(error.diagnostics.contains("LISTEN_FDS"))
  }

  @Test("descriptors meant for another process are ignored")
  func otherProcess() throws {
    let daemon = try RealDaemon(environment: ["LISTEN_PID": "1", "LISTEN_FDS": "2"])
    #expect(try Peer(daemon.controlSocket).ask("ping").result == [:])
  }

  @Test("a passed socket of TCP is reported with its address, and not used")
  func internetSocket() throws {
    let manager = """
      import os, socket, sys
      made = socket.create_server(("127.0.0.1", 0))
      os.dup2(made.fileno(), 20)
      os.dup2(20, 3, inheritable=True)
      os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="metrics")
      os.execv(sys.argv[1], sys.argv[1:])
      """
    let daemon = try RealDaemon(launcher: ["/usr/bin/python3", "-c", manager])
    #expect(try Peer(daemon.metricsSocket).ask("ping").result == [:])
    #expect(daemon.diagnostics.contains("127.0.0.1:"))
  }

  @Test("a descriptor that is not a listening socket is a start error")
  func notListening() throws {
    let script = "export LISTEN_PID=$$ LISTEN_FDS=1; exec 3</dev/null \"$@\""
    #expect(throws: RealDaemon.StartError.self) {
      try RealDaemon(launcher: ["/bin/sh", "-c", script, "sh"])
    }
  }
}
