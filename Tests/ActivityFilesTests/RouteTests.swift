// Routes in GPX and TCX: all describe the way of Vectors/routes/expect.json.

import ActivityFiles
import ActivityVectors
import Earth
import JSON
import Testing

@Suite struct RouteTests {
  @Test("points and cues are those of the route", arguments: ["route.gpx", "track.gpx", "course.tcx", "course.fit"])
  func reading(name: String) throws {
    let result = try read(Vector.bytes("routes/\(name)"), with: AnyActivityReader())
    #expect(result.warnings.isEmpty && result.omissions.isEmpty)
    try check(result, kind: name.hasSuffix(".tcx") ? "type_in_tcx" : "type")
  }

  private func check(_ result: ReadItems, kind: String) throws {
    let expected = try Vector.json("routes/expect.json")
    #expect(result.headers.map(\.content) == [.route] && result.headers.first?.name == expected["name"]?.text)
    let points = try #require(expected["points"]?.items)
    #expect(result.routePoints.count == points.count)
    for (found, wanted) in zip(result.routePoints, points) {
      #expect(abs(found.position.latitude - (wanted["lat"]?.number ?? 0)) < 1e-6)
      #expect(abs((found.altitude ?? 0) - (wanted["altitude_m"]?.number ?? 0)) < 0.11)
      #expect(abs((found.distance ?? 0) - (wanted["distance_m"]?.number ?? 0)) < 15)
    }
    let cues = try #require(expected["cues"]?.items)
    #expect(result.cues.map(\.name) == cues.map { $0["text"]?.text })
    #expect(result.cues.map(\.kind.name) == cues.map { $0[kind]?.text })
    for (found, wanted) in zip(result.cues, cues) {
      #expect(abs((found.distance ?? 0) - (wanted["distance_m"]?.number ?? 0)) < 15)
    }
  }

  @Test("a route is written and read back", arguments: [ActivityFormat.fit, .gpx, .tcx])
  func writing(format: ActivityFormat) throws {
    let items = try read(Vector.bytes("routes/track.gpx"), with: GPXReader()).items
    let bytes = try write(items, format)
    try keepExport(bytes, "route.\(format.rawValue)")
    let result = try read(bytes, with: AnyActivityReader())
    #expect(result.warnings.isEmpty)
    try check(result, kind: format == .tcx ? "type_in_tcx" : "type")
  }

  private func gpx(_ content: String) throws -> ReadItems {
    try read(Array("<gpx>\(content)</gpx>".utf8), with: GPXReader())
  }

  private func point(_ element: String, _ north: Double, _ east: Double = 0, _ content: String = "") -> String {
    "<\(element) lat=\"\(47 + north / 1000)\" lon=\"\(8 + east / 1000)\">\(content)</\(element)>"
  }

  @Test("points that a planner puts between those of a route belong to the line")
  func pointsBetween() throws {
    let between = point("gpxx:rpt", 1) + point("gpxx:rpt", 2)
    let result = try gpx(
      "<rte>"
        + point(
          "rtept", 0, 0, "<extensions><gpxx:RoutePointExtension>\(between)</gpxx:RoutePointExtension></extensions>")
        + point("rtept", 3, 0, "<name>End</name>") + "</rte>")
    #expect(result.routePoints.map { ($0.position.latitude * 1000).rounded() } == [47000, 47001, 47002, 47003])
    #expect(result.cues.map(\.name) == ["End"])
    #expect(abs((result.cues.first?.distance ?? 0) - 333.6) < 1)
  }

  @Test("a track is the line, and a route next to it has the cues")
  func both() throws {
    let line = (0...10).map { point("trkpt", Double($0)) }.joined()
    let result = try gpx(
      "<rte>" + point("rtept", 5, 0.1, "<name>Mill</name><type>Slight Left</type>")
        + "</rte><trk><trkseg>\(line)</trkseg></trk>")
    #expect(result.routePoints.count == 11 && result.cues.map(\.name) == ["Mill"])
    #expect(result.cues.first?.kind.name == "slight_left")
    #expect(abs((result.cues.first?.distance ?? 0) - 556) < 1)
  }

