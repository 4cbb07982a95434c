// The rider's data by the settings that a user knows.

public import JSON
public import Vocabulary

extension Rider {
  /// Where each number is kept.
  private static let numbers: [(setting: Setting, place: any WritableKeyPath<Rider, Double?> & Sendable)] = [
    (.weight, \.weightKg), (.height, \.heightM), (.age, \.ageYears), (.maximumHeartRate, \.maxBpm),
    (.restingHeartRate, \.restingBpm), (.thresholdHeartRate, \.thresholdBpm), (.thresholdPower, \.thresholdPowerW),
    (.wPrime, \.wPrimeJ),
  ]

  private static func place(of setting: Setting) -> WritableKeyPath<Rider, Double?>? {
    numbers.first { $0.setting == setting }?.place
  }

  public subscript(setting: Setting) -> JSONValue? {
    if let place = Self.place(of: setting) { return self[keyPath: place].map(JSONValue.number) }
    switch setting {
    case .sex: return sex.map { .string($0.rawValue) }
    case .zoneFloors: return zoneFloorsBpm.isEmpty ? nil : .array(zoneFloorsBpm.map(JSONValue.number))
    default: return nil
    }
  }

  /// Nil clears the value. Returns false if the value does not fit.
  public mutating func set(_ setting: Setting, to value: JSONValue?) -> Bool {
    if let value, !setting.fits(value) { return false }
    if let place = Self.place(of: setting) {
      self[keyPath: place] = value?.number
    } else if setting == .sex {
      sex = value?.text.flatMap(Sex.init)
    } else if setting == .zoneFloors {
      zoneFloorsBpm = value?.items?.compactMap(\.number) ?? []
    }
    return true
  }
}
