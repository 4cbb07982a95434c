// Scan, pair and forget over control.sock of a simulated daemon.

import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct PairingTests {
  @Test("a scan reports the sensors in range and ends")
  func scan() throws {
    let daemon = try RealDaemon()
    let peer = try Peer(daemon.controlSocket)
    #expect(try peer.ask("scan", #"{"seconds":1.5}"#).result == [:])
    _ = try peer.next("scan_ended")
    let found = peer.passed.filter { $0.className == "found" }
    let spare = try #require(found.first { $0["address"]?.text == Strap.spareAddress })
    #expect(spare["id"]?.text == Strap.spare)
    #expect(spare["name"] == "Spare strap")
    #expect(spare["kinds"]?.texts?.contains("heart_rate") == true)
    #expect(spare["plugins"]?.texts?.contains("heart_rate") == true)
    #expect(spare["rssi_dbm"]?.number ?? 0 < 0)
    #expect(spare["paired"] == false)
    // The paired sensor is listed too, although it is connected and no longer advertises.
    #expect(found.contains { $0["id"]?.text == Strap.worn && $0["paired"] == true })
    #expect(try peer.ask("ping").result == [:])
  }

  @Test("a scan belongs to one client, excludes others and can be cancelled")
  func oneScan() throws {
    let daemon = try RealDaemon()
    let (peer, other) = (try Peer(daemon.controlSocket), try Peer(daemon.controlSocket))
    _ = try other.ask("subscribe")
    _ = try peer.ask("scan", #"{"seconds":600}"#)
    #expect(try peer.ask("scan").code == "busy")
    #expect(try peer.ask("pair", #"{"address":"\#(Strap.spareAddress)"}"#).code == "busy")
    _ = try peer.next("found")
    #expect(try peer.ask("cancel").result == [:])
    #expect(peer.passed.contains { $0.className == "scan_ended" })
    #expect(try peer.ask("cancel").result == [:])
    _ = try other.ask("ping")
    #expect(!other.passed.contains { $0.className == "found" || $0.className == "scan_ended" })
  }

  @Test("pairing ends with the first value, and subscribers are notified")
  func pair() throws {
    let daemon = try RealDaemon()
    let witness = try Peer(daemon.metricsSocket)
    _ = try witness.ask("subscribe")
    let peer = try Peer(daemon.controlSocket)
    let sensor = try #require(
      try peer.ask("pair", #"{"address":"c0:ff:ee:00:00:02","name":"Drawer","role":"rear"}"#).result)
    #expect(sensor["id"]?.text == Strap.spare)
    #expect(sensor["name"] == "Drawer")
    #expect(sensor["role"] == "rear")
    #expect(sensor["state"] == "streaming")
    let added = try witness.next { $0.className == "sensor" && $0["change"] == "added" }
    #expect(added["sensor"]?["id"]?.text == Strap.spare)
    let sample = try witness.next { $0["sensor"]?.text == Strap.spare && $0["kind"] == "heart_rate" }
    #expect(sample["bpm"] != nil)
    #expect(try peer.ask("pair", #"{"address":"\#(Strap.spareAddress)"}"#).code == "already_paired")
    #expect(try peer.ask("sensors").result?["sensors"]?.items?.count == 2)
  }

  @Test("a pairing ends when its client disconnects")
  func leavingClient() throws {
    let daemon = try RealDaemon()
    let (unknown, other) = ("AA:BB:CC:00:00:09", try Peer(daemon.controlSocket))
    var leaving: Peer? = try Peer(daemon.controlSocket)
    try leaving?.begin("pair", #"{"address":"\#(unknown)"}"#)
    #expect(try leaving?.ask("ping").result == [:])
    #expect(try other.ask("pair", #"{"address":"\#(unknown)"}"#).code == "busy")
    leaving = nil
    #expect(
      try eventually {
        let id = try other.begin("pair", #"{"address":"\#(unknown)"}"#)
        try other.begin("ping")
        return try other.next { $0["class"] == "reply" || $0["id"]?.integer == id }["result"] == [:]
      })
    #expect(try other.ask("cancel").result == [:])
    #expect(try other.ask("sensors").result?["sensors"]?.items?.count == 1)
  }

  @Test("a forgotten sensor sends nothing, and can be paired again")
  func forget() throws {
    let daemon = try RealDaemon()
    let (peer, witness) = (try Peer(daemon.controlSocket), try Peer(daemon.metricsSocket))
    _ = try witness.ask("subscribe")
    _ = try witness.next { $0["kind"] == "heart_rate" }
    let sensor = try #require(try peer.ask("forget", #"{"sensor":"\#(Strap.worn)"}"#).result)
    #expect(sensor["id"]?.text == Strap.worn)
    #expect(sensor["state"] == "streaming")
    let removed = try witness.next { $0.className == "sensor" && $0["change"] == "removed" }
    #expect(removed["sensor"]?["id"]?.text == Strap.worn)
    #expect(try peer.ask("sensors").result?["sensors"] == [])
    #expect(try peer.ask("poll").result == ["records": []])
    #expect(try peer.ask("forget", #"{"sensor":"\#(Strap.worn)"}"#).code == "no_such_sensor")
    // After pairing again, `seq` continues to rise.
    let before = try #require(
      witness.passed.last { $0["kind"] == "heart_rate" }?.sequence ?? 1)
    #expect(try peer.ask("pair", #"{"address":"C0:FF:EE:00:00:01"}"#).result?["id"]?.text == Strap.worn)
    #expect(try #require(try witness.next { $0["kind"] == "heart_rate" }.sequence) > before)
  }
}