  @Test("where a route passes a place twice, the order of the waypoints decides")
  func passes() throws {
    // North, back south, and north again.
    let ways = [0, 5, 10, 5, 0, 5, 10].map { point("trkpt", $0) }.joined()
    let result = try gpx(
      point("wpt", 8, 0, "<name>A</name>") + point("wpt", 2, 0, "<name>B</name>") + point("wpt", 2, 0, "<name>C</name>")
        + point("wpt", 3, 0.9, "<name>Far</name>") + "<trk><trkseg>\(ways)</trkseg></trk>")
    #expect(result.cues.map(\.name) == ["A", "B", "C"])
    let kilometres = result.cues.map { (($0.distance ?? 0) / 111.2).rounded() }
    #expect(kilometres == [8, 18, 18])
    #expect(result.warnings == ["one waypoint is not near the route and was dropped"])
  }

  @Test("waypoints find their places on a long line, also across the meridian of 180 degrees")
  func longLine() throws {
    let count = 2000
    let place = { (index: Int) in
      let east = 179.5 + Double(index) / 2000
      return (latitude: 47.0, longitude: east > 180 ? east - 360 : east)
    }
    let line = (0..<count).map { index in
      "<trkpt lat=\"\(place(index).latitude)\" lon=\"\(place(index).longitude)\"/>"
    }
    let indices = [0, 255, 256, 700, 999, 1000, 1001, 1535, count - 1]
    let cues = indices.map { index in
      "<wpt lat=\"47.0002\" lon=\"\(place(index).longitude)\"><name>\(index)</name></wpt>"
    }
    let far = "<wpt lat=\"47.0002\" lon=\"0\"><name>Far</name></wpt>"
    let result = try gpx(cues.joined() + far + "<trk><trkseg>\(line.joined())</trkseg></trk>")
    #expect(result.cues.map(\.name) == indices.map(String.init))
    for (cue, index) in zip(result.cues, indices) {
      #expect(abs((cue.distance ?? 0) - (result.routePoints[index].distance ?? 0)) < 1, "\(index)")
    }
    #expect(result.warnings == ["one waypoint is not near the route and was dropped"])
  }

  @Test("a cue of a course belongs to the point with its time, if that is near")
  func cueTimes() throws {
    let trackpoints = [0.0, 1, 0, 2].enumerated().map { index, north in
      "<Trackpoint><Time>2026-05-03T16:15:0\(index)Z</Time><Position><LatitudeDegrees>\(47 + north / 100)</LatitudeDegrees>"
        + "<LongitudeDegrees>8</LongitudeDegrees></Position></Trackpoint>"
    }
    let cue = { (name: String, second: Int) in
      "<CoursePoint><Name>\(name)</Name><Time>2026-05-03T16:15:0\(second)Z</Time><Position><LatitudeDegrees>47</LatitudeDegrees>"
        + "<LongitudeDegrees>8</LongitudeDegrees></Position><PointType>First Aid</PointType></CoursePoint>"
    }
    let text =
      "<TrainingCenterDatabase><Courses><Course><Name>C</Name><Track>\(trackpoints.joined())</Track>\(cue("A", 2))\(cue("B", 9))"
      + "\(cue("C", 1))</Course></Courses></TrainingCenterDatabase>"
    let cues = try read(Array(text.utf8), with: TCXReader()).cues
    #expect(cues.map { (($0.distance ?? 0) / 1112).rounded() } == [2, 2, 2])
    #expect(cues.first?.kind.name == "first_aid")
  }

  @Test(
    "words of planners become kinds",
    arguments: [
      ("Left", "left"), ("SLIGHT_RIGHT", "slight_right"), ("u turn", "u_turn"), ("Turn Sharp Left", "sharp_left"),
      ("Drinking Water", "water"), ("Flag, Blue", "generic"), ("Danger Area", "generic"), ("summit", "summit"),
    ])
  func kinds(word: String, kind: String) throws {
    let result = try gpx("<rte>" + point("rtept", 0, 0, "<sym>\(word)</sym>") + point("rtept", 1) + "</rte>")
    #expect(result.cues.first?.kind.name == kind)
  }
}
