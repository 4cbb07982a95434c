// The vocabulary of samples: kinds and fields. A kind or field is its name on the wire, with the unit in it. Both are open:
// a sensor that measures something new declares its own in its own folder, in an extension of these types.

/// What a sample is about: `heart_rate`, `power`, ...
public struct SampleKind: Hashable, Sendable {
  public let name: String

  public init(_ name: String) {
    self.name = name
  }
}

extension SampleKind {
  public static let heartRate = SampleKind("heart_rate")
  public static let battery = SampleKind("battery")
}

/// One member of a sample, a fact or an answer.
public struct Field: Hashable, Sendable {
  public let name: String

  public init(_ name: String) {
    self.name = name
  }
}

extension Field {
  // heart_rate
  public static let bpm = Field("bpm")
  public static let rrMs = Field("rr_ms")
  public static let sensorContact = Field("sensor_contact")
  public static let energyExpendedJ = Field("energy_expended_j")
  public static let bodyLocation = Field("body_location")

  // battery
  public static let batteryPct = Field("battery_pct")
}
