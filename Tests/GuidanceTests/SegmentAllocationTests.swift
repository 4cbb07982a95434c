// A fix on segments allocates nothing. Needs optimised code, as GuidanceAllocationTests.

import AllocationCounting
import CAllocationCounter
import Earth
import Segments
import Testing

@Suite(.enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"))
struct SegmentAllocationTests {
  private static let metresPerDegree = 111_194.93

  /// On a way to the north, or east of it.
  private func place(_ north: Double, east: Double = 0) -> Coordinate? {
    Coordinate(latitude: 47 + north / Self.metresPerDegree, longitude: 8.5 + east / Self.metresPerDegree / 0.682)
  }

  private func segment(_ id: Int, from: Double, to: Double, east: Double = 0) throws -> KnownSegment {
    let places = stride(from: from, through: to, by: 10).compactMap { place($0, east: east) }
    let length = to - from
    let times = EffortTimes((0...100).map { (distanceM: length * Double($0) / 100, seconds: Double($0) * 12) })
    let effort = PastEffort(timeS: 1200, times: times)
    return try #require(KnownSegment(id: id, places, best: effort, last: effort))
  }

  @Test("fixes on eight segments of 500 allocate nothing")
  func fixes() throws {
    var live = LiveSegments()
    let ridden = try (0..<8).map { try segment($0 + 1, from: 200 + 20 * Double($0), to: 8000) }
    let others = try (8..<500).map { number in
      try segment(number + 1, from: Double(number * 30), to: Double(number * 30 + 200), east: 900)
    }
    live.replace(by: ridden + others)
    let fixes = stride(from: 0, to: 7900, by: 7).compactMap { place($0) }
    let isOn = fixes.firstIndex { $0.latitude > 47 + 500 / Self.metresPerDegree } ?? fixes.count
    for (second, fix) in fixes[..<isOn].enumerated() { live.add(fix, atMS: Int64(second) * 1000) }
    var on = 0
    let clock = ContinuousClock()
    let before = allocation_count()
    let start = clock.now
    for index in isOn..<fixes.count {
      live.add(fixes[index], atMS: Int64(index) * 1000)
      for report in live.reports where report.state == .on { on += 1 }
    }
    let spent = clock.now - start
    #expect(allocation_count() - before == 0)
    #expect(on == fixes.count - isOn && live.saved.count == 8)
    print("\(on) fixes on \(live.saved.count) segments of \(live.segments.count): \(spent / on) each")
  }
}
