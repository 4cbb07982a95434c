// A capture with gpsd reports, played by the real daemon and read through its socket.

import Foundation
import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct PositionSceneTests {
  private static let head = [
    "#cyclometer-capture 1", #"device w address=C0:00:00:00:00:07 name="Wheel 7" services=1816"#,
    "set w circumference_mm=2000",
  ]

  /// `seconds` of riding north at 8 m/s. The wheel sensor is connected during `wheel`.
  private static func lines(_ seconds: Int, wheel: Range<Int>) -> [String] {
    (0..<seconds).flatMap { second -> [String] in
      let place = String(format: "%.9f", 47 + 8 * Double(second) / 111_000)
      let report =
        #"\#(second).5 gps {"class":"TPV","device":"/dev/a","mode":3,"lat":\#(place),"lon":8.5,"altMSL":420.0,"track":0.0,"#
        + #""speed":8.0,"eph":4.0}"#
      guard wheel.contains(second) else {
        return second == wheel.upperBound ? ["\(second).4 w disconnected", report] : [report]
      }
      let counts = [4 * second, 0, 0, 0, second * 1024 & 0xff, second * 4 & 0xff].map { hex($0) }.joined()
      return second == wheel.lowerBound
        ? ["\(second).1 w connected", "\(second).2 w notify 2a5b 01\(counts)", report]
        : ["\(second).2 w notify 2a5b 01\(counts)", report]
    }
  }

  private static func hex(_ byte: Int) -> String { String(format: "%02x", byte & 0xff) }

  private func follow(_ peer: Peer, sourceLocation: SourceLocation = #_sourceLocation) throws {
    func next(_ kind: String, _ fits: (JSONValue) -> Bool = { _ in true }) throws -> JSONValue {
      try peer.next { $0["sensor"] == "ride" && $0["kind"]?.text == kind && fits($0) }
    }
    let position = try next("position")
    #expect(
      position["quality"] == "good" && position["longitude_deg"] == 8.5 && position["altitude_m"] == 420,
      sourceLocation: sourceLocation)
    #expect(try next("speed") { $0["source"] == "gps" }["speed_mps"] == 8, sourceLocation: sourceLocation)
    #expect(try next("speed") { $0["source"] == "wheel-7-0007" }["speed_mps"] == 8, sourceLocation: sourceLocation)
    #expect(try next("speed") { $0["source"] == "gps" }["speed_mps"] == 8, sourceLocation: sourceLocation)
    let elevation = try next("grade") { $0["elevation_m"] != nil }["elevation_m"]?.number ?? 0
    #expect(abs(elevation - 420) < 1, sourceLocation: sourceLocation)
    let way = try next("ride") { ($0["distance_m"]?.number ?? 0) > 200 }
    #expect(way["paused"] == false, sourceLocation: sourceLocation)
  }

  @Test("a capture with GPS reports yields position, speed, grade and ride")
  func fixes() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("ride.capture")
    let text = (Self.head + Self.lines(40, wheel: 6..<14)).joined(separator: "\n") + "\n"
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    let daemon = try RealDaemon(["--simulate", path], in: folder)
    let peer = try Peer(daemon.metricsSocket)
    _ = try peer.ask("subscribe", #"{"snapshot":false}"#)
    try follow(peer)
  }

  @Test("a simulation does not connect to gpsd")
  func noGPSD() throws {
    let (folder, gpsd) = (try TemporaryFolder(), try PlayedGPSD())
    try gpsd.listen()
    let path = folder.file("cyclometer.conf")
    try "[Position]\nGPSD=\(gpsd.path)\n".write(toFile: path, atomically: false, encoding: .utf8)
    let daemon = try RealDaemon(["--simulate", "--config", path], in: folder)
    let peer = try Peer(daemon.metricsSocket)
    _ = try peer.ask("subscribe")
    // The scene has played for a while.
    _ = try peer.next { $0["kind"] == "heart_rate" && ($0["seq"]?.integer ?? 0) >= 2 }
    #expect(try !gpsd.accept())
  }

  @Test("a replay plays GPS reports, and a capture of it records them")
  func replay() throws {
    let daemon = try RealDaemon()
    let (control, listener, witness) = (
      try Peer(daemon.controlSocket), try Peer(daemon.metricsSocket), try Peer(daemon.controlSocket)
    )
    _ = try listener.ask("subscribe", #"{"snapshot":false,"kinds":["position"]}"#)
    _ = try witness.ask("capture")
    var writer = JSONWriter()
    writer.value(.array((Self.head + Self.lines(4, wheel: 0..<0)).map(JSONValue.string)))
    let lines = String(decoding: writer.bytes, as: UTF8.self)
    #expect(try control.ask("replay", #"{"lines":\#(lines),"speed":4}"#).result == [:])
    #expect(try listener.next { $0["kind"] == "position" }["latitude_deg"]?.number != nil)
    let raw = try witness.next { $0["op"] == "report" }
    #expect(raw["sensor"] == "gps" && raw["report"]?.text?.contains(#""lat":47.000000000"#) == true)
  }
}
