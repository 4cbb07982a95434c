// Routes and rides on a plane, in metres to the east and to the north.

import Earth
import Time

@testable import Guidance

struct Spot {
  var x: Double
  var y: Double

  init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

  var position: Coordinate? { Coordinate(latitude: 47 + y / 111_195, longitude: 8 + x / 75_835) }
}

/// Places on the way from corner to corner.
func way(_ corners: [Spot], every metres: Double) -> [Spot] {
  var spots: [Spot] = []
  for (a, b) in zip(corners, corners.dropFirst()) {
    let length = ((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)).squareRoot()
    for at in stride(from: 0, to: length, by: metres) {
      spots.append(Spot(a.x + (b.x - a.x) * at / length, a.y + (b.y - a.y) * at / length))
    }
  }
  return spots + corners.suffix(1)
}

func route(_ corners: [Spot], every metres: Double = 20, altitude: (Spot) -> Double? = { _ in nil }) -> Route? {
  Route(
    way(corners, every: metres).compactMap { spot in
      spot.position.map { Route.Point($0, altitudeM: altitude(spot)) }
    })
}

/// A rider with a fix per second, and what the follower says after each.
struct TestRide {
  private(set) var follower: RouteFollower
  private(set) var states: [RouteProgress.State] = []
  private var second = 0.0

  init(_ route: Route, resuming saved: SavedProgress? = nil) {
    follower = RouteFollower(route, resuming: saved)
  }

  var progress: RouteProgress { follower.progress }
  /// Without repetitions.
  var changes: [RouteProgress.State] {
    states.reduce(into: []) { changes, state in
      if changes.last != state { changes.append(state) }
    }
  }

  mutating func ride(_ corners: [Spot], speed: Double = 6, accuracyM: Double = 5) {
    for spot in way(corners, every: speed) { fix(spot, accuracyM: accuracyM) }
  }

  mutating func fix(_ spot: Spot, accuracyM: Double = 5) {
    second += 1
    guard let position = spot.position else { return }
    follower.add(PositionFix(position, at: MonotonicTime(seconds: second), accuracyM: accuracyM))
    states.append(progress.state)
  }

  mutating func wait(_ seconds: Double) { second += seconds }
}
