// How a daemon starts, keeps its state, coexists with another one, and ends.

import Foundation
import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct LifeTests {
  private func mode(of path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("both sockets are accessible to owner and group only")
  func socketModes() throws {
    let daemon = try RealDaemon()
    #expect(try mode(of: daemon.metricsSocket) == 0o660)
    #expect(try mode(of: daemon.controlSocket) == 0o660)
  }

  @Test("MetricsAccess=everyone opens only metrics.sock to all users")
  func everyone() throws {
    let folder = try TemporaryFolder()
    try "[Sockets]\nMetricsAccess=everyone\n".write(toFile: folder.file("c"), atomically: false, encoding: .utf8)
    let daemon = try RealDaemon(["--simulate", "--config", folder.file("c")], in: folder)
    #expect(try mode(of: daemon.metricsSocket) == 0o666)
    #expect(try mode(of: daemon.controlSocket) == 0o660)
  }

  @Test("SIGTERM ends the daemon within a second and removes its sockets")
  func stop() throws {
    let daemon = try RealDaemon()
    let peer = try Peer(daemon.controlSocket)
    _ = try peer.ask("subscribe")
    _ = try peer.ask("scan", #"{"seconds":60}"#)
    let before = Date.now
    #expect(daemon.stop() == 0)
    #expect(Date.now.timeIntervalSince(before) < 1)
    #expect(try peer.ends())
    #expect(!FileManager.default.fileExists(atPath: daemon.metricsSocket))
    #expect(!FileManager.default.fileExists(atPath: daemon.controlSocket))
  }

  @Test("a second daemon refuses to start, and the first one is not affected")
  func secondDaemon() throws {
    let first = try RealDaemon()
    let peer = try Peer(first.metricsSocket)
    _ = try peer.ask("subscribe")
    let second = try RealDaemon.end(["--simulate"], in: first.folder)
    #expect(second.status == 1)
    #expect(second.diagnostics.contains("another cyclometerd runs in \(first.runtimeFolder)"))
    #expect(try peer.ask("ping").result == [:])
    #expect(try Peer(first.controlSocket).ask("ping").result == [:])
  }

  @Test("the sockets of a killed daemon are replaced")
  func killedDaemon() throws {
    let first = try RealDaemon()
    first.kill()
    #expect(FileManager.default.fileExists(atPath: first.controlSocket))
    let second = try RealDaemon(in: first.folder)
    #expect(try Peer(second.controlSocket).ask("ping").result == [:])
    #expect(second.stop() == 0)
    #expect(!FileManager.default.fileExists(atPath: second.controlSocket))
  }

  @Test("a file at a socket path that is not a socket is not removed")
  func foreignFile() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("run"), withIntermediateDirectories: false)
    try "mine".write(toFile: folder.file("run/control.sock"), atomically: false, encoding: .utf8)
    let end = try RealDaemon.end(["--simulate"], in: folder)
    #expect(end.status == 1)
    #expect(end.diagnostics.contains("control.sock"))
    #expect(try String(contentsOfFile: folder.file("run/control.sock"), encoding: .utf8) == "mine")
    #expect(!FileManager.default.fileExists(atPath: folder.file("run/metrics.sock")))
  }

  @Test("the roster survives restarts")
  func roster() throws {
    let first = try RealDaemon()
    let peer = try Peer(first.controlSocket)
    let paired = try #require(
      try peer.ask("pair", #"{"address":"\#(Strap.spareAddress)","name":"Drawer","role":"rear"}"#).result)
    #expect(first.stop() == 0)
    let second = try RealDaemon(in: first.folder)
    let again = try Peer(second.controlSocket)
    let sensors = try #require(try again.ask("sensors").result?["sensors"]?.items)
    #expect(sensors.compactMap { $0["id"]?.text } == [Strap.worn, Strap.spare])
    for member in ["id", "name", "address", "role", "plugins", "kinds"] {
      #expect(sensors[1][member] == paired[member])
    }
    _ = try again.ask("forget", #"{"sensor":"\#(Strap.worn)"}"#)
    second.kill()
    let third = try RealDaemon(in: first.folder)
    let left = try Peer(third.metricsSocket).ask("sensors").result?["sensors"]?.items
    #expect(left?.compactMap { $0["id"]?.text } == [Strap.spare])
  }

  @Test(
    "an unusable roster is set aside and logged",
    arguments: [
      (#"{"version":1,"sensors":[{"id":"str"#, "damaged"), ("", "damaged"), ("[]", "damaged"),
      (#"{"version":99,"sensors":[],"rides":{}}"#, "newer release (format 99)"),
    ])
  func unusableRosterSetAsideAndLogged(content: String, what: String) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("state"), withIntermediateDirectories: false)
    let roster = folder.file("state/simulated.json")
    try content.write(toFile: roster, atomically: false, encoding: .utf8)
    let daemon = try RealDaemon(in: folder)
    #expect(daemon.diagnostics.contains("\(roster) ") && daemon.diagnostics.contains(what))
    #expect(try String(contentsOfFile: roster + ".damaged-1", encoding: .utf8) == content)
    let peer = try Peer(daemon.controlSocket)
    #expect(try peer.ask("sensors").result?["sensors"] == [])
    #expect(try peer.ask("pair", #"{"address":"\#(Strap.spareAddress)"}"#).result?["id"]?.text == Strap.spare)
    #expect(try String(contentsOfFile: roster, encoding: .utf8).contains(Strap.spare))
  }
}
