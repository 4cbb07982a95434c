// Places cues along the line of a route. Lengths are computed on a plane around each part of the
// line; that is exact enough for the 35 m within which a cue belongs to it.

import CMath
import Earth

struct RouteCues {
  private static let longestDistance = 35.0
  /// A line that is near again after this was away in between: its parts can be long.
  private static let longestPass = 3 * longestDistance

  /// Parts of the line that are looked at or passed over together.
  private static let blockSize = 256

  private let points: [RoutePoint]
  private let distances: [Double]
  private let blocks: [Block]

  /// Some parts of the line. A cue is near few of them, so that most of a long line is passed over.
  private struct Block {
    let parts: Range<Int>
    let latitudes: ClosedRange<Double>
    let longitudes: ClosedRange<Double>
  }

  init(_ points: [RoutePoint], _ distances: [Double]) {
    self.points = points
    self.distances = distances
    blocks = stride(from: 0, to: points.count - 1, by: Self.blockSize).map { start in
      let end = min(start + Self.blockSize, points.count - 1)
      let first = points[start].position
      var (latitudes, longitudes) = (first.latitude...first.latitude, first.longitude...first.longitude)
      // The last part ends with the first point of the next block.
      for point in points[start...end] {
        latitudes = latitudes.including(point.position.latitude)
        longitudes = longitudes.including(point.position.longitude)
      }
      return Block(parts: start..<end, latitudes: latitudes, longitudes: longitudes)
    }
  }

  /// Where the line passes the place the next time, or for the first time of all.
  func pass(of place: Coordinate, after last: Double) -> Double? {
    let passes = passes(of: place)
    // A metre earlier is the same place, by rounding.
    return passes.first { $0 >= last - 1 } ?? passes.first
  }

  /// The distances along the line where it passes the place, one for each time.
  private func passes(of place: Coordinate) -> [Double] {
    let east = cos(place.latitude * Double.pi / 180)
    // A part that is further north or south cannot be near.
    let reach = Self.longestDistance / Coordinate.metresPerDegree
    var result: [Double] = []
    var best: (length: Double, distance: Double)?
    for block in blocks {
      if isFar(block, from: place, reach: reach, east) {
        if let last = best { result.append(last.distance) }
        best = nil
        continue
      }
      for index in block.parts {
        let (first, second) = (points[index].position, points[index + 1].position)
        let isFar =
          min(first.latitude, second.latitude) > place.latitude + reach
          || max(first.latitude, second.latitude) < place.latitude - reach
        let found = isFar ? nil : nearest(to: place, first, second, east)
        if let found, found.length <= Self.longestDistance {
          let distance = distances[index] + found.share * (distances[index + 1] - distances[index])
          if let last = best, distance - last.distance > Self.longestPass {
            result.append(last.distance)
            best = nil
          }
          if best.map({ found.length < $0.length }) ?? true { best = (found.length, distance) }
        } else if let last = best {
          result.append(last.distance)
          best = nil
        }
      }
    }
    if let last = best { result.append(last.distance) }
    return result
  }

  /// Whether no part of the block can be near.
  private func isFar(_ block: Block, from place: Coordinate, reach: Double, _ east: Double) -> Bool {
    guard block.latitudes.lowerBound <= place.latitude + reach, block.latitudes.upperBound >= place.latitude - reach
    else { return true }
    // A block on both sides of the meridian of 180 degrees is as wide as the earth.
    let (west, width) = (block.longitudes.lowerBound, block.longitudes.upperBound - block.longitudes.lowerBound)
    return width <= 180 && abs(wrapped(place.longitude - west - width / 2)) * east > width / 2 * east + reach
  }

  private func nearest(
    to place: Coordinate, _ first: Coordinate, _ second: Coordinate, _ east: Double
  ) -> (length: Double, share: Double)? {
    let (x, y) = (wrapped(second.longitude - first.longitude) * east, second.latitude - first.latitude)
    let (px, py) = (wrapped(place.longitude - first.longitude) * east, place.latitude - first.latitude)
    let square = x * x + y * y
    let share = square > 0 ? min(1, max(0, (px * x + py * y) / square)) : 0
    let (dx, dy) = (px - share * x, py - share * y)
    return ((dx * dx + dy * dy).squareRoot() * Coordinate.metresPerDegree, share)
  }

  /// Across the meridian of 180 degrees.
  private func wrapped(_ degrees: Double) -> Double {
    degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees
  }

  /// The cues that are near the line, in its order. A cue belongs to the first pass after the cue
  /// before it in the file, and to the first pass of all if there is none.
  func place(_ cues: [RouteCue]) -> (placed: [RouteCue], distant: Int) {
    var placed: [RouteCue] = []
    var last = 0.0
    for var cue in cues {
      guard let position = cue.position else { continue }
      guard let distance = pass(of: position, after: last) else { continue }
      last = distance
      cue.distance = distance
      placed.append(cue)
    }
    placed.sort { ($0.distance ?? 0) < ($1.distance ?? 0) }
    return (placed, cues.count - placed.count)
  }
}

extension ClosedRange<Double> {
  fileprivate func including(_ value: Double) -> Self {
    Swift.min(lowerBound, value)...Swift.max(upperBound, value)
  }
}
