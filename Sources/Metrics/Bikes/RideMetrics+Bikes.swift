// The rider's bikes, for the ride and for the daemon.

public import Time
public import Vocabulary

extension RideMetrics {
  public static let bikeChanged: Word = "bike_changed"

  /// Replaces the list of bikes. The current bike stays current, even under a new name.
  public mutating func apply(
    _ bikes: [Bike], renamed: (from: String, to: String)? = nil, at time: MonotonicTime
  ) {
    self.bikes.apply(bikes, renamed: renamed, sensors: sensors, at: time, forgottenAfter: settings.rideGapS)
    pairPedals()
  }

  /// The index of the current bike in the list last applied; nil if unknown.
  public mutating func currentBike(at time: MonotonicTime) -> Int? {
    bikes.current(at: time, forgottenAfter: settings.rideGapS)
  }

  /// When the current bike becomes unknown, if its sensors stay silent.
  public var bikeDeadline: MonotonicTime? { bikes.forgetting(after: settings.rideGapS) }
}
