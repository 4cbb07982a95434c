// A place on the earth in 8 bytes, exact to a centimetre.

import Earth

struct PackedPlace: Equatable, Sendable {
  private static let perDegree = 1e7

  let latitude: Int32
  let longitude: Int32

  init(_ position: Coordinate) {
    latitude = Int32((position.latitude * Self.perDegree).rounded())
    longitude = Int32((position.longitude * Self.perDegree).rounded())
  }

  init(latitude: Int32, longitude: Int32) {
    (self.latitude, self.longitude) = (latitude, longitude)
  }

  func point(on plane: LocalPlane) -> PlanePoint {
    plane.place(latitude: Double(latitude) / Self.perDegree, longitude: Double(longitude) / Self.perDegree)
  }

  var coordinate: Coordinate? {
    Coordinate(latitude: Double(latitude) / Self.perDegree, longitude: Double(longitude) / Self.perDegree)
  }

  /// In metres.
  func distance(to other: PackedPlace) -> Double {
    guard let here = coordinate, let there = other.coordinate else { return .infinity }
    return here.distance(to: there)
  }

  /// A part of the way to another place nearby.
  func coordinate(towards other: PackedPlace, _ fraction: Double) -> Coordinate? {
    var east = Double(other.longitude) - Double(longitude)
    if east > 180 * Self.perDegree { east -= 360 * Self.perDegree }
    if east < -180 * Self.perDegree { east += 360 * Self.perDegree }
    var degrees = (Double(longitude) + east * fraction) / Self.perDegree
    if degrees > 180 { degrees -= 360 } else if degrees < -180 { degrees += 360 }
    let north = Double(other.latitude) - Double(latitude)
    return Coordinate(latitude: (Double(latitude) + north * fraction) / Self.perDegree, longitude: degrees)
  }
}
