// `status`: the daemon, the adapters, and what each sensor said last.

import CyclometerClient
import Wire

func status(_ session: Session) throws(Failure) {
  let connection = try session.connect(for: .read)
  let status = try session.ask(connection, "status")
  if session.isJSON { return session.output.line(status.encoded) }
  let samples = try session.lastSamples(connection)
  let output = session.output
  output.line(daemonLine(status, greeting: connection.greeting))
  for line in adapterLines(status, style: session.style) { output.line(line) }
  let sensors = (status["sensors"]?.items ?? []).compactMap { Sensor($0) }
  output.line()
  if sensors.isEmpty { return output.line("No sensor is paired. 'cyclo scan' looks for some.") }
  for line in sensorTable(sensors, samples).lines(style: session.style) { output.line(line) }
}

/// `cyclometerd 0.1.0, up 3 h 12 min, BlueZ 5.66, kernel 6.1.0`
private func daemonLine(_ status: JSON, greeting: HelloRecord) -> String {
  var parts = ["cyclometerd \(printable(status["daemon"]?["release"]?.text ?? greeting.release))"]
  if let up = status["daemon"]?["uptime_s"]?.number { parts.append("up \(spanText(up))") }
  if status["daemon"]?["simulated"]?.bool == true { parts.append("simulated") }
  if let bluez = status["versions"]?["bluez"]?.text { parts.append("BlueZ \(printable(bluez))") }
  if let kernel = status["versions"]?["kernel"]?.text { parts.append("Linux \(printable(kernel))") }
  return parts.joined(separator: ", ")
}

private func adapterLines(_ status: JSON, style: Style) -> [String] {
  let adapters = status["adapters"]?.items ?? []
  if adapters.isEmpty { return ["no Bluetooth adapter"] }
  return adapters.map { adapter in
    let state = adapter["state"]?.text ?? "unknown"
    let reason = adapter["reason"]?.text.map { ": " + reasonText($0) } ?? ""
    return [
      printable(adapter["adapter"]?.text ?? "adapter"), style.paint(printable(state), colour(ofState: state)) + reason,
      printable(adapter["address"]?.text ?? ""),
      adapter["links"]?["supervision_timeout_ms"]?.integer.map { "links are lost after \($0) ms of silence" } ?? "",
    ].filter { !$0.isEmpty }.joined(separator: "  ")
  }
}

func sensorTable(_ sensors: [Sensor], _ samples: [JSON]) -> Table {
  var table = Table(heading: ["SENSOR", "NAME", "STATE", "LAST SAID", "AGE", "BATTERY", "SIGNAL"])
  for sensor in sensors {
    let own = samples.compactMap { Sample($0) }.filter { $0.sensor == sensor.id }
    // The battery has a column of its own.
    let said = own.filter { $0.kind != "battery" }.sorted { $0.age < $1.age }
    let level = own.first { $0.kind == "battery" }?.headline
    table.rows.append([
      Cell(sensor.id, .strong), Cell(sensor.name), Cell(stateText(sensor.content), colour(ofState: sensor.state)),
      Cell(said.map(\.headline).joined(separator: ", ")), Cell(said.first.map { spanText($0.age) } ?? ""),
      Cell(sensor.content["battery_pct"]?.number.map { Quantity.text("battery_pct", $0) } ?? level ?? ""),
      Cell(sensor.content["rssi_dbm"]?.number.map { Quantity.text("rssi_dbm", $0) } ?? ""),
    ])
  }
  return table
}
