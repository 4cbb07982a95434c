// Routes through the real recorder, as programs and `cyclo` use them.

import ActivityVectors
import Foundation
import JSON
import Linux
import LogbookWire
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(20)))
struct RouteRequestTests {
  private let recorder: RunningRecorder
  private let peer: LogbookPeer

  init() throws {
    recorder = try RunningRecorder()
    peer = try LogbookPeer(recorder.socket)
  }

  /// The content of a transfer.
  private func content(_ method: String, _ parameters: String) throws -> (name: String?, bytes: [UInt8]) {
    let begun = try peer.result(method, parameters)
    var bytes: [UInt8] = []
    while true {
      let piece = try peer.next { $0["class"] == "data" }
      bytes += try #require(piece["base64"]?.text.flatMap { Base64.decode($0.utf8) })
      if piece["end"] == true { return (begun["name"]?.text, bytes) }
    }
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
    let document = try JSONValue.parse(try content("route", #"{"id":1}"#).bytes)
    #expect(document["points"]?.items?.count == document["route"]?["points"]?.integer)
    #expect(document["cues"]?.items?.count == 6)
    let fit = try content("route", #"{"id":1,"format":"fit"}"#)
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
}
