// Settings as people write them: without the unit in the name, and with an optional unit after the
// value. Unknown keys are passed to the daemon, which may know them.

import CommandTable
import CycloCommands
import JSON
import Vocabulary

struct SettingKey {
  /// Its name in the protocol.
  let key: String
  /// Its name on the command line.
  let word: String
  let meaning: String
  /// A description of valid values, and whether a value is valid, in the protocol's unit.
  let expected: String
  let fits: @Sendable (JSONValue) -> Bool
  /// Accepted units of a number with their sizes in the protocol's unit; the first is the default.
  let units: [(name: String, size: Double)]
  /// The zero point of units that have another one.
  var zeros: [String: Double] = [:]
  var form = Form.single

  enum Form {
    /// A number, or a word.
    case single
    /// On or off.
    case flag
    /// Several numbers, separated by commas.
    case list
    /// The text as written, even if it looks like a number.
    case text
  }

  static let ofSensor = Setting.ofSensor.map(SettingKey.init)

  static let ofBike = [nameOfBike] + Setting.ofBike.map(SettingKey.init)

  /// Not a setting in the protocol.
  static let nameOfBike = SettingKey(
    key: "rename", word: "name", meaning: "its name", expected: "1 to 64 characters", fits: { $0.text != nil },
    units: [], form: .text)

  static func named(_ word: String, among keys: [SettingKey] = ofSensor) -> SettingKey? {
    let name = kindName(word)
    return keys.first { $0.key == name || $0.word == name }
  }
}

extension SettingKey {
  init(_ setting: Setting) {
    (key, word, fits) = (setting.key, setting.word, setting.fits)
    switch setting.form {
    case .word, .flag:
      (meaning, units) = (setting.meaning, [])
      if case .flag = setting.form { (form, expected) = (.flag, "on or off") } else { expected = setting.expected }
    case .whole(let range):
      let bounds = Setting.text(range)
      (meaning, expected, units) = ("\(bounds): \(setting.meaning)", "a whole number from \(bounds)", [])
    case .number(let range, let unit):
      expected = Self.bounds(range, unit.usual)
      meaning = "\(setting.meaning), \(expected)"
      (units, zeros) = (unit.written, unit.zeros)
    case .numberOrNone(let range, let unit):
      expected = "0, or \(Self.bounds(range, unit.writtenOnRoad[0]))"
      (meaning, units) = (setting.meaning, unit.writtenOnRoad)
    case .risingNumbers:
      (meaning, expected, units, form) = (setting.meaning, setting.expected, [], .list)
    }
  }

  static let ofRide = Setting.ofRide.map(SettingKey.init)
  static let ofRider = Setting.ofRider.map(SettingKey.init)

  private static func bounds(_ range: ClosedRange<Double>, _ usual: (name: String, size: Double)) -> String {
    let bounds = [range.lowerBound, range.upperBound].map { Quantity.short($0 / usual.size, places: 1) }
    return bounds.joined(separator: " to ") + " " + usual.name
  }
}

/// A change as written; without a value it clears the setting.
struct SettingChange {
  /// `circumference=2105mm`
  let text: String
  let key: String
  let value: JSONValue?

  private init(_ word: String, _ value: String, _ place: Place) throws(Failure) {
    let known = SettingKey.named(word, among: place.keys)
    text = "\(word)=\(value)"
    key = known?.key ?? kindName(word)
    guard !value.isEmpty else {
      self.value = nil
      return
    }
    let meant = try Self.value(value, of: known, place)
    self.value = meant
    if let known, !known.fits(meant) {
      throw Failure(.usage, "\(known.word) must be \(known.expected), not '\(value)'")
    }
  }

  /// The settings of one object, the verb that changes them, and an example.
  struct Place {
    let keys: [SettingKey]
    let verb: CycloVerb
    let example: String

    static let sensor = Place(keys: SettingKey.ofSensor, verb: .set, example: "circumference=2105mm")
    static let bike = Place(keys: SettingKey.ofBike, verb: .bike, example: "circumference=2105mm")
    static let ride = Place(keys: SettingKey.ofRide, verb: .ride, example: "lap_distance=5km")
    static let rider = Place(keys: SettingKey.ofRider, verb: .rider, example: "weight=72.5kg")
  }

