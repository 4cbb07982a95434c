// The altitudes along a route at equal distances, smoothed: those of files have steps and noise.

package struct AltitudeProfile: Sendable {
  /// Between values, in metres. Longer for a route of more than 500 km.
  private static let leastStep = 25.0
  private static let mostValues = 20_000.0
  /// Values before and after that a value is averaged with, twice.
  private static let reach = 2

  let step: Double
  private(set) var values: [Float]

  /// Nil without altitudes.
  init?(_ route: Route) {
    guard route.hasAltitudes else { return nil }
    step = max(Self.leastStep, route.lengthM / Self.mostValues)
    values = []
    var known: (along: Double, altitude: Double)?
    var along = 0.0
    for point in 0..<route.count {
      guard let altitude = route.altitude(of: point) else { continue }
      let at = route.distance(of: point)
      let before = known ?? (0, altitude)
      while along <= at {
        let part = at > before.along ? max(0, (along - before.along) / (at - before.along)) : 1
        values.append(Float(before.altitude + (altitude - before.altitude) * part))
        along += step
      }
      known = (at, altitude)
    }
    while let known, along < route.lengthM + step {
      values.append(Float(known.altitude))
      along += step
    }
    smooth()
    smooth()
  }

  private mutating func smooth() {
    let rough = values
    for index in rough.indices {
      // As many before as after, so that the ends of a slope stay where they are.
      let reach = min(Self.reach, index, rough.count - 1 - index)
      var sum: Float = 0
      for other in index - reach...index + reach { sum += rough[other] }
      values[index] = sum / Float(2 * reach + 1)
    }
  }

  /// In metres.
  package func altitude(at along: Double) -> Double {
    let place = min(max(0, along / step), Double(values.count - 1))
    let index = min(Int(place), max(0, values.count - 2))
    guard index + 1 < values.count else { return Double(values[index]) }
    let (low, high) = (Double(values[index]), Double(values[index + 1]))
    return low + (high - low) * (place - Double(index))
  }
}
