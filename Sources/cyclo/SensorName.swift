// Finds the sensor that the user means: by its exact id, address or name; otherwise the only sensor
// with this prefix; otherwise the only one that contains it. Case does not matter.

import CommandTable
import Text
import Wire

extension SensorRecord {
  /// The protocol's word; empty if there is none.
  var stateWord: String { state?.text ?? "" }
  var isStreaming: Bool { state?.known == .streaming }
  var isDisabled: Bool { state?.known == .disabled }

  fileprivate var names: [String] { [id, address, name].map { $0.lowercased() } }
}

func sensor(called word: String, among sensors: [SensorRecord]) throws(Failure) -> SensorRecord {
  let wanted = word.lowercased()
  if let exact = sensors.first(where: { $0.id == word }) { return exact }
  var found = sensors.filter { $0.names.contains(wanted) }
  if found.isEmpty, !wanted.isEmpty { found = sensors.filter { $0.names.contains { $0.hasPrefix(wanted) } } }
  if found.isEmpty, !wanted.isEmpty { found = sensors.filter { $0.names.contains { $0.has(wanted) } } }
  if found.count == 1 { return found[0] }
  guard found.isEmpty else {
    let ids = found.map(\.id).joined(separator: ", ")
    throw Failure(.noSuchSensor, "'\(word)' is ambiguous: it matches \(ids)", advice: ["Use one of these ids"])
  }
  if sensors.isEmpty {
    let message = "no sensor is named '\(word)': none is paired"
    throw Failure(.noSuchSensor, message, advice: ["To find sensors: cyclo scan"])
  }
  let likely = suggestion(for: wanted, among: sensors.flatMap(\.names))
  let question = likely.map { "; did you mean '\($0)'?" } ?? ""
  let ids = sensors.map(\.id).joined(separator: ", ")
  throw Failure(.noSuchSensor, "no sensor is named '\(word)'\(question)", advice: ["Known sensors: \(ids)"])
}
