// `ride`, `rider`: the ride's actions, summary and settings, and the rider's data.

import CommandTable
import CycloCommands
import CyclometerClient
import JSON
import Text
import Vocabulary
import Wire

func ride(_ session: Session) throws(Failure) {
  guard let action = session.invocation.words.first else { return try showRide(session) }
  let details = Array(session.invocation.words.dropFirst())
  if action == "settings" { return try rideSettings(session, details) }
  guard let action = RideAction(rawValue: action) else { return }
  var parameters = RideParameters(action)
  if action == .new, let word = details.first {
    let sports = Sport.allCases.map(\.rawValue)
    guard let sport = Sport(rawValue: word) else {
      let failure = Failure(usage: .ride, "'\(word)' is not one of \(sports.joined(separator: ", "))")
      throw failure.suggesting(word, among: sports)
    }
    parameters.sport = sport
  }
  if let word = details.dropFirst(action == .new ? 1 : 0).first {
    throw Failure(usage: .ride, "'\(word)' is an unexpected argument")
  }
  let connection = try session.connect(for: .control)
  let result = try session.ask(connection, .ride(parameters))
  if session.isJSON { return session.output.line(result.json.encoded) }
  switch (action, result.content.hasChanged) {
  case (.new, _): session.output.line("Started a new ride.")
  case (.lap, true): session.output.line("Started the next lap.")
  case (.lap, false):
    throw Failure(.failed, "there is no current ride", advice: ["To start one: cyclo ride new"])
  case (.end, true): session.output.line("The ride has ended.")
  case (.end, false): session.output.line("There is no ride to end.")
  case (.pause, true): session.output.line("The ride is paused until 'cyclo ride resume'.")
  case (.pause, false): session.output.line("The ride is already paused, until 'cyclo ride resume'.")
  case (.resume, true): session.output.line("The ride has resumed.")
  case (.resume, false): session.output.line("The ride is not paused.")
  }
}

/// Shows the settings in effect, or changes them.
private func rideSettings(_ session: Session, _ words: [String]) throws(Failure) {
  let changes = try SettingChange.known(words, of: .ride)
  let connection = try session.connect(for: .control)
  let result: Received<SettingsReply>
  do throws(Failure) {
    result = try session.ask(connection, .rideSettings(changes.map { JSONValue.Member($0.key, $0.value ?? "") }))
  } catch {
    throw error.worded(by: SettingKey.ofRide)
  }
  if session.isJSON { return session.output.line(result.json.encoded) }
  func value(_ key: SettingKey) -> String {
    switch result.content[key.key] {
    case .bool(let isOn)?: isOn ? "on" : "off"
    case .number(0)? where key.key == Setting.lapDistance.key: "none"
    case let value?: described(JSONValue.Member(key.key, value), session.style)
    case nil: "-"
    }
  }
  if changes.isEmpty {
    let overrides = result.content.overrides ?? []
    var table = Table(heading: ["SETTING", "VALUE", "SET IN", "MEANING"])
    for key in SettingKey.ofRide {
      let place = overrides.contains(key.key) ? "cyclo" : "cyclometer.conf"
      table.rows.append([Cell(key.word, .strong), Cell(value(key)), Cell(place), Cell(key.meaning, .faint)])
    }
    return session.output.table(table)
  }
  for key in SettingKey.ofRide {
    guard let change = changes.last(where: { $0.key == key.key }) else { continue }
    session.output.line("\(key.word) \(value(key))\(change.value == nil ? " (cyclometer.conf)" : "")")
  }
}

/// The ride so far. With --json, its samples.
private func showRide(_ session: Session) throws(Failure) {
  let connection = try session.connect(for: .read)
  let samples = try session.lastSamples(connection, Filter(sensors: [SensorID.ride]))
  let laps = try finishedLaps(session, connection)
  if session.isJSON {
    for sample in samples { session.output.sample(sample) }
    if !laps.laps.isEmpty { session.output.record(laps) }
    return
  }
  guard let summary = RideSummary(samples, laps: laps.laps, session.style) else {
    return session.output.note("No ride yet. It starts when the bike moves; 'cyclo ride new' starts one now.")
  }
  for line in summary.lines(columns: session.output.columns) { session.output.line(line) }
}

/// Empty if the daemon does not keep laps.
private func finishedLaps(_ session: Session, _ connection: Connection) throws(Failure) -> LapsReply {
  do throws(ClientError) {
    return try connection.request(.laps).content
  } catch {
    if case .refused("unknown_method", _) = error { return LapsReply() }
    throw Failure(error)
  }
}

func rider(_ session: Session) throws(Failure) {
  let changes = try SettingChange.known(session.invocation.words, of: .rider)
  let connection = try session.connect(for: .control)
  let members = changes.map { JSONValue.Member($0.key, $0.value ?? "") }
  let rider: Received<SettingsReply>
  do throws(Failure) {
    rider = try session.ask(connection, .rider(members))
  } catch {
    throw error.worded(by: SettingKey.ofRider)
  }
  if session.isJSON { return session.output.line(rider.json.encoded) }
  if changes.isEmpty { return session.output.settings(SettingKey.ofRider) { rider.content[$0.key] } }
  for key in SettingKey.ofRider where changes.contains(where: { $0.key == key.key }) {
    let value = rider.content[key.key].map { described(JSONValue.Member(key.key, $0), session.style) }
    session.output.line("\(key.word) \(value ?? "cleared")")
  }
}

extension SettingChange {
  /// The daemon ignores unknown keys, so they are refused here.
  static func known(_ words: [String], of place: Place) throws(Failure) -> [SettingChange] {
    let changes = try all(words, of: place)
    for change in changes where SettingKey.named(change.key, among: place.keys) == nil {
      let words = place.keys.map(\.word)
      let message =
        "unknown \(place.verb.rawValue) setting '\(change.key)'; known settings: \(words.joined(separator: ", "))"
      throw Failure(.usage, message).suggesting(change.key, among: words)
    }
    return changes
  }
}

extension Failure {
  /// Names settings as people write them.
  func worded(by keys: [SettingKey]) -> Failure {
    Failure(status, keys.reduce(message) { $0.replacing(each: $1.key, by: $1.word) }, advice: advice)
  }
}
