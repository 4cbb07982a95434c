// Edits through logbook.sock and `cyclo logbook edit`: replies with the new totals, and what
// subscribers receive.

import Foundation
import JSON
import Linux
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct EditTests {
  private let recorder: RunningRecorder
  private let peer: LogbookPeer

  init() throws {
    recorder = try RunningRecorder()
    peer = try LogbookPeer(recorder.socket)
  }

  /// Imports a ride of so many seconds that begins at this hour.
  private func add(_ seconds: Int, hour: Int) throws -> Int {
    var text = #"<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>"#
    for second in 0..<seconds {
      let clock = [hour, second / 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
      text += #"<trkpt lat="47.\#(100_000 + second * 50)" lon="8.5"><time>2026-05-03T\#(clock)Z</time></trkpt>"#
    }
    let path = recorder.folder.file("ride-\(hour).gpx")
    try Files.replace(path, with: Array((text + "</trkseg></trk></gpx>").utf8), mode: 0o600)
    let end = try cyclo(["import", path], with: recorder)
    try #require(end.status == 0, "\(end)")
    let listed = try #require(try peer.result("list")["activities"]?.items)
    let newest = listed.compactMap { $0["id"]?.integer }.max()
    return try #require(newest)
  }

  @Test("crop, split, join and revert are answered with new totals, and announced")
  func socket() throws {
    let (first, other) = (try add(120, hour: 7), try add(60, hour: 8))
    let before = try peer.result("show", #"{"id":\#(first)}"#)
    let watcher = try LogbookPeer(recorder.socket)
    _ = try watcher.result("subscribe")
    let cropped = try peer.result("crop", #"{"id":\#(first),"if_version":1,"to_s":100}"#)
    #expect(cropped["edited"] == true && cropped["version"]?.integer == 2)
    #expect(cropped["start"] == "2026-05-03T07:00:00.000Z" && cropped["elapsed_time_s"]?.number == 100)
    let metres = try #require(cropped["distance_m"]?.number)
    #expect(metres > 500 && metres < before["distance_m"]?.number ?? 0)
    #expect(try watcher.change("changed")["activity"]?["distance_m"]?.number == metres)
    #expect(try peer.ask("crop", #"{"id":\#(first),"if_version":1,"to_s":90}"#)["code"] == "changed")

    let parts = try #require(try peer.result("split", #"{"id":\#(first),"at_s":40}"#)["activities"]?.items)
    #expect(parts.map { $0["elapsed_time_s"]?.number } == [40, 60] && parts[0]["id"]?.integer == first)
    let second = try #require(parts[1]["id"]?.integer)
    #expect(parts[1]["start"] == "2026-05-03T07:00:40.000Z")
    #expect(try watcher.change("changed")["id"]?.integer == first)
    #expect(try watcher.change("added")["id"]?.integer == second)

    let joined = try peer.result("join", #"{"ids":[\#(other),\#(second)]}"#)
    #expect(joined["id"]?.integer == second && joined["laps"]?.integer == 2)
    #expect(try watcher.change("changed")["id"]?.integer == second)
    #expect(try watcher.change("removed")["id"]?.integer == other)
    #expect(try peer.ask("revert", #"{"id":\#(other)}"#)["code"] == "bad_request")

    _ = try peer.result("revert", #"{"id":\#(second)}"#)
    #expect(try watcher.change("added")["id"]?.integer == other)
    let reverted = try peer.result("revert", #"{"id":\#(first)}"#)
    #expect(reverted["edited"] == nil && reverted["distance_m"] == before["distance_m"])
    #expect(try watcher.change("removed")["id"]?.integer == second)
    #expect(try peer.ask("show", #"{"id":\#(second)}"#)["code"] == "no_such_activity")

    #expect(try peer.result("edit", #"{"id":\#(first),"name":"Morning"}"#)["name"] == "Morning")
    _ = try watcher.next { $0["class"] == "activity" && $0["activity"]?["name"] == "Morning" }
    _ = try watcher.result("unsubscribe")
  }

  @Test("cyclo logbook edit crops, splits, joins and reverts")
  func client() throws {
    let (first, other) = (try add(120, hour: 7), try add(60, hour: 8))
    func edit(_ id: Int, _ options: String...) throws -> JSONValue {
      let end = try cyclo(["edit", "\(id)", "--json"] + options, with: recorder)
      try #require(end.status == 0, "\(end)")
      return try JSONValue.parse(end.output.trimmingCharacters(in: .newlines))
    }
    #expect(try edit(first, "--crop", "0:10-1:40")["elapsed_time_s"]?.number == 90)
    _ = try edit(first, "--split", "0:30")
    #expect(try peer.result("status")["activities"]?.integer == 3)
    #expect(try edit(first, "--join", "\(other)")["id"]?.integer == first)
    #expect(try edit(first, "--revert")["elapsed_time_s"]?.number == 119)
    #expect(try peer.result("status")["activities"]?.integer == 2)
    let refused = try cyclo(["edit", "\(first)", "--revert"], with: recorder)
    #expect(refused.status == 2 && refused.complaint.contains("activity \(first) is not edited"))
  }
}
