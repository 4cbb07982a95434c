// What the rider sets about rides, and what is known about each sensor.

public import Vocabulary

public struct RideSettings: Equatable, Sendable {
  /// Pause the ride when the bike stands. Otherwise only the rider pauses.
  public var autoPause = true
  public var autoPauseSpeedMps = 4 / 3.6
  public var autoPauseDelayS = 3.0
  /// A new lap begins after this distance.
  public var lapDistanceM: Double?
  /// After this long without movement, the next movement begins a new ride.
  public var rideGapS = 3 * 3600.0

  public init() {}
}

/// What is known about a sensor before its first packet.
public struct RideSensor: Equatable, Sendable {
  public var id: String
  public var priority: Int
  public var role: SensorRole?
  /// Whether it may be a power meter, as far as known.
  public var measuresPower = true
  public var tire = TireSettings()
  /// Of its wheel, as set by the user.
  public var circumferenceM: Double?
  /// The plugin computes with the measured circumference instead of the one set by the user.
  public var usesMeasuredSize = false
  /// The earlier measurement of its wheel.
  public var wheel: WheelSize.Saved?

  public init(id: String, priority: Int = 0, circumferenceM: Double? = nil) {
    self.id = id
    self.priority = priority
    self.circumferenceM = circumferenceM
  }
}
