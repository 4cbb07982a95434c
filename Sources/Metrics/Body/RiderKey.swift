// The keys of a rider's profile as the user writes them: name, unit and valid range. An invalid
// value is refused with a sentence that describes valid ones.

public enum RiderKey: String, CaseIterable, Sendable {
  case weight = "weight_kg"
  case height = "height_m"
  case age = "age_years"
  case sex
  case maximum = "max_bpm"
  case resting = "resting_bpm"
  case threshold = "threshold_bpm"
  case thresholdPower = "threshold_power_w"
  case wPrime = "w_prime_j"
  case zoneFloors = "zone_floors_bpm"

  /// How many zones a rider can have.
  static let zoneCounts = 2...HeartRateZones.most

  public var unit: String? {
    switch self {
    case .weight: "kg"
    case .height: "m"
    case .age: "years"
    case .sex: nil
    case .maximum, .resting, .threshold, .zoneFloors: "beats a minute"
    case .thresholdPower: "W"
    case .wPrime: "J"
    }
  }

  /// One line, without a full stop.
  public var meaning: String {
    switch self {
    case .weight: "what the rider weighs"
    case .height: "how tall the rider is"
    case .age: "age in years"
    case .sex: "female or male, for the formulas of energy and heart-rate load"
    case .maximum: "the highest heart rate that the rider reaches"
    case .resting: "the heart rate lying awake"
    case .threshold: "the heart rate that can be held for an hour"
    case .thresholdPower: "the power that can be held for an hour (FTP)"
    case .wPrime: "W', the work that can be done above threshold_power before exhaustion"
    case .zoneFloors: "where each heart-rate zone begins, from the first, with commas between"
    }
  }

  /// The valid range of a number; nil if the value is a word.
  public var bounds: ClosedRange<Double>? {
    switch self {
    case .weight: 20...300
    case .height: 1...2.5
    case .age: 5...120
    case .sex: nil
    case .maximum: 100...250
    case .resting: 25...120
    case .threshold: 60...240
    case .thresholdPower: 20...700
    case .wPrime: 1000...60_000
    case .zoneFloors: 0...250
    }
  }

  /// A description of valid values, to follow `key is`.
  public var expected: String {
    let count = "\(Self.zoneCounts.lowerBound) to \(Self.zoneCounts.upperBound)"
    guard let bounds, let unit else { return "female or male" }
    let (lowest, highest) = (Self.text(bounds.lowerBound), Self.text(bounds.upperBound))
    let range = "\(lowest) to \(highest) \(unit)"
    guard self == .zoneFloors else { return "a number, \(range)" }
    return "\(count) rising numbers, each \(range)"
  }

  private static func text(_ bound: Double) -> String { Int(exactly: bound).map(String.init) ?? "\(bound)" }

  public var expectation: String { "\(rawValue) is \(expected)" }
}

extension Rider {
  /// Sets a value, or clears it if `values` is empty. Returns what is expected if the value is
  /// invalid.
  public mutating func set(_ key: RiderKey, _ values: [Double]) -> String? {
    if key == .sex, values.isEmpty {
      sex = nil
      return nil
    }
    guard let bounds = key.bounds, values.allSatisfy(bounds.contains) else { return key.expectation }
    if key == .zoneFloors {
      let isRising = zip(values, values.dropFirst()).allSatisfy(<)
      guard values.isEmpty || RiderKey.zoneCounts.contains(values.count) && isRising else { return key.expectation }
      zoneFloorsBpm = values
      return nil
    }
    guard values.count <= 1 else { return key.expectation }
    let value = values.first
    switch key {
    case .weight: weightKg = value
    case .height: heightM = value
    case .age: ageYears = value
    case .maximum: maxBpm = value
    case .resting: restingBpm = value
    case .threshold: thresholdBpm = value
    case .thresholdPower: thresholdPowerW = value
    case .wPrime: wPrimeJ = value
    case .sex, .zoneFloors: break
    }
    return nil
  }

  /// Sets the sex from a word. Returns what is expected if the word is unknown.
  public mutating func set(sex word: String) -> String? {
    guard let sex = Sex(rawValue: word) else { return RiderKey.sex.expectation }
    self.sex = sex
    return nil
  }

  /// The numbers of a key; empty if it is not set.
  public func numbers(_ key: RiderKey) -> [Double] {
    switch key {
    case .weight: weightKg.map { [$0] } ?? []
    case .height: heightM.map { [$0] } ?? []
    case .age: ageYears.map { [$0] } ?? []
    case .sex: []
    case .maximum: maxBpm.map { [$0] } ?? []
    case .resting: restingBpm.map { [$0] } ?? []
    case .threshold: thresholdBpm.map { [$0] } ?? []
    case .thresholdPower: thresholdPowerW.map { [$0] } ?? []
    case .wPrime: wPrimeJ.map { [$0] } ?? []
    case .zoneFloors: zoneFloorsBpm
    }
  }
}
