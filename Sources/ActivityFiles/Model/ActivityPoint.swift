// One second of an activity: what was measured in it. An unknown value is nil, never zero.

public import Earth

public struct ActivityPoint: Equatable, Sendable {
  /// Seconds since the start of the activity, strictly rising.
  public var t: Int
  public var position: Coordinate?
  public var values = FieldValues<PointField>()
  public var radar: RadarReading?
  /// The intervals between heartbeats that ended in this second, in milliseconds.
  public var beatIntervals: [Double] = []

  public init(t: Int) {
    self.t = t
  }

  public subscript(field: PointField) -> Double? {
    get { values[field] }
    set { values[field] = newValue }
  }

  public var isEmpty: Bool { position == nil && values.isEmpty && radar == nil && beatIntervals.isEmpty }
}

public enum PointField: Int, ActivityField {
  /// Above mean sea level.
  case altitude
  case speed
  /// Of the activity so far.
  case distance
  case heartRate, power
  /// Turns of the crank or strides (two steps) per minute.
  case cadence
  /// The share of the left pedal.
  case leftBalance
  /// The share of one pedal, when the sensor does not say which one.
  case balance
  case grade, airTemperature, muscleOxygen, hemoglobin, coreTemperature, skinTemperature, heatStrainIndex, breathingRate
  /// Above the pressure of the air.
  case frontTirePressure, rearTirePressure
  case airPressure
  /// Of the activity so far.
  case energy
  /// Vehicles that have passed so far.
  case vehicleCount
  case verticalSpeed, positionAccuracy
  case leftTorqueEffectiveness, rightTorqueEffectiveness, leftPedalSmoothness, rightPedalSmoothness
  case combinedPedalSmoothness, motorPower

  /// The name in text formats, with its unit.
  public var name: String {
    switch self {
    case .altitude: "altitude_m"
    case .speed: "speed_mps"
    case .distance: "distance_m"
    case .heartRate: "heart_rate_bpm"
    case .power: "power_w"
    case .cadence: "cadence_rpm"
    case .leftBalance: "balance_left_pct"
    case .balance: "balance_pct"
    case .grade: "grade_pct"
    case .airTemperature: "temperature_c"
    case .muscleOxygen: "smo2_pct"
    case .hemoglobin: "thb_g_per_dl"
    case .coreTemperature: "core_temperature_c"
    case .skinTemperature: "skin_temperature_c"
    case .heatStrainIndex: "heat_strain_index"
    case .breathingRate: "breaths_per_min"
    case .frontTirePressure: "tire_front_kpa"
    case .rearTirePressure: "tire_rear_kpa"
    case .airPressure: "pressure_pa"
    case .energy: "energy_kcal"
    case .vehicleCount: "radar_count"
    case .verticalSpeed: "vertical_speed_mps"
    case .positionAccuracy: "position_accuracy_m"
    case .leftTorqueEffectiveness: "torque_effectiveness_left_pct"
    case .rightTorqueEffectiveness: "torque_effectiveness_right_pct"
    case .leftPedalSmoothness: "pedal_smoothness_left_pct"
    case .rightPedalSmoothness: "pedal_smoothness_right_pct"
    case .combinedPedalSmoothness: "pedal_smoothness_pct"
    case .motorPower: "motor_power_w"
    }
  }
}

public enum RadarReading: Equatable, Sendable {
  /// The radar sent nothing, which does not mean that the road was clear.
  case silent
  /// Nearest first; empty if the road was clear.
  case vehicles([RadarVehicle])
}

public struct RadarVehicle: Equatable, Sendable {
  /// In metres.
  public let distance: Double
  /// In metres per second, relative to the rider.
  public let approachSpeed: Double

  public init(distance: Double, approachSpeed: Double) {
    self.distance = distance
    self.approachSpeed = approachSpeed
  }
}
