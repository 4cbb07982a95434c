// The line of a segment, from its start to its end. Pure.

package import Earth

package struct SegmentLine: Sendable {
  /// Positions within so many metres are on the line.
  package static let tolerance = 30.0
  /// In metres. A shorter line is within the errors of receivers; a longer one is a route.
  package static let lengths = 100.0...50_000.0

  /// A place on the line.
  struct Place: Equatable, Sendable {
    /// In metres from the start.
    var along: Double
    /// Metres beside the line.
    var offset: Double
    /// The piece of the line, which hints at the next one.
    var piece: Int
  }

  let plane: LocalPlane
  let start: SegmentGate
  let end: SegmentGate
  /// Positions on the line are in this box.
  package let box: PositionBox
  private let points: [PlanePoint]
  /// Of the points, from the start.
  private let distances: [Double]

  package var length: Double { distances[distances.count - 1] }

  /// Nil if the line is too short or too long.
  package init?(_ positions: [Coordinate]) {
    guard let first = positions.first, positions.count > 1, let plane = LocalPlane(at: first) else { return nil }
    self.plane = plane
    let points = positions.map(plane.place)
    var distances = [0.0]
    for (before, point) in zip(points, points.dropFirst()) {
      distances.append(distances[distances.count - 1] + (point - before).length)
    }
    guard Self.lengths.contains(distances[distances.count - 1]),
      let start = SegmentGate(points, from: 0), let end = SegmentGate(points, from: points.count - 1)
    else { return nil }
    var box = PositionBox(first)
    for position in positions { box.add(position) }
    (self.points, self.distances, self.start, self.end) = (points, distances, start, end)
    self.box = box.widened(north: Self.tolerance / plane.north, east: Self.tolerance / plane.east)
  }

  /// The place on the line that is nearest to this one, within a range of distances along it. A line
  /// can pass a place several times: then the place counts whose distance is as expected.
  func nearest(to point: PlanePoint, in range: ClosedRange<Double>, expected: Double, after piece: Int) -> Place? {
    var best: Place?
    var lowest = Double.infinity
    var index = piece
    while index > 0, distances[index] > range.lowerBound { index -= 1 }
    while index + 1 < points.count, distances[index] <= range.upperBound {
      defer { index += 1 }
      let (from, to) = (distances[index], distances[index + 1])
      guard to > from, to >= range.lowerBound else { continue }
      let fraction = point.fraction(from: points[index], to: points[index + 1])
      let along = min(max(from + (to - from) * fraction, range.lowerBound), range.upperBound)
      let on = points[index] + (points[index + 1] - points[index]) * ((along - from) / (to - from))
      let offset = (point - on).length
      let cost = offset + abs(along - expected) / 4
      guard offset <= Self.tolerance, cost < lowest else { continue }
      (best, lowest) = (Place(along: along, offset: offset, piece: index), cost)
    }
    return best
  }

  /// The piece of the line that has this distance along it.
  func piece(at along: Double) -> Int {
    var (low, high) = (0, points.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if distances[middle] <= along { low = middle } else { high = middle }
    }
    return low
  }

  /// How many points have been passed, in their order, after the stretch from `a` to `b`.
  func passed(after count: Int, from a: PlanePoint, to b: PlanePoint) -> Int {
    var count = count
    while count < points.count, points[count].distance(from: a, to: b) <= Self.tolerance { count += 1 }
    return count
  }

  /// Whether so many points are all that lie before this distance.
  func isPassed(until along: Double, _ count: Int) -> Bool { count >= points.count || distances[count] >= along }
}

// MARK: Coming to the start

extension SegmentLine {
  package func wayToStart(from position: Coordinate) -> PlanePoint { start.place - plane.place(position) }

  /// Whether this movement leads to the start, from before it.
  package func leadsToStart(from last: Coordinate, to next: Coordinate) -> Bool {
    let (last, next) = (plane.place(last), plane.place(next))
    let (way, rest) = (next - last, start.place - next)
    return way.length >= Self.leastMove && way.dot(rest) > 0.7 * way.length * rest.length && start.isAhead(of: next)
  }

  /// A shorter movement has no direction, in metres.
  private static let leastMove = 1.0

  func isSame(as other: SegmentLine) -> Bool { plane == other.plane && points == other.points }

  /// How many points the line has.
  package var count: Int { points.count }
}

/// An end of a segment. The way passes it where it is nearest to it.
struct SegmentGate: Equatable, Sendable {
  let place: PlanePoint
  /// Of the line, of length 1.
  private let direction: PlanePoint

  /// The direction is that of so many metres of the line, because single positions are not exact.
  private static let reach = 20.0
  /// Along the line, in metres: receivers err, and riders who turn into it cut the corner.
  private static let tolerance = 25.0

  /// At the first or the last point. Nil if the line has no direction there.
  fileprivate init?(_ points: [PlanePoint], from index: Int) {
    place = points[index]
    let (origin, isFirst) = (points[index], index == 0)
    let other =
      isFirst
      ? points.first { ($0 - origin).length >= Self.reach } : points.last { ($0 - origin).length >= Self.reach }
    guard let other else { return nil }
    let way = isFirst ? other - origin : origin - other
    direction = way * (1 / way.length)
  }

  func isAhead(of point: PlanePoint) -> Bool { (place - point).dot(direction) > 0 }

  /// Whether a way that is nearest here passes the gate.
  func isPassed(at point: PlanePoint) -> Bool {
    let way = point - place
    return way.length <= SegmentLine.tolerance && abs(way.dot(direction)) <= Self.tolerance
  }
}
