// Distances in metres between nearby places on the WGS 84 ellipsoid. A sphere would be wrong by up
// to 0.5 %, which is too much for measuring a wheel.

internal import CMath

struct Place: Equatable, Sendable {
  var latitudeDeg: Double
  var longitudeDeg: Double
}

/// Metres per degree at a latitude and altitude, exact to 0.01 % within a few kilometres.
struct LocalScale: Sendable {
  let northPerDegree: Double
  let eastPerDegree: Double

  private static let equatorialRadius = 6_378_137.0
  /// The square of the first eccentricity.
  private static let eccentricity = 6.694_379_990_14e-3

  init(latitudeDeg: Double, altitudeM: Double = 0) {
    let latitude = latitudeDeg * .pi / 180
    let sine = sin(latitude)
    let flattened = 1 - Self.eccentricity * sine * sine
    let across = Self.equatorialRadius / flattened.squareRoot()
    let along = across * (1 - Self.eccentricity) / flattened
    northPerDegree = (along + altitudeM) * .pi / 180
    eastPerDegree = (across + altitudeM) * cos(latitude) * .pi / 180
  }

  func metres(from one: Place, to other: Place) -> Double {
    let north = (other.latitudeDeg - one.latitudeDeg) * northPerDegree
    // The short way round, in case the date line lies between them.
    let east = turn(from: one.longitudeDeg, to: other.longitudeDeg) * eastPerDegree
    return (north * north + east * east).squareRoot()
  }
}

/// The shortest turn from one direction to another, -180..<180 degrees.
func turn(from one: Double, to other: Double) -> Double {
  let turn = (other - one).remainder(dividingBy: 360)
  return turn == 180 ? -180 : turn
}
