// The daemon's data about rider and bikes survives a restart, is not readable on metrics.sock, and
// can be moved to another daemon.

import Foundation
import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct LearningTests {
  /// A bike that starts to move after four seconds.
  private static let commute = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Rides/commute.capture").path
  private static let rider = #"{"weight_kg":72.5,"age_years":41,"sex":"female","zone_floors_bpm":[95,114,133]}"#

  @Test("rider and bikes survive a killed daemon")
  func restart() throws {
    let first = try RealDaemon()
    let peer = try Peer(first.controlSocket)
    let rider = try peer.ask("rider", Self.rider).result
    let bikes = try peer.ask("bike", #"{"name":"Road","sensors":["\#(Strap.worn)"],"rear_pressure_pa":550000}"#).result
    #expect(rider?["weight_kg"] == 72.5 && bikes?["bikes"]?.items?.count == 1)
    first.kill()
    let second = try RealDaemon(in: first.folder)
    let again = try Peer(second.controlSocket)
    #expect(try again.ask("rider").result == rider)
    #expect(try again.ask("bike").result == bikes)
    for file in ["simulated-rider.json", "simulated-bikes.json"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: second.stateFolder + "/" + file)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test(
    "metrics.sock changes nothing",
    arguments: [
      ("rider", #"{"weight_kg":70}"#), ("bike", #"{"name":"Gravel"}"#), ("export", "{}"), ("import", "{}"),
      ("ride", #"{"action":"lap"}"#),
    ])
  func metricsSocketChangesNothing(method: String, parameters: String) throws {
    let daemon = try RealDaemon()
    #expect(try Peer(daemon.metricsSocket).ask(method, parameters).code == "denied")
  }

  @Test("the daemon's own user reads the rider and the bikes on metrics.sock")
  func metricsSocketReadsTheRider() throws {
    let daemon = try RealDaemon()
    let rider = try Peer(daemon.controlSocket).ask("rider", #"{"weight_kg":72.5,"height_m":1.83}"#).result
    #expect(try Peer(daemon.metricsSocket).ask("rider").result == rider)
    #expect(try Peer(daemon.metricsSocket).ask("bike", "{}").result == ["bikes": []])
  }

  @Test("new heart rate zones apply at once")
  func zones() throws {
    let daemon = try RealDaemon(["--simulate", Self.commute])
    let peer = try Peer(daemon.controlSocket)
    _ = try peer.ask("rider", #"{"zone_floors_bpm":[40,240]}"#)
    _ = try peer.ask("subscribe", #"{"kinds":["zones"],"sensors":["ride"],"snapshot":false}"#)
    let zones = try peer.next { $0["kind"] == "zones" && $0["zone"] != nil }
    #expect(zones["zone"] == 1 && zones["zone_times_s"]?.items?.count == 2)
    _ = try peer.ask("rider", #"{"zone_floors_bpm":[20,30,40,240]}"#)
    let others = try peer.next { $0["kind"] == "zones" && $0["zone_times_s"]?.items?.count == 4 && $0["zone"] != nil }
    #expect(others["zone"] == 3)
  }

  @Test("an export from one daemon can be imported by another")
  func transfer() throws {
    let first = try RealDaemon()
    let peer = try Peer(first.controlSocket)
    _ = try peer.ask("pair", #"{"address":"\#(Strap.spareAddress)","name":"Drawer"}"#)
    _ = try peer.ask("set", #"{"sensor":"\#(Strap.spare)","key":"priority","value":9}"#)
    _ = try peer.ask("rider", Self.rider)
    _ = try peer.ask("bike", #"{"name":"Road","sensors":["\#(Strap.spare)"],"circumference_mm":2105}"#)
    let learned = try #require(try peer.ask("export").result)

    let second = try RealDaemon()
    let other = try Peer(second.controlSocket)
    _ = try other.ask("subscribe", #"{"kinds":["heart_rate"],"sensors":["\#(Strap.worn)"],"snapshot":false}"#)
    let taken = try other.ask("import", learned.encoded).result
    #expect(taken == ["added": .array([.string(Strap.spare)]), "changed": [], "pair_again": []])
    _ = try other.next { $0["class"] == "state" && $0["sensor"]?.text == Strap.spare && $0["state"] == "streaming" }
    #expect(try other.ask("export").result == learned)
    #expect(try other.ask("bike").result?["bikes"] == learned["bikes"])
  }

  @Test("the bike whose sensors report movement is recognized")
  func bike() throws {
    let daemon = try RealDaemon(["--simulate", Self.commute])
    let peer = try Peer(daemon.controlSocket)
    let sensors = try peer.ask("sensors").result?["sensors"]?.items ?? []
    func id(_ name: String) -> String { sensors.first { $0["name"]?.text == name }?["id"]?.text ?? "" }
    _ = try peer.ask("subscribe", #"{"kinds":["bike"]}"#)
    _ = try peer.ask("bike", #"{"name":"Tourer","sensors":["\#(id("Strap"))","\#(id("Varia"))"]}"#)
    _ = try peer.ask("bike", #"{"name":"Road","sensors":["\#(id("Speed"))","\#(id("Pedals"))","\#(id("Varia"))"]}"#)
    let event = try peer.next { $0["class"] == "event" && $0["event"] == "bike_changed" }
    #expect(event["name"] == "Road")
    let sample = try peer.passed.last { $0["kind"] == "bike" } ?? peer.next { $0["kind"] == "bike" }
    #expect(sample["sensor"] == "ride" && sample["name"] == "Road")
    #expect(try peer.ask("bike").result?["current"] == "Road")
  }
}
