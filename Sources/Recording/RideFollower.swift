// Follows the ride of the daemon: when it begins, ends, pauses and laps, and when it is another one.

import Logbook

struct RideFollower {
  struct Changes: OptionSet {
    let rawValue: Int

    /// The ride that was followed is no longer the daemon's ride, and did not end before.
    static let left = Changes(rawValue: 1)
    static let began = Changes(rawValue: 2)
    static let lap = Changes(rawValue: 4)
    static let paused = Changes(rawValue: 8)
    static let resumed = Changes(rawValue: 16)
    static let ended = Changes(rawValue: 32)
  }

  /// Empty without a ride.
  private var rideID: [UInt8] = []
  private(set) var pause: RideReport.Pause?
  private(set) var lap = 1

  init() {}

  /// Goes on with a ride whose recording was found.
  init(rideID: [UInt8], lap: Int, pause: RideReport.Pause?) {
    (self.rideID, self.lap, self.pause) = (rideID, lap, pause)
  }

  var isFollowing: Bool { !rideID.isEmpty }

  mutating func follow(_ report: borrowing RideReport) -> Changes {
    var changes: Changes = []
    if rideID != report.rideID {
      if isFollowing { changes.insert(.left) }
      rideID.removeAll(keepingCapacity: true)
      if report.hasEnded { return changes }
      rideID.append(contentsOf: report.rideID)
      changes.insert(.began)
      (lap, pause) = (report.lap, nil)
    }
    if report.lap != lap { changes.insert(.lap) }
    if report.pause != pause { changes.insert(report.pause == nil ? .resumed : .paused) }
    (lap, pause) = (report.lap, report.pause)
    if report.hasEnded {
      changes.insert(.ended)
      rideID.removeAll(keepingCapacity: true)
    }
    return changes
  }
}
