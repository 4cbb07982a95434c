// `cyclo route` with a real recorder and a real guide.

import Foundation
import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct RouteVerbTests {
  private func cyclo(
    _ arguments: [String], with ride: GuidedRide
  ) throws -> (status: Int32, output: String, complaint: String) {
    try runProgram(
      productFolder + "/cyclo", ["--socket", ride.daemon.controlSocket, "route"] + arguments,
      ["TERM": "dumb", "TZ": "UTC"])
  }

  @Test("a route is added from a file, listed, followed and left")
  func route() throws {
    let ride = try GuidedRide([])
    let path = ride.folder.file("way.gpx")
    let text =
      "<gpx version=\"1.1\" creator=\"test\" xmlns=\"http://www.topografix.com/GPX/1/1\"><trk><name>Way</name><trkseg>"
      + "<trkpt lat=\"47\" lon=\"8.5\"/><trkpt lat=\"47.01\" lon=\"8.5\"/></trkseg></trk></gpx>"
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try cyclo(["add", path], with: ride).output == "\(path): added route 2\n")
    let list = try cyclo(["list"], with: ride).output
    #expect(list.contains("Corner") && list.contains("Way"), "\(list)")
    let followed = try cyclo(["follow", "2"], with: ride)
    #expect(followed.status == 0 && followed.output.hasPrefix("Following route 2: Way, 1.1"), "\(followed)")
    let peer = try GuidePeer(ride.guide.socket)
    #expect(try peer.result("status")["following"]?["route"] == 2)
    #expect(try cyclo(["leave"], with: ride).output == "No route is followed.\n")
    #expect(try peer.result("status")["following"] == nil)
  }

  @Test("a route that is not there, a wrong argument and a missing guide are reported")
  func mistakes() throws {
    let ride = try GuidedRide([])
    let unknown = try cyclo(["follow", "99"], with: ride)
    #expect(unknown.status == 1 && unknown.complaint.contains("cyclo route list"), "\(unknown)")
    for words in [["follow"], ["follow", "Corner"], ["list", "1"], ["add"], ["leave", "1"]] {
      #expect(try cyclo(words, with: ride).status == 2, "\(words)")
    }
    #expect(ride.guide.stop() == 0)
    let absent = try cyclo(["follow", "1"], with: ride)
    #expect(absent.status == 1 && absent.complaint.contains("no guide listens at"), "\(absent)")
  }
}
