// The vocabulary of samples: kinds and fields. Each is its name on the wire, which includes the
// unit. Both are open: a sensor that measures something new declares its own in its own folder, as
// an extension. The ones below are computed properties, so that other modules use the literal
// directly and load no variable.

/// What a sample is about, such as `heart_rate` or `power`.
public struct SampleKind: Hashable, Sendable {
  public let name: Word

  @inlinable
  public init(_ name: Word) {
    self.name = name
  }
}

extension SampleKind {
  // Not synthesized, because other modules could not inline that.
  @inlinable @inline(__always)
  public static func == (left: SampleKind, right: SampleKind) -> Bool { left.name == right.name }

  @inlinable public static var heartRate: SampleKind { SampleKind("heart_rate") }
  @inlinable public static var speed: SampleKind { SampleKind("speed") }
  @inlinable public static var cadence: SampleKind { SampleKind("cadence") }
  @inlinable public static var power: SampleKind { SampleKind("power") }
  @inlinable public static var battery: SampleKind { SampleKind("battery") }
  /// For valve caps, and for pressure sensors assigned to a wheel.
  @inlinable public static var tirePressure: SampleKind { SampleKind("tire_pressure") }
}

/// A member of a sample, fact, answer or event.
public struct Field: Hashable, Sendable {
  public let name: Word

  @inlinable
  public init(_ name: Word) {
    self.name = name
  }
}

extension Field {
  @inlinable @inline(__always)
  public static func == (left: Field, right: Field) -> Bool { left.name == right.name }

  // heart_rate
  @inlinable public static var bpm: Field { Field("bpm") }
  @inlinable public static var rrMs: Field { Field("rr_ms") }
  @inlinable public static var sensorContact: Field { Field("sensor_contact") }
  @inlinable public static var energyExpendedJ: Field { Field("energy_expended_j") }
  @inlinable public static var bodyLocation: Field { Field("body_location") }

  // speed
  @inlinable public static var speedMps: Field { Field("speed_mps") }
  @inlinable public static var distanceDeltaM: Field { Field("distance_delta_m") }
  @inlinable public static var distanceM: Field { Field("distance_m") }
  @inlinable public static var wheelRevs: Field { Field("wheel_revs") }

  // cadence
  @inlinable public static var cadenceRpm: Field { Field("cadence_rpm") }
  @inlinable public static var crankRevs: Field { Field("crank_revs") }
  @inlinable public static var cadencePerMin: Field { Field("cadence_per_min") }
  @inlinable public static var strideLengthM: Field { Field("stride_length_m") }
  @inlinable public static var isRunning: Field { Field("is_running") }

  // power
  @inlinable public static var powerW: Field { Field("power_w") }
  @inlinable public static var pedalBalancePct: Field { Field("pedal_balance_pct") }
  @inlinable public static var pedalBalanceReference: Field { Field("pedal_balance_reference") }
  @inlinable public static var accumulatedTorqueNm: Field { Field("accumulated_torque_nm") }
  @inlinable public static var torqueSource: Field { Field("torque_source") }
  @inlinable public static var accumulatedEnergyJ: Field { Field("accumulated_energy_j") }
  @inlinable public static var maxForceN: Field { Field("max_force_n") }
  @inlinable public static var minForceN: Field { Field("min_force_n") }
  @inlinable public static var maxTorqueNm: Field { Field("max_torque_nm") }
  @inlinable public static var minTorqueNm: Field { Field("min_torque_nm") }
  @inlinable public static var maxAngleDeg: Field { Field("max_angle_deg") }
  @inlinable public static var minAngleDeg: Field { Field("min_angle_deg") }
  @inlinable public static var topDeadSpotDeg: Field { Field("top_dead_spot_deg") }
  @inlinable public static var bottomDeadSpotDeg: Field { Field("bottom_dead_spot_deg") }
  @inlinable public static var offsetCompensation: Field { Field("offset_compensation") }
  @inlinable public static var forceN: Field { Field("force_n") }
  @inlinable public static var torqueNm: Field { Field("torque_nm") }
  @inlinable public static var direction: Field { Field("direction") }
  @inlinable public static var firstCrankAngleDeg: Field { Field("first_crank_angle_deg") }

  // battery
  @inlinable public static var batteryPct: Field { Field("battery_pct") }

  // facts of several sensors
  @inlinable public static var sensorLocation: Field { Field("sensor_location") }
  @inlinable public static var manufacturer: Field { Field("manufacturer") }
  @inlinable public static var model: Field { Field("model") }

  // answers of control points
  @inlinable public static var requestOpcode: Field { Field("request_opcode") }
  @inlinable public static var result: Field { Field("result") }
  @inlinable public static var supportedLocations: Field { Field("supported_locations") }
}
