// `get`: one value and its age. The exit status tells a script whether it can be used.

import CommandTable
import CyclometerClient
import Wire

func get(_ session: Session) throws(Failure) {
  let kind = kindName(session.invocation.words[0])
  do throws(Failure) {
    try get(kind, session)
  } catch {
    throw error.suggestingKinds([kind])
  }
}

private func get(_ kind: String, _ session: Session) throws(Failure) {
  var filters = [JSON.Member("kinds", [.string(kind)])]
  let records: [JSON]
  if session.invocation.has(.sensor) {
    let connection = try session.connect(for: .read)
    let ids = try session.chosenSensors(connection)
    filters.append(JSON.Member("sensors", .array(ids.map { .string($0) })))
    records = try session.lastSamples(connection, .object(filters))
  } else {
    records = try session.lastSamples(.object(filters))
  }
  guard let (record, sample) = best(of: records, kind: kind, session.style) else {
    throw Failure(.failed, "no \(Quantity.label(kind)) was seen since the daemon started")
  }
  if let limit = session.invocation.number(.maxAge), sample.age > limit {
    throw Failure(.failed, "the last \(Quantity.label(kind)) is \(spanText(sample.age)) old")
  }
  if session.isJSON { return session.output.line(record.encoded) }
  session.output.line("\(sample.headline), \(spanText(sample.age)) ago")
}

/// The ride's own value where there is one: it is made of the best sources. Else the newest.
func best(of records: [JSON], kind: String, _ style: Style = .plain) -> (record: JSON, sample: Sample)? {
  let candidates = records.compactMap { record in Sample(record, style).map { (record: record, sample: $0) } }
    .filter { $0.sample.kind == kind }
  return candidates.first { $0.sample.sensor == "ride" } ?? candidates.min { $0.sample.age < $1.sample.age }
}
