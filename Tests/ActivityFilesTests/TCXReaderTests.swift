// What the reader makes of TCX files, our own and those of others.

import ActivityFiles
import ActivityVectors
import Testing
import Time

@Suite struct TCXReaderTests {
  private func tcx(_ content: String, as wanted: ActivityHeader.Content? = nil) throws -> ReadItems {
    let space = "http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"
    let text = "<TrainingCenterDatabase xmlns=\"\(space)\">\(content)</TrainingCenterDatabase>"
    return try read(Array(text.utf8), with: TCXReader(as: wanted))
  }

  private func activity(_ content: String, sport: String = "Biking") -> String {
    "<Activities><Activity Sport=\"\(sport)\"><Id>2026-05-03T16:15:00Z</Id>\(content)</Activity></Activities>"
  }

  @Test("a ride that we wrote is read back")
  func roundTrip() throws {
    let items = ReadItems(items: try Vector.ride("ride.json"))
    let result = try read(Vector.bytes("ride.tcx"), with: TCXReader())
    #expect(result.warnings.isEmpty && result.omissions.isEmpty)
    #expect(result.headers.map(\.start) == items.headers.map(\.start) && result.headers.first?.sport == .cycling)
    #expect(result.points.map(\.t) == items.points.map(\.t))
    for (found, wanted) in zip(result.points, items.points) {
      #expect(found.position == wanted.position)
      for field in [PointField.heartRate, .power, .cadence, .altitude, .speed, .distance] {
        #expect(found[field] == wanted[field], "\(field) at \(wanted.t)")
      }
    }
    #expect(result.events == items.events)
    #expect(result.laps.map(\.summary.start) == items.laps.map(\.summary.start))
    for (found, wanted) in zip(result.laps, items.laps) {
      #expect(abs(found.summary.elapsed - wanted.summary.elapsed) <= 1)
      for field in [SummaryField.timerTime, .distance, .energy, .maxSpeed, .averagePower, .maxPower, .maxCadence] {
        #expect(
          found.summary[field] == wanted.summary[field]?.rounded(.toNearestOrEven) || isNear(found, wanted, field))
      }
    }
    #expect(result.summaries.first?.name == "Evening loop")
    #expect(result.devices.first?.label.softwareVersion == 0.2)
  }

  private func isNear(_ found: ActivityLap, _ wanted: ActivityLap, _ field: SummaryField) -> Bool {
    guard let found = found.summary[field], let wanted = wanted.summary[field] else { return false }
    return abs(found - wanted) < 0.01
  }

  @Test("the name comes into the header of the second reading")
  func name() throws {
    let items = try read(Vector.bytes("ride.tcx"), with: TCXReader()).items
    var outline = ActivityOutline()
    for item in items { outline.add(item) }
    var arrangement = ActivityArrangement(outline)
    var header: ActivityHeader?
    for item in items { arrangement.add(item) { if case .header(let found) = $0 { header = found } } }
    #expect(header?.name == "Evening loop" && header?.laps.count == 2)
  }

  @Test("an activity entered by hand has laps only")
  func byHand() throws {
    let lap =
      "<Lap StartTime=\"2026-05-03T16:15:00Z\"><TotalTimeSeconds>1800</TotalTimeSeconds><DistanceMeters>5000</DistanceMeters>"
      + "<Calories>0</Calories></Lap>"
    let result = try tcx(activity(lap + lap.replacing("16:15", with: "16:45"), sport: "Running"))
    #expect(result.points.isEmpty && result.laps.map(\.summary.start) == [0, 1800])
    #expect(result.summaries.map(\.elapsed) == [3600] && result.summaries.first?[.distance] == 10_000)
    #expect(result.summaries.first?[.energy] == nil && result.headers.first?.sport == .running)
  }

  @Test("a point at the end of one lap and the start of the next is one point")
  func sharedPoint() throws {
    let point = { (second: String, rate: Int) in
      "<Trackpoint><Time>2026-05-03T16:15:\(second)Z</Time><HeartRateBpm><Value>\(rate)</Value></HeartRateBpm></Trackpoint>"
    }
    let lap = { (second: String, points: String) in
      "<Lap StartTime=\"2026-05-03T16:15:\(second)Z\"><Track>\(points)</Track></Lap>"
    }
    let result = try tcx(
      activity(lap("00", point("00", 100) + point("10", 110)) + lap("10", point("10", 111) + point("20", 120))))
    #expect(result.points.map(\.t) == [0, 10, 20] && result.points.map { $0[.heartRate] } == [100, 111, 120])
    #expect(result.laps.map(\.summary.start) == [0, 10] && result.laps.map(\.summary.elapsed) == [10, 10])
    #expect(result.events.count == 2)
  }

  @Test("an activity read as a route has its points, and a course is not an activity")
  func wish() throws {
    let result = try read(Vector.bytes("ride.tcx"), with: TCXReader(as: .route))
    #expect(result.headers.map(\.content) == [.route] && result.points.isEmpty && result.routePoints.count == 42)
    #expect(throws: ActivityFileError("the TCX file has a course, which is a route and not an activity")) {
      try read(Vector.bytes("routes/course.tcx"), with: TCXReader(as: .activity))
    }
  }
}
