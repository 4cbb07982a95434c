// `get`: one value, its age and its sensor. The exit status tells scripts whether it is usable.

import CommandTable
import CycloCommands
import CyclometerClient
import JSON
import Linux
import SensorKit
import Text
import Vocabulary
import Wire

func get(_ session: Session) throws(Failure) {
  let kind = kindName(session.invocation.words[0])
  do throws(Failure) {
    try get(kind, session)
  } catch {
    throw error.suggestingKinds([kind], among: session.plugins.allKinds)
  }
}

private func get(_ kind: String, _ session: Session) throws(Failure) {
  let samples: [Sample]
  if session.invocation.has(.sensor) {
    let connection = try session.connect(for: .read)
    let ids = try session.chosenSensors(connection)
    samples = try session.lastSamples(connection, Filter(kinds: [kind], sensors: ids))
  } else {
    samples = try session.lastSamples(Filter(kinds: [kind]))
  }
  let sample = try only(of: samples.filter { $0.kind == kind }, kind: kind, isUsable: usability(of: kind, session))
  if session.isJSON { return session.output.sample(sample) }
  session.output.line("\(sample.headline), \(spanText(sample.age)) ago, \(printable(sample.origin))")
}

private func usability(of kind: String, _ session: Session) -> (Sample) -> Bool {
  if let limit = session.invocation.number(.maxAge) { return { $0.age <= limit } }
  // Making the plugins takes longer than the request, and most samples are younger than all limits.
  return { sample in
    if sample.age <= Silence.shortest.inSeconds { return true }
    let limit =
      session.plugins.allKinds.contains(kind)
      ? defaultMaxAge(of: kind, session.plugins) : declaredMaxAge(of: kind, by: sample.sensor, session)
    return limit.map { sample.age <= $0 } ?? true
  }
}

/// In seconds: the daemon's limit for a kind that only a file declares. This program does not read the
/// files, because the daemon may use others.
private func declaredMaxAge(of kind: String, by sensor: String, _ session: Session) -> Double? {
  let sensors = try? session.sensors(try session.connect(for: .read))
  return sensors?.first { $0.id == sensor }?.staleAfterMS[kind].map { Double($0) / 1000 }
}

/// The ride's value, which comes from the best source; otherwise that of the only sensor that has
/// one.
private func only(
  of samples: [Sample], kind: String, isUsable: (Sample) -> Bool
) throws(Failure) -> Sample {
  var label: String { Quantity.label(kind) }
  guard let newest = samples.min(by: { $0.age < $1.age }) else {
    throw Failure(.failed, "no \(label) since the daemon started")
  }
  let usable = samples.filter(isUsable)
  if let ride = usable.first(where: { $0.sensor == SensorID.ride }) { return ride }
  guard let first = usable.first else {
    throw Failure(.failed, "the last \(label) is \(spanText(newest.age)) old (\(printable(newest.sensor)))")
  }
  guard usable.count == 1 else {
    let candidates = usable.map {
      "--sensor \(printable($0.sensor)): \($0.headline), \(spanText($0.age)) ago"
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
