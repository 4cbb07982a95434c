// What a user can set about a sensor, a bike, the rider or the ride. To add a setting, add it to a list here: the daemon
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
    case kilogram = "kg"
    case metre = "m"
    case year = "years"
    case beatsPerMinute = "beats a minute"
    case watt = "W"
    case joule = "J"
    case metrePerSecond = "m/s"
    case second = "s"
  }

  public enum Form: Sendable {
    case word([String])
    case flag
    case whole(ClosedRange<Double>)
    case number(ClosedRange<Double>, Unit)
    /// 0 stands for none.
    case numberOrNone(ClosedRange<Double>, Unit)
    case risingNumbers(count: ClosedRange<Int>, ClosedRange<Double>, Unit)
  }

  /// The sensors on which it has an effect.
  public enum Use: Sendable {
    case kinds([SampleKind])
    case wheels
    case everything
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

  private init(_ key: String, _ form: Form, _ meaning: String) {
    self.init(key, form, .everything, meaning)
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

extension Setting {
  /// How many zones a rider can have.
  public static let zoneCounts = 2...10

  public static let weight = Setting("weight_kg", .number(20...300, .kilogram), "what the rider weighs")
  public static let height = Setting("height_m", .number(1...2.5, .metre), "how tall the rider is")
  public static let age = Setting("age_years", .number(5...120, .year), "age in years")
  public static let sex = Setting(
    "sex", .word(["female", "male"]), "female or male, for the formulas of energy and heart-rate load")
  public static let maximumHeartRate = Setting(
    "max_bpm", .number(100...250, .beatsPerMinute), "the highest heart rate that the rider reaches")
  public static let restingHeartRate = Setting(
    "resting_bpm", .number(25...120, .beatsPerMinute), "the heart rate lying awake")
  public static let thresholdHeartRate = Setting(
    "threshold_bpm", .number(60...240, .beatsPerMinute), "the heart rate that can be held for an hour")
  public static let thresholdPower = Setting(
    "threshold_power_w", .number(20...700, .watt), "the power that can be held for an hour (FTP)")
  public static let wPrime = Setting(
    "w_prime_j", .number(1000...60_000, .joule),
    "W', the work that can be done above threshold_power before exhaustion")
  public static let zoneFloors = Setting(
    "zone_floors_bpm", .risingNumbers(count: zoneCounts, 0...250, .beatsPerMinute),
    "where each heart-rate zone begins, from the first, with commas between")

  public static let ofRider = [
    weight, height, age, sex, maximumHeartRate, restingHeartRate, thresholdHeartRate, thresholdPower, wPrime,
    zoneFloors,
  ]

  public static let autoPause = Setting("auto_pause", .flag, "whether the ride pauses when the bike stands")
  public static let autoPauseSpeed = Setting(
    "auto_pause_speed_mps", .number(0.14...5.56, .metrePerSecond), "below this speed the bike counts as standing")
  public static let autoPauseDelay = Setting(
    "auto_pause_delay_s", .number(0...60, .second), "for how long it has to stand before the ride pauses")
  public static let lapDistance = Setting(
    "lap_distance_m", .numberOrNone(100...1_000_000, .metre),
    "a new lap begins after this distance; 0 for no laps by distance")

  public static let ofRide = [autoPause, autoPauseSpeed, autoPauseDelay, lapDistance]
}

extension Setting: Equatable {
  public static func == (one: Setting, other: Setting) -> Bool { one.key == other.key }
}

// MARK: Values

extension Setting {
  public func fits(_ value: JSONValue) -> Bool {
    switch form {
    case .word(let words): value.text.map(words.contains) ?? false
    case .flag: value.bool != nil
    case .whole(let range): value.integer.map { range.contains(Double($0)) } ?? false
    case .number(let range, _): value.number.map(range.contains) ?? false
    case .numberOrNone(let range, _): value.number.map { $0 == 0 || range.contains($0) } ?? false
    case .risingNumbers(let count, let range, _):
      value.items.map { items in
        let numbers = items.compactMap(\.number)
        return numbers.count == items.count && count.contains(numbers.count) && numbers.allSatisfy(range.contains)
          && zip(numbers, numbers.dropFirst()).allSatisfy(<)
      } ?? false
    }
  }

  /// A description of valid values, to follow `key is`.
  public var expected: String {
    switch form {
    case .word(let words): words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    case .flag: "true or false"
    case .whole(let range): "a whole number from \(Self.text(range)) (\(meaning))"
    case .number(let range, let unit): "a number from \(Self.text(range)) \(unit.rawValue) (\(meaning))"
    case .numberOrNone(let range, let unit): "0, or a number from \(Self.text(range)) \(unit.rawValue) (\(meaning))"
    case .risingNumbers(let count, let range, let unit):
      "\(count.lowerBound) to \(count.upperBound) rising numbers, each \(Self.text(range)) \(unit.rawValue)"
    }
  }

  /// `20 to 300`
  public static func text(_ range: ClosedRange<Double>) -> String {
    "\(text(range.lowerBound)) to \(text(range.upperBound))"
  }

  private static func text(_ bound: Double) -> String { Int(exactly: bound).map(String.init) ?? "\(bound)" }
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
