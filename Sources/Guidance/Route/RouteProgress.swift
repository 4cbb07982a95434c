// Where a rider is on a route.

package struct RouteProgress: Equatable, Sendable {
  package enum State: Int, Sendable {
    /// The rider has not been on the route yet.
    case approaching
    case onRoute
    case offRoute
    /// On the route, against its direction. The distance stays as it was.
    case reversed
    case finished
  }

  package var state: State
  /// From the start of the route.
  package var distanceM: Double
  package var distanceToGoM: Double
  /// From the nearest point of the line.
  package var crossTrackM: Double
  /// The direction to that point, from north. Nil before the first fix.
  package var bearingDeg: Double?
  /// Of a loop that is ridden several times, from 1 on.
  package var lap: Int
}

/// What is kept when the program restarts in mid-ride.
package struct SavedProgress: Equatable, Sendable {
  package var state: RouteProgress.State
  package var distanceM: Double
  package var lap: Int
  /// On the route, in this lap.
  package var riddenM: Double

  package init(state: RouteProgress.State, distanceM: Double, lap: Int, riddenM: Double) {
    (self.state, self.distanceM, self.lap, self.riddenM) = (state, distanceM, lap, riddenM)
  }
}
