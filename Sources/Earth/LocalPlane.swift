// Places in metres on a plane that touches the earth at a point nearby. Within some ten kilometres of
// it, lengths are right to a thousandth, and positions and lines are projected in the same way.

import CMath

package struct PlanePoint: Equatable, Sendable {
  /// To the east and to the north.
  package var x: Double
  package var y: Double

  package init(x: Double, y: Double) {
    (self.x, self.y) = (x, y)
  }

  package static func + (a: PlanePoint, b: PlanePoint) -> PlanePoint { PlanePoint(x: a.x + b.x, y: a.y + b.y) }
  package static func - (a: PlanePoint, b: PlanePoint) -> PlanePoint { PlanePoint(x: a.x - b.x, y: a.y - b.y) }
  package static func * (a: PlanePoint, factor: Double) -> PlanePoint { PlanePoint(x: a.x * factor, y: a.y * factor) }

  package func dot(_ other: PlanePoint) -> Double { x * other.x + y * other.y }
  package var length: Double { dot(self).squareRoot() }

  /// From the origin, clockwise from north, from 0 to 360 degrees.
  package var courseDeg: Double {
    let degrees = atan2(x, y) * 180 / .pi
    return degrees < 0 ? degrees + 360 : degrees
  }

  /// How far along the stretch from `a` to `b` the nearest point of it is, from 0 to 1.
  package func fraction(from a: PlanePoint, to b: PlanePoint) -> Double {
    let stretch = b - a
    let square = stretch.dot(stretch)
    return square > 0 ? min(1, max(0, (self - a).dot(stretch) / square)) : 0
  }

  /// To the stretch from `a` to `b`.
  package func distance(from a: PlanePoint, to b: PlanePoint) -> Double {
    (self - (a + (b - a) * fraction(from: a, to: b))).length
  }
}

package struct LocalPlane: Equatable, Sendable {
  private let latitude: Double
  private let longitude: Double
  /// Metres of a degree.
  package let north: Double
  package let east: Double

  /// A part of a degree, whose length is that of a small arc.
  private static let part = 1.0 / 64

  /// Nil at a pole, where east has no direction.
  package init?(at origin: Coordinate) {
    (latitude, longitude) = (origin.latitude, origin.longitude)
    let inner = latitude > 0 ? latitude - Self.part : latitude + Self.part
    let side = longitude > 0 ? longitude - Self.part : longitude + Self.part
    guard let southward = Coordinate(latitude: inner, longitude: longitude),
      let sideward = Coordinate(latitude: latitude, longitude: side)
    else { return nil }
    north = origin.distance(to: southward) / Self.part
    east = origin.distance(to: sideward) / Self.part
    guard east > 1 else { return nil }
  }

  package func place(_ position: Coordinate) -> PlanePoint {
    place(latitude: position.latitude, longitude: position.longitude)
  }

  package func place(latitude: Double, longitude: Double) -> PlanePoint {
    var degrees = longitude - self.longitude
    // The short way, where the date changes.
    if degrees > 180 { degrees -= 360 } else if degrees < -180 { degrees += 360 }
    return PlanePoint(x: degrees * east, y: (latitude - self.latitude) * north)
  }
}
