// `list`, `show`, `forget`: the paired sensors.

import CommandTable
import CyclometerClient
import Wire

func list(_ session: Session) throws(Failure) {
  let connection = try session.connect(for: .read)
  let sensors = try session.sensors(connection)
  if session.isJSON {
    for sensor in sensors { session.output.line(sensor.content.encoded) }
    return
  }
  if sensors.isEmpty { return session.output.note("No sensor is paired. 'cyclo scan' looks for some.") }
  var table = Table(heading: ["SENSOR", "NAME", "ADDRESS", "KINDS", "ROLE", "STATE"])
  for sensor in sensors {
    table.rows.append([
      Cell(sensor.id, .strong), Cell(sensor.name), Cell(sensor.address), Cell(listed(sensor.content["kinds"])),
      Cell(sensor.content["role"]?.text ?? ""), Cell(sensor.state, colour(ofState: sensor.state)),
    ])
  }
  for line in table.lines(style: session.style) { session.output.line(line) }
}

func show(_ session: Session) throws(Failure) {
  let connection = try session.connect(for: .read)
  let known = try session.sensors(connection)
  let chosen = try sensor(called: session.invocation.words[0], among: known)
  if session.isJSON { return session.output.line(chosen.content.encoded) }
  let samples = try session.lastSamples(connection, ["sensors": [.string(chosen.id)]])
  for line in description(of: chosen, samples, style: session.style) { session.output.line(line) }
}

func forget(_ session: Session) throws(Failure) {
  let connection = try session.connect(for: .control)
  let known = try session.sensors(connection)
  let chosen = try sensor(called: session.invocation.words[0], among: known)
  let result = try session.ask(connection, "forget", ["sensor": .string(chosen.id)])
  if session.isJSON { return session.output.line(result.encoded) }
  let name = chosen.name.isEmpty ? "" : " (\(printable(chosen.name)))"
  session.output.line("Forgot \(chosen.id)\(name).")
}

/// Everything that is known: the members in the daemon's order, then what it last said.
func description(of sensor: Sensor, _ samples: [JSON], style: Style) -> [String] {
  var rows: [(name: String, value: String)] = []
  for member in sensor.content.members ?? [] where member.name != "id" && member.name != "reason" {
    switch member.value {
    case .object(let members):
      for inner in members { rows.append((Quantity.label(inner.name), described(inner))) }
    case .array: rows.append((Quantity.label(member.name), listed(member.value)))
    default:
      let isState = member.name == "state"
      rows.append((Quantity.label(member.name), isState ? stateText(sensor.content) : described(member)))
    }
  }
  for sample in samples.compactMap({ Sample($0) }) where sample.sensor == sensor.id {
    let details = sample.details.isEmpty ? "" : " (\(sample.details))"
    rows.append((Quantity.label(sample.kind), "\(sample.headline)\(details), \(spanText(sample.age)) ago"))
  }
  rows.removeAll { $0.value.isEmpty }
  let width = rows.map(\.name.count).max() ?? 0
  return [style.paint(sensor.id, .strong)]
    + rows.map { "  " + style.paint(printable($0.name).padded(to: width), .faint) + "  " + $0.value }
}
