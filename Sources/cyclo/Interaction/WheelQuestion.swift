// Asks for the wheel size: from a list, typed or measured. Without it, a sensor that counts
// revolutions gives no speed.

import CyclometerClient
import CyclometerSamples
import JSON
import Vocabulary
import Wire

extension SensorRecord {
  /// Whether the sensor counts wheel turns, according to its facts or its samples; nil if unknown.
  func countsTurns(_ samples: [Sample]) -> Bool? {
    guard kinds.contains(SpeedSample.kind) else { return false }
    if let says = facts[.wheelRevolutionData]?.bool { return says }
    let speeds = samples.filter { $0.sensor == id }.compactMap { SpeedSample($0.record) }
    return speeds.isEmpty ? nil : speeds.contains { $0.wheelRevs != nil }
  }

  var circumferenceMM: Double? { settings[.circumference]?.number }
}

/// In millimetres; nil if the user skips it.
func askForWheel(
  of sensor: SensorRecord, _ session: Session, _ connection: Connection, _ conversation: Conversation
) throws(Failure) -> Double? {
  var rows = TireSize.common.map { known in
    var row = Line(known.size.isoName.padded(to: 8))
    row.add(known.name.padded(to: 11), .faint)
    row.add("\(Quantity.short(known.size.circumferenceMM)) mm")
    return row
  }
  let sizes = rows.count
  rows += [
    Line("another size, or millimetres"), Line("measure it by rolling the bike"), Line("skip (no speed)"),
  ]
  let question = "Which size is on the tire?"
  while true {
    let index = try conversation.choose(question, from: rows, connection)
    switch index - sizes {
    case ..<0: return TireSize.common[index].size.circumferenceMM
    case 0:
      let hint = "as on the tire (25-622 or 700x25C), or the circumference in millimetres (2105)"
      return try conversation.ask("Size", hint: hint) { TireSize.circumference($0) }
    case 1:
      var measurement = WheelMeasurement(session, connection, conversation, sensor)
      if let circumference = try measurement.run() { return circumference }
    default: return nil
    }
  }
}

/// Sends the size to the daemon and returns the sensor afterwards.
func setWheel(
  of sensor: SensorRecord, to circumference: Double, _ session: Session, _ connection: Connection
) throws(Failure) -> Received<SensorRecord> {
  let change = SettingParameters(sensor: sensor.id, key: Setting.circumference.key, value: .number(circumference))
  return try session.ask(connection, .set(change))
}
