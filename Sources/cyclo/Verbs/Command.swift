// `command`: lists and runs the commands of a sensor. Plugins describe their commands; a command that
// this release does not know is passed to the daemon, which may know it.

import CommandTable
import CycloCommands
import CyclometerClient
import JSON
import Linux
import SensorKit
import Text
import Time
import Vocabulary
import Wire

/// The daemon gives a sensor 30 s to answer; this allows a little more.
private let timeout = 30.0

func command(_ session: Session) throws(Failure) {
  let words = session.invocation.words
  let connection = try session.connect(for: words.count > 1 ? .control : .read)
  let chosen = try session.firstSensor(connection)
  let offers = session.plugins.commands(of: chosen) + declaredCommands(of: chosen, connection, session)
  guard words.count > 1 else { return list(offers, of: chosen, session) }
  let name = kindName(words[1])
  let info = offers.first { $0.name == name }
  let numbers = try numbers(words.dropFirst(2).compactMap { Parameter($0) }, for: name, info)
  if let info, !info.preparation.isEmpty, !session.isJSON { session.output.note(info.preparation) }
  let answer: Received<CommandReply>
  do throws(Failure) {
    answer = try wait(for: CommandParameters(sensor: chosen.id, name: name, numbers: numbers), connection, session)
  } catch {
    guard info == nil else { throw error }
    throw error.suggesting(name, among: offers.map(\.name))
  }
  try show(answer, to: name, of: chosen, session)
}

/// Before its first connection: the commands of its plugins that files declare, which only the daemon knows.
private func declaredCommands(
  of sensor: SensorRecord, _ connection: Connection, _ session: Session
) -> [CommandInfo] {
  guard sensor.commands == nil else { return [] }
  return declaredPlugins(connection, session).filter { sensor.plugins.contains($0.id) }.flatMap(\.commands)
}

extension PluginRegistry {
  /// The commands of these plugins, as far as this release knows them.
  func commands(of ids: [String]) -> [CommandInfo] {
    ids.flatMap { id in plugins.first { $0.info.id == id }?.info.offers ?? [] }
  }

  /// The commands that the sensor supports according to the daemon; before its first connection,
  /// those of its plugins.
  func commands(of sensor: SensorRecord) -> [CommandInfo] {
    let offers = commands(of: sensor.plugins)
    guard let supported = sensor.commands else { return offers }
    // If there are many sensors, the daemon sends only names.
    return supported.map { command in
      command.summary.isEmpty ? offers.first { $0.name == command.name } ?? command : command
    }
  }
}

private func list(_ offers: [CommandInfo], of sensor: SensorRecord, _ session: Session) {
  if session.isJSON {
    for offer in offers { session.output.line(offer.json.encoded) }
    return
  }
  if offers.isEmpty { return session.output.note("\(sensor.id) has no commands.") }
  let width = offers.map(\.name.count).max() ?? 0
  for offer in offers {
    let name = session.style.paint(offer.name.padded(to: width), .strong)
    session.output.line("\(name)  \(offer.summary)")
    for parameter in offer.parameters {
      let name = parameter.isRequired ? "\(parameter.name)=NUMBER" : "[\(parameter.name)=NUMBER]"
      session.output.line("  " + session.style.paint("\(name): \(parameter.meaning)", .faint))
    }
  }
}

extension CommandInfo {
  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = [
      JSONValue.Member("name", .string(name)), JSONValue.Member("summary", .string(summary)),
    ]
    if !preparation.isEmpty { members.append(JSONValue.Member("preparation", .string(preparation))) }
    let items = parameters.map { parameter -> JSONValue in
      [
        "name": .string(parameter.name), "meaning": .string(parameter.meaning),
        "minimum": .number(parameter.range.lowerBound), "maximum": .number(parameter.range.upperBound),
        "required": .bool(parameter.isRequired),
      ]
    }
    return .object(members + [JSONValue.Member("parameters", .array(items))])
  }
}

/// Numbers by name; a number without a name is the command's first parameter.
private func numbers(
  _ given: [Parameter], for name: String, _ info: CommandInfo?
) throws(Failure) -> [String: Double] {
  guard let info else { return Dictionary(given.map { ($0.name, $0.number) }, uniquingKeysWith: { $1 }) }
  let known = info.parameters.map(\.name)
  var numbers: [String: Double] = [:]
  for parameter in given {
    let key = parameter.name == "value" ? known.first : known.first { $0 == parameter.name }
    guard let key else {
      let expected = known.joined(separator: ", ")
      throw Failure(
        usage: .command,
        known.isEmpty ? "\(name) takes no number" : "\(name) takes \(expected), not '\(parameter.name)'")
    }
    numbers[key] = parameter.number
  }
  if let missing = info.parameters.first(where: { needed in
    needed.isRequired && numbers[needed.name] == nil
  }) {
    throw Failure(usage: .command, "\(name) needs a number: \(missing.meaning)")
  }
  return numbers
}

private func wait(
  for parameters: CommandParameters, _ connection: Connection, _ session: Session
) throws(Failure) -> Received<CommandReply> {
  let request = try explained { () throws(ClientError) in try connection.send(.command(parameters)) }
  let begin = MonotonicTime.now
  let end = begin + .seconds(timeout + 5)
  defer { session.output.eraseProgress() }
  session.output.flush()
  while MonotonicTime.now < end {
    let elapsed = Int((MonotonicTime.now - begin).inSeconds)
    if elapsed > 0 { session.output.progress("Waiting for the reply: \(elapsed) s of \(Int(timeout)) s") }
    let nextLook = session.output.showsProgress ? min(end, .now + .seconds(1)) : end
    let answer = try explained { () throws(ClientError) in
      try connection.answer(to: request, until: nextLook) { _ throws(ClientError) in }
    }
    if let answer { return answer }
  }
  throw Failure(.timeout, "the daemon did not report a result")
}

/// A refusal by the sensor is a failure, but also an answer.
private func show(
  _ answer: Received<CommandReply>, to name: String, of sensor: SensorRecord, _ session: Session
) throws(Failure) {
  if session.isJSON { session.output.line(answer.json.encoded) }
  if let result = answer.content.result, result.known != .success {
    throw Failure(.failed, "\(sensor.id) refused: \(reasonText(result.text))")
  }
  if session.isJSON { return }
  let details = answer.content.details
  let text = details.map { "\(printable(Quantity.label($0.name))) \(described($0, session.style))" }
  session.output.line(
    "\(sensor.id): \(printable(name)) done" + (text.isEmpty ? "" : ", " + text.joined(separator: ", ")))
}
