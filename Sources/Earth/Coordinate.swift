// A place on the earth, and distances on a sphere, within 0.5 % of those on the ellipsoid.

import CMath

public struct Coordinate: Equatable, Sendable {
  /// In degrees, north and east positive.
  public let latitude: Double
  public let longitude: Double

  /// nil if there is no such place. 0/0 is none either: some receivers send it without a fix.
  public init?(latitude: Double, longitude: Double) {
    guard abs(latitude) <= 90, abs(longitude) <= 180, latitude != 0 || longitude != 0 else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }
}

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
