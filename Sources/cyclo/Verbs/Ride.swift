// `ride`, `rider`: what the rider does to the ride, and what is known of who rides.

import CommandTable
import CyclometerClient
import Metrics
import Wire

func ride(_ session: Session) throws(Failure) {
  guard let action = session.invocation.words.first else { return try showRide(session) }
  let connection = try session.connect(for: .control)
  let result = try session.ask(connection, "ride", ["action": .string(action)])
  if session.isJSON { return session.output.line(result.encoded) }
  let done =
    switch action {
    case "new": "A new ride has begun."
    case "lap": "The next lap has begun."
    case "pause": "The ride is paused until 'cyclo ride resume'."
    default: "The ride goes on."
    }
  session.output.line(done)
}

/// The ride so far. As JSON, the samples that it is made of.
private func showRide(_ session: Session) throws(Failure) {
  let samples = try session.lastSamples(["sensors": ["ride"]])
  if session.isJSON {
    for sample in samples { session.output.line(sample.encoded) }
    return
  }
  guard let summary = RideSummary(samples, session.style) else {
    return session.output.note("No ride yet: it begins when the bike moves. 'cyclo ride new' begins one now.")
  }
  for line in summary.lines(columns: session.output.columns) { session.output.line(line) }
}

func rider(_ session: Session) throws(Failure) {
  let changes = try SettingChange.known(session.invocation.words, of: .rider)
  let connection = try session.connect(for: .control)
  let members = changes.map { JSON.Member($0.key, $0.value ?? "") }
  let rider: JSON
  do throws(Failure) {
    rider = try session.ask(connection, "rider", .object(members))
  } catch {
    throw error.worded(by: SettingKey.ofRider)
  }
  if session.isJSON { return session.output.line(rider.encoded) }
  if changes.isEmpty { return session.output.settings(SettingKey.ofRider) { rider[$0.key] } }
  for key in SettingKey.ofRider where changes.contains(where: { $0.key == key.key }) {
    let value = rider[key.key].map { described(JSON.Member(key.key, $0), session.style) }
    session.output.line("\(key.word) \(value ?? "not known any more")")
  }
}

extension SettingChange {
  /// The daemon passes over what it does not know; who typed it is told.
  static func known(_ words: [String], of place: Place) throws(Failure) -> [SettingChange] {
    let changes = try all(words, of: place)
    for change in changes where SettingKey.named(change.key, among: place.keys) == nil {
      let words = place.keys.map(\.word)
      let message = "a \(place.verb.rawValue) has no \(change.key); there are \(words.joined(separator: ", "))"
      throw Failure(.usage, message).suggesting(change.key, among: words)
    }
    return changes
  }
}

extension Failure {
  /// In the words that people use for settings.
  func worded(by keys: [SettingKey]) -> Failure {
    Failure(status, keys.reduce(message) { $0.replacing(each: $1.key, by: $1.word) }, advice: advice)
  }
}

extension SettingKey {
  static let ofRider = RiderKey.allCases.map { key in
    SettingKey(
      key: key.rawValue, word: key.word, meaning: key.meaning, expected: key.expected,
      fits: { Rider().takes($0, as: key) },
      units: key.units, form: key == .zoneFloors ? .list : .single)
  }
}

extension RiderKey {
  fileprivate var units: [(name: String, size: Double)] {
    switch self {
    case .weight: [("kg", 1), ("lb", 0.45359237)]
    case .wPrime: [("J", 1), ("kJ", 1000)]
    default: []
    }
  }

  /// Where the unit can be left away.
  fileprivate var word: String {
    switch self {
    case .weight: "weight"
    case .age: "age"
    case .thresholdPower: "threshold_power"
    case .wPrime: "w_prime"
    case .zoneFloors: "zone_floors"
    case .sex, .maximum, .resting, .threshold: rawValue
    }
  }
}

extension Rider {
  fileprivate func takes(_ value: JSON, as key: RiderKey) -> Bool {
    var rider = self
    switch value {
    case .string(let word): return key == .sex && rider.set(sex: word) == nil
    case .number(let number): return rider.set(key, [number]) == nil
    case .array(let items): return rider.set(key, items.compactMap(\.number)) == nil
    case .null, .bool, .object: return false
    }
  }
}
