// Facts about a machine: its features and the ranges of its settings, read after connecting, and
// its training status.

import SensorKit

enum MachineFacts {
  private typealias UUID = FitnessMachinePlugin.UUID

  static func decode(
    _ value: Span<UInt8>, of characteristic: BluetoothUUID?, into batch: inout Batch
  ) throws(DecodeError) {
    var cursor = ByteCursor()
    switch characteristic {
    case UUID.feature:
      batch.fact(Field("machine_features"), Double(try cursor.uint32(value)))
      batch.fact(Field("target_features"), Double(try cursor.uint32(value)))
    case UUID.speedRange:
      batch.fact(Field("speed_min_mps"), Double(try cursor.uint16(value)) / 360)
      batch.fact(Field("speed_max_mps"), Double(try cursor.uint16(value)) / 360)
      batch.fact(Field("speed_step_mps"), Double(try cursor.uint16(value)) / 360)
    case UUID.inclinationRange:
      batch.fact(Field("inclination_min_pct"), Double(try cursor.int16(value)) / 10)
      batch.fact(Field("inclination_max_pct"), Double(try cursor.int16(value)) / 10)
      batch.fact(Field("inclination_step_pct"), Double(try cursor.uint16(value)) / 10)
    case UUID.heartRateRange:
      batch.fact(Field("heart_rate_min_bpm"), Double(try cursor.uint8(value)))
      batch.fact(Field("heart_rate_max_bpm"), Double(try cursor.uint8(value)))
      batch.fact(Field("heart_rate_step_bpm"), Double(try cursor.uint8(value)))
    case UUID.powerRange:
      batch.fact(Field("power_min_w"), Double(try cursor.int16(value)))
      batch.fact(Field("power_max_w"), Double(try cursor.int16(value)))
      batch.fact(Field("power_step_w"), Double(try cursor.uint16(value)))
    default: return try decodeTrainingStatus(value, into: &batch)
    }
    try cursor.finish(value)
  }

  /// Three numbers of one byte each in the current table, of two bytes in FTMS 1.0. They are
  /// published as they arrive. Returns true for two bytes.
  static func resistanceRange(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) -> Bool {
    guard value.count == 3 || value.count == 6 else { throw DecodeError(.badLength, at: value.count) }
    let isWide = value.count == 6
    var cursor = ByteCursor()
    batch.fact(Field("resistance_level_min"), try number(value, &cursor, isWide))
    batch.fact(Field("resistance_level_max"), try number(value, &cursor, isWide))
    batch.fact(Field("resistance_level_step"), try number(value, &cursor, isWide))
    return isWide
  }

  private static func number(
    _ value: Span<UInt8>, _ cursor: inout ByteCursor, _ isWide: Bool
  ) throws(DecodeError) -> Double {
    isWide ? Double(try cursor.int16(value)) : Double(try cursor.uint8(value))
  }

  private static let trainingWords: [Word] = [
    "other", "idle", "warming_up", "low_intensity_interval", "high_intensity_interval", "recovery_interval",
    "isometric", "heart_rate_control", "fitness_test", "speed_below_control_region", "speed_above_control_region",
    "cool_down", "watt_control", "manual_mode", "pre_workout", "post_workout",
  ]

  /// FTMS 1.0, section 4.10: flags, a status and an optional text, which is ignored.
  private static func decodeTrainingStatus(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
    var cursor = ByteCursor()
    let flags = try cursor.uint8(value)
    let status = Int(try cursor.uint8(value))
    guard status < trainingWords.count else { throw DecodeError(.reservedValue, at: 1) }
    if flags == 0 { try cursor.finish(value) }
    batch.fact(Field("training_status"), trainingWords[status])
  }
}
