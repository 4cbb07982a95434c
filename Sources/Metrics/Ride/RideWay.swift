// The distance of the ride: what the sources count, what they missed during a silence, and what was
// rolled before it was certain that the ride goes on.

import Time

struct RideWay: Sendable {
  private var odometer = Odometer()
  private var gap = PositionGap()
  /// Metres that may be the start of riding, or just a bike that is being pushed.
  private var unsure = 0.0

  /// A receiver may report up to this speed for a bike at rest.
  private static let standing = 0.5
  /// After a longer silence of all sources the distance is known, but not how it was ridden.
  private static let silence = 5.0

  /// The time of the chosen source's last packet.
  var coveredUntil: Double? { odometer.coveredUntil }

  mutating func beginRide(at time: MonotonicTime) {
    unsure = 0
    interrupt(at: time)
  }

  /// A manual pause begins or ends.
  mutating func interrupt(at time: MonotonicTime) {
    odometer.interrupt(at: time)
    gap.interrupt()
  }

  mutating func forget(_ source: RideMetrics.Source) { odometer.forget(source) }

  mutating func add(
    _ reading: SpeedReading, from source: RideMetrics.Source, isBelieved: Bool, movingTime: Double,
    at time: MonotonicTime
  ) -> Odometer.Growth {
    let silence = odometer.coveredUntil.map { time.seconds - $0 } ?? 0
    var growth = odometer.add(
      reading.distance, speed: reading.speed, from: source, isBelieved: isBelieved, movingTime: movingTime, at: time)
    guard isBelieved, silence > Self.silence else { return growth }
    unsure = 0
    // For a source that does not count, its distance only covers the last seconds.
    if growth.late == 0, growth.recent > 0, reading.isWheel || growth.recent >= Self.standing * silence {
      growth.late = growth.recent
      growth.silence = Odometer.Silence(way: growth.recent, seconds: silence, movingTime: movingTime)
    }
    growth.recent = 0
    return growth
  }

  /// Returns the metres that now belong to the ride. Distance before the start is certain is counted
  /// once it is. Otherwise a traffic light every few minutes would cost 1 %. The first revolution
  /// after a stop has no rate, so a wheel only stands if it reports 0.
  mutating func settle(_ grown: Double, _ reading: SpeedReading, _ phase: RideClock.Phase) -> Double? {
    switch phase {
    case .moving:
      defer { unsure = 0 }
      return grown + unsure
    case .waiting:
      let isStanding = reading.speed.map { $0 <= (reading.isWheel ? 0 : Self.standing) } ?? false
      unsure = isStanding ? 0 : unsure + grown
    case .paused: unsure = 0
    }
    return nil
  }

  /// Adds a distance that no source counted.
  mutating func join(_ way: Double) { odometer.join(way) }

  // MARK: Gaps in reception

  /// Whether a fix now would end a gap, so that its speed does not hold for the time before it.
  func isReturn(at time: MonotonicTime) -> Bool { gap.isReturn(at: time) }

  /// Handles a fix that is not bad. Returns the gap that it ends. `usual`: the mean speed of the ride.
  mutating func gap(
    before fix: Fix, movingTime: Double, usual: Double?, isBelieved: Bool
  ) -> Odometer.Silence? {
    gap.add(fix, way: odometer.distance, movingTime: movingTime, usual: usual, isBelieved: isBelieved)
  }
}
