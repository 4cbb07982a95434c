// The rider's profile. Every value is optional; a number that needs a missing value is unknown.
// `RiderKey` checks each value by itself, `contradiction` checks them against each other.

public struct Rider: Equatable, Sendable {
  public enum Sex: String, Sendable, CaseIterable { case female, male }

  public var weightKg: Double?
  /// Not used by any formula here; the running coach needs it.
  public var heightM: Double?
  public var ageYears: Double?
  public var sex: Sex?
  public var maxBpm: Double?
  public var restingBpm: Double?
  /// The heart rate that can be held for an hour (lactate threshold).
  public var thresholdBpm: Double?
  /// Functional threshold power.
  public var thresholdPowerW: Double?
  /// W', the work that can be done above threshold power.
  public var wPrimeJ: Double?
  /// The floor of each zone, from the first. Below the first there is no zone. Empty if not set.
  public var zoneFloorsBpm: [Double] = []

  public init() {}

  /// A sentence about values that cannot all be true.
  public var contradiction: String? {
    if let restingBpm, let thresholdBpm, restingBpm >= thresholdBpm {
      return "resting_bpm is not below threshold_bpm"
    }
    if let thresholdBpm, let maxBpm, thresholdBpm > maxBpm { return "threshold_bpm is above max_bpm" }
    if let restingBpm, let maxBpm, restingBpm >= maxBpm { return "resting_bpm is not below max_bpm" }
    if let maxBpm, let highest = zoneFloorsBpm.last, highest > maxBpm {
      return "the highest of zone_floors_bpm is above max_bpm"
    }
    return nil
  }
}
