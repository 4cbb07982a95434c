// Notifications to the service manager, and a configuration reload while the daemon runs.

import Foundation
import JSON
import Linux
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct SupervisionTests {
  /// Prints the notifications that it receives, as systemd would read them.
  private static let listener = """
    import os, socket, sys
    path = sys.argv[1]
    told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    told.bind("\\0" + path[1:] if path[0] == "@" else path)
    print("listening", flush=True)
    while True:
        sys.stdout.write(told.recv(4096).decode())
        sys.stdout.flush()
    """

  private final class Manager {
    private let process = Process()
    private let output = Pipe()
    private var seen = ""

    init(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
      process.executableURL = URL(filePath: "/usr/bin/python3")
      process.arguments = ["-c", SupervisionTests.listener, path]
      process.standardOutput = output
      try withSignalsUnblocked { try process.run() }
      #expect(wait(for: "listening\n").contains("listening"), sourceLocation: sourceLocation)
    }

    deinit { process.terminate() }

    /// Everything received up to `text`.
    func wait(for text: String) -> String {
      while !seen.contains(text) {
        let piece = output.fileHandleForReading.availableData
        if piece.isEmpty { break }
        seen += String(decoding: piece, as: UTF8.self)
      }
      defer { seen = "" }
      return seen
    }
  }

  @Test("the service manager is notified of start, status and stop", arguments: [false, true])
  func notifications(isAbstract: Bool) throws {
    let folder = try TemporaryFolder()
    let path = isAbstract ? "@cyclometer-test-\(UInt32.random(in: .min ... .max))" : folder.file("notify")
    let manager = try Manager(path)
    let daemon = try RealDaemon(in: folder, environment: ["NOTIFY_SOCKET": path])
    let first = manager.wait(for: "READY=1\n")
    #expect(first.contains("READY=1\n") && !first.contains("WATCHDOG"))
    #expect(manager.wait(for: "STATUS=1 of 1 sensor streams\n").contains("STATUS="))
    #expect(try Peer(daemon.controlSocket).ask("forget", #"{"sensor":"strap"}"#).result?["id"] != nil)
    #expect(manager.wait(for: "STATUS=No sensor is paired\n").contains("STATUS=No"))
    #expect(daemon.stop() == 0)
    #expect(manager.wait(for: "STOPPING=1\n").contains("STOPPING=1\n"))
  }

  @Test("the watchdog is notified in time, but not while the daemon is stopped")
  func watchdog() throws {
    let folder = try TemporaryFolder()
    let manager = try Manager(folder.file("notify"))
    let daemon = try RealDaemon(
      in: folder, environment: ["NOTIFY_SOCKET": folder.file("notify"), "WATCHDOG_USEC": "200000"])
    for _ in 1...5 { #expect(manager.wait(for: "WATCHDOG=1\n").contains("WATCHDOG=1\n")) }
    // A stopped daemon sends nothing.
    kill(daemon.number, SIGSTOP)
    Thread.sleep(forTimeInterval: 0.3)
    kill(daemon.number, SIGCONT)
    #expect(manager.wait(for: "WATCHDOG=1\n").contains("WATCHDOG=1\n"))
    #expect(daemon.stop() == 0)
  }

  @Test("a watchdog meant for another process is ignored")
  func otherWatchdog() throws {
    let folder = try TemporaryFolder()
    let manager = try Manager(folder.file("notify"))
    let daemon = try RealDaemon(
      in: folder,
      environment: ["NOTIFY_SOCKET": folder.file("notify"), "WATCHDOG_USEC": "100000", "WATCHDOG_PID": "1"])
    Thread.sleep(forTimeInterval: 0.5)
    #expect(daemon.stop() == 0)
    #expect(!manager.wait(for: "STOPPING=1\n").contains("WATCHDOG"))
  }

  @Test("a missing service manager is not an error", arguments: ["relative", "", "/nowhere/notify"])
  func noManager(path: String) throws {
    let daemon = try RealDaemon(environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "much"])
    #expect(daemon.stop() == 0)
  }

  @Test("SIGHUP applies a valid configuration and rejects an invalid one")
  func reload() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("cyclometer.conf")
    try Files.replace(file, with: Array("[Sockets]\nMetricsAccess=group\n".utf8), mode: 0o644)
    let manager = try Manager(folder.file("notify"))
    let daemon = try RealDaemon(
      ["--simulate", "--config", file], in: folder, environment: ["NOTIFY_SOCKET": folder.file("notify")])
    _ = manager.wait(for: "STATUS=1 of 1 sensor streams\n")
    let peer = try Peer(daemon.metricsSocket)
    #expect(!Files.isOpenToEveryone(daemon.metricsSocket))
    try Files.replace(file, with: Array("[Sockets]\nMetricsAccess=everyone\n".utf8), mode: 0o644)
    kill(daemon.number, SIGHUP)
    let received = manager.wait(for: "READY=1\n")
    #expect(received.contains("RELOADING=1\nMONOTONIC_USEC="))
    #expect(Files.isOpenToEveryone(daemon.metricsSocket))
    try Files.replace(file, with: Array("[Sockets]\nMetricsAccess=owner\n".utf8), mode: 0o644)
    kill(daemon.number, SIGHUP)
    #expect(manager.wait(for: "READY=1\n").contains("RELOADING=1"))
    #expect(Files.isOpenToEveryone(daemon.metricsSocket))
    #expect(
      daemon.diagnostics.contains("cyclometer.conf:2: MetricsAccess=owner: MetricsAccess must be group or everyone"))
    // Clients and sensors stay connected.
    let sensors = try peer.ask("sensors").result
    #expect(sensors?["sensors"]?.items?.first?["state"]?.text == "streaming")
    #expect(daemon.stop() == 0)
  }

  @Test("SIGHUP reads sensor files, also if the configuration has an error")
  func reloadSensors() throws {
    let folder = try TemporaryFolder()
    let (configuration, sensors) = (folder.file("cyclometer.conf"), folder.file("sensors.d"))
    let manager = try Manager(folder.file("notify"))
    let daemon = try RealDaemon(
      ["--simulate", "--config", configuration, "--sensors", sensors], in: folder,
      environment: ["NOTIFY_SOCKET": folder.file("notify")])
    _ = manager.wait(for: "STATUS=1 of 1 sensor streams\n")
    let peer = try Peer(daemon.metricsSocket)
    #expect(try peer.ask("subscribe", #"{"kinds":["tilt"]}"#).code == "no_such_kind")
    try Files.createDirectory(sensors, mode: 0o755)
    let tilt = """
      [Sensor]
      Format = 1
      Id = tilt
      Title = Tilt
      Service = a000
      [Packet tilt]
      Notify = a000 a001
      degrees = u8
      [Sample tilt]
      tilt_deg = degrees
      """
    try Files.replace(sensors + "/tilt.sensor", with: Array(tilt.utf8), mode: 0o644)
    try Files.replace(sensors + "/bad.sensor", with: Array("[Sensor]\nFormat = 2\n".utf8), mode: 0o644)
    try Files.replace(configuration, with: Array("[Sockets]\nMetricsAccess=owner\n".utf8), mode: 0o644)
    kill(daemon.number, SIGHUP)
    _ = manager.wait(for: "READY=1\n")
    #expect(try peer.ask("subscribe", #"{"kinds":["tilt"]}"#).code == nil)
    #expect(daemon.diagnostics.contains("\(sensors)/bad.sensor:2: "))
    #expect(daemon.stop() == 0)
  }
}
