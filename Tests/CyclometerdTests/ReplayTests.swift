// Captures sent to a running simulated daemon, whole and in pieces.

import JSON
import Linux
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct ReplayTests {
  private static let head = [
    "#cyclometer-capture 1", #"device w address=C0:00:00:00:00:07 name="Wheel 7" services=1816"#,
    "set w circumference_mm=2000", "0.000 w connected", "0.1 w read 2a5c 0100", "0.2 w notify 2a5b 01000000000000",
  ]
  private static let tail = ["1.2 w notify 2a5b 01030000000004", "2.2 w notify 2a5b 01050000000008"]

  private func replay(_ peer: Peer, _ lines: [String], _ more: String = "") throws -> JSONValue {
    var writer = JSONWriter()
    writer.value(.array(lines.map(JSONValue.string)))
    return try peer.ask("replay", "{\"lines\":\(String(decoding: writer.bytes, as: UTF8.self))\(more)}")
  }

  private func speed(_ peer: Peer) throws -> JSONValue {
    try peer.next { $0["sensor"] == "wheel-7-0007" && $0["kind"] == "speed" && $0["speed_mps"] != nil }
  }

  @Test("a replayed capture reaches the subscribers")
  func played() throws {
    let daemon = try RealDaemon()
    let (control, listener) = (try Peer(daemon.controlSocket), try Peer(daemon.metricsSocket))
    _ = try listener.ask("subscribe")
    #expect(try replay(control, Self.head + Self.tail, #","speed":4"#).result == [:])
    let added = try listener.next { $0["class"] == "sensor" && $0["change"] == "added" }
    #expect(added["sensor"]?["settings"]?["circumference_mm"] == 2000)
    #expect(try speed(listener)["speed_mps"] == 6)
    #expect(try speed(listener)["speed_mps"] == 4)
  }

  @Test(
    "speed must be from 0.001 to 1000, and the daemon survives both limits",
    arguments: ["1e-12", "0.0009", "1001", "1e300"])
  func speedRange(speed: String) throws {
    let daemon = try RealDaemon()
    let peer = try Peer(daemon.controlSocket)
    let late = ["#cyclometer-capture 1", "device h services=180d", "0 h connected", "1000000000 h notify 2a37 0048"]
    let refused = try replay(peer, late, ",\"speed\":\(speed)")
    #expect(refused["message"]?.text == "speed is a number from 0.001 to 1000")
    for end in ["0.001", "1000"] { #expect(try replay(peer, late, ",\"speed\":\(end)").result == [:]) }
    #expect(try peer.ask("ping").result != nil)
  }

  @Test("a capture can be replayed in several requests")
  func pieces() throws {
    let daemon = try RealDaemon()
    let peer = try Peer(daemon.controlSocket)
    _ = try peer.ask("subscribe")
    #expect(try replay(peer, Self.head, #","speed":4"#).result == [:])
    #expect(try replay(peer, Self.tail, #","speed":4"#).result == [:])
    #expect(try speed(peer)["speed_mps"] == 6)
    #expect(try speed(peer)["speed_mps"] == 4)
  }

  @Test("replaying a capture again applies its settings")
  func settings() throws {
    let daemon = try RealDaemon()
    let (control, listener) = (try Peer(daemon.controlSocket), try Peer(daemon.metricsSocket))
    _ = try listener.ask("subscribe")
    #expect(try replay(control, Self.head + Self.tail, #","speed":4"#).result == [:])
    #expect(try speed(listener)["speed_mps"] == 6)
    #expect(try speed(listener)["speed_mps"] == 4)
    let larger = Self.head.map { $0 == "set w circumference_mm=2000" ? "set w circumference_mm=2500" : $0 }
    #expect(try replay(control, larger + Self.tail, #","speed":4"#).result == [:])
    let changed = try listener.next {
      $0["class"] == "sensor" && $0["sensor"]?["settings"]?["circumference_mm"] == 2500
    }
    #expect(changed["change"] == "changed" && changed["sensor"]?["id"] == "wheel-7-0007")
  }

  @Test(
    "an invalid capture is refused",
    arguments: [
      ["0.0 w connected"], ["#cyclometer-capture 1", "0.0 w connected"], ["#cyclometer-capture 2"],
      ["#cyclometer-capture 1", "nonsense"],
    ])
  func invalid(_ lines: [String]) throws {
    let daemon = try RealDaemon()
    let peer = try Peer(daemon.controlSocket)
    #expect(try replay(peer, lines).code == "bad_request")
    #expect(try replay(peer, Self.head).result == [:], "the next valid one is played")
  }

  @Test("a daemon with real sensors does not support replay")
  func realSensors() throws {
    let daemon = try RealDaemon([], environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"])
    #expect(try replay(Peer(daemon.controlSocket), Self.head).code == "not_supported")
  }
}
