// `ride`, `rider`: the ride's actions, summary and settings, and the rider's data.

import CommandTable
import CycloCommands
import CyclometerClient
import JSON
import Metrics
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
    case .number(0)? where key.key == RideSettingKey.lapDistance.rawValue: "none"
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

extension SettingKey {
  static let ofRide = RideSettingKey.allCases.map { key in
    SettingKey(
      key: key.rawValue, word: key.word, meaning: key.meaning, expected: key.expectedOfUser,
      fits: { value in
        key == .autoPause ? value.bool != nil : value.number.map(key.allows) ?? false
      },
      units: key.units, form: key == .autoPause ? .flag : .single)
  }

  static let ofRider = RiderKey.allCases.map { key in
    SettingKey(
      key: key.rawValue, word: key.word, meaning: key.meaning, expected: key.expected,
      fits: { Rider().takes($0, as: key) },
      units: key.units, form: key == .zoneFloors ? .list : .single)
  }
}

extension RideSettingKey {
  fileprivate var word: String {
    switch self {
    case .autoPause: "auto_pause"
    case .autoPauseSpeed: "auto_pause_speed"
    case .autoPauseDelay: "auto_pause_delay"
    case .lapDistance: "lap_distance"
    }
  }

  /// The first is the one that cyclometer.conf uses.
  fileprivate var units: [(name: String, size: Double)] {
    switch self {
    case .autoPause: []
    case .autoPauseSpeed: [("km/h", 1 / 3.6), ("m/s", 1), ("mph", 0.44704)]
    case .autoPauseDelay: [("s", 1), ("min", 60)]
    case .lapDistance: [("km", 1000), ("m", 1), ("mi", 1609.344)]
    }
  }

  fileprivate var expectedOfUser: String {
    switch self {
    case .autoPause: "on or off"
    case .autoPauseSpeed: "0.5 to 20 km/h"
    case .autoPauseDelay: "0 to 60 s"
    case .lapDistance: "0, or 0.1 to 1000 km"
    }
  }
}

extension RiderKey {
  fileprivate var units: [(name: String, size: Double)] {
    switch self {
    case .weight: [("kg", 1), ("lb", 0.45359237)]
    case .height: [("m", 1), ("cm", 0.01), ("in", 0.0254), ("ft", 0.3048)]
    case .wPrime: [("J", 1), ("kJ", 1000)]
    default: []
    }
  }

  /// The name without the unit.
  fileprivate var word: String {
    switch self {
    case .weight: "weight"
    case .height: "height"
    case .age: "age"
    case .thresholdPower: "threshold_power"
    case .wPrime: "w_prime"
    case .zoneFloors: "zone_floors"
    case .sex, .maximum, .resting, .threshold: rawValue
    }
  }
}

extension Rider {
  fileprivate func takes(_ value: JSONValue, as key: RiderKey) -> Bool {
    var rider = self
    switch value {
    case .string(let word): return key == .sex && rider.set(sex: word) == nil
    case .number(let number): return rider.set(key, [number]) == nil
    case .array(let items): return rider.set(key, items.compactMap(\.number)) == nil
    case .null, .bool, .object: return false
    }
  }
}
