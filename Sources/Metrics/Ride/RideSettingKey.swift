// The settings of a ride that a rider changes on the road: name and valid range. An invalid value is
// refused with a sentence that describes valid ones.

public enum RideSettingKey: String, CaseIterable, Sendable {
  case autoPause = "auto_pause"
  case autoPauseSpeed = "auto_pause_speed_mps"
  case autoPauseDelay = "auto_pause_delay_s"
  case lapDistance = "lap_distance_m"

  /// One line, without a full stop.
  public var meaning: String {
    switch self {
    case .autoPause: "whether the ride pauses when the bike stands"
    case .autoPauseSpeed: "below this speed the bike counts as standing"
    case .autoPauseDelay: "for how long it has to stand before the ride pauses"
    case .lapDistance: "a new lap begins after this distance; 0 for no laps by distance"
    }
  }

  /// A description of valid values, to follow `key is`.
  public var expected: String {
    switch self {
    case .autoPause: "true or false"
    case .autoPauseSpeed: "a number, 0.14 to 5.55 m/s"
    case .autoPauseDelay: "a number, 0 to 60 s"
    case .lapDistance: "0, or a number, 100 to 1000000 m"
    }
  }

  /// Flags are 0 or 1.
  public func allows(_ value: Double) -> Bool {
    switch self {
    case .autoPause: value == 0 || value == 1
    case .autoPauseSpeed: (0.14...5.55).contains(value)
    case .autoPauseDelay: (0...60).contains(value)
    case .lapDistance: value == 0 || (100...1_000_000).contains(value)
    }
  }
}

extension RideSettings {
  public subscript(key: RideSettingKey) -> Double {
    get {
      switch key {
      case .autoPause: autoPause ? 1 : 0
      case .autoPauseSpeed: autoPauseSpeedMps
      case .autoPauseDelay: autoPauseDelayS
      case .lapDistance: lapDistanceM ?? 0
      }
    }
    set {
      switch key {
      case .autoPause: autoPause = newValue != 0
      case .autoPauseSpeed: autoPauseSpeedMps = newValue
      case .autoPauseDelay: autoPauseDelayS = newValue
      case .lapDistance: lapDistanceM = newValue == 0 ? nil : newValue
      }
    }
  }
}
