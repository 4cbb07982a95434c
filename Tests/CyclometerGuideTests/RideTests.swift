// The guide with a real daemon and a real recorder, on rides whose places are known.

import Foundation
import JSON
import Linux
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(30)))
struct RideTests {
  private static let metresPerDegree = 111_194.93

  private func follow(_ ride: GuidedRide, on peer: GuidePeer) throws {
    let followed = try peer.result("follow", #"{"route":\#(ride.route)}"#)
    #expect(followed["name"] == "Corner" && abs((followed["distance_m"]?.number ?? 0) - 800) < 2)
    try peer.result("subscribe", #"{"kinds":["route"]}"#)
  }

  @Test("on the route, the distance is that of the ride, and the turn comes nearer")
  func onRoute() throws {
    let ride = try GuidedRide(GuidedRide.way(GuidedRide.corners))
    let (peer, daemon) = (try GuidePeer(ride.guide.socket), try GuidePeer(ride.daemon.metricsSocket, .daemon))
    try daemon.result("subscribe", #"{"kinds":["position"],"snapshot":false}"#)
    try follow(ride, on: peer)
    let sample = try peer.sample("route") { $0["state"] == "on_route" && $0["distance_m"]?.number ?? 0 > 60 }
    let fix = try daemon.sample("position") { $0["t"] == sample["t"] }
    let truth = ((fix["latitude_deg"]?.number ?? 0) - 47) * Self.metresPerDegree
    #expect(abs((sample["distance_m"]?.number ?? 0) - truth) < 2, "\(sample) at \(truth) m")
    #expect(abs((sample["distance_to_go_m"]?.number ?? 0) - (800 - truth)) < 3)
    #expect(sample["sensor"] == "guide" && sample["cue"] == "right" && sample["lap"] == 1)
    #expect(abs((sample["cue_distance_m"]?.number ?? 0) - (400 - truth)) < 6)
    #expect((sample["cross_track_m"]?.number ?? 99) < 2)
    let last = try peer.result("poll", #"{"kinds":["route"]}"#)["records"]?.items?.first
    #expect(last?["route"]?.integer == ride.route && last?["age_ms"]?.number ?? 1e9 < 5000)
    try peer.result("leave")
    #expect(try peer.result("poll")["records"] == [])
    #expect(try peer.result("status")["following"] == nil)
  }

  @Test("a rider who leaves the route is off it within 5 s of 30 m, and on it again later")
  func offRoute() throws {
    let corners = [(0.0, 0.0), (120, 0), (120, -90), (200, 0), (380, 0)].map { GuidedRide.Spot(north: $0, east: $1) }
    let ride = try GuidedRide(GuidedRide.way(corners))
    let peer = try GuidePeer(ride.guide.socket)
    try follow(ride, on: peer)
    _ = try peer.sample("route") { $0["state"] == "on_route" }
    let far = try peer.sample("route") { $0["cross_track_m"]?.number ?? 0 > 30 }
    let off = try far["state"] == "off_route" ? far : peer.sample("route") { $0["state"] == "off_route" }
    #expect((off["t"]?.number ?? 1e9) - (far["t"]?.number ?? 0) < 5)
    #expect(off["cue"] == nil, "no cue applies")
    let back = try peer.sample("route") { $0["state"] == "on_route" }
    #expect(abs((back["distance_m"]?.number ?? 0) - 200) < 60, "\(back)")
  }

  @Test("the ride goes on after a restart of the guide, of the recorder and of the daemon")
  func restarts() throws {
    let way = GuidedRide.way(GuidedRide.corners)
    let ride = try GuidedRide(way)
    var peer = try GuidePeer(ride.guide.socket)
    try follow(ride, on: peer)
    let first = try peer.sample("route") { $0["state"] == "on_route" }

    try ride.restartGuide()
    peer = try GuidePeer(ride.guide.socket)
    try peer.result("subscribe")
    let second = try peer.sample("route") { ($0["distance_m"] ?? 0).isAbove(first["distance_m"]) }
    #expect(second["state"] == "on_route" && peer.passed.allSatisfy { $0["state"] != "approaching" }, "\(second)")

    #expect(try peer.result("status")["logbook_message"] == nil)
    // The guide has the route already.
    ride.stopRecorder()
    #expect(try peer.result("status")["logbook_message"]?.text?.contains("cyclometer-recorder") == true)
    let third = try peer.sample("route") { ($0["distance_m"] ?? 0).isAbove(second["distance_m"]) }
    try ride.restartGuide(byCrash: true)
    peer = try GuidePeer(ride.guide.socket)
    let waiting = try peer.result("status")["following"]
    #expect(waiting == .object([.init("route", .number(Double(ride.route)))]))
    try peer.result("subscribe")
    try ride.startRecorder()
    // The progress of before the crash is not taken for the present one.
    let fourth = try peer.sample("route") { $0["state"] == "on_route" }
    #expect((fourth["distance_m"] ?? 0).isAbove(third["distance_m"]), "\(fourth)")

    let place = (fourth["distance_m"]?.number ?? 0) + 40
    try ride.restartDaemon(GuidedRide.way(GuidedRide.corners, from: place))
    let fifth = try peer.sample("route") { ($0["distance_m"] ?? 0).isAbove(.number(place + 8)) }
    #expect(fifth["state"] == "on_route", "\(fifth)")
    #expect(ride.guide.stop() == 0)
  }

  @Test("the coach says what to aim at, and keeps its settings")
  func coach() throws {
    let ride = try GuidedRide(GuidedRide.way(GuidedRide.corners))
    let control = try GuidePeer(ride.daemon.controlSocket, .daemon)
    try control.result("rider", #"{"height_m":1.8}"#)
    var peer = try GuidePeer(ride.guide.socket)
    try peer.result("subscribe", #"{"sensors":["guide"],"kinds":["coach"]}"#)
    #expect(try peer.result("coach") == .object([.init("sport", "off"), .init("preference_per_min", 0)]))
    try peer.result("coach", #"{"sport":"running","preference_per_min":-3}"#)
    let running = try peer.sample("coach") { $0["uses_height"] == true }
    #expect(running["sport"] == "running" && running["target_per_min"] == 192 && running["speed_mps"] == 8)
    #expect(running["actual_per_min"] == nil, "there is no foot pod")
    try control.result("rider", #"{"height_m":null}"#)
    #expect(try peer.sample("coach") { $0["uses_height"] == false }["speed_mps"] == 8, "a change counts at once")
    try control.result("rider", #"{"height_m":1.8}"#)
    _ = try peer.sample("coach") { $0["uses_height"] == true }
    #expect(try peer.ask("coach", #"{"sport":"cycling"}"#)["message"]?.text?.contains("target_rpm") == true)
    try peer.result("coach", #"{"sport":"cycling","target_rpm":85}"#)
    try ride.restartGuide(byCrash: true)
    peer = try GuidePeer(ride.guide.socket)
    #expect(try peer.result("coach")["target_rpm"] == 85)
    try peer.result("subscribe", #"{"kinds":["coach"]}"#)
    let cycling = try peer.sample("coach")
    #expect(cycling["sport"] == "cycling" && cycling["target_per_min"] == 85 && cycling["speed_mps"] == nil)
    try peer.result("coach")
    #expect(try peer.result("poll")["records"]?.items?.count == 1, "a question keeps the last sample")
    try peer.result("coach", #"{"sport":"off"}"#)
    #expect(try peer.result("poll")["records"] == [])
  }

  @Test("a route that is renamed has its new name at once, also after the recorder was away")
  func rename() throws {
    let ride = try GuidedRide(GuidedRide.way(GuidedRide.corners))
    let peer = try GuidePeer(ride.guide.socket)
    try follow(ride, on: peer)
    let first = try peer.sample("route") { $0["state"] == "on_route" }
    func rename(to name: String) throws {
      let logbook = try GuidePeer(ride.recorder.socket, .recorder)
      try logbook.result("route_edit", #"{"id":\#(ride.route),"name":"\#(name)"}"#)
    }
    func wait(for name: String) throws {
      while try peer.result("status")["following"]?["name"]?.text != name {
        try Waiting.until(.now + .milliseconds(20))
      }
    }
    try rename(to: "Mill loop")
    try wait(for: "Mill loop")
    let second = try peer.sample("route") { $0["name"] == "Mill loop" }
    #expect((second["distance_m"] ?? 0).isAbove(first["distance_m"]), "the progress stays: \(second)")
    ride.stopRecorder()
    try ride.startRecorder()
    // The guide is not connected yet.
    try rename(to: "Church round")
    try wait(for: "Church round")
    #expect(try peer.result("status")["following"]?["points"]?.integer ?? 0 > 2, "the line stays")
  }

  @Test("a route that the recorder lacks for a while, as during a salvage, is not forgotten")
  func missingRoute() throws {
    let ride = try GuidedRide([])
    var peer = try GuidePeer(ride.guide.socket)
    try peer.result("follow", #"{"route":\#(ride.route)}"#)
    let logbook = ride.recorder.stateFolder
    ride.stopRecorder()
    try FileManager.default.moveItem(atPath: logbook, toPath: logbook + ".aside")
    try ride.startRecorder()
    try ride.restartGuide()
    peer = try GuidePeer(ride.guide.socket)
    var status = try peer.result("status")
    while status["message"] == nil { status = try peer.result("status") }
    #expect(status["message"]?.text?.contains("\(ride.route)") == true, "\(status)")
    #expect(status["following"]?["route"]?.integer == ride.route)
    ride.stopRecorder()
    try FileManager.default.removeItem(atPath: logbook)
    try FileManager.default.moveItem(atPath: logbook + ".aside", toPath: logbook)
    try ride.startRecorder()
    try ride.restartGuide()
    peer = try GuidePeer(ride.guide.socket)
    while status["following"]?["name"] == nil { status = try peer.result("status") }
    #expect(status["message"] == nil)
  }

  @Test("an invalid request is refused with what is wrong")
  func refusals() throws {
    let ride = try GuidedRide([])
    let peer = try GuidePeer(ride.guide.socket)
    #expect(peer.hello["protocol"] == "1.0" && peer.hello["limits"]?["clients"] == 32)
    let cases = [
      ("follow", #"{"route":99}"#, "no_such_activity"), ("follow", "{}", "bad_request"),
      ("follow", #"{"route":"1"}"#, "bad_request"), ("coach", #"{"sport":"swimming"}"#, "bad_request"),
      ("coach", #"{"target_rpm":500}"#, "bad_request"), ("coach", #"{"preference_per_min":11}"#, "bad_request"),
      ("subscribe", #"{"kinds":["power"]}"#, "no_such_kind"), ("poll", #"{"sensors":["ride"]}"#, "no_such_sensor"),
      ("scan", "{}", "unknown_method"), ("leave", "[]", "bad_request"),
    ]
    for (method, parameters, code) in cases {
      #expect(try peer.ask(method, parameters)["code"]?.text == code, "\(method) \(parameters)")
    }
    for method in ["ping", "subscribe", "unsubscribe", "leave"] { #expect(try peer.result(method) == [:], "\(method)") }
    ride.stopRecorder()
    let refused = try peer.ask("follow", #"{"route":\#(ride.route)}"#)
    #expect(refused["code"] == "not_connected" && refused["message"]?.text?.contains("cyclometer-recorder") == true)
    #expect(try peer.result("status")["following"] == nil)
  }
}

extension JSONValue {
  fileprivate func isAbove(_ other: JSONValue?) -> Bool { number ?? 0 > other?.number ?? .infinity }
}
