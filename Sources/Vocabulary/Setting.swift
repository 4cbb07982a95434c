// What a user can set about a sensor or a bike. To add a setting, add it to a list here: the daemon
// checks, stores and exports it, `cyclo` shows, sets and completes it, and `make accept` brings the
// schemas and the tables of docs/protocol.md up to date. What it does is written where it is used.

public import JSON

/// The position of a sensor on the bike, if there can be two of its type.
public enum SensorRole: String, CaseIterable, Sendable {
  case front, rear, left, right

  /// The wheel that the sensor sits on.
  public var wheel: Word? {
    switch self {
    case .front: "front"
    case .rear: "rear"
    case .left, .right: nil
    }
  }
}

public struct Setting: Sendable {
  public enum Unit: String, Sendable {
    case millimetre = "mm"
    case pascal = "Pa"
    case celsius = "C"
  }

  public enum Form: Sendable {
    case word([String])
    case whole(ClosedRange<Double>)
    case number(ClosedRange<Double>, Unit)
  }

  /// The sensors on which it has an effect.
  public enum Use: Sendable {
    case kinds([SampleKind])
    case wheels
  }

  /// Its name in the protocol, in the files and, without the unit, for people.
  public let key: String
  public let form: Form
  public let use: Use
  /// One line, without a full stop.
  public let meaning: String

  private init(_ key: String, _ form: Form, _ use: Use, _ meaning: String) {
    self.key = key
    self.form = form
    self.use = use
    self.meaning = meaning
  }

  private static func pressure(_ key: String, _ meaning: String) -> Setting {
    Setting(key, .number(20_000...2_000_000, .pascal), .kinds([.tirePressure]), meaning)
  }
}

// MARK: The lists

extension Setting {
  public static let role = Setting(
    "role", .word(SensorRole.allCases.map(\.rawValue)), .kinds([.tirePressure, .power]), "front, rear, left or right")
  public static let circumference = Setting(
    "circumference_mm", .number(300...4000, .millimetre), .wheels, "distance of one turn of the wheel")
  public static let wheelSize = Setting(
    "wheel_size", .word(["user", "measured"]), .wheels,
    "user: the circumference you set; measured: as measured by GPS")
  public static let priority = Setting(
    "priority", .whole(-100...100), .kinds([.speed, .cadence, .power, .heartRate]),
    "of two sensors of one kind, the higher is used")
  public static let targetPressure = pressure("target_pressure_pa", "nominal tire pressure")
  public static let lowestPressure = pressure("lowest_pressure_pa", "warn below this pressure")
  public static let highestPressure = pressure("highest_pressure_pa", "warn above this pressure")
  public static let highestTemperature = Setting(
    "highest_temperature_c", .number(20...150, .celsius), .kinds([.tirePressure]), "warn above this tire temperature")

  public static let ofSensor = [
    role, circumference, wheelSize, priority, targetPressure, lowestPressure, highestPressure, highestTemperature,
  ]

  public static let frontPressure = pressure("front_pressure_pa", "nominal front tire pressure")
  public static let frontLowestPressure = pressure("front_lowest_pressure_pa", "warn below this pressure")
  public static let frontHighestPressure = pressure("front_highest_pressure_pa", "warn above this pressure")
  public static let rearPressure = pressure("rear_pressure_pa", "nominal rear tire pressure")
  public static let rearLowestPressure = pressure("rear_lowest_pressure_pa", "warn below this pressure")
  public static let rearHighestPressure = pressure("rear_highest_pressure_pa", "warn above this pressure")

  public static let ofBike = [
    circumference, frontPressure, frontLowestPressure, frontHighestPressure, rearPressure, rearLowestPressure,
    rearHighestPressure, highestTemperature,
  ]
}

// MARK: Values

extension Setting {
  public func fits(_ value: JSONValue) -> Bool {
    switch form {
    case .word(let words): value.text.map(words.contains) ?? false
    case .whole(let range): value.integer.map { range.contains(Double($0)) } ?? false
    case .number(let range, _): value.number.map(range.contains) ?? false
    }
  }

  /// A description of valid values, to follow `key is`.
  public var expected: String {
    switch form {
    case .word(let words): words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    case .whole(let range): "a whole number from \(Self.text(range)) (\(meaning))"
    case .number(let range, let unit): "a number from \(Self.text(range)) \(unit.rawValue) (\(meaning))"
    }
  }

  private static func text(_ range: ClosedRange<Double>) -> String {
    "\(Int(range.lowerBound)) to \(Int(range.upperBound))"
  }
}

/// The values of some settings.
public struct SettingValues: Equatable, Sendable {
  private var members: [JSONValue.Member] = []

  public init() {}

  public subscript(setting: Setting) -> JSONValue? { members.first { $0.name == setting.key }?.value }

  public func number(_ setting: Setting) -> Double? { self[setting]?.number }

  public func word(_ setting: Setting) -> String? { self[setting]?.text }

  /// Nil clears the setting. Returns false if the value does not fit.
  public mutating func set(_ setting: Setting, to value: JSONValue?) -> Bool {
    if let value, !setting.fits(value) { return false }
    members.removeAll { $0.name == setting.key }
    if let value { members.append(JSONValue.Member(setting.key, value)) }
    return true
  }

  public mutating func set(_ setting: Setting, toNumber number: Double?) {
    _ = set(setting, to: number.map(JSONValue.number))
  }

  public static func == (one: SettingValues, other: SettingValues) -> Bool {
    one.members.count == other.members.count && one.members.allSatisfy(other.members.contains)
  }
}
