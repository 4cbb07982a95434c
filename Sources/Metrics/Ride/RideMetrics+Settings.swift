// What a ride is told before it begins: when it pauses and ends, and which sensors there are.

import SensorKit

extension RideMetrics {
  public struct Settings: Equatable, Sendable {
    public var autoPauseSpeedMps = 4 / 3.6
    public var autoPauseDelayS = 3.0
    /// A lap ends by itself after so many metres.
    public var lapDistanceM: Double?
    /// Who moves after so long without has begun another ride.
    public var rideGapS = 3 * 3600.0

    public init() {}
  }

  /// What is known of a sensor before it speaks.
  public struct Sensor: Equatable, Sendable {
    /// Where it sits, of two of its sort.
    public enum Role: String, Sendable {
      case front, rear, left, right

      var wheel: Word? {
        switch self {
        case .front: "front"
        case .rear: "rear"
        case .left, .right: nil
        }
      }
    }

    public var id: String
    public var priority: Int
    public var role: Role?
    /// Whether it may be a power meter, as far as that is known.
    public var saysPower = true
    public var tire = TireSettings()
    /// Of a wheel, as the user said it.
    public var circumferenceM: Double?
    /// Its plugin reckons with what was measured, and not with what the user said.
    public var usesMeasuredSize = false
    /// What was measured of it before.
    public var wheel: WheelSize.Saved?

    public init(id: String, priority: Int = 0, circumferenceM: Double? = nil) {
      self.id = id
      self.priority = priority
      self.circumferenceM = circumferenceM
    }
  }
}
