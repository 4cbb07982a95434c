// The positions of an activity on a plane around the first of them, in pieces. Between two pieces is
// a gap. The same plane as that of the page's maps.

import Earth
import LogbookWire

struct RouteTrack {
  /// The first and last point of each piece.
  private(set) var pieces: [ClosedRange<Int>] = []
  private(set) var places: [PlanePoint] = []
  /// Since the start of the activity.
  private(set) var times: [Double?] = []

  /// Nil without positions, and at a pole.
  init?(_ document: TrackDocument) {
    var plane: LocalPlane?
    for piece in document.pieces {
      let first = places.count
      for point in piece.points {
        guard let position = Coordinate(latitude: point.latitudeDeg, longitude: point.longitudeDeg) else { continue }
        if plane == nil { plane = LocalPlane(at: position) }
        guard let plane else { return nil }
        places.append(plane.place(position))
        times.append(point.atS)
      }
      if places.count > first { pieces.append(first...places.count - 1) }
    }
    if places.isEmpty { return nil }
  }

  var start: PlanePoint { places[0] }
  var finish: PlanePoint { places[places.count - 1] }

  /// The corners of the smallest box around all points.
  var box: (least: PlanePoint, most: PlanePoint) {
    var (least, most) = (start, start)
    for place in places {
      least = PlanePoint(x: min(least.x, place.x), y: min(least.y, place.y))
      most = PlanePoint(x: max(most.x, place.x), y: max(most.y, place.y))
    }
    return (least, most)
  }

  /// The length of the lines that are drawn, in metres.
  var length: Double {
    pieces.reduce(0) { sum, piece in
      zip(places[piece], places[piece].dropFirst()).reduce(sum) { $0 + ($1.1 - $1.0).length }
    }
  }

  /// The points that the line of a range needs, its ends included: each of the others is at most
  /// `tolerance` metres from the line (Douglas and Peucker).
  func simplified(_ range: ClosedRange<Int>, tolerance: Double) -> [Int] {
    var kept = [range.lowerBound]
    // Ranges to be looked at, the next one last.
    var ranges = range.count > 1 ? [range] : []
    while let next = ranges.popLast() {
      let (place, distance) = farthest(next)
      if distance > tolerance {
        ranges.append(place...next.upperBound)
        ranges.append(next.lowerBound...place)
      } else {
        kept.append(next.upperBound)
      }
    }
    return kept
  }

  private func farthest(_ range: ClosedRange<Int>) -> (place: Int, distance: Double) {
    let (first, last) = (places[range.lowerBound], places[range.upperBound])
    var found = (place: range.lowerBound, distance: 0.0)
    for index in range.dropFirst().dropLast() {
      let distance = places[index].distance(from: first, to: last)
      if distance > found.distance { found = (index, distance) }
    }
    return found
  }
}
