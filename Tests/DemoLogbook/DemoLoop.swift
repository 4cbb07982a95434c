// A loop through hilly country: where the rider is after how many metres, and how high.

import ActivityFiles
import CMath
import Earth

struct DemoLoop {
  struct Place {
    let position: Coordinate
    let altitude: Double
  }

  /// Of the whole loop, in metres; about.
  let length: Double
  private let phase: Double
  private let bearing: Double
  private var angle = 0.0
  private var x = 0.0
  private var y = 0.0

  private static let home = (latitude: 47.26, longitude: 11.39)
  private static let metresPerDegree = 111_195.0

  init(length: Double, _ random: inout DemoRandom) {
    self.length = length
    phase = random.number(0...(2 * .pi))
    bearing = random.number(0...(2 * .pi))
    (x, y) = place(at: 0)
  }

  private var radius: Double { length / (2 * .pi * 1.25) }

  /// East and north of home. A circle through home with bays.
  private func place(at angle: Double) -> (x: Double, y: Double) {
    func reach(_ angle: Double) -> Double { radius * (1 + 0.25 * sin(3 * angle + phase) + 0.1 * sin(7 * angle)) }
    let (east, north) = (reach(angle) * cos(angle) - reach(0), reach(angle) * sin(angle))
    return (east * cos(bearing) - north * sin(bearing), east * sin(bearing) + north * cos(bearing))
  }

  mutating func advance(by metres: Double) {
    let step = metres / length * 2 * .pi
    let next = place(at: angle + step)
    // The bays make some parts longer than others.
    let walked = ((next.x - x) * (next.x - x) + (next.y - y) * (next.y - y)).squareRoot()
    angle += walked > 0 ? step * min(3, max(0.3, metres / walked)) : step
    (x, y) = place(at: angle)
  }

  var place: Place? {
    let latitude = Self.home.latitude + y / Self.metresPerDegree
    let longitude = Self.home.longitude + x / (Self.metresPerDegree * cos(Self.home.latitude * .pi / 180))
    return Coordinate(latitude: latitude, longitude: longitude).map { Place(position: $0, altitude: altitude) }
  }

  var altitude: Double {
    620 + 140 * sin(x / 3100) * cos(y / 2700) + 45 * sin((x + y) / 1100) + 12 * sin((x - y) / 350)
  }
}
