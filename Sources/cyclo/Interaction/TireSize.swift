// Tire sizes as printed on tires, and the distance of one wheel revolution. ISO 5775 gives width
// and bead seat diameter in millimetres (25-622). The outer diameter is the latter plus twice the
// width. A loaded tire rolls up to 2 % less; measure the wheel for a better value.

struct TireSize: Equatable {
  let width: Double
  let beadSeat: Double

  var circumferenceMM: Double { (.pi * (beadSeat + 2 * width)).rounded() }

  /// `25-622`
  var isoName: String { "\(Quantity.short(width, places: 0))-\(Quantity.short(beadSeat, places: 0))" }

  private static let widths = 18.0...125.0
  private static let beadSeats = 203.0...787.0

  private init?(width: Double, beadSeat: Double) {
    guard Self.widths.contains(width), Self.beadSeats.contains(beadSeat) else { return nil }
    self.width = width
    self.beadSeat = beadSeat
  }

  /// ISO `25-622`, French `700x25C`, or decimal inches `27.5x2.1`. Nil for fractions of inches,
  /// which name several rims.
  init?(_ text: String) {
    let text = text.lowercased().filter { $0 != " " }
    if let (width, beadSeat) = pair(of: text, around: "-") {
      self.init(width: width, beadSeat: beadSeat)
      return
    }
    // A width in inches is a name rather than a measure: tires marked 1.75 are 47 mm wide.
    if let known = Self.common.first(where: { $0.name.lowercased() == text }) {
      self = known.size
      return
    }
    // A letter at the end means French; only 650 needs it.
    let letter = text.last.flatMap { "abc".contains($0) ? $0 : nil }
    guard let (diameter, width) = pair(of: String(letter == nil ? text[...] : text.dropLast()), around: "x") else {
      return nil
    }
    if let beadSeat = frenchBeadSeats[FrenchSize(diameter: diameter, letter: diameter == 700 ? nil : letter)] {
      self.init(width: width, beadSeat: beadSeat)
    } else if letter == nil, let beadSeat = inchBeadSeats[diameter], width < 6 {
      self.init(width: (width * 25.4).rounded(), beadSeat: beadSeat)
    } else {
      return nil
    }
  }
}

extension TireSize {
  /// The most common sizes, with the names that shops use.
  static let common: [(size: TireSize, name: String)] = [
    ("23-622", "700x23C"), ("25-622", "700x25C"), ("28-622", "700x28C"), ("32-622", "700x32C"), ("35-622", "700x35C"),
    ("40-622", "700x40C"), ("45-622", "700x45C"), ("57-622", "29x2.25"), ("57-584", "27.5x2.25"), ("47-584", "650x47B"),
    ("47-559", "26x1.75"), ("54-559", "26x2.1"), ("47-507", "24x1.75"), ("40-406", "20x1.5"), ("40-305", "16x1.5"),
  ].compactMap { iso, name in TireSize(iso).map { (size: $0, name: name) } }

  /// Accepted for `--wheel` and when typed: a size, or the circumference in millimetres.
  static func circumference(_ text: String) -> Double? {
    let text = text.lowercased().trimmed
    if text.hasSuffix("mm") { return number(String(text.dropLast(2))).flatMap { sensible.contains($0) ? $0 : nil } }
    // A smaller number is a rim diameter, or inches.
    if let number = number(text) { return number >= 800 && sensible.contains(number) ? number : nil }
    return TireSize(text)?.circumferenceMM
  }

  /// The daemon's range.
  static let sensible = 300.0...4000.0
}

private struct FrenchSize: Hashable {
  let diameter: Double
  let letter: Character?
}

private let frenchBeadSeats: [FrenchSize: Double] = [
  FrenchSize(diameter: 700, letter: nil): 622, FrenchSize(diameter: 650, letter: "a"): 590,
  FrenchSize(diameter: 650, letter: "b"): 584, FrenchSize(diameter: 650, letter: "c"): 571,
]

private let inchBeadSeats: [Double: Double] = [
  29: 622, 28: 622, 27.5: 584, 26: 559, 24: 507, 20: 406, 18: 355, 16: 305, 14: 254, 12: 203,
]

private func pair(of text: String, around separator: Character) -> (Double, Double)? {
  let parts = text.split(separator: separator, omittingEmptySubsequences: false)
  guard parts.count == 2, let first = number(String(parts[0])), let second = number(String(parts[1])) else {
    return nil
  }
  return (first, second)
}

/// A plain decimal number with a point or a comma.
func number(_ text: String) -> Double? {
  let text = text.filter { $0 != " " }.replacingComma
  guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }) else {
    return nil
  }
  return Double(text)
}

extension String {
  fileprivate var replacingComma: String { String(map { $0 == "," ? "." : $0 }) }
}

extension TireSize {
  /// The common sizes whose circumference is within 1 % of this one.
  static func near(_ circumference: Double) -> [TireSize] {
    common.map(\.size).filter { abs($0.circumferenceMM - circumference) <= circumference / 100 }
  }
}
