// Fitness Machine Status, 0x2ADA: events of a machine. Each becomes a `trainer_status` sample, with
// the new value if something was set. Events that are not in the specification are rejected.

import SensorKit

enum MachineStatus {
  private static let reset: UInt8 = 0x01
  private static let controlLost: UInt8 = 0xff

  static func endsControl(_ event: UInt8) -> Bool { event == reset || event == controlLost }

  static func decode(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
    var cursor = ByteCursor()
    let event = try cursor.uint8(value)
    batch.sample(.trainerStatus)
    switch event {
    case reset: say("reset", into: &batch)
    case 0x02:
      say("stopped_or_paused", into: &batch)
      batch.set(Field("action"), try word(["stop", "pause", "", ""], value, &cursor))
    case 0x03: say("stopped_by_safety_key", into: &batch)
    case 0x04: say("started_or_resumed", into: &batch)
    case 0x12: try decodeSimulation(value, &cursor, into: &batch)
    case 0x14:
      say("spin_down", into: &batch)
      batch.set(
        Field("spin_down"), try word(["requested", "success", "error", "stop_pedaling"], value, &cursor))
    case controlLost: say("control_permission_lost", into: &batch)
    default: try decodeTarget(event, value, &cursor, into: &batch)
    }
    try cursor.finish(value)
  }

  private static func decodeTarget(
    _ event: UInt8, _ value: Span<UInt8>, _ cursor: inout ByteCursor, into batch: inout Batch
  ) throws(DecodeError) {
    switch event {
    case 0x05: say("target_speed", Field("target_speed_mps"), Double(try cursor.uint16(value)) / 360, into: &batch)
    case 0x06: say("target_incline", Field("target_incline_pct"), Double(try cursor.int16(value)) / 10, into: &batch)
    case 0x07:
      // One byte in the current table, two in FTMS 1.0.
      let level =
        cursor.remaining(value) >= 2 ? Double(try cursor.int16(value)) : Double(try cursor.uint8(value))
      say("target_resistance", Field("target_resistance_level"), level / 10, into: &batch)
    case 0x08: say("target_power", Field("target_power_w"), Double(try cursor.int16(value)), into: &batch)
    case 0x09: say("target_heart_rate", Field("target_heart_rate_bpm"), Double(try cursor.uint8(value)), into: &batch)
    case 0x13:
      let circumference = Double(try cursor.uint16(value)) / 10_000
      say("wheel_circumference", Field("wheel_circumference_m"), circumference, into: &batch)
    case 0x15: say("target_cadence", Field("target_cadence_rpm"), Double(try cursor.uint16(value)) / 2, into: &batch)
    default: throw DecodeError(.unknownFrame, at: 0)
    }
  }

  private static func decodeSimulation(
    _ value: Span<UInt8>, _ cursor: inout ByteCursor, into batch: inout Batch
  ) throws(DecodeError) {
    say("simulation_parameters", into: &batch)
    batch.set(Field("wind_speed_mps"), Double(try cursor.int16(value)) / 1000)
    batch.set(Field("grade_pct"), Double(try cursor.int16(value)) / 100)
    batch.set(Field("rolling_resistance"), Double(try cursor.uint8(value)) / 10_000)
    batch.set(Field("wind_resistance_kg_per_m"), Double(try cursor.uint8(value)) / 100)
  }

  private static func say(_ event: Word, into batch: inout Batch) {
    batch.set(Field("event"), event)
  }

  private static func say(_ event: Word, _ field: Field, _ number: Double, into batch: inout Batch) {
    say(event, into: &batch)
    batch.set(field, number)
  }

  /// Words are numbered from 1.
  private static func word(
    _ words: InlineArray<4, Word>, _ value: Span<UInt8>, _ cursor: inout ByteCursor
  ) throws(DecodeError) -> Word {
    let number = Int(try cursor.uint8(value))
    guard 1...words.count ~= number, !words[number - 1].isEmpty else {
      throw DecodeError(.reservedValue, at: cursor.offset - 1)
    }
    return words[number - 1]
  }
}
