// Routes through the real recorder, as programs and `cyclo` use them.

import ActivityVectors
import Foundation
import JSON
import Linux
import LogbookWire
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(30)))
struct RouteRequestTests {
  private let recorder: RunningRecorder
  private let peer: LogbookPeer

  init() throws {
    recorder = try RunningRecorder()
    peer = try LogbookPeer(recorder.socket)
  }

  @Test("a course is imported, listed, read, written to a file and removed")
  func course() throws {
    let path = recorder.folder.file("mill.tcx")
    try Files.replace(path, with: try Vector.bytes("routes/course.tcx"), mode: 0o600)
    let first = try cyclo(["import", path], with: recorder)
    #expect(first.status == 0 && first.output == "\(path): added route 1\n", "\(first)")
    let again = try cyclo(["import", path], with: recorder)
    #expect(again.status == 0 && again.complaint.contains("the route is in the logbook already: route 1"))
    #expect(try cyclo(["routes"], with: recorder).output.contains("Mill loop"))
    let gpx = recorder.folder.file("mill.gpx")
    #expect(try cyclo(["route", "1", "-o", gpx], with: recorder).status == 0)
    #expect(try cyclo(["import", "--route", gpx], with: recorder).output == "\(gpx): added route 2\n")
    let list = try peer.result("routes", #"{"limit":1,"text":"MILL"}"#)
    #expect(list["routes"]?.items?.first?["id"]?.integer == 2 && list["more"] == true)
    let document = try JSONValue.parse(try peer.content("route", #"{"id":1}"#).bytes)
    #expect(document["points"]?.items?.count == document["route"]?["points"]?.integer)
    #expect(document["cues"]?.items?.count == 6)
    let all = try #require(document["points"]?.items)
    let thinned = try JSONValue.parse(try peer.content("route", #"{"id":1,"points":3}"#).bytes)
    let few = try #require(thinned["points"]?.items)
    #expect(2...3 ~= few.count && all.count > 3 && few.first == all.first && few.last == all.last)
    #expect(try peer.ask("route", #"{"id":1,"format":"gpx","points":3}"#)["code"] == "bad_request")
    let fit = try peer.content("route", #"{"id":1,"format":"fit"}"#)
    #expect(fit.name == "route-1.fit" && fit.bytes.count > 500)
    _ = try peer.result("route_remove", #"{"id":1}"#)
    for (method, parameters) in [("route", #"{"id":1}"#), ("route_remove", #"{"id":1}"#)] {
      #expect(try peer.ask(method, parameters)["code"] == "no_such_activity", "\(method)")
    }
    #expect(try peer.result("routes")["routes"]?.items?.count == 1)
  }

  @Test("an activity becomes a route, which is there after a restart")
  func activity() throws {
    let path = recorder.folder.file("ride.gpx")
    try Files.replace(path, with: try Vector.bytes("ride.gpx"), mode: 0o600)
    #expect(try cyclo(["import", path], with: recorder).status == 0)
    let added = try peer.result("route_add", #"{"activity":1,"name":"Evening"}"#)
    #expect(added["name"] == "Evening" && added["points"]?.integer ?? 0 > 10 && added["distance_m"]?.number ?? 0 > 100)
    #expect(try peer.ask("route_add", #"{"activity":9,"name":"x"}"#)["code"] == "no_such_activity")
    #expect(try peer.ask("route_add", #"{"activity":1,"name":"x","from_s":80000}"#)["code"] == "bad_request")
    #expect(recorder.stop() == 0)
    let next = try RunningRecorder(in: recorder.folder)
    #expect(try LogbookPeer(next.socket).result("routes")["routes"]?.items == [added])
  }

  @Test("subscribers are told of routes that are added, renamed and removed")
  func changes() throws {
    let listener = try LogbookPeer(recorder.socket)
    _ = try listener.result("subscribe")
    let line = #""latitude_deg":[47,47.01],"longitude_deg":[7,7]"#
    _ = try peer.result("route_add", #"{"name":"Drawn",\#(line)}"#)
    _ = try peer.result("route_edit", #"{"id":1,"name":"Mill loop"}"#)
    _ = try peer.result("route_remove", #"{"id":1}"#)
    let path = recorder.folder.file("mill.tcx")
    try Files.replace(path, with: try Vector.bytes("routes/course.tcx"), mode: 0o600)
    #expect(try cyclo(["import", path], with: recorder).status == 0)
    for (change, id) in [("added", 1), ("changed", 1), ("removed", 1), ("added", 2)] {
      let record = try listener.next { $0["class"] == "route" }
      #expect(record["change"]?.text == change && record["id"]?.integer == id, "\(record)")
    }
  }

  @Test("a drawn line becomes a route, whose name can be changed and found")
  func drawn() throws {
    let line = #""latitude_deg":[47,47.01,47.01],"longitude_deg":[7,7,7.02]"#
    let added = try peer.result("route_add", #"{"name":"Drawn",\#(line)}"#)
    #expect(added["points"]?.integer == 3 && added["ascent_m"] == nil)
    // One hundredth of a degree to the north, and two to the east at 47 degrees.
    #expect(2600...2660 ~= added["distance_m"]?.number ?? 0, "\(added)")
    let renamed = try peer.result("route_edit", #"{"id":1,"name":"Über den Col"}"#)
    #expect(renamed["name"] == "Über den Col" && renamed["points"]?.integer == 3)
    #expect(try peer.result("routes", #"{"text":"COL"}"#)["routes"]?.items == [renamed])
    #expect(try peer.result("routes", #"{"text":"drawn"}"#)["routes"]?.items == [])
    for line in [
      #""latitude_deg":[47,47],"longitude_deg":[7,7]"#, #""latitude_deg":[47,48],"longitude_deg":[7]"#,
      #""latitude_deg":[47,98],"longitude_deg":[7,7]"#, #""latitude_deg":[47],"longitude_deg":[7]"#,
      #""activity":1,\#(line)"#, #""from_s":1"#,
    ] {
      #expect(try peer.ask("route_add", #"{"name":"x",\#(line)}"#)["code"] == "bad_request", "\(line)")
    }
    #expect(try peer.ask("route_edit", #"{"id":2,"name":"x"}"#)["code"] == "no_such_activity")
    #expect(try peer.result("routes")["routes"]?.items == [renamed])
  }

  @Test("a segment gets another name and keeps its efforts")
  func segmentName() throws {
    let path = recorder.folder.file("ride.gpx")
    try Files.replace(path, with: try Vector.bytes("ride.gpx"), mode: 0o600)
    #expect(try cyclo(["import", path], with: recorder).status == 0)
    let added = try peer.result("segment_add", #"{"activity":1,"name":"Hill","from_s":0,"to_s":600}"#)
    let renamed = try peer.result("segment_edit", #"{"id":1,"name":"Wall"}"#)
    #expect(renamed["name"] == "Wall" && renamed["distance_m"] == added["distance_m"])
    #expect(try peer.result("segments")["segments"]?.items == [renamed])
    #expect(renamed["efforts"] == 1)
    #expect(try peer.ask("segment_edit", #"{"id":2,"name":"x"}"#)["code"] == "no_such_activity")
    #expect(try peer.ask("segment_edit", #"{"id":1}"#)["code"] == "bad_request")
  }
}
