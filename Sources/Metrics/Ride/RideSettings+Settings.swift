// The settings of a ride by the names that a user knows.

public import JSON
public import Vocabulary

extension RideSettings {
  public subscript(setting: Setting) -> JSONValue? {
    switch setting {
    case .autoPause: .bool(autoPause)
    case .autoPauseSpeed: .number(autoPauseSpeedMps)
    case .autoPauseDelay: .number(autoPauseDelayS)
    case .lapDistance: .number(lapDistanceM ?? 0)
    default: nil
    }
  }

  /// `value` fits the setting.
  public mutating func set(_ setting: Setting, to value: JSONValue) {
    switch setting {
    case .autoPause: autoPause = value.bool ?? autoPause
    case .autoPauseSpeed: autoPauseSpeedMps = value.number ?? autoPauseSpeedMps
    case .autoPauseDelay: autoPauseDelayS = value.number ?? autoPauseDelayS
    case .lapDistance: lapDistanceM = value.number.flatMap { $0 == 0 ? nil : $0 }
    default: break
    }
  }
}
