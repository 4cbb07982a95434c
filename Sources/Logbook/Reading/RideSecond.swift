// What points do not have: what the daemon had counted up to a second, and when exactly it had the
// position. Differences of these counters are the totals of a part of a recording.

import ActivityFiles

package enum RideCounter: Int, ActivityField {
  case rideTime, movingTime, ascent, descent, work, coastingTime

  /// The field of `ride/ride`.
  package var name: String {
    switch self {
    case .rideTime: "ride_time_s"
    case .movingTime: "moving_time_s"
    case .ascent: "ascent_m"
    case .descent: "descent_m"
    case .work: "work_j"
    case .coastingTime: "coasting_time_s"
    }
  }

  init?(field: String) {
    guard let counter = Self.allCases.first(where: { $0.name == field }) else { return nil }
    self = counter
  }
}

package struct RideSecond: Equatable, Sendable {
  package enum State: Sendable {
    /// As in imported activities.
    case unknown
    case moving
    /// The bike stands.
    case standing
    case pausedByHand
  }

  package var state = State.unknown
  /// Counted from 1.
  package var lap: Int?
  /// When the receiver sent the position of the point.
  package var positionMS: Int64?
  private var counters = FieldValues<RideCounter>()

  package init() {}

  package subscript(counter: RideCounter) -> Double? {
    get { counters[counter] }
    set { counters[counter] = newValue }
  }

  package var isEmpty: Bool { state == .unknown && lap == nil && counters.isEmpty }
}
