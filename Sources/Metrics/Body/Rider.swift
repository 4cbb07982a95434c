// Who rides: what numbers about the body are reckoned with. Everything may be missing; a number that needs what is missing is then
// not known. What is here is possible in itself (`RiderKey`); `contradiction` says what does not go together.

public struct Rider: Equatable, Sendable {
  public enum Sex: String, Sendable, CaseIterable { case female, male }

  public var weightKg: Double?
  /// For the running coach: no formula here uses it.
  public var heightM: Double?
  public var ageYears: Double?
  public var sex: Sex?
  public var maxBpm: Double?
  public var restingBpm: Double?
  /// Held for an hour: of the lactate threshold.
  public var thresholdBpm: Double?
  /// Functional threshold power.
  public var thresholdPowerW: Double?
  /// W', the work that can be done above threshold power.
  public var wPrimeJ: Double?
  /// Where each zone begins, from the first; what is below the first is in no zone. Empty: not told.
  public var zoneFloorsBpm: [Double] = []

  public init() {}

  /// What cannot be true at once, as a sentence.
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
