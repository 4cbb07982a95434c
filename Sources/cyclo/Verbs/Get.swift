// `get`: one value, its age and its sensor. The exit status tells scripts whether it is usable.

import CommandTable
import CycloCommands
import CyclometerClient
import JSON
import Linux
import SensorKit
import Text
import Vocabulary

func get(_ session: Session) throws(Failure) {
  let kind = kindName(session.invocation.words[0])
  do throws(Failure) {
    try get(kind, session)
  } catch {
    throw error.suggestingKinds([kind], among: session.plugins.allKinds)
  }
}

private func get(_ kind: String, _ session: Session) throws(Failure) {
  var filters = [JSONValue.Member("kinds", [.string(kind)])]
  let records: [JSONValue]
  if session.invocation.has(.sensor) {
    let connection = try session.connect(for: .read)
    let ids = try session.chosenSensors(connection)
    filters.append(JSONValue.Member("sensors", .array(ids.map { .string($0) })))
    records = try session.lastSamples(connection, .object(filters))
  } else {
    records = try session.lastSamples(.object(filters))
  }
  let limit = session.invocation.number(.maxAge) ?? defaultMaxAge(of: kind, session.plugins)
  let (record, sample) = try only(of: records, kind: kind, noOlderThan: limit, session.style)
  if session.isJSON { return session.output.line(record.encoded) }
  // A value of the ride is shown with its source.
  let source = sample.sensor == "ride" ? sample["source"]?.text ?? sample.sensor : sample.sensor
  session.output.line("\(sample.headline), \(spanText(sample.age)) ago, \(printable(source))")
}

/// The ride's value, which comes from the best source; otherwise that of the only sensor that has
/// one.
private func only(
  of records: [JSONValue], kind: String, noOlderThan limit: Double?, _ style: Style
) throws(Failure) -> (record: JSONValue, sample: Sample) {
  let label = Quantity.label(kind)
  let all = records.compactMap { record in Sample(record, style).map { (record: record, sample: $0) } }
    .filter { $0.sample.kind == kind }
  guard let newest = all.min(by: { $0.sample.age < $1.sample.age }) else {
    throw Failure(.failed, "no \(label) since the daemon started")
  }
  let usable = all.filter { candidate in limit.map { candidate.sample.age <= $0 } ?? true }
  if let ride = usable.first(where: { $0.sample.sensor == "ride" }) { return ride }
  guard let first = usable.first else {
    let sensor = printable(newest.sample.sensor)
    throw Failure(.failed, "the last \(label) is \(spanText(newest.sample.age)) old (\(sensor))")
  }
  guard usable.count == 1 else {
    let candidates = usable.map {
      "--sensor \(printable($0.sample.sensor)): \($0.sample.headline), \(spanText($0.sample.age)) ago"
    }
    throw Failure(
      .noSuchSensor, "\(usable.count) sensors have a \(label): choose one with --sensor", advice: candidates)
  }
  return first
}

/// In seconds: the age at which the daemon calls a sensor of that kind stale. Nil for totals, which
/// stay valid.
func defaultMaxAge(of kind: String, _ plugins: PluginRegistry) -> Double? {
  switch kind {
  case "battery": return 86_400
  case "ride", "averages", "lap_averages", "zones", "power_zones", "training", "wheel", "bike": return nil
  case "grade", "hrv", "position": return 10
  default: break
  }
  var shortest: Double?
  for info in plugins.plugins.map(\.info) {
    guard info.kinds.contains(where: { $0.name.description == kind }) else { continue }
    guard let limit = info.silence.staleAfter?.inSeconds else { continue }
    shortest = min(shortest ?? limit, limit)
  }
  return shortest
}
