// What another user of the machine can access: only metrics.sock, and only if the configuration
// allows it. The other user is a child process that dropped its privileges.

import Foundation
import JSON
import Linux
import TestSupport
import Testing
import Wire

@Suite(.timeLimit(.minutes(30)), .enabled(if: getuid() == 0, "only root can become another user"))
struct AccessTests {
  private static let otherUser = "65534"

  /// Runs `cyclo` as the other user and returns its exit status.
  private func cyclo(_ arguments: [String], with daemon: RealDaemon) throws -> Int32 {
    let program = daemon.folder.file("cyclo")
    if !Files.exists(program) {
      try FileManager.default.copyItem(atPath: productFolder + "/cyclo", toPath: program)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: daemon.folder.path)
    }
    return try asOtherUser([program] + arguments, ["CYCLOMETER_SOCKET": daemon.controlSocket])
  }

  private func asOtherUser(
    _ command: [String], _ environment: [String: String] = [:], groups: String? = nil
  ) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
    let membership = groups.map { ["--groups", $0] } ?? ["--clear-groups"]
    process.arguments = ["--reuid", Self.otherUser, "--regid", Self.otherUser] + membership + ["--"] + command
    process.environment = programEnvironment.merging(environment) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try withSignalsUnblocked { try process.run() }
    process.waitUntilExit()
    return process.terminationStatus
  }

  private static let notAllowed: Int32 = 8

  /// Connects and calls each method. Exits with 0 if all are denied, with 1 if one is not, and with
  /// 13 (EACCES) if it cannot connect.
  private static let probe = """
    import json, socket, sys
    role = socket.socket(socket.AF_UNIX)
    try:
        role.connect(sys.argv[1])
    except PermissionError as error:
        sys.exit(error.errno)
    lines = role.makefile("rb")
    lines.readline()
    for number, method in enumerate(sys.argv[2:]):
        role.sendall(json.dumps({"id": number, "method": method}).encode() + b"\\n")
        if json.loads(lines.readline()).get("code") != "denied":
            sys.exit(1)
    """

  private func probe(_ socket: String, _ methods: [String] = [], groups: String? = nil) throws -> Int32 {
    try asOtherUser(["/usr/bin/python3", "-c", Self.probe, socket] + methods, groups: groups)
  }

  @Test("another user cannot use either socket or read the state folder")
  func otherUser() throws {
    let daemon = try RealDaemon()
    #expect(try cyclo(["version"], with: daemon) == 0, "the program itself runs")
    for arguments in [["status"], ["watch", "-n", "1"], ["scan"], ["forget", "strap"]] {
      #expect(try cyclo(arguments, with: daemon) == Self.notAllowed, "\(arguments)")
    }
    for socket in [daemon.metricsSocket, daemon.controlSocket] { #expect(try probe(socket) == EACCES) }
    #expect(try asOtherUser(["/bin/ls", daemon.stateFolder]) != 0)
    #expect(try asOtherUser(["/bin/rm", "-f", daemon.controlSocket]) != 0)
    #expect(try Peer(daemon.controlSocket).ask("ping").result == [:])
  }

  @Test("with MetricsAccess=everyone another user can read but change nothing")
  func everyone() throws {
    let folder = try TemporaryFolder()
    try Files.replace(folder.file("conf"), with: Array("[Sockets]\nMetricsAccess=everyone\n".utf8), mode: 0o600)
    let daemon = try RealDaemon(["--simulate", "--config", folder.file("conf")], in: folder)
    #expect(try cyclo(["status"], with: daemon) == 0)
    #expect(try cyclo(["watch", "heart_rate", "-n", "1", "-t", "20"], with: daemon) == 0)
    for arguments in [["scan"], ["forget", "strap"]] {
      #expect(try cyclo(arguments, with: daemon) == Self.notAllowed, "\(arguments)")
    }
    #expect(try probe(daemon.metricsSocket, Method.allCases.filter(\.needsControl).map(\.rawValue)) == 0)
    #expect(try probe(daemon.controlSocket) == EACCES)
    #expect(try asOtherUser(["/bin/ls", daemon.stateFolder]) != 0)
  }

  @Test("members of the daemon's group can use the sockets, other users cannot")
  func group() throws {
    let group = "54321"
    let daemon = try RealDaemon(launcher: ["/usr/bin/setpriv", "--regid", group, "--clear-groups", "--"])
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: daemon.folder.path)
    for socket in [daemon.metricsSocket, daemon.controlSocket] {
      #expect(try probe(socket, groups: group) == 0)
      #expect(try probe(socket, groups: "54322") == EACCES)
    }
    #expect(try asOtherUser(["/bin/ls", daemon.stateFolder], groups: group) != 0, "the state folder is private")
  }
}
