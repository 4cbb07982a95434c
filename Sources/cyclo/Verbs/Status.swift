// `status`: the daemon, the adapters, and each sensor's last values.

import CyclometerClient
import JSON
import Text
import Wire

func status(_ session: Session) throws(Failure) {
  let connection = try session.connect(for: .read)
  let status = try session.ask(connection, "status")
  if session.isJSON { return session.output.line(status.encoded) }
  let samples = try session.lastSamples(connection)
  let output = session.output
  let width = output.columns ?? .max
  for line in daemonLine(status, greeting: connection.greeting).wrapped(to: width) { output.line(line) }
  for line in adapterLines(status, style: session.style, width: width) { output.line(line) }
  if let obstacle = obstacle(status) {
    for line in obstacle.wrapped(to: width) { output.line(session.style.paint(line, .bad)) }
  }
  if let line = positionLine(status["position"], samples, session.style) { output.line(line) }
  let sensors = (status["sensors"]?.items ?? []).compactMap { Sensor($0) }
  output.line()
  if sensors.isEmpty {
    return output.line("No sensor is paired." + (obstacle(status) == nil ? " 'cyclo scan' looks for sensors." : ""))
  }
  output.table(sensorTable(sensors, samples, session.style))
}

/// `cyclometerd 0.1.0, up 3 h 12 min, BlueZ 5.66, kernel 6.1.0`
private func daemonLine(_ status: JSONValue, greeting: HelloRecord) -> String {
  var parts = ["cyclometerd \(printable(status["daemon"]?["release"]?.text ?? greeting.release))"]
  if let up = status["daemon"]?["uptime_s"]?.number { parts.append("up \(spanText(up))") }
  if status["daemon"]?["simulated"]?.bool == true { parts.append("simulated") }
  if let bluez = status["versions"]?["bluez"]?.text { parts.append("BlueZ \(printable(bluez))") }
  if let kernel = status["versions"]?["kernel"]?.text { parts.append("Linux \(printable(kernel))") }
  return parts.joined(separator: ", ")
}

/// Why Bluetooth is unavailable, in the daemon's words, and where to learn more; nil if it is
/// available.
func obstacle(_ status: JSONValue) -> String? {
  let isSimulated = status["daemon"]?["simulated"]?.bool == true
  guard !isSimulated, let reason = status["bluetooth"]?["reason"]?.text else { return nil }
  let words = status["bluetooth"]?["message"]?.text.map(printable) ?? reasonText(reason)
  return "Bluetooth cannot be used: \(words); run 'cyclo doctor'."
}

/// `position  okay, by gpsd at localhost:2947`; nil without gpsd.
private func positionLine(_ position: JSONValue?, _ samples: [JSONValue], _ style: Style) -> String? {
  guard let gpsd = position?["gpsd"]?.text, let receivers = position?["receivers"]?.integer else { return nil }
  let last = samples.first { $0["sensor"]?.text == "ride" && $0["kind"]?.text == "position" }
  let isCurrent = last?["age_ms"]?.number.map { $0 < 10_000 } ?? false
  let quality = isCurrent ? last?["quality"]?.text : nil
  let words = receivers == 0 ? style.paint("no working receiver", .warning) : quality.map(printable) ?? "no fix"
  return "position  \(words), by gpsd at \(printable(gpsd))"
}

private func adapterLines(_ status: JSONValue, style: Style, width: Int) -> [String] {
  let adapters = status["adapters"]?.items ?? []
  // The daemon's message is printed below.
  if adapters.isEmpty { return obstacle(status) == nil ? [style.paint("no Bluetooth adapter", .bad)] : [] }
  return adapters.flatMap { adapter in
    let state = adapter["state"]?.text ?? "unknown"
    let reason = adapter["reason"]?.text.map { ": " + reasonText($0) } ?? ""
    let parts = [
      printable(adapter["adapter"]?.text ?? "adapter"), printable(state) + reason,
      printable(adapter["address"]?.text ?? ""),
      adapter["links"]?["supervision_timeout_ms"]?.integer.map { "drops links after \($0) ms without data" } ?? "",
    ]
    let painted = [parts[0], style.paint(parts[1], colour(ofState: state))] + parts.dropFirst(2)
    let whole = parts.filter { !$0.isEmpty }.joined(separator: "  ")
    if whole.columns <= width { return [painted.filter { !$0.isEmpty }.joined(separator: "  ")] }
    return [painted[0] + "  " + painted[1]] + parts.dropFirst(2).filter { !$0.isEmpty }.map { "  " + $0 }
  }
}

/// The last value of a lost sensor is grey and has its age; its state says why.
func sensorTable(_ sensors: [Sensor], _ samples: [JSONValue], _ style: Style) -> Table {
  var table = Table(
    heading: ["SENSOR", "NAME", "STATE", "VALUE", "AGE", "BATTERY", "SIGNAL", "LOST"],
    dispensable: ["LOST", "SIGNAL", "NAME"], isShortened: true)
  for sensor in sensors {
    let own = samples.compactMap { Sample($0, style) }.filter { $0.sensor == sensor.id }
    // The battery has its own column.
    let said = own.filter { $0.kind != "battery" }.sorted { $0.age < $1.age }
    let level = own.first { $0.kind == "battery" }?.headline
    let isCurrent = sensor.state == "streaming"
    table.rows.append([
      Cell(sensor.id, .strong), Cell(sensor.name), Cell(stateText(sensor.content), colour(ofState: sensor.state)),
      Cell(said.map(\.summary).joined(separator: ", "), isCurrent ? .plain : .faint),
      Cell(said.first.map { spanText($0.age) } ?? "", isCurrent ? .plain : .faint),
      Cell(sensor.content["battery_pct"]?.number.map { Quantity.text("battery_pct", $0, style) } ?? level ?? ""),
      Cell(sensor.content["rssi_dbm"]?.number.map { Quantity.text("rssi_dbm", $0, style) } ?? ""),
      // The number of reconnects, as in `show`.
      Cell(sensor.content["link"]?["reconnects"]?.integer.map { "\($0)" } ?? ""),
    ])
  }
  return table
}
