// Passages of a line in positions.

import ActivityFiles
import Earth
import Segments
import Testing

@testable import Logbook

/// A way on a plane, in metres to the east and to the north.
struct Way {
  typealias Corner = (x: Double, y: Double)

  private(set) var positions: [(position: Coordinate, atMS: Int64)] = []

  /// Rides from corner to corner. Corners are reached exactly in time, not always with a position.
  init(_ corners: [Corner], speed: Double = 10, stepMS: Int64 = 1000, fromMS: Int64 = 0) {
    var (travelled, ends) = (0.0, [0.0])
    for (a, b) in zip(corners, corners.dropFirst()) {
      travelled += Self.distance(a, b)
      ends.append(travelled)
    }
    var atMS: Int64 = 0
    while Double(atMS) * speed / 1000 <= travelled + 1e-6 {
      let way = Double(atMS) * speed / 1000
      let piece = max(0, min(corners.count - 2, (ends.firstIndex { $0 > way } ?? ends.count) - 1))
      let part = (way - ends[piece]) / (ends[piece + 1] - ends[piece])
      let (a, b) = (corners[piece], corners[piece + 1])
      add(a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part, fromMS + atMS)
      atMS += stepMS
    }
  }

  private mutating func add(_ x: Double, _ y: Double, _ atMS: Int64) {
    if let position = Self.place(x, y) { positions.append((position, atMS)) }
  }

  static func place(_ x: Double, _ y: Double) -> Coordinate? {
    Coordinate(latitude: 47 + y / 111_195, longitude: 8 + x / 75_835)
  }

  private static func distance(_ a: Corner, _ b: Corner) -> Double {
    ((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)).squareRoot()
  }

  func without(_ range: Range<Int64>) -> Way { changed { range.contains($0.atMS) ? nil : $0 } }

  mutating func later(_ ms: Int64) {
    for index in positions.indices { positions[index].atMS += ms }
  }

  /// Each position is off by a normal deviation in both directions.
  func noisy(_ metres: Double, seed: UInt64) -> Way {
    var generator = Noise(state: seed)
    return changed { item in
      guard
        let position = Coordinate(
          latitude: item.position.latitude + generator.normal() * metres / 111_195,
          longitude: item.position.longitude + generator.normal() * metres / 75_835)
      else { return nil }
      return (position, item.atMS)
    }
  }

  private func changed(
    _ change: ((position: Coordinate, atMS: Int64)) -> (position: Coordinate, atMS: Int64)?
  ) -> Way {
    var copy = self
    copy.positions = positions.compactMap(change)
    return copy
  }

  var line: SegmentLine? { SegmentLine(positions.map(\.position)) }

  func passages(of line: SegmentLine) -> [EffortFinder.Passage] {
    var finder = EffortFinder(line)
    let passages = positions.compactMap { finder.add($0.position, atMS: $0.atMS) }
    return passages + [finder.finish()].compactMap(\.self)
  }
}

/// The same numbers in every run.
private struct Noise: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
    return word ^ word >> 31
  }

  /// The sum of twelve even numbers is near enough.
  mutating func normal() -> Double {
    (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0..<1, using: &self) }
  }
}

@Suite struct EffortFinderTests {
  private typealias Passage = EffortFinder.Passage

  private static let straight: [Way.Corner] = [(0, 0), (1000, 0)]
  private static let corner: [Way.Corner] = [(0, 0), (500, 0), (500, 500)]
  private static let square: [Way.Corner] = [(0, 0), (200, 0), (200, 200), (0, 200), (0, 0)]
  private static let outAndBack: [Way.Corner] = [(0, 0), (600, 0), (0, 0)]

