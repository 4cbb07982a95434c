// `export`, `import`: the daemon's saved state as a file.

import CommandTable
import CyclometerClient
import JSON
import Linux
import Text
import Wire

func export(_ session: Session) throws(Failure) {
  let connection = try session.connect(for: .control)
  let learned = try session.ask(connection, .export)
  let path = session.invocation.words.first ?? "-"
  let line = learned.json.encoded
  if path == "-" || session.isJSON { session.output.line(line) }
  guard path != "-" else { return }
  do throws(SystemError) {
    try Files.replace(path, with: Array((line + "\n").utf8), mode: 0o600)
  } catch {
    throw Failure(.failed, "cannot write \(path): \(error.reason)")
  }
  if session.isJSON { return }
  let sensors = counted(learned.content.sensors.count, "sensor")
  let bikes = counted(learned.content.bikes.count, "bike")
  session.output.note("\(sensors), the rider and \(bikes) are in \(path). To load it: cyclo import.")
}

func importLearned(_ session: Session) throws(Failure) {
  let path = session.invocation.words[0]
  let learned = try learnedObject(in: path)
  let connection = try session.connect(for: .control)
  let result: Received<ImportReply>
  do throws(Failure) {
    result = try session.ask(connection, .import(learned))
  } catch {
    // The content of the file is wrong, not the command line.
    throw error.status == .usage ? Failure(.failed, error.message, advice: error.advice) : error
  }
  if session.isJSON { return session.output.line(result.json.encoded) }
  let (added, changed) = (result.content.added, result.content.changed)
  if added.isEmpty, changed.isEmpty { session.output.line("Imported. The sensors are unchanged.") }
  if !added.isEmpty { session.output.line("New: \(listed(added))") }
  if !changed.isEmpty { session.output.line("Changed: \(listed(changed))") }
  let unbonded = result.content.pairAgain
  if unbonded.isEmpty { return }
  session.output.note(
    "Bonding keys are not exported. Wake each of these sensors. If its state is error, pair it again:")
  for sensor in try session.sensors(connection) where unbonded.contains(sensor.id) {
    session.output.note("  cyclo pair \(printable(sensor.address)) --yes")
  }
}

/// An object that fits into a request, from a file or standard input.
private func learnedObject(in path: String) throws(Failure) -> JSONValue {
  let name = path == "-" ? "standard input" : path
  let content = try content(of: path)
  let learned: JSONValue
  do throws(JSONError) {
    learned = try JSONValue.parse(content)
  } catch {
    throw Failure(.failed, "\(name) is not an export of cyclo: \(error)")
  }
  guard learned.members != nil else { throw Failure(.failed, "\(name) is not an export of cyclo: not a JSON object") }
  guard learned.encoded.utf8.count <= LineSplitter.protocolLimit - Call.envelope else {
    throw Failure(.failed, "\(name) is too long: not an export of cyclo")
  }
  return learned
}
