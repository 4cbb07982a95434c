// Segments and efforts over logbook.sock.

import Foundation
import JSON
import Linux
import LogbookWire
import TestSupport
import Testing
import Time

struct SegmentSocketTests {
  private let recorder: RunningRecorder
  private let peer: LogbookPeer

  init() throws {
    recorder = try RunningRecorder()
    peer = try LogbookPeer(recorder.socket)
  }

  /// Rides north at some 11 m/s for 100 s, on that day.
  private func ride(day: Int, from first: Int = 0) throws -> Int {
    var text = #"<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>"#
    for second in first..<100 {
      let clock = "00:0\(second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60)"
      text += #"<trkpt lat="\#(Double(470_000 + second) / 10_000)" lon="8.5"><ele>400</ele>"#
      text += "<time>2026-05-0\(day)T\(clock)Z</time></trkpt>"
    }
    let content = Array((text + "</trkseg></trk></gpx>").utf8)
    let begun = try peer.result("import", #"{"name":"ride.gpx","bytes":\#(content.count)}"#)
    let transfer = try #require(begun["transfer"]?.integer)
    let base64 = String(decoding: Base64.encode(content[...]), as: UTF8.self)
    let reply = try peer.result(
      "put", #"{"transfer":\#(transfer),"offset":0,"base64":"\#(base64)","end":true,"bytes":\#(content.count)}"#)
    return try #require(reply["added"]?.items?.first?.integer, "\(reply)")
  }

  /// The search goes on in the background.
  private func activities(_ segment: Int, count: Int) throws -> [Int] {
    let deadline = MonotonicTime.now + .seconds(20)
    while true {
      let reply = try peer.result("efforts", #"{"segment":\#(segment)}"#)
      let found = (reply["efforts"]?.items ?? []).compactMap { $0["activity"]?.integer }
      if found.count == count || MonotonicTime.now > deadline { return found }
      try Waiting.until(.now + .milliseconds(10))
    }
  }

  @Test("a segment has the efforts of older and newer activities, until they are deleted")
  func efforts() throws {
    let older = try ride(day: 1)
    let id = try ride(day: 2)
    let added = try peer.result("segment_add", #"{"activity":\#(id),"name":"Hill","from_s":20,"to_s":60.5}"#)
    let segment = try #require(added["id"]?.integer)
    #expect(added["name"] == "Hill" && added["distance_m"]?.number.map { abs($0 - 444.8) < 1 } == true)
    #expect(try activities(segment, count: 2) == [id, older])
    let newer = try ride(day: 3)
    _ = try ride(day: 4, from: 30)
    #expect(try activities(segment, count: 3) == [newer, id, older])
    let listed = try peer.result("segments")["segments"]?.items?.first
    #expect(listed?["efforts"]?.integer == 3 && listed?["best_time_s"]?.number == 40)
    let page = try peer.result("efforts", #"{"segment":\#(segment),"before":\#(newer),"limit":1}"#)
    let effort = page["efforts"]?.items?.first
    #expect(page["more"] == true && effort?["activity"]?.integer == id && effort?["start_s"]?.number == 20)
    #expect(effort?["start"]?.text == "2026-05-02T00:00:20.000Z" && effort?["time_s"]?.number == 40)
    #expect(effort?["power_avg_w"] == nil && effort?["bpm_avg"] == nil)
    _ = try peer.result("delete", #"{"id":\#(newer)}"#)
    #expect(try activities(segment, count: 2) == [id, older])
    _ = try peer.result("restore", #"{"id":\#(newer)}"#)
    #expect(try activities(segment, count: 3) == [newer, id, older])
    let again = try peer.ask("segment_add", #"{"activity":\#(id),"name":"Hill","from_s":20,"to_s":60.5}"#)
    #expect(again["code"] == "duplicate")
    _ = try peer.result("segment_remove", #"{"id":\#(segment)}"#)
    #expect(try peer.ask("efforts", #"{"segment":\#(segment)}"#)["code"] == "no_such_activity")
    #expect(try peer.ask("segment_remove", #"{"id":\#(segment)}"#)["code"] == "no_such_activity")
  }
}
