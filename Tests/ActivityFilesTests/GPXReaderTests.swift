// What the reader makes of GPX files, our own and those of others.

import ActivityFiles
import ActivityVectors
import Earth
import Testing
import Time

@Suite struct GPXReaderTests {
  private func gpx(_ content: String, as wanted: ActivityHeader.Content? = nil) throws -> ReadItems {
    let text = "<gpx version=\"1.1\" creator=\"t\" xmlns=\"http://www.topografix.com/GPX/1/1\">\(content)</gpx>"
    return try read(Array(text.utf8), with: GPXReader(as: wanted))
  }

  private func point(_ second: Int, _ content: String = "", latitude: Double? = nil) -> String {
    let time = "2026-05-03T\(16 + second / 3600):\((second / 60 % 60).padded):\((second % 60).padded)Z"
    return "<trkpt lat=\"\(latitude ?? 47 + Double(second) / 10_000)\" lon=\"8\"><time>\(time)</time>\(content)</trkpt>"
  }

  private func track(_ points: String...) -> String {
    "<trk>\(points.map { "<trkseg>\($0)</trkseg>" }.joined())</trk>"
  }

  @Test("a ride that we wrote is read back")
  func roundTrip() throws {
    let items = try Vector.ride("ride.json")
    let result = try read(Vector.bytes("ride.gpx"), with: GPXReader())
    #expect(result.warnings.isEmpty && result.omissions.isEmpty)
    let header = try #require(result.headers.first)
    #expect(result.headers.count == 1 && header.name == "Evening loop" && header.sport == .cycling)
    #expect(header.start == WallTime(seconds: 1_777_824_900) && header.recorder.name == "Cyclometer")
    let wanted = ReadItems(items: items).points.filter { $0.position != nil }
    #expect(result.points.map(\.t) == wanted.map(\.t))
    for (found, wanted) in zip(result.points, wanted) {
      for field in [PointField.heartRate, .power, .cadence, .altitude, .speed, .airTemperature] {
        #expect(found[field] == wanted[field], "\(field) at \(wanted.t)")
      }
    }
    // The pause lasts longer than the step between two points.
    #expect(result.events.map(\.kind) == ReadItems(items: items).events.map(\.kind))
  }

  @Test("the distance follows from the positions, without the way between two segments")
  func distance() throws {
    let result = try gpx(track(point(0) + point(10), point(100) + point(110)))
    let step = 6_371_008.8 * Double.pi / 180 / 1000
    let distances = result.points.compactMap { $0[.distance] }
    #expect(zip(distances, [0, step, step, 2 * step]).allSatisfy { abs($0 - $1) < 0.01 }, "\(distances)")
  }

  @Test("extensions are known by their namespaces, and by their names if there is none")
  func extensions() throws {
    let result = try gpx(
      track(
        point(
          0,
          """
          <extensions><power>200</power><ns3:TrackPointExtension \
          xmlns:ns3="http://www.garmin.com/xmlschemas/TrackPointExtension/v1"><ns3:hr>140</ns3:hr></ns3:TrackPointExtension>\
          </extensions>
          """)
          + point(
            1,
            """
            <extensions><gpxdata:hr xmlns:gpxdata="http://www.cluetrust.com/XML/GPXDATA/1/0">141</gpxdata:hr>\
            <x:hr xmlns:x="urn:other">99</x:hr><pwr:PowerInWatts>-7</pwr:PowerInWatts></extensions>
            """)))
    #expect(result.points.map { $0[.heartRate] } == [140, 141])
    #expect(result.points.map { $0[.power] } == [200, 0])
    #expect(result.omissions == ["element hr of urn:other"])
  }

  @Test("tracks more than an hour apart, or overlapping, are rides of their own")
  func severalTracks() throws {
    #expect(try gpx(track(point(0) + point(1)) + track(point(3000))).headers.count == 1)
    #expect(try gpx(track(point(0) + point(1)) + track(point(3700))).headers.count == 2)
    #expect(try gpx(track(point(100) + point(200)) + track(point(150))).headers.count == 2)
  }

  @Test("points that are dropped are counted in a sentence")
  func warnings() throws {
    let result = try gpx(
      track(point(0) + "<trkpt lat=\"47\" lon=\"8\"/>" + point(30) + point(20) + point(25) + point(31, latitude: 95)))
    #expect(result.points.map(\.t) == [0, 30])
    #expect(
      result.warnings == [
        "one point has no time and was dropped", "1 of the points have an impossible position, which was dropped",
        "2 points were out of order in time and were dropped",
      ])
  }

  @Test("the barometer of a recorder is known by its name")
  func barometer() throws {
    var header = ActivityHeader(start: WallTime(seconds: 1_777_824_900))
    header.recorder.name = "Cyclometer"
    header.hasBarometer = true
    var point = ActivityPoint(t: 0)
    point.position = Coordinate(latitude: 47, longitude: 8)
    let read = try read(write([.header(header), .point(point)], .gpx), with: GPXReader())
    #expect(read.headers.first?.hasBarometer == true && read.headers.first?.recorder.name == "Cyclometer")
  }

  @Test("as a route, a track with times is a route; as an activity, one without is refused")
  func wish() throws {
    let result = try gpx(track(point(0) + point(1)), as: .route)
    #expect(result.headers.map(\.content) == [.route] && result.routePoints.count == 2 && result.points.isEmpty)
    let untimed = "<trk><trkseg><trkpt lat=\"47\" lon=\"8\"/><trkpt lat=\"47.1\" lon=\"8\"/></trkseg></trk>"
    #expect(try gpx(untimed).headers.map(\.content) == [.route])
    #expect(throws: ActivityFileError.self) { try gpx(untimed, as: .activity) }
  }
}

extension Int {
  fileprivate var padded: String { self < 10 ? "0\(self)" : "\(self)" }
}
