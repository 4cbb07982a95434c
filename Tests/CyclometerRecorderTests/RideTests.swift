// Rides of a real simulated daemon, recorded, shown, exported and changed.

import Foundation
import JSON
import Linux
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(30)))
struct RideTests {
  private let daemon: RealDaemon
  private let recorder: RunningRecorder
  private let peer: LogbookPeer
  private let ride: FollowedRide

  /// The daemon and the logbook have the same names for them. Every ride has the first three.
  private static let names = [
    "ride_time_s", "moving_time_s", "distance_m", "ascent_m", "descent_m", "work_j", "energy_kcal", "coasting_time_s",
    "speed_avg_mps", "speed_max_mps", "cadence_avg_rpm", "cadence_max_rpm", "power_avg_w", "power_max_w",
    "normalized_power_w", "bpm_avg", "bpm_max", "balance_avg_pct", "cars_passed", "heart_rate_load",
  ]

  init() throws {
    daemon = try RealDaemon(["--simulate", "bike"])
    recorder = try RunningRecorder(in: daemon.folder)
    peer = try LogbookPeer(recorder.socket)
    _ = try peer.result("subscribe")
    ride = try FollowedRide(daemon.controlSocket)
  }

  private func begun() throws -> Int { try #require(try peer.change("recording")["id"]?.integer) }

  private func ended(_ id: Int) throws {
    let change = try peer.change("ended")
    #expect(change["id"]?.integer == id && change["activity"]?["state"] == "complete")
  }

  /// Records a ride of two laps, and returns its id.
  private func record() throws -> Int {
    let id = try begun()
    try ride.reach(2)
    try ride.command("lap")
    try ride.reach(4)
    try ride.command("end")
    try ended(id)
    return id
  }

  /// The file has its name when it is complete, and the group reads it.
  private func isExported(_ id: Int) throws -> Bool {
    guard try recorder.logs("export of activity \(id): written") else { return false }
    let names = try Files.names(in: recorder.exportFolder)
    let modes = try names.map {
      try FileManager.default.attributesOfItem(atPath: recorder.exportFolder + "/" + $0)[.posixPermissions] as? Int
    }
    return names.contains { $0.hasSuffix("-\(id).fit") } && modes.allSatisfy { $0 == 0o640 }
      && !names.contains { $0.hasPrefix(".") }
  }

  @Test("a ride is recorded with its pause and its laps, and has the daemon's totals to the digit")
  func totals() throws {
    let first = try begun()
    try ride.reach(2)
    try ride.command("pause")
    try ride.wait { $0["paused"] == true && $0["pause"] == "by_hand" }
    try ride.command("resume")
    try ride.wait { $0["paused"] == false }
    try ride.command("lap")
    try ride.reach(4)
    // Ends this ride and begins another one.
    try ride.command("new")
    try ended(first)
    let second = try begun()
    try ride.reach(2)
    #expect(try peer.result("status")["recording"]?.integer == second)
    try ride.command("end")
    try ended(second)
    #expect(try peer.result("status")["recording"] == nil)

    #expect(try isExported(second))
    let totals = try ride.totals()
    try #require(totals.count == 2)
    for (id, totals) in zip([first, second], totals) {
      let shown = try peer.result("show", #"{"id":\#(id)}"#)
      #expect(shown["state"] == "complete" && shown["source"] == "recorded")
      for name in Self.names where totals[name] != nil || Self.names.firstIndex(of: name) ?? 0 < 3 {
        #expect(shown[name] == totals[name], "\(name) of activity \(id)")
      }
    }
    #expect(Self.names.count { totals[0][$0] != nil } >= 12, "\(totals[0])")
    let shown = try peer.result("show", #"{"id":\#(first)}"#)
    let events = (shown["events"]?.items ?? []).compactMap { $0["event"]?.text }
    #expect(events.filter { ["pause", "resume"].contains($0) }.suffix(2) == ["pause", "resume"])
    let laps = try peer.result("laps", #"{"id":\#(first)}"#)["laps"]?.items ?? []
    #expect(laps.map { $0["lap"]?.integer } == [1, 2])
    #expect(laps.map { $0["trigger"]?.text } == ["manual", "end"])
    #expect(try peer.result("laps", #"{"id":\#(second)}"#)["laps"]?.items?.count == 1)
  }

  @Test("cyclo shows, exports, changes, deletes and restores what was recorded")
  func commands() throws {
    let id = try record()
    func run(_ words: String...) throws -> String {
      let outcome = try cyclo(words, with: recorder)
      #expect(outcome.status == 0, "\(words): \(outcome.complaint)")
      return outcome.output
    }
    #expect(try isExported(id))
    #expect(try run("list").contains("cycling"))
    #expect(try run("show", "last").contains("cycling"))
    #expect(try run("stats", "--by", "month").contains("1"))
    for format in ["fit", "gpx", "tcx", "csv", "ndjson"] {
      let files = (1...2).map { recorder.folder.file("ride-\($0).\(format)") }
      for file in files { _ = try run("export", "\(id)", "--format", format, "-o", file) }
      #expect(try Files.read(files[0]) == Files.read(files[1]), "\(format)")
    }
    _ = try run("edit", "\(id)", "--title", "To the sea")
    #expect(try run("list").contains("To the sea"))
    _ = try run("edit", "\(id)", "--crop", "0:01-0:03")
    #expect(try peer.result("show", #"{"id":\#(id)}"#)["elapsed_time_s"] == 2)
    #expect(try run("list").contains("(edited)") && run("show", "last").contains(", edited"))
    _ = try run("edit", "\(id)", "--revert")
    #expect(try !run("list").contains("edited"))
    _ = try run("edit", "\(id)", "--split", "0:02")
    #expect(try peer.result("list")["activities"]?.items?.count == 2)
    _ = try run("edit", "\(id)", "--revert")
    // Neither its own file nor a backup has anything that is not there.
    _ = try run("import", recorder.folder.file("ride-1.fit"))
    let backup = recorder.folder.file("backup.db")
    _ = try run("backup", backup)
    _ = try run("import", backup)
    #expect(try peer.result("list")["activities"]?.items?.count == 1)
    _ = try run("delete", "\(id)")
    #expect(try !run("list").contains("To the sea"))
    #expect(try run("list", "--deleted").contains("To the sea"))
    _ = try run("restore", "\(id)")
    #expect(try run("list").contains("To the sea"))
  }

  @Test("a restart of the daemon in the middle of a ride continues the recording")
  func restartedDaemon() throws {
    let id = try begun()
    try ride.reach(2)
    let before = try #require(try ride.totals().last?["ride_id"])
    daemon.stop()
    #expect(try recorder.logs("daemon: not connected"))
    let second = try RealDaemon(["--simulate", "bike"], in: daemon.folder)
    let ride = try FollowedRide(second.controlSocket)
    try ride.reach(4)
    try ride.command("end")
    try ended(id)
    #expect(try peer.result("list")["activities"]?.items?.count == 1)
    let shown = try peer.result("show", #"{"id":\#(id)}"#)
    let totals = try #require(try ride.totals().last)
    #expect(totals["ride_id"] == before)
    for name in ["ride_time_s", "distance_m", "moving_time_s"] { #expect(shown[name] == totals[name], "\(name)") }
    #expect(shown["events"]?.items?.contains { $0["event"] == "restart" } == true)
  }
}
