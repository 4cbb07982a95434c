// A route to follow: the line with its distances and altitudes. It takes 16 bytes per point, because
// a long tour has 50,000 of them. Distances are those along the line. A file can count differently,
// so the places of its cues are converted.

package import Earth

package struct Route: Sendable {
  package struct Point: Equatable, Sendable {
    package var position: Coordinate
    package var altitudeM: Double?
    /// As the file counts.
    package var distanceM: Double?

    package init(_ position: Coordinate, altitudeM: Double? = nil, distanceM: Double? = nil) {
      (self.position, self.altitudeM, self.distanceM) = (position, altitudeM, distanceM)
    }
  }

  /// A place on the line.
  struct Place: Equatable, Sendable {
    /// In metres from the start.
    var along: Double
    /// Metres beside the line.
    var offset: Double
    /// The line goes from the point of this number to the next one.
    var piece: Int
    /// Of the line there, of length 1.
    var direction: PlanePoint
  }

  /// Points that are nearer to the one before add nothing to the line, in metres.
  private static let leastStep = 1.0
  /// A route whose ends are this near, in metres, is a loop.
  private static let loopGap = 60.0

  let places: [PackedPlace]
  /// From the start, for each point. Six centimetres are exact enough at 1000 km.
  private let distances: [Float]
  /// NaN where the altitude is unknown. Empty if all are.
  private let altitudes: [Float]
  let index: RouteIndex
  /// From the start to the end, in metres.
  package let lengthM: Double
  let isLoop: Bool

  /// Nil without a line. `counted` are distances as the file counts, in any order; each is
  /// replaced by the distance along the line.
  package init?(_ points: some Sequence<Point>, converting counted: inout [Double]) {
    let order = counted.indices.sorted { counted[$0] < counted[$1] }
    var (next, converted) = (0, counted)
    var (places, distances, altitudes): ([PackedPlace], [Float], [Float]) = ([], [], [])
    var (last, length): (Point?, Double) = (nil, 0)
    var hasAltitude = false
    for point in points {
      let step = last.map { $0.position.distance(to: point.position) } ?? 0
      if let before = last?.distanceM, let after = point.distanceM {
        while next < order.count, counted[order[next]] <= after {
          let part = after > before ? max(0, (counted[order[next]] - before) / (after - before)) : 1
          converted[order[next]] = length + step * part
          next += 1
        }
      }
      guard last == nil || step >= Self.leastStep else { continue }
      length += step
      last = point
      places.append(PackedPlace(point.position))
      distances.append(Float(length))
      let altitude = point.altitudeM.map { Float($0) } ?? .nan
      hasAltitude = hasAltitude || altitude.isFinite
      altitudes.append(altitude.isFinite ? altitude : .nan)
    }
    guard places.count > 1, let first = places.first, let end = places.last else { return nil }
    for rest in order[next...] { converted[rest] = min(max(0, counted[rest]), length) }
    counted = converted
    (self.places, self.distances, self.altitudes) = (places, distances, hasAltitude ? altitudes : [])
    index = RouteIndex(places)
    lengthM = Double(distances[distances.count - 1])
    isLoop = lengthM > 4 * Self.loopGap && first.distance(to: end) <= Self.loopGap
  }

  package init?(_ points: some Sequence<Point>) {
    var none: [Double] = []
    self.init(points, converting: &none)
  }

  package var count: Int { places.count }
  var hasAltitudes: Bool { !altitudes.isEmpty }

  func distance(of point: Int) -> Double { Double(distances[point]) }

  /// Nil if it is unknown.
  func altitude(of point: Int) -> Double? {
    guard point < altitudes.count, !altitudes[point].isNaN else { return nil }
    return Double(altitudes[point])
  }

  /// The piece of the line at a distance along it.
  func piece(at along: Double) -> Int {
    var (low, high) = (0, distances.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if Double(distances[middle]) <= along { low = middle } else { high = middle }
    }
    return low
  }

  /// The place on a piece that is nearest to the origin of the plane, within a range of distances.
  func nearest(on piece: Int, around plane: LocalPlane, in range: ClosedRange<Double>? = nil) -> Place {
    let (a, b) = (places[piece].point(on: plane), places[piece + 1].point(on: plane))
    let (from, to) = (distance(of: piece), distance(of: piece + 1))
    var fraction = PlanePoint(x: 0, y: 0).fraction(from: a, to: b)
    if let range, to > from {
      let along = min(max(from + (to - from) * fraction, range.lowerBound), range.upperBound)
      fraction = min(1, max(0, (along - from) / (to - from)))
    }
    let way = b - a
    let length = way.length
    return Place(
      along: from + (to - from) * fraction, offset: (a + way * fraction).length, piece: piece,
      direction: length > 0 ? way * (1 / length) : PlanePoint(x: 0, y: 0))
  }

  /// Calls `body` with the pieces of the line that lie in a range of distances. `piece` is one nearby.
  func visitPieces(near piece: Int, in range: ClosedRange<Double>, _ body: (Int) -> Void) {
    var piece = piece
    while piece > 0, distance(of: piece) > range.lowerBound { piece -= 1 }
    while piece + 1 < count, distance(of: piece) <= range.upperBound {
      if distance(of: piece + 1) >= range.lowerBound { body(piece) }
      piece += 1
    }
  }

  /// The place of the whole line that is nearest to the origin of the plane.
  func nearest(around plane: LocalPlane) -> Place {
    var best = Place(along: 0, offset: .infinity, piece: 0, direction: PlanePoint(x: 0, y: 0))
    // Most riders are near, and then a small search passes over most of the line.
    var reach = 100.0
    while best.offset > reach {
      index.search(around: plane, within: reach) { piece in
        let place = nearest(on: piece, around: plane)
        if place.offset < best.offset { best = place }
        return min(reach, best.offset)
      }
      if best.offset > reach { reach = reach > 10_000 ? .infinity : reach * 10 }
    }
    return best
  }

  func position(at along: Double) -> Coordinate? {
    let piece = piece(at: along)
    let (from, to) = (distance(of: piece), distance(of: piece + 1))
    let fraction = to > from ? min(1, max(0, (along - from) / (to - from))) : 0
    return places[piece].coordinate(towards: places[piece + 1], fraction)
  }
}
