// Climbs of routes.

import Testing

@testable import Guidance

@Suite struct ClimbTests {
  /// Flat for 2 km, 1 km up at 6 %, 2 km flat, then down.
  private func hill(_ x: Double) -> Double {
    switch x {
    case ..<2000: 400
    case ..<3000: 400 + (x - 2000) * 0.06
    case ..<5000: 460
    default: 460 - (x - 5000) * 0.04
    }
  }

  @Test("a climb has a start, a length, an ascent and a grade")
  func climb() throws {
    let line = try #require(route([Spot(0, 0), Spot(8000, 0)]) { hill($0.x) + Double(Int($0.x) * 7 % 3) })
    let guide = ClimbGuide(line)
    #expect(guide.climbs.count == 1)
    let ahead = try #require(guide.next(at: 500))
    #expect(abs(ahead.climb.startM - 2000) < 100)
    #expect(abs(ahead.climb.lengthM - 1000) < 150)
    #expect(abs(ahead.climb.ascentM - 60) < 4)
    #expect(abs(ahead.climb.gradePct - 6) < 0.8)
    #expect(ahead.distanceM == ahead.climb.startM - 500)
    #expect(abs(try #require(guide.next(at: 2500)).ascentToGoM - 30) < 4)
    #expect(guide.next(at: 2500)?.distanceM == 0)
    #expect(guide.next(at: 4000) == nil)
  }

  @Test("the profile of a climb has at most 60 altitudes, from its start to its end")
  func profile() throws {
    let line = try #require(route([Spot(0, 0), Spot(20_000, 0)]) { max(0, $0.x - 1000) * 0.05 })
    let guide = ClimbGuide(line)
    let climb = try #require(guide.climbs.first)
    let profile = guide.profile(of: climb)
    #expect(profile.count == 60)
    #expect(profile.first.map { $0 < 10 } == true)
    #expect(profile.last.map { abs($0 - 950) < 10 } == true)
    #expect(profile == profile.sorted())
  }

  @Test("small hills and routes without altitudes have no climbs")
  func none() throws {
    #expect(ClimbGuide(try #require(route([Spot(0, 0), Spot(5000, 0)]))).climbs.isEmpty)
    let low = try #require(route([Spot(0, 0), Spot(5000, 0)]) { $0.x < 300 ? $0.x * 0.05 : 15 })
    #expect(ClimbGuide(low).climbs.isEmpty)
  }
}
