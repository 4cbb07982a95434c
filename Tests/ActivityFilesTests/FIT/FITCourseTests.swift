// Routes as FIT courses, read and written.

import ActivityFiles
import ActivityVectors
import Earth
import JSON
import Testing

@Suite struct FITCourseTests {
  @Test("a course has the points and cues of its route")
  func reading() throws {
    let result = try read(Vector.bytes("routes/course.fit"), with: FITReader())
    try check(result)
    #expect(result.warnings.isEmpty)
  }

  @Test("a route is written as a course", arguments: [true, false])
  func writing(withDistances: Bool) throws {
    var items = try read(Vector.bytes("routes/course.fit"), with: FITReader()).items
    if !withDistances {
      items = items.map { item in
        guard case .routePoint(var point) = item else { return item }
        point.distance = nil
        return .routePoint(point)
      }
    }
    let bytes = try writeFIT(items)
    if withDistances { try keepExport(bytes, "course.fit") }
    let result = try read(bytes, with: FITReader())
    try check(result)
    #expect(try writeFIT(result.items) == bytes)
  }

  private func check(_ result: ReadItems) throws {
    let expected = try Vector.json("routes/expect.json")
    #expect(result.headers.map(\.content) == [.route] && result.headers.first?.name == expected["name"]?.text)
    let points = try #require(expected["points"]?.items)
    #expect(result.routePoints.count == points.count)
    for (found, wanted) in zip(result.routePoints, points) {
      #expect(abs(found.position.latitude - (wanted["lat"]?.number ?? 0)) < 1e-6)
      #expect(abs((found.distance ?? 0) - (wanted["distance_m"]?.number ?? 0)) < 15)
    }
    let cues = try #require(expected["cues"]?.items)
    #expect(result.cues.map(\.name) == cues.map { $0["text"]?.text })
    #expect(result.cues.map(\.kind.name) == cues.map { $0["type"]?.text })
    for (found, wanted) in zip(result.cues, cues) {
      #expect(abs((found.distance ?? 0) - (wanted["distance_m"]?.number ?? 0)) < 15)
    }
  }

  @Test("a route of one point is refused")
  func tooShort() throws {
    let items = try read(Vector.bytes("routes/course.fit"), with: FITReader()).items.prefix { item in
      if case .routePoint = item { false } else { true }
    }
    #expect(throws: ActivityFileError.self) { try writeFIT(Array(items)) }
  }
}