  private static func value(_ text: String, of known: SettingKey?, _ place: Place) throws(Failure) -> JSONValue {
    if known?.form == .text { return .string(text) }
    if known?.form == .flag {
      switch text.lowercased() {
      case "on", "yes", "true": return .bool(true)
      case "off", "no", "false": return .bool(false)
      default: return .string(text)
      }
    }
    if known?.form == .list {
      let items = text.split(separator: ",", omittingEmptySubsequences: false).map { item in
        item.contains("=") ? nil : Parameter(String(item.filter { $0 != " " }))
      }
      let numbers = items.compactMap(\.self).map { JSONValue.number($0.number) }
      return numbers.count == items.count ? .array(numbers) : .string(text)
    }
    guard let known, !known.units.isEmpty else {
      // A name before the number would be lost.
      return Parameter(text).flatMap { text.contains("=") ? nil : .number($0.number) } ?? .string(text)
    }
    if known.key == Setting.circumference.key, known.number(text) == nil {
      // As in `pair --wheel`.
      if let size = TireSize(text) { return .number(size.circumferenceMM) }
      throw Failure(
        usage: place.verb,
        "\(known.word): '\(text)' is neither a tire size (25-622, 700x25C) nor a length (2105, 2105mm, 210.5cm, 2.105m, 82.9in)"
      )
    }
    guard let number = known.number(text) else {
      let units = known.units.map(\.name).joined(separator: ", ")
      throw Failure(usage: place.verb, "\(known.word): '\(text)' is not a number with one of these units: \(units)")
    }
    return .number(number)
  }

  /// `KEY VALUE`, or any number of `KEY=VALUE`.
  static func all(_ words: [String], of place: Place = .sensor) throws(Failure) -> [SettingChange] {
    if words.count == 2, !words[0].contains("=") { return [try SettingChange(words[0], words[1], place)] }
    var changes: [SettingChange] = []
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw Failure(usage: place.verb, "'\(word)' is not a setting; example: \(place.example)")
      }
      changes.append(try SettingChange(String(parts[0]), String(parts[1]), place))
    }
    return changes
  }
}

extension Setting.Unit {
  /// The units in which a user may write a value, with their sizes in this one; the first is the
  /// default.
  fileprivate var written: [(name: String, size: Double)] {
    switch self {
    case .millimetre: [("mm", 1), ("cm", 10), ("m", 1000), ("in", 25.4)]
    case .pascal: [("Pa", 1), ("kPa", 1000), ("bar", 100_000), ("psi", 6894.757)]
    case .celsius: [("C", 1), ("F", 5 / 9.0)]
    case .kilogram: [("kg", 1), ("lb", 0.45359237)]
    case .metre: [("m", 1), ("cm", 0.01), ("in", 0.0254), ("ft", 0.3048)]
    case .joule: [("J", 1), ("kJ", 1000)]
    case .metrePerSecond: [("km/h", 1 / 3.6), ("m/s", 1), ("mph", 0.44704)]
    case .second: [("s", 1), ("min", 60)]
    case .year, .beatsPerMinute, .watt: []
    }
  }

  /// The same for a distance that is ridden.
  fileprivate var writtenOnRoad: [(name: String, size: Double)] { [("km", 1000), ("m", 1), ("mi", 1609.344)] }

  /// The zero point of units that have another one.
  fileprivate var zeros: [String: Double] { self == .celsius ? ["F": 32] : [:] }

  /// The unit of bounds.
  fileprivate var usual: (name: String, size: Double) {
    switch self {
    case .pascal: ("bar", 100_000)
    case .metrePerSecond: ("km/h", 1 / 3.6)
    default: (rawValue, 1)
    }
  }
}

extension SettingKey {
  /// `5.5 bar` -> 550000
  fileprivate func number(_ text: String) -> Double? {
    let letters = text.reversed().prefix { !$0.isNumber && $0 != "." }.count
    guard let written = Parameter(String(text.dropLast(letters))), !text.contains("=") else { return nil }
    let unit = text.suffix(letters).drop { $0 == " " }.lowercased()
    guard let unit = unit.isEmpty ? units.first : units.first(where: { $0.name.lowercased() == unit }) else {
      return nil
    }
    // Round to the wire's six digits, so that 5.5 bar is exactly 550000 Pa.
    return ((written.number - (zeros[unit.name] ?? 0)) * unit.size * 1e6).rounded() / 1e6
  }
}

extension JSONValue {
  fileprivate func isNumber(in range: ClosedRange<Double>) -> Bool { number.map(range.contains) ?? false }
}
