// Finds stretches of a way that were ridden several times in the same direction. Pure.
//
// The way is thinned to points 20 m apart. Each ride along it, of the way itself as well, covers
// ranges of these points without leaving them. A stretch is what enough ranges have in common:
// `StretchSelection` finds them.
//
// The laps of a day on a track go through the same few cells. Rides are compared with the first
// passes of each place only, because the others repeat them.

package import Earth

package struct RepeatedStretches {
  package struct Stretch: Equatable, Sendable {
    /// In the time of the way.
    package var fromMS: Int64
    package var toMS: Int64
    package var lengthM: Double
    /// How often it was ridden.
    package var times: Int
  }

  package static let leastLengthM = 500.0
  package static let leastTimes = 3
  package static let mostStretches = 20
  private static let spacing = 20.0
  /// In metres from a point. Less than the tolerance of efforts, which are to be found there.
  static let reach = 25.0
  private static let cell = 50.0
  private static let mostPoints = 50_000
  /// Points of a cell that lead the same way, and all points of a cell, to compare rides with.
  private static let mostAlike = 16
  private static let mostInCell = 128
  private static let mostRanges = 4000
  /// Where the line repeats itself, several ranges grow at once.
  private static let mostRuns = 8
  /// A movement has a direction after this many metres.
  private static let leastMove = 5.0
  /// Of two directions: 60 degrees apart.
  private static let leastLikeness = 0.5
  private static let longestGapMS: Int64 = 30_000

  struct Point {
    var place: PlanePoint
    var along: Double
    var atMS: Int64
  }

  private struct Cell: Hashable {
    var x: Int
    var y: Int
  }

  private let plane: LocalPlane
  private(set) var points: [Point] = []
  /// The last of the points.
  private var end: Coordinate?
  private var cells: [Cell: [Int]] = [:]
  private var runs: [ClosedRange<Int>] = []
  private(set) var ranges: [ClosedRange<Int>] = []
  private var last: TimedPoint?

  /// Nil at a pole.
  package init?(at start: Coordinate) {
    guard let plane = LocalPlane(at: start) else { return nil }
    self.plane = plane
  }

  /// Adds the next position of the way.
  package mutating func extend(to position: Coordinate, atMS: Int64) {
    let place = plane.place(position)
    var along = 0.0
    if let last = points.last, let end {
      // Lengths on the plane are wrong far from its origin.
      let step = end.distance(to: position)
      guard step >= Self.spacing else { return }
      along = last.along + step
    }
    guard points.count < Self.mostPoints else { return }
    end = position
    points.append(Point(place: place, along: along, atMS: atMS))
    addToCell(points.count - 1)
  }

  private mutating func addToCell(_ index: Int) {
    let direction = direction(at: index)
    let cell = Self.cell(of: points[index].place)
    let others = cells[cell] ?? []
    guard others.count < Self.mostInCell,
      others.count(where: { self.direction(at: $0).dot(direction) > Self.leastLikeness }) < Self.mostAlike
    else { return }
    cells[cell, default: []].append(index)
  }

  // MARK: Rides

  /// Adds the next position of a ride.
  package mutating func ride(to position: Coordinate, atMS: Int64) {
    let next = TimedPoint(point: plane.place(position), atMS: atMS)
    guard let last else { return self.last = next }
    let way = next.point - last.point
    let metres = way.length
    guard metres >= Self.leastMove, atMS > last.atMS else { return }
    self.last = next
    if atMS - last.atMS > Self.longestGapMS { endRuns() }
    follow(next.point, direction: way * (1 / metres), metres: metres)
  }

  /// The ride ends, or is not known for a while.
  package mutating func endRide() {
    endRuns()
    last = nil
  }

  private mutating func endRuns() {
    for run in runs { keep(run) }
    runs.removeAll(keepingCapacity: true)
  }

  private mutating func keep(_ run: ClosedRange<Int>) {
    if length(of: run) >= Self.leastLengthM, ranges.count < Self.mostRanges { ranges.append(run) }
  }

  private mutating func follow(_ place: PlanePoint, direction: PlanePoint, metres: Double) {
    var found: [Int] = []
    visit(along: direction, at: place) { found.append($0) }
    let window = Int(2 * metres / Self.spacing) + 3
    var kept: [ClosedRange<Int>] = []
    for run in runs {
      let reachable = run.upperBound - 2...run.upperBound + window
      if let furthest = found.filter(reachable.contains).max() {
        kept.append(run.lowerBound...max(run.upperBound, furthest))
      } else {
        keep(run)
      }
    }
    for index in found.sorted() where kept.count < Self.mostRuns {
      if !kept.contains(where: { ($0.upperBound - window...$0.upperBound + window).contains(index) }) {
        kept.append(index...index)
      }
    }
    runs = kept
  }

  /// Visits the points within the reach of a place that lead in this direction.
  func visit(along direction: PlanePoint, at place: PlanePoint, _ body: (Int) -> Void) {
    let middle = Self.cell(of: place)
    for x in middle.x - 1...middle.x + 1 {
      for y in middle.y - 1...middle.y + 1 {
        for index in cells[Cell(x: x, y: y)] ?? []
        where (points[index].place - place).length <= Self.reach
          && self.direction(at: index).dot(direction) > Self.leastLikeness
        { body(index) }
      }
    }
  }

  func direction(at index: Int) -> PlanePoint {
    let way = points[min(points.count - 1, index + 1)].place - points[max(0, index - 1)].place
    return way.length > 0 ? way * (1 / way.length) : way
  }

  private static func cell(of place: PlanePoint) -> Cell {
    Cell(x: Int((place.x / cell).rounded(.down)), y: Int((place.y / cell).rounded(.down)))
  }

  func length(of range: ClosedRange<Int>) -> Double {
    points[range.upperBound].along - points[range.lowerBound].along
  }
}
