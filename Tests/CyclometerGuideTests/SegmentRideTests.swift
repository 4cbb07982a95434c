// Segments with a real daemon, a real recorder and a real guide. The rider goes north at 15 m/s; the
// segment is a part of an older ride at 10 m/s.

import Foundation
import JSON
import Linux
import LogbookWire
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(30)))
struct SegmentRideTests {
  private static let way = GuidedRide.way([.init(north: 0, east: 0), .init(north: 900, east: 0)], step: 15)

  /// Imports the older ride.
  private func older(_ peer: GuidePeer, day: Int) throws -> Int {
    var text = #"<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>"#
    for (second, spot) in GuidedRide.way([.init(north: 0, east: 0), .init(north: 800, east: 0)], step: 10).enumerated()
    {
      let (latitude, longitude) = GuidedRide.degrees(spot)
      let clock = "00:0\(second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60)"
      text += #"<trkpt lat="\#(latitude)" lon="\#(longitude)"><time>2026-05-0\#(day)T\#(clock)Z</time></trkpt>"#
    }
    let content = Data((text + "</trkseg></trk></gpx>").utf8)
    let begun = try peer.result("import", #"{"name":"old.gpx","bytes":\#(content.count)}"#)
    let reply = try peer.result(
      "put",
      #"{"transfer":\#(begun["transfer"]?.integer ?? 0),"offset":0,"base64":"\#(content.base64EncodedString())","#
        + #""end":true,"bytes":\#(content.count)}"#)
    return try #require(reply["added"]?.items?.first?.integer, "\(reply)")
  }

  /// From 150 m to 550 m, or another part of the older ride.
  private func segment(_ logbook: GuidePeer, of activity: Int, from: Double = 15, to: Double = 55.5) throws -> Int {
    let part = #"{"activity":\#(activity),"name":"Hill","from_s":\#(from),"to_s":\#(to)}"#
    return try #require(try logbook.result("segment_add", part)["id"]?.integer)
  }

  private func finished(_ peer: GuidePeer, _ ride: GuidedRide) throws -> JSONValue {
    let sample = try? peer.sample("segment") { $0["state"] == "finished" }
    return try #require(sample, "\(peer.passed)\n\(ride.guide.diagnostics)")
  }

  private func wait(until isDone: () throws -> Bool) throws {
    let deadline = MonotonicTime.now + .seconds(30)
    while try !isDone() {
      try #require(MonotonicTime.now < deadline)
      try Waiting.until(.now + .milliseconds(20))
    }
  }

  @Test("a segment is shown on the way to it and on it, and its time is that of the logbook")
  func whole() throws {
    let ride = try GuidedRide([])
    let logbook = try GuidePeer(ride.recorder.socket, .recorder)
    let segment = try segment(logbook, of: older(logbook, day: 1))
    var peer = try GuidePeer(ride.guide.socket)
    try wait { try peer.result("status")["segments"] == 1 }
    try ride.restartDaemon(Self.way)
    try peer.result("subscribe", #"{"kinds":["segment"]}"#)
    let first = try peer.sample("segment")
    #expect(first["state"] == "approaching" && first["segment"]?.integer == segment && first["name"] == "Hill")
    #expect(first["sensor"] == "guide" && first["best_time_s"] == 40 && first["time_s"] == nil, "\(first)")
    let on = try peer.sample("segment") { $0["state"] == "on" && $0["distance_m"]?.number ?? 0 > 80 }
    let (along, time) = (try #require(on["distance_m"]?.number), try #require(on["time_s"]?.number))
    #expect(abs(time - along / 15) < 0.3, "\(on)")
    #expect(abs((on["ahead_of_best_s"]?.number ?? 0) - (along / 10 - along / 15)) < 0.4, "\(on)")
    #expect(on["ahead_of_last_s"] == on["ahead_of_best_s"])
    // A planned restart continues, and the recorder may be gone meanwhile.
    ride.stopRecorder()
    try ride.startRecorder()
    try ride.restartGuide()
    peer = try GuidePeer(ride.guide.socket)
    try peer.result("subscribe", #"{"kinds":["segment"]}"#)
    let final = try finished(peer, ride)
    let seconds = try #require(final["time_s"]?.number)
    #expect(abs(seconds - 400.0 / 15) < 0.5 && abs((final["ahead_of_best_s"]?.number ?? 0) - (40 - seconds)) < 0.11)
    try GuidePeer(ride.daemon.controlSocket, .daemon).result("ride", #"{"action":"end"}"#)
    let again = try GuidePeer(ride.recorder.socket, .recorder)
    var efforts: [JSONValue] = []
    try wait {
      efforts = try again.result("efforts", #"{"segment":\#(segment)}"#)["efforts"]?.items ?? []
      return efforts.count == 2
    }
    let recorded = efforts.first { $0["activity"] != 1 }?["time_s"]?.number
    #expect(abs((recorded ?? 0) - seconds) < 0.5, "\(efforts)")
  }

  @Test("segments that are added and removed are known at once, and a crash loses no segment under way")
  func changes() throws {
    let ride = try GuidedRide([])
    let logbook = try GuidePeer(ride.recorder.socket, .recorder)
    var peer = try GuidePeer(ride.guide.socket)
    #expect(try peer.result("status")["segments"] == 0)
    let activity = try older(logbook, day: 1)
    let first = try segment(logbook, of: activity)
    let second = try segment(logbook, of: activity, from: 57, to: 72)
    try wait { try peer.result("status")["segments"] == 2 }
    try logbook.result("segment_remove", #"{"id":\#(second)}"#)
    try wait { try peer.result("status")["segments"] == 1 }
    try ride.restartDaemon(Self.way)
    try peer.result("subscribe", #"{"kinds":["segment"]}"#)
    _ = try peer.sample("segment") { $0["state"] == "on" }
    ride.stopRecorder()
    try ride.restartGuide(byCrash: true)
    peer = try GuidePeer(ride.guide.socket)
    try peer.result("subscribe", #"{"kinds":["segment"]}"#)
    try ride.startRecorder()
    try wait { try peer.result("status")["segments"] == 1 }
    let final = try finished(peer, ride)
    #expect(abs((final["time_s"]?.number ?? 0) - 400.0 / 15) < 0.5, "\(final)")
    try GuidePeer(ride.recorder.socket, .recorder).result("segment_remove", #"{"id":\#(first)}"#)
    try wait { try peer.result("status")["segments"] == 0 }
    #expect(try peer.result("poll", #"{"kinds":["segment"]}"#)["records"] == [])
    #expect(ride.guide.stop() == 0)
  }
}