  private static func passages(_ way: [Way.Corner], on line: [Way.Corner]) throws -> [Passage] {
    Way(way).passages(of: try #require(Way(line, speed: 7).line))
  }

  private static func seconds(_ times: (Double, Double)...) -> [Passage] {
    times.map { Passage(startMS: Int64($0.0 * 1000), endMS: Int64($0.1 * 1000)) }
  }

  /// To 30 ms.
  private static func areEqual(_ found: [Passage], _ expected: [Passage]) -> Bool {
    found.count == expected.count
      && zip(found, expected).allSatisfy { abs($0.startMS - $1.startMS) <= 30 && abs($0.endMS - $1.endMS) <= 30 }
  }

  @Test(
    "passages of a line at 10 m/s",
    arguments: [
      ("straight", [(-105, 0), (1205, 0)], straight, seconds((10.5, 109.9))),
      ("exactly the line", [(0, 0), (1000, 0)], straight, seconds((0, 99.4))),
      ("25 m to the left", [(-100, 25), (1200, 25)], straight, seconds((10, 109.4))),
      ("35 m to the left", [(-100, 35), (1200, 35)], straight, []),
      ("round a corner", [(-100, 0), (500, 0), (500, 600)], corner, seconds((10, 109.4))),
      ("the corner is cut by 20 m", [(-100, 0), (480, 0), (500, 20), (500, 600)], corner, seconds((10, 108.2))),
      ("a short cut", [(-100, 0), (300, 0), (500, 200), (500, 600)], corner, []),
      ("a detour", [(-100, 0), (400, 0), (400, 100), (450, 100), (450, 0), (1200, 0)], straight, []),
      ("the wrong direction", [(1200, 0), (-100, 0)], straight, []),
      ("there and back", [(-100, 0), (1200, 0), (-100, 0)], straight, seconds((10, 109.4))),
      ("twice there", [(-100, 0), (1100, 0), (-100, 0), (1100, 0)], straight, seconds((10, 109.4), (250, 349.4))),
      ("from the middle", [(300, 0), (1200, 0)], straight, []),
      ("to the middle", [(-100, 0), (900, 0)], straight, []),
      ("back from the middle", [(-100, 0), (700, 0), (-100, 0)], straight, []),
      ("from a side road", [(0, -200), (0, 0), (1200, 0)], straight, seconds((20, 119.4))),
      ("into a side road", [(-100, 0), (994, 0), (994, 300)], straight, seconds((10, 109.3))),
      ("the end of the ride", [(-106, 0), (994, 0)], straight, seconds((10.6, 110))),
      ("begun again", [(-100, 0), (50, 0), (-50, 0), (1200, 0)], straight, seconds((30, 129.4))),
      ("turned and turned again", [(-100, 0), (500, 0), (460, 0), (1200, 0)], straight, seconds((10, 117.4))),
      ("across the line", [(500, -500), (500, 500)], straight, []),
      ("out and back", [(-100, 0), (600, 0), (-100, 0)], outAndBack, seconds((10, 129.7))),
      ("turned before the end", [(-100, 0), (450, 0), (-100, 0)], outAndBack, []),
    ] as [(String, [Way.Corner], [Way.Corner], [Passage])])
  private func passages(name: String, way: [Way.Corner], line: [Way.Corner], expected: [Passage]) throws {
    #expect(Self.areEqual(try Self.passages(way, on: line), expected))
  }

  @Test("laps round a loop are passages without time in between")
  func laps() throws {
    let line = try #require(Way(Self.square, speed: 4).line)
    let lap = Self.square.dropFirst()
    let found = Way([(-50, 0)] + Self.square + lap + lap + [(50, 0)]).passages(of: line)
    #expect(Self.areEqual(found, Self.seconds((5, 85), (85, 165), (165, 245))))
    let inverse = Way([(50, 0)] + (Self.square + lap).reversed() + [(-50, 0)]).passages(of: line)
    #expect(inverse.isEmpty)
  }

  @Test("a loop of two laps is found once in three")
  func repeatedLine() throws {
    let lap = Self.square.dropFirst()
    let line = try #require(Way(Self.square + lap, speed: 4).line)
    let found = Way([(-50, 0)] + Self.square + lap + lap + [(50, 0)]).passages(of: line)
    #expect(Self.areEqual(found, Self.seconds((5, 165))))
  }

  @Test("the start is interpolated within a second", arguments: [2.5, 6, 13.7])
  func interpolation(speed: Double) throws {
    let line = try #require(Way(Self.straight, speed: 5).line)
    let found = Way([(-101, 0), (1101, 0)], speed: speed).passages(of: line)
    try #require(found.count == 1)
    #expect(abs(Double(found[0].startMS) - 101 / speed * 1000) <= 1)
    #expect(abs(Double(found[0].endMS) - 1101 / speed * 1000) <= 1)
  }

  @Test("with the receiver's errors of 5 m every lap is found, near its time", arguments: 1...20 as ClosedRange<UInt64>)
  func noise(seed: UInt64) throws {
    let line = try #require(Way(Self.square, speed: 5).noisy(5, seed: seed + 100).line)
    let lap = Self.square.dropFirst()
    let found = Way([(-50, 0)] + Self.square + lap + lap + [(50, 0)]).noisy(5, seed: seed).passages(of: line)
    try #require(found.count == 3)
    for (index, passage) in found.enumerated() {
      #expect(abs(passage.startMS - Int64(5000 + 80_000 * index)) < 3500)
      #expect(abs(passage.endMS - passage.startMS - 80_000) < 6000)
    }
  }

  @Test("a standing receiver makes no passages")
  func standing() throws {
    let line = try #require(Way(Self.straight, speed: 5).line)
    let stand = Way((0..<600).map { (Double($0 % 2) * 0.001, 0.0) }, speed: 0.001).noisy(5, seed: 7)
    #expect(stand.positions.count > 500)
    #expect(stand.passages(of: line).isEmpty)
  }

  @Test(
    "gaps of the receiver",
    arguments: [
      ("29 s of the line", straight, 30_001..<59_000, true), ("31 s of the line", straight, 30_001..<62_000, false),
      ("over the corner", corner, 50_001..<70_000, true), ("10 s at the start", straight, 5001..<15_000, true),
      ("12 s at the start", straight, 4001..<16_000, false), ("12 s at the end", straight, 104_001..<116_000, false),
    ] as [(String, [Way.Corner], Range<Int64>, Bool)])
  func gaps(name: String, line: [Way.Corner], gap: Range<Int64>, isFound: Bool) throws {
    let last = line[line.count - 1]
    let way = Way([(-100, 0)] + line.dropFirst() + [line.count == 2 ? (1200, 0) : (last.x, 700)])
    let found = way.without(gap).passages(of: try #require(Way(line, speed: 5).line))
    #expect(Self.areEqual(found, (isFound ? Self.seconds((10, 110)) : [])))
  }

  @Test("a stop on the line counts, also if the receiver sleeps meanwhile")
  func stop() throws {
    let line = try #require(Way(Self.straight, speed: 5).line)
    let before = Way([(-100, 0), (500, 0)])
    let after = Way([(501, 0), (1100, 0)], fromMS: 660_000)
    var finder = EffortFinder(line)
    let found = (before.positions + after.positions).compactMap { finder.add($0.position, atMS: $0.atMS) }
    #expect(found.count == 1 && found.first?.startMS == 10_000 && found.first.map { $0.endMS > 700_000 } == true)
  }

  @Test("the date line is a place like others")
  func dateLine() throws {
    func at(_ metres: Double) -> Coordinate? {
      let degrees = 179.995 + metres / 111_195
      return Coordinate(latitude: 0.5, longitude: degrees > 180 ? degrees - 360 : degrees)
    }
    let line = try #require(SegmentLine(stride(from: 0.0, through: 1000, by: 5).compactMap(at)))
    #expect(abs(line.length - 1000) < 1)
    var finder = EffortFinder(line)
    let found = (0...120).compactMap { second in
      at(Double(second) * 10 - 100).flatMap { finder.add($0, atMS: Int64(second) * 1000) }
    }
    #expect(Self.areEqual(found, Self.seconds((10, 110))))
  }

  @Test(
    "lines of less than 100 m or more than 50 km are refused", arguments: [(90.0, false), (110, true), (51_000, false)])
  func lengths(metres: Double, isLine: Bool) {
    #expect((Way([(0, 0), (metres, 0)]).line != nil) == isLine)
  }
}
