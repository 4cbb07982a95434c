// Segments and efforts over logbook.sock.

import Foundation
import JSON
import Linux
import LogbookWire
import TestSupport
import Testing
import Time
import Wire

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

  @Test("a part that was ridden three times is proposed, until it is a segment")
  func proposals() throws {
    #expect(try peer.ask("segment_propose")["code"] == "no_such_activity")
    _ = try ride(day: 1)
    _ = try ride(day: 2, from: 30)
    let newest = try ride(day: 3)
    // Found when the search has looked at all three.
    let ofNewest = #"{"activity":\#(newest)}"#
    var reply = try peer.result("segment_propose", ofNewest)
    let deadline = MonotonicTime.now + .seconds(20)
    while reply["proposals"] == [], MonotonicTime.now < deadline {
      reply = try peer.result("segment_propose", ofNewest)
    }
    #expect(try peer.result("segment_propose") == reply, "the newest activity is the default")
    let proposal = try #require(reply["proposals"]?.items?.first)
    #expect(proposal["activity"]?.integer == newest && proposal["times"] == 3, "\(proposal)")
    let (from, to) = (try #require(proposal["from_s"]?.number), try #require(proposal["to_s"]?.number))
    #expect((28...40).contains(from) && (93...100).contains(to))
    let added = try peer.result(
      "segment_add", #"{"activity":\#(newest),"name":"Often","from_s":\#(from),"to_s":\#(to)}"#)
    #expect(try activities(try #require(added["id"]?.integer), count: 3).count == 3, "each ride is an effort")
    #expect(try peer.result("segment_propose", ofNewest)["proposals"] == [])
  }

  @Test("one client at a time gets proposals, and another one is told to try again")
  func busy() throws {
    for day in 1...3 { _ = try ride(day: day) }
    let other = try LogbookPeer(recorder.socket)
    let deadline = MonotonicTime.now + .seconds(20)
    var refusals: [JSONValue] = []
    while refusals.isEmpty, MonotonicTime.now < deadline {
      // Both arrive before the first is answered, unless this thread is interrupted in between.
      let requests = (try peer.begin("segment_propose"), try other.begin("segment_propose"))
      let answers = [try peer.answer(to: requests.0), try other.answer(to: requests.1)]
      refusals = answers.filter { $0["class"] == "error" }
    }
    #expect(refusals.map { $0["code"] } == ["busy"], "\(refusals)")
    #expect(try other.result("segment_propose")["proposals"] != nil)
  }

  @Test("cyclo segment proposes, adds, lists, compares, renames and removes")
  func verb() throws {
    func run(_ words: String...) throws -> (status: Int32, output: String, complaint: String) {
      try cyclo(words, with: recorder, verb: "segment")
    }
    #expect(try run("list").complaint.contains("No segments"))
    for day in 1...3 { _ = try ride(day: day) }
    let deadline = MonotonicTime.now + .seconds(20)
    var proposed = try run("propose")
    while proposed.output.isEmpty, MonotonicTime.now < deadline { proposed = try run("propose", "3") }
    #expect(proposed.output.contains("3 times"), "\(proposed)")
    #expect(proposed.complaint.contains("cyclo segment add 3 0:0"), "\(proposed)")
    #expect(try run("add", "3", "0:10-1:10", "Mill", "hill").output.hasPrefix("Added segment 1: Mill hill, "))
    #expect(try activities(1, count: 3) == [3, 2, 1])
    let list = try run("list").output
    #expect(list.contains("Mill hill") && list.contains("0:59.0"), "\(list)")
    let efforts = try run("show", "1").output
    #expect(efforts.contains("2026-05-02") && efforts.contains("best"), "\(efforts)")
    #expect(try run("rename", "1", "Hill").output == "Segment 1 is called Hill\n")
    #expect(try run("remove", "1").output == "Removed segment 1\n")
    for words in [["add", "1"], ["add", "1", "10:00", "x"], ["show"], ["show", "x"], ["remove", "1", "2"]] {
      #expect(try cyclo(words, with: recorder, verb: "segment").status == 2, "\(words)")
    }
    #expect(try run("show", "1").status == 1)
  }

  @Test("a segment has its line, and its best and last effort with their times on the way")
  func detail() throws {
    let older = try ride(day: 1)
    let id = try ride(day: 2)
    let listener = try LogbookPeer(recorder.socket)
    _ = try listener.result("subscribe")
    let added = try peer.result("segment_add", #"{"activity":\#(id),"name":"Hill","from_s":20,"to_s":60.5}"#)
    let segment = try #require(added["id"]?.integer)
    let change = try listener.next { $0["class"] == "segment" && $0["change"] == "changed" }
    #expect(change["id"]?.integer == segment)
    #expect(try activities(segment, count: 2) == [id, older])
    let content = try peer.content("segment", #"{"id":\#(segment)}"#).bytes
    let document = try #require(SegmentDocument(try JSONValue.parse(content)))
    #expect(document.segment.id == segment && document.segment.efforts == 2 && document.segment.bestTimeS == 40)
    #expect(document.points.count == 41 && document.points.first?.latitudeDeg == 47.002)
    let (best, last) = (try #require(document.best), try #require(document.last))
    #expect(last.effort.activity == id && best.effort.timeS == 40 && best.distancesM.count == best.timesS.count)
    #expect(last.distancesM.count > 30 && last.timesS.last == 40 && last.timesS.first == 0)
    // The ride is steady.
    for (distance, time) in zip(last.distancesM, last.timesS) { #expect(abs(distance - time * 11.12) < 0.3) }
    _ = try peer.result("segment_remove", #"{"id":\#(segment)}"#)
    let removal = try listener.next { $0["class"] == "segment" && $0["change"] == "removed" }
    #expect(removal["id"]?.integer == segment)
    #expect(try peer.ask("segment", #"{"id":\#(segment)}"#)["code"] == "no_such_activity")
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
    #expect(listed?["activity_time_s"] == nil)
    let ofNewer = try peer.result("segments", #"{"activity":\#(newer)}"#)["segments"]?.items?.first
    #expect(ofNewer?["activity_time_s"]?.number == 40 && ofNewer?["efforts"]?.integer == 3)
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
