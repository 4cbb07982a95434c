// `status`: the daemon, the adapters, and each sensor's last values.

import CyclometerClient
import CyclometerSamples
import JSON
import Text
import Wire

func status(_ session: Session) throws(Failure) {
  let connection = try session.connect(for: .read)
  let reply = try session.ask(connection, .status)
  if session.isJSON { return session.output.line(reply.json.encoded) }
  let status = reply.content
  let samples = try session.lastSamples(connection)
  let output = session.output
  let width = output.columns ?? .max
  for line in daemonLine(status, greeting: connection.greeting).wrapped(to: width) { output.line(line) }
  for line in adapterLines(status, style: session.style, width: width) { output.line(line) }
  if let obstacle = obstacle(status) {
    for line in obstacle.wrapped(to: width) { output.line(session.style.paint(line, .bad)) }
  }
  if let line = positionLine(status.position, samples, session.style) { output.line(line) }
  if let line = fileLine(try? session.ask(connection, .plugins()).content) {
    for line in line.wrapped(to: width) { output.line(session.style.paint(line, .bad)) }
  }
  output.line()
  if status.sensors.isEmpty {
    return output.line("No sensor is paired." + (obstacle(status) == nil ? " 'cyclo scan' looks for sensors." : ""))
  }
  output.table(sensorTable(status.sensors, samples, session.style))
}

/// `cyclometerd 0.1.0, up 3 h 12 min, BlueZ 5.66, kernel 6.1.0`
private func daemonLine(_ status: StatusReply, greeting: HelloRecord) -> String {
  var parts = ["cyclometerd \(printable(status.daemon.release ?? greeting.release))"]
  if let up = status.daemon.uptimeS { parts.append("up \(spanText(up))") }
  if status.daemon.isSimulated { parts.append("simulated") }
  if let bluez = status.versions.bluez { parts.append("BlueZ \(printable(bluez))") }
  if let kernel = status.versions.kernel { parts.append("Linux \(printable(kernel))") }
  return parts.joined(separator: ", ")
}

/// Why Bluetooth is unavailable, in the daemon's words, and where to learn more; nil if it is
/// available.
func obstacle(_ status: StatusReply) -> String? {
  guard !status.daemon.isSimulated, let reason = status.bluetooth.reason else { return nil }
  let words = status.bluetooth.message.map(printable) ?? reasonText(reason.text)
  return "Bluetooth cannot be used: \(words); run 'cyclo doctor'."
}

/// `position  okay, by gpsd at localhost:2947`; nil without gpsd.
private func positionLine(
  _ position: StatusReply.Position?, _ samples: [Sample], _ style: Style
) -> String? {
  guard let gpsd = position?.gpsd, let receivers = position?.receivers else { return nil }
  let last = samples.first { $0.sensor == SensorID.ride && $0.kind == PositionSample.kind && $0.age < 10 }
  let quality = PositionSample(last?.record)?.quality?.rawValue
  let words = receivers == 0 ? style.paint("no working receiver", .warning) : quality.map(printable) ?? "no fix"
  return "position  \(words), by gpsd at \(printable(gpsd))"
}

/// `A sensor file has errors and is not used: /etc/cyclometer/sensors.d/strap.sensor:3; run …`
private func fileLine(_ plugins: PluginsReply?) -> String? {
  let files = (plugins?.omitted ?? []).filter { !$0.isSwitchedOff }.map { file in
    printable(file.file) + (file.problems.first.map { ":\($0.line)" } ?? "")
  }
  guard !files.isEmpty else { return nil }
  let subject = files.count == 1 ? "A sensor file has errors and is" : "\(files.count) sensor files have errors and are"
  return "\(subject) not used: \(files.joined(separator: ", ")); run 'cyclo plugin list'."
}

private func adapterLines(_ status: StatusReply, style: Style, width: Int) -> [String] {
  // The daemon's message is printed below.
  if status.adapters.isEmpty { return obstacle(status) == nil ? [style.paint("no Bluetooth adapter", .bad)] : [] }
  return status.adapters.flatMap { adapter in
    let state = adapter.state.text
    let parts = [
      printable(adapter.adapter), printable(state), printable(adapter.address ?? ""),
      adapter.links?.supervisionTimeoutMS.map { "drops links after \($0) ms without data" } ?? "",
    ]
    let painted = [parts[0], style.paint(parts[1], colour(ofState: state))] + parts.dropFirst(2)
    let whole = parts.filter { !$0.isEmpty }.joined(separator: "  ")
    if whole.columns <= width { return [painted.filter { !$0.isEmpty }.joined(separator: "  ")] }
    return [painted[0] + "  " + painted[1]] + parts.dropFirst(2).filter { !$0.isEmpty }.map { "  " + $0 }
  }
}

/// The last value of a lost sensor is grey and has its age; its state says why.
func sensorTable(_ sensors: [SensorRecord], _ samples: [Sample], _ style: Style) -> Table {
  var table = Table(
    heading: ["SENSOR", "NAME", "STATE", "VALUE", "AGE", "BATTERY", "SIGNAL", "LOST"],
    dispensable: ["LOST", "SIGNAL", "NAME"], isShortened: true)
  for sensor in sensors {
    let own = samples.filter { $0.sensor == sensor.id }
    // The battery has its own column.
    let said = own.filter { $0.kind != "battery" }.sorted { $0.age < $1.age }
    let level = own.first { $0.kind == "battery" }?.headline
    let isCurrent = sensor.isStreaming
    table.rows.append([
      Cell(sensor.id, .strong), Cell(sensor.name), Cell(sensor.condition, colour(ofState: sensor.stateWord)),
      Cell(said.map(\.summary).joined(separator: ", "), isCurrent ? .plain : .faint),
      Cell(said.first.map { spanText($0.age) } ?? "", isCurrent ? .plain : .faint),
      Cell(sensor.batteryPct.map { Quantity.text("battery_pct", $0, style) } ?? level ?? ""),
      Cell(sensor.rssiDBm.map { Quantity.text("rssi_dbm", Double($0), style) } ?? ""),
      // The number of reconnects, as in `show`.
      Cell(sensor.link.map { "\($0.reconnects)" } ?? ""),
    ])
  }
  return table
}
