// Distances on a sphere, within 0.5 % of those on the ellipsoid.

import CMath

extension Coordinate {
  /// In metres, along a great circle.
  public func distance(to other: Coordinate) -> Double {
    let perDegree = Double.pi / 180
    let north = sin((other.latitude - latitude) * perDegree / 2)
    let east = sin((other.longitude - longitude) * perDegree / 2)
    let square = north * north + cos(latitude * perDegree) * cos(other.latitude * perDegree) * east * east
    return 2 * 6_371_008.8 * asin(min(1, square.squareRoot()))
  }
}
