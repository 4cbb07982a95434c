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
  public static let speed = SampleKind("speed")
  public static let cadence = SampleKind("cadence")
  public static let power = SampleKind("power")
  public static let battery = SampleKind("battery")
  /// Of valve caps, and of a pressure sensor that was given a wheel.
  public static let tirePressure = SampleKind("tire_pressure")
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

  // speed
  public static let speedMps = Field("speed_mps")
  public static let distanceDeltaM = Field("distance_delta_m")
  public static let distanceM = Field("distance_m")
  public static let wheelRevs = Field("wheel_revs")

  // cadence
  public static let cadenceRpm = Field("cadence_rpm")
  public static let crankRevs = Field("crank_revs")
  public static let cadencePerMin = Field("cadence_per_min")
  public static let strideLengthM = Field("stride_length_m")
  public static let isRunning = Field("is_running")

  // power
  public static let powerW = Field("power_w")
  public static let pedalBalancePct = Field("pedal_balance_pct")
  public static let pedalBalanceReference = Field("pedal_balance_reference")
  public static let accumulatedTorqueNm = Field("accumulated_torque_nm")
  public static let torqueSource = Field("torque_source")
  public static let accumulatedEnergyJ = Field("accumulated_energy_j")
  public static let maxForceN = Field("max_force_n")
  public static let minForceN = Field("min_force_n")
  public static let maxTorqueNm = Field("max_torque_nm")
  public static let minTorqueNm = Field("min_torque_nm")
  public static let maxAngleDeg = Field("max_angle_deg")
  public static let minAngleDeg = Field("min_angle_deg")
  public static let topDeadSpotDeg = Field("top_dead_spot_deg")
  public static let bottomDeadSpotDeg = Field("bottom_dead_spot_deg")
  public static let offsetCompensation = Field("offset_compensation")
  public static let forceN = Field("force_n")
  public static let torqueNm = Field("torque_nm")
  public static let direction = Field("direction")
  public static let firstCrankAngleDeg = Field("first_crank_angle_deg")

  // battery
  public static let batteryPct = Field("battery_pct")

  // facts of several sensors
  public static let sensorLocation = Field("sensor_location")
  public static let manufacturer = Field("manufacturer")
  public static let model = Field("model")

  // answers of control points
  public static let requestOpcode = Field("request_opcode")
  public static let result = Field("result")
  public static let supportedLocations = Field("supported_locations")
}
