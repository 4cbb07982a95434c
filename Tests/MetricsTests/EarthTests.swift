// Distances on the ellipsoid, compared with the straight line through space between nearby places.

import Foundation
import Testing

@testable import Metrics

struct EarthTests {
  /// The length of the straight line. For nearby places it is nearly the distance on the ellipsoid.
  static func chord(_ one: Place, _ other: Place, altitude: Double) -> Double {
    func space(_ place: Place) -> [Double] {
      let (a, e2) = (6_378_137.0, 6.694_379_990_14e-3)
      let (latitude, longitude) = (place.latitudeDeg * .pi / 180, place.longitudeDeg * .pi / 180)
      let n = a / (1 - e2 * sin(latitude) * sin(latitude)).squareRoot()
      return [
        (n + altitude) * cos(latitude) * cos(longitude), (n + altitude) * cos(latitude) * sin(longitude),
        (n * (1 - e2) + altitude) * sin(latitude),
      ]
    }
    return zip(space(one), space(other)).map { ($0 - $1) * ($0 - $1) }.reduce(0, +).squareRoot()
  }

  @Test(
    "distances agree with the chord through space", arguments: [-64.0, -33, 0, 12.5, 47.4, 60.2, 70], [0.0, 2_500])
  func chords(_ latitude: Double, _ altitude: Double) {
    let scale = LocalScale(latitudeDeg: latitude, altitudeM: altitude)
    for (north, east) in [(0.002, 0.0), (0, 0.003), (0.0015, -0.002), (-0.01, 0.01)] {
      let here = Place(latitudeDeg: latitude, longitudeDeg: 8.54)
      let there = Place(latitudeDeg: latitude + north, longitudeDeg: 8.54 + east)
      let expected = Self.chord(here, there, altitude: altitude)
      #expect(abs(scale.metres(from: here, to: there) / expected - 1) < 3e-4, "\(latitude) \(north) \(east)")
    }
  }

  @Test("distances go the short way across the date line")
  func dateLine() {
    let scale = LocalScale(latitudeDeg: -17)
    let metres = scale.metres(
      from: Place(latitudeDeg: -17, longitudeDeg: 179.9995), to: Place(latitudeDeg: -17, longitudeDeg: -179.9995))
    #expect(abs(metres - 106.5) < 0.5)
  }

  @Test(
    "changes of direction go the short way",
    arguments: [(350.0, 10.0, 20.0), (10, 350, -20), (0, 180, -180), (90, 90, 0), (359, 1, 2)])
  func changesOfDirection(_ from: Double, _ to: Double, _ expected: Double) {
    #expect(turn(from: from, to: to) == expected)
  }
}
