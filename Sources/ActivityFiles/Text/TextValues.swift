// Values in the words of other programs.

import JSON
import Text

extension Double {
  /// A plain decimal, perhaps with an exponent. Not "nan", "inf" or a hexadecimal number.
  init?(decimal text: String) {
    var bytes = text.utf8[...]
    while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    let isPlain = bytes.allSatisfy { byte in
      decimalDigit(byte) != nil || ".+-eE".utf8.contains(byte)
    }
    guard isPlain, bytes.count <= 100, let number = Double(Substring(bytes)), number.isFinite else { return nil }
    self = number
  }
}

extension PointField {
  /// Whether people and bicycles reach that value. Otherwise it is not a measurement.
  func isPossible(_ value: Double) -> Bool {
    switch self {
    case .heartRate: 1...254 ~= value
    case .cadence: 0...254 ~= value
    case .power: -10_000...10_000 ~= value
    case .speed: 0...200 ~= value
    case .distance: 0...1e8 ~= value
    case .altitude: -1000...20_000 ~= value
    case .airTemperature: -100...100 ~= value
    default: value.isFinite
    }
  }
}

extension ActivityPoint {
  /// Keeps the value if it is a decimal and possible.
  mutating func set(_ field: PointField, text: String) {
    guard let value = Double(decimal: text) else { return }
    set(field, value)
  }

  mutating func set(_ field: PointField, _ value: Double) {
    guard field.isPossible(value) else { return }
    self[field] = field == .power ? max(0, value) : value
  }
}

extension SportCode {
  /// From a name as sites and programs write it, such as "Ride", "BIKING" or "trail_running".
  init?(words text: String) {
    let text = text.prefix(scalars: 100).lowercased()
    guard let known = Self.words.first(where: { text.has($0.word) }) else { return nil }
    self = known.sport
  }

  /// In this order: an e-bike is a bike, too.
  private static let words: [(word: String, sport: SportCode)] = [
    ("e_bik", .electricCycling), ("ebik", .electricCycling), ("e-bik", .electricCycling), ("cycl", .cycling),
    ("bik", .cycling), ("ride", .cycling), ("mtb", .cycling), ("run", .running), ("jog", .running),
    ("swim", .swimming), ("walk", .walking), ("hik", .walking), ("rowing", .rowing), ("training", .training),
    ("strength", .training), ("gym", .training),
  ]
}
