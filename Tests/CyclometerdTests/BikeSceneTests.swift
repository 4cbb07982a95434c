// The scene `bike`: every sensor of a complete bike, and the ride computed from them.

import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct BikeSceneTests {
  @Test("the bike scene produces samples from every sensor and the ride")
  func bike() throws {
    let daemon = try RealDaemon(["--simulate", "bike"])
    let peer = try Peer(daemon.metricsSocket)
    _ = try peer.ask("subscribe", #"{"snapshot":false}"#)
    func next(_ kind: String, of sensor: String, _ fits: (JSONValue) -> Bool = { _ in true }) throws -> JSONValue {
      try peer.next { $0["sensor"]?.text == sensor && $0["kind"]?.text == kind && fits($0) }
    }
    #expect(try next("radar", of: "radar")["clear"] == true)
    _ = try next("heart_rate", of: "strap")
    let power = try next("power", of: "pedals") { ($0["power_w"]?.number ?? 0) > 0 }
    #expect((48...52).contains(power["pedal_balance_pct"]?.number ?? 0))
    #expect(try next("position", of: "ride")["quality"] == "good")
    let speed = try next("speed", of: "ride") { $0["source"] == "wheel" }
    #expect((0...20).contains(speed["speed_mps"]?.number ?? -1))
    let way = try next("ride", of: "ride") { ($0["distance_m"]?.number ?? 0) > 20 }
    #expect(way["paused"] == false && (way["work_j"]?.number ?? 0) > 100)
    _ = try next("cadence", of: "ride") { (60...100).contains($0["cadence_rpm"]?.number ?? 0) }
  }
}
