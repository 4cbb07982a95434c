// A fix allocates nothing, on a route of 50,000 points. Needs optimised code: `swift test -c release
// --filter AllocationTests`.

import AllocationCounting
import CAllocationCounter
import Testing
import Time

@testable import Guidance

@Suite(.enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"))
struct GuidanceAllocationTests {
  @Test("fixes on a route of 50,000 points allocate nothing")
  func fixes() throws {
    let corners = (0..<400).map { number in
      let (row, column) = (number / 20, number % 20)
      return Spot(Double(column) * 800, Double(row * 900 + number * 37 % 11 * 50))
    }
    let line = try #require(route(corners, every: 8))
    #expect(line.count > 40_000)
    var follower = RouteFollower(line)
    var cues = CueGuide([], of: line)
    let fixes = way(corners, every: 7).compactMap(\.position).enumerated().map { second, position in
      PositionFix(position, at: MonotonicTime(seconds: Double(second)), accuracyM: 5, speedMps: 7)
    }
    for fix in fixes[..<1000] { follower.add(fix) }
    var announced = 0
    let clock = ContinuousClock()
    let before = allocation_count()
    let start = clock.now
    for fix in fixes[1000...] {
      follower.add(fix)
      if cues.announce(at: follower.progress.distanceM) != nil { announced += 1 }
    }
    let spent = clock.now - start
    #expect(allocation_count() - before == 0)
    #expect(announced > 100)
    print("\(fixes.count - 1000) fixes on \(line.count) points: \(spent / (fixes.count - 1000)) each")
  }
}
