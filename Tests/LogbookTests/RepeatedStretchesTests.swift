// Stretches of a way that were ridden several times.

import Earth
import Segments
import Testing

@Suite struct RepeatedStretchesTests {
  private static let way: [Way.Corner] = [(0, 0), (3000, 0)]

  private func stretches(_ way: Way, _ rides: [Way]) throws -> [RepeatedStretches.Stretch] {
    let first = try #require(way.positions.first)
    var finder = try #require(RepeatedStretches(at: first.position))
    for (position, atMS) in way.positions { finder.extend(to: position, atMS: atMS) }
    for ride in [way] + rides {
      for (position, atMS) in ride.positions { finder.ride(to: position, atMS: atMS) }
      finder.endRide()
    }
    var selection = StretchSelection(finder)
    while selection.step() {}
    return selection.stretches
  }

  @Test(
    "what three rides have in common, in one direction and from 500 m on, is a stretch",
    arguments: [
      ("two others", [[(0, 0), (3000, 0)], [(0, 0), (3000, 0)]], [(0, 3000)]),
      ("one other", [[(0, 0), (3000, 0)]], []),
      ("one in the other direction", [[(0, 0), (3000, 0)], [(3000, 0), (0, 0)]], []),
      ("a part", [[(0, 0), (3000, 0)], [(1000, -500), (1000, 0), (2000, 0), (2000, 500)]], [(1000, 2000)]),
      ("a short part", [[(0, 0), (3000, 0)], [(1000, -500), (1000, 0), (1450, 0), (1450, 500)]], []),
      ("a parallel road", [[(0, 0), (3000, 0)], [(0, 60), (3000, 60)]], []),
      ("parts that only two have", [[(0, 0), (2000, 0)], [(1200, 0), (3000, 0)]], [(1200, 2000)]),
    ] as [(String, [[Way.Corner]], [(Double, Double)])])
  func common(name: String, rides: [[Way.Corner]], expected: [(Double, Double)]) throws {
    let found = try stretches(Way(Self.way), rides.map { Way($0, speed: 8).noisy(2, seed: 7) })
    try #require(found.count == expected.count, "\(name): \(found)")
    for (stretch, range) in zip(found, expected) {
      // At 10 m/s. A ride joins within the reach.
      #expect(abs(Double(stretch.fromMS) / 100 - range.0) < 65 && abs(Double(stretch.toMS) / 100 - range.1) < 65)
      #expect(stretch.times == 3, "\(name): \(found)")
    }
  }

  @Test("three laps of one ride are a stretch, and each one has an effort on it")
  func laps() throws {
    let corners: [Way.Corner] = [(0, 0), (400, 0), (400, 300), (0, 300)]
    let way = Way(corners + corners + corners + [(0, 0)])
    let found = try stretches(way, [])
    let stretch = try #require(found.first)
    #expect(found.count == 1, "not once for each lap")
    #expect(stretch.times >= 3 && stretch.lengthM >= 500)
    let part = way.positions.filter { stretch.fromMS...stretch.toMS ~= $0.atMS }.map(\.position)
    let line = try #require(SegmentLine(part))
    #expect(way.passages(of: line).count >= 3, "\(found)")
  }

  @Test("hours of laps on a track of 400 m are compared with the first laps only, in short steps")
  func track() throws {
    let lap: [Way.Corner] = [(0, 0), (120, 0), (120, 80), (0, 80)]
    let way = Way((0..<150).flatMap { _ in lap }, speed: 3, stepMS: 3000)
    let first = try #require(way.positions.first)
    var finder = try #require(RepeatedStretches(at: first.position))
    for (position, atMS) in way.positions { finder.extend(to: position, atMS: atMS) }
    var longest = Duration.zero
    for (position, atMS) in way.positions {
      longest = max(longest, ContinuousClock().measure { finder.ride(to: position, atMS: atMS) })
    }
    finder.endRide()
    var selection = StretchSelection(finder)
    var (steps, hasMore) = (0, true)
    while hasMore {
      longest = max(longest, ContinuousClock().measure { hasMore = selection.step() })
      steps += 1
    }
    print("\(way.positions.count) positions on a track: \(steps) steps, the greatest \(longest)")
    #expect(longest < .milliseconds(500))
    let stretch = try #require(selection.stretches.first)
    #expect(selection.stretches.count == 1 && stretch.times >= 20 && stretch.lengthM >= 500, "\(selection.stretches)")
  }

  @Test("lengths are right 170 km from the start, where one plane is 3 % off")
  func farAway() throws {
    let corners: [Way.Corner] = [(0, 0), (0, 170_000), (4000, 170_000)]
    let way = Way(corners, speed: 20)
    let end = Way(Array(corners.dropFirst()), speed: 20)
    let found = try stretches(way, [end, end])
    let stretch = try #require(found.first)
    let positions = way.positions.filter { stretch.fromMS...stretch.toMS ~= $0.atMS }.map(\.position)
    let length = zip(positions, positions.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
    #expect(found.count == 1 && length > 3700 && abs(stretch.lengthM - length) < 0.001 * length, "\(stretch) \(length)")
  }
}
