// Totals and averages, of a whole activity and of each of its laps.

public import Earth

public struct ActivitySummary: Equatable, Sendable {
  /// Seconds since the start of the activity.
  public var start: Int
  /// In seconds, with pauses.
  public var elapsed: Double
  public var values = FieldValues<SummaryField>()
  public var startPosition: Coordinate?
  public var endPosition: Coordinate?
  public var sport: SportCode?
  public var subSport: SubSportCode?
  /// What a clock on the wall showed more than UTC at the end, in seconds.
  public var utcOffset: Int?
  /// In formats that have the texts at the end, and not in the header.
  public var name: String?
  public var note: String?

  public init(start: Int, elapsed: Double) {
    self.start = start
    self.elapsed = elapsed
  }

  public subscript(field: SummaryField) -> Double? {
    get { values[field] }
    set { values[field] = newValue }
  }

  public var end: Double { Double(start) + elapsed }
}

public struct ActivityLap: Equatable, Sendable {
  public enum Trigger: UInt8, Sendable {
    case manual = 0
    case time = 1
    case distance = 2
    case position = 4
    case end = 7
  }

  /// Counts from 0.
  public var index: Int
  public var trigger: Trigger
  public var summary: ActivitySummary

  public init(index: Int, trigger: Trigger, summary: ActivitySummary) {
    self.index = index
    self.trigger = trigger
    self.summary = summary
  }
}

public enum SummaryField: Int, ActivityField {
  /// While the timer ran, and while the rider moved.
  case timerTime, movingTime
  case distance, averageSpeed, maxSpeed
  case work, averagePower, maxPower, normalizedPower
  case ascent, descent, energy
  /// The share of the left pedal.
  case leftBalance
  case averageHeartRate, maxHeartRate, minHeartRate
  /// Turns of the crank or strides (two steps) per minute.
  case averageCadence, maxCadence
  case averageAltitude, minAltitude, maxAltitude
  case averageTemperature, minTemperature, maxTemperature
  case averageBreathingRate, minBreathingRate, maxBreathingRate
  case averageCoreTemperature, minCoreTemperature, maxCoreTemperature
  case trainingStress, intensityFactor, thresholdPower
  /// Of heartbeats, in milliseconds.
  case rmssd, sdrr
  /// Vehicles that passed.
  case vehicleCount

  /// The name in text formats, with its unit.
  public var name: String {
    switch self {
    case .timerTime: "timer_s"
    case .movingTime: "moving_s"
    case .distance: "distance_m"
    case .averageSpeed: "avg_speed_mps"
    case .maxSpeed: "max_speed_mps"
    case .work: "work_j"
    case .averagePower: "avg_power_w"
    case .maxPower: "max_power_w"
    case .normalizedPower: "normalized_power_w"
    case .ascent: "ascent_m"
    case .descent: "descent_m"
    case .energy: "energy_kcal"
    case .leftBalance: "avg_balance_left_pct"
    case .averageHeartRate: "avg_heart_rate_bpm"
    case .maxHeartRate: "max_heart_rate_bpm"
    case .minHeartRate: "min_heart_rate_bpm"
    case .averageCadence: "avg_cadence_rpm"
    case .maxCadence: "max_cadence_rpm"
    case .averageAltitude: "avg_altitude_m"
    case .minAltitude: "min_altitude_m"
    case .maxAltitude: "max_altitude_m"
    case .averageTemperature: "avg_temperature_c"
    case .minTemperature: "min_temperature_c"
    case .maxTemperature: "max_temperature_c"
    case .averageBreathingRate: "avg_breaths_per_min"
    case .minBreathingRate: "min_breaths_per_min"
    case .maxBreathingRate: "max_breaths_per_min"
    case .averageCoreTemperature: "avg_core_temperature_c"
    case .minCoreTemperature: "min_core_temperature_c"
    case .maxCoreTemperature: "max_core_temperature_c"
    case .trainingStress: "training_stress"
    case .intensityFactor: "intensity_factor"
    case .thresholdPower: "threshold_power_w"
    case .rmssd: "rmssd_ms"
    case .sdrr: "sdrr_ms"
    case .vehicleCount: "radar_total"
    }
  }
}

/// The time spent in each zone.
public struct ActivityZones: Equatable, Sendable {
  public enum Span: Equatable, Sendable {
    case activity
    case lap(Int)
  }

  public struct Times: Equatable, Sendable {
    /// From the lowest zone on.
    public var seconds: [Double]
    /// The upper ends of the zones, in beats per minute or watts; the last zone can be open.
    public var upperBounds: [Double]

    public init(seconds: [Double], upperBounds: [Double]) {
      self.seconds = seconds
      self.upperBounds = upperBounds
    }
  }

  public var span: Span
  public var heartRate: Times?
  public var power: Times?
  public var maxHeartRate: Int?
  public var restingHeartRate: Int?
  public var thresholdHeartRate: Int?
  public var thresholdPower: Int?

  public init(span: Span) {
    self.span = span
  }
}
