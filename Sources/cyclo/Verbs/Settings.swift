// `set`, `rename`, `enable`, `disable`: what a user changes about a paired sensor.

import CommandTable
import CycloCommands
import CyclometerClient
import JSON
import Text
import Vocabulary
import Wire

func set(_ session: Session) throws(Failure) {
  let changes = try SettingChange.all(Array(session.invocation.words.dropFirst()))
  let connection = try session.connect(for: changes.isEmpty ? .read : .control)
  let chosen = try session.firstSensor(connection)
  if changes.isEmpty { return showSettings(of: chosen, session) }
  var result: Received<SensorRecord>?
  let ordered = changes.ordered(from: chosen.settings)
  for (index, change) in ordered.enumerated() {
    let parameters = SettingParameters(sensor: chosen.id, key: change.key, value: change.value)
    do throws(Failure) {
      result = try session.ask(connection, .set(parameters))
    } catch {
      throw error.refusing(change, behind: ordered.prefix(index))
    }
    if session.isJSON { continue }
    let value = change.value.map { described(JSONValue.Member(change.key, $0), session.style) } ?? "reset"
    session.output.line("\(chosen.id): \(printable(Quantity.label(change.key))) \(value)")
  }
  if session.isJSON, let result { session.output.line(result.json.encoded) }
}

extension [SettingChange] {
  private static let pressures = [Setting.lowestPressure, .targetPressure, .highestPressure].map(\.key)

  /// The daemon applies one setting at a time, and the lowest pressure of a tire may never exceed
  /// the highest. If pressures rise, the highest is set first. Others keep their order.
  fileprivate func ordered(from known: JSONValue) -> [SettingChange] {
    let places = indices.filter { Self.pressures.contains(self[$0].key) }
    let rises = places.contains { place in
      guard let new = self[place].value?.number, let old = known[self[place].key]?.number else { return false }
      return new > old
    }
    let order = rises ? Self.pressures.reversed() : Self.pressures
    let sorted = order.flatMap { key in places.map { self[$0] }.filter { $0.key == key } }
    var ordered = self
    for (place, change) in zip(places, sorted) { ordered[place] = change }
    return ordered
  }
}

private func showSettings(of sensor: SensorRecord, _ session: Session) {
  if session.isJSON { return session.output.record(sensor) }
  session.output.settings(SettingKey.ofSensor) { key in
    key.key == Setting.role.key ? sensor.role.map { .string($0.text) } : sensor.settings[key.key]
  }
}

extension Output {
  /// All settings with their current values.
  func settings(_ keys: [SettingKey], _ value: (SettingKey) -> JSONValue?) {
    var table = Table(heading: ["SETTING", "VALUE", "MEANING"])
    for key in keys {
      let text = value(key).map { described(JSONValue.Member(key.key, $0), style) } ?? "-"
      table.rows.append([Cell(key.word, .strong), Cell(text), Cell(key.meaning, .faint)])
    }
    self.table(table)
  }
}

func rename(_ session: Session) throws(Failure) {
  let name = session.invocation.words[1]
  let (_, sensor) = try change(session) { .rename(sensor: $0, name: name) }
  if !session.isJSON {
    session.output.line("\(sensor.id) is now named \(printable(sensor.name)).")
  }
}

func enable(_ session: Session) throws(Failure) {
  let (before, sensor) = try change(session) { .enable(sensor: $0) }
  if !session.isJSON {
    let isNews = before.isDisabled || before.state?.known == .error
    session.output.line("\(sensor.id) is \(isNews ? "" : "already ")enabled: \(sensor.condition).")
  }
}

func disable(_ session: Session) throws(Failure) {
  let (before, sensor) = try change(session) { .disable(DisableParameters(sensor: $0)) }
  if !session.isJSON {
    let already = before.isDisabled ? "already " : ""
    session.output.line("\(sensor.id) is \(already)disabled. 'cyclo enable \(sensor.id)' connects it again.")
  }
}

/// Sends a request about the sensor that the first word names. With --json, prints only the result.
/// Returns the sensor as it was and as it is.
private func change(
  _ session: Session, _ query: (String) -> Query<SensorRecord>
) throws(Failure) -> (before: SensorRecord, after: SensorRecord) {
  let connection = try session.connect(for: .control)
  let chosen = try session.firstSensor(connection)
  let result = try session.ask(connection, query(chosen.id))
  if session.isJSON { session.output.line(result.json.encoded) }
  return (chosen, result.content)
}

extension Session {
  /// The sensor that the first word names.
  func firstSensor(_ connection: Connection) throws(Failure) -> SensorRecord {
    try sensor(called: invocation.words[0], among: sensors(connection))
  }
}

extension Failure {
  /// For a command line that parses but makes no sense.
  init(usage verb: CycloVerb, _ message: String) {
    self.init(.usage, message, advice: ["Try 'cyclo help \(verb.rawValue)'."])
  }

  /// Names settings as people write them, and lists what was already changed.
  fileprivate func refusing(_ change: SettingChange, behind others: some Sequence<SettingChange>) -> Failure {
    let plain = worded(by: SettingKey.ofSensor)
    let isKnown = SettingKey.named(change.key) != nil
    let suggesting = isKnown ? plain : plain.suggesting(change.key, among: SettingKey.ofSensor.map(\.word))
    let before = others.map(\.text).joined(separator: " ")
    return Failure(
      status, plain.message,
      advice: suggesting.advice + (before.isEmpty ? [] : ["Already changed: \(before)"]))
  }

  /// Adds a suggestion if a similar word exists.
  func suggesting(_ word: String, among words: [String]) -> Failure {
    let isRefusal = status == .failed || status == .usage
    guard isRefusal, !words.contains(word), let likely = suggestion(for: word, among: words) else {
      return self
    }
    return Failure(status, message, advice: advice + ["Did you mean '\(likely)'?"])
  }
}
