// `list`, `show`, `forget`: the paired sensors.

import CyclometerClient
import JSON
import SensorKit
import Text
import Troubleshooting
import Wire

func list(_ session: Session) throws(Failure) {
  let connection = try session.connect(for: .read)
  let sensors = try session.sensors(connection)
  if session.isJSON {
    for sensor in sensors { session.output.record(sensor) }
    return
  }
  if sensors.isEmpty {
    return session.output.note("No sensor is paired. 'cyclo pair' adds one, 'cyclo scan' looks for sensors.")
  }
  var table = Table(
    heading: ["SENSOR", "NAME", "ADDRESS", "KINDS", "ROLE", "STATE", "BATTERY"],
    dispensable: ["ADDRESS", "ROLE", "BATTERY"], isShortened: true)
  for sensor in sensors {
    table.rows.append([
      Cell(sensor.id, .strong), Cell(sensor.name), Cell(sensor.address), Cell(listed(sensor.kinds)),
      Cell(sensor.role?.text ?? ""), Cell(sensor.stateWord, colour(ofState: sensor.stateWord)),
      Cell(sensor.batteryPct.map { Quantity.text("battery_pct", $0, session.style) } ?? ""),
    ])
  }
  session.output.table(table)
}

func show(_ session: Session) throws(Failure) {
  let connection = try session.connect(for: .read)
  let chosen = try session.firstSensor(connection)
  if session.isJSON { return session.output.record(chosen) }
  let samples = try session.lastSamples(connection)
  let status = try session.ask(connection, .status).content
  let text = SensorText(style: session.style, columns: session.output.columns, plugins: session.plugins)
  let sections = [
    text.identity(chosen, samples), text.values(of: chosen, samples, heading: "Last values"),
    text.members(chosen.settings, heading: "Settings"), text.abilities(chosen),
    text.members(chosen.facts, heading: "Device information"),
    text.link(chosen, adapters: status.adapters),
  ]
  for line in text.lines(chosen.id, sections) { session.output.line(line) }
  for line in troubles(of: chosen, status, samples, session) { session.output.line(line) }
}

/// The problems that doctor finds with this sensor.
private func troubles(of sensor: SensorRecord, _ status: StatusReply, _ samples: [Sample], _ session: Session)
  -> [String]
{
  var facts = Facts(contact: .absent(path: ""))
  facts.status = status
  facts.quirks = session.plugins.quirks
  facts.take(samples)
  if sensor.circumferenceMM == nil, sensor.countsTurns(samples) == true { facts.unmeasuredWheels.insert(sensor.id) }
  let columns = session.output.columns
  let findings = facts.findings(of: sensor).filter { $0.verdict != .ok }
  var lines = DoctorText(style: session.style, columns: columns).lines(of: findings)
  if findings.allSatisfy({ $0.check != "state" }) { lines = hints(for: sensor, columns, session.style) + lines }
  return lines.isEmpty ? [] : ["", session.style.paint("What to do", .strong)] + lines
}

/// Advice while doctor does not report the state as a problem yet. Each command has its own line, so
/// that it can be copied.
private func hints(for sensor: SensorRecord, _ columns: Int?, _ style: Style) -> [String] {
  let hints: [(text: String, command: String)] =
    switch sensor.state?.known {
    case .streaming: []
    case .disabled: [("You disabled it. To connect it again:", "cyclo enable \(sensor.id)")]
    default:
      [
        (
          "The daemon connects as soon as it finds the sensor. Spin the crank or the wheel, or wear the strap. Disconnect "
            + "it from phones, watches and bike computers. To check that it is in range:", "cyclo scan -t 30"
        ), ("To check the computer:", "cyclo doctor"),
      ]
    }
  return hints.flatMap { hint in
    (columns.map { hint.text.wrapped(to: $0 - 3) } ?? [hint.text]).map { "  " + $0 }
      + ["    " + style.paint(hint.command, .strong)]
  }
}

func forget(_ session: Session) throws(Failure) {
  let connection = try session.connect(for: .control)
  let chosen = try session.firstSensor(connection)
  let result = try session.ask(connection, .forget(sensor: chosen.id))
  if session.isJSON { return session.output.line(result.json.encoded) }
  let name = chosen.name.isEmpty ? "" : " (\(printable(chosen.name)))"
  session.output.line("Removed \(chosen.id)\(name).")
  session.output.line("To restore it:")
  for command in commandsToRestore(result.content) { session.output.line("  \(printable(command))") }
}

/// The id is made from name and address, so pairing it again gives the same id.
private func commandsToRestore(_ sensor: SensorRecord) -> [String] {
  var pairing = "cyclo pair \(sensor.address)"
  if !sensor.name.isEmpty { pairing += " --name \(shellQuoted(sensor.name))" }
  if let role = sensor.role?.text { pairing += " --role \(role)" }
  if let wheel = sensor.circumferenceMM { pairing += " --wheel \(Quantity.short(wheel))" }
  let others = (sensor.settings.members ?? []).compactMap { member -> String? in
    guard member.name != Setting.circumference.key else { return nil }
    let value = member.value.number.map { Quantity.short($0) } ?? member.value.text.map(shellQuoted)
    return value.map { "cyclo set \(sensor.id) \(member.name) \($0)" }
  }
  return [pairing] + others
}

/// Identity, state and last values.
func description(of sensor: SensorRecord, _ samples: [Sample], _ session: Session) -> [String] {
  let text = SensorText(style: session.style, columns: session.output.columns, plugins: session.plugins)
  var section = text.identity(sensor, samples)
  section.rows += text.values(of: sensor, samples).rows
  return text.lines(sensor.id, [section])
}
