// The fields of a pulse oximeter. Status words are published as numbers; their bits are those of
// the Pulse Oximeter Service, 3.1.

public import SensorKit

extension SampleKind {
  public static let oxygen = SampleKind("oxygen")
}

extension Field {
  public static let spo2Pct = Field("spo2_pct")
  public static let pulseBpm = Field("pulse_bpm")
  public static let spo2FastPct = Field("spo2_fast_pct")
  public static let pulseFastBpm = Field("pulse_fast_bpm")
  public static let spo2SlowPct = Field("spo2_slow_pct")
  public static let pulseSlowBpm = Field("pulse_slow_bpm")
  public static let measurementStatus = Field("measurement_status")
  public static let deviceStatus = Field("device_status")
  public static let pulseAmplitudeIndexPct = Field("pulse_amplitude_index_pct")
  /// The time of a spot check by the device's own clock, whose time zone is unknown.
  public static let timestamp = Field("timestamp")
  public static let deviceClockSet = Field("device_clock_set")
}
