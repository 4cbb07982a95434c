// A place on the earth, and distances on a sphere, within 0.5 % of those on the ellipsoid.

import CMath

public struct Coordinate: Equatable, Sendable {
  /// In degrees, north and east positive.
  public let latitude: Double
  public let longitude: Double

  /// Nil outside the range of degrees, and for 0/0, which some receivers send without a fix.
  public init?(latitude: Double, longitude: Double) {
    guard abs(latitude) <= 90, abs(longitude) <= 180, latitude != 0 || longitude != 0 else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }
}

extension Coordinate {
  /// Of the earth, in metres.
  private static let radius = 6_371_008.8
  /// Of a great circle.
  public static let metresPerDegree = radius * Double.pi / 180

  /// In metres, along a great circle.
  public func distance(to other: Coordinate) -> Double {
    let perDegree = Double.pi / 180
    let north = sin((other.latitude - latitude) * perDegree / 2)
    let east = sin((other.longitude - longitude) * perDegree / 2)
    let square = north * north + cos(latitude * perDegree) * cos(other.latitude * perDegree) * east * east
    return 2 * Self.radius * asin(min(1, square.squareRoot()))
  }
}
