// The size of a tire as it is printed on it, and what a wheel rolls in one turn with it. ISO 5775 gives width and bead seat
// diameter in millimetres (25-622); the circle through the tread is that diameter and the tire twice. A loaded tire rolls up to
// 2 % less; measure the wheel for a better value.

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

  /// ISO's `25-622`, the French `700x25C`, or inches with a point, `27.5x2.1`. Inches in fractions name several rims: nil.
  init?(_ text: String) {
    let text = text.lowercased().filter { $0 != " " }
    if let (width, beadSeat) = pair(of: text, around: "-") {
      self.init(width: width, beadSeat: beadSeat)
      return
    }
    // Inches of the width are a name more than a measure: 1.75 stands on a tire of 47 mm.
    if let known = Self.common.first(where: { $0.name.lowercased() == text }) {
      self = known.size
      return
    }
    // With a letter at the end it is French; only 650 needs it to be known.
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
  /// What is ridden most, with the name that shops use.
  static let common: [(size: TireSize, name: String)] = [
    ("23-622", "700x23C"), ("25-622", "700x25C"), ("28-622", "700x28C"), ("32-622", "700x32C"), ("35-622", "700x35C"),
    ("40-622", "700x40C"), ("45-622", "700x45C"), ("57-622", "29x2.25"), ("57-584", "27.5x2.25"), ("47-584", "650x47B"),
    ("47-559", "26x1.75"), ("54-559", "26x2.1"), ("47-507", "24x1.75"), ("40-406", "20x1.5"), ("40-305", "16x1.5"),
  ].compactMap { iso, name in TireSize(iso).map { (size: $0, name: name) } }

  /// What `--wheel` takes and what may be typed: a size, or the circumference itself in millimetres.
  static func circumference(_ text: String) -> Double? {
    let text = text.lowercased().trimmed
    if text.hasSuffix("mm") { return number(String(text.dropLast(2))).flatMap { sensible.contains($0) ? $0 : nil } }
    // A smaller number is the diameter of a rim, or inches.
    if let number = number(text) { return number >= 800 && sensible.contains(number) ? number : nil }
    return TireSize(text)?.circumferenceMM
  }

  /// What the daemon takes.
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

/// A plain decimal number, with a point or a comma.
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
  /// The usual sizes whose circumference is within 1 in 100 of this one.
  static func near(_ circumference: Double) -> [TireSize] {
    common.map(\.size).filter { abs($0.circumferenceMM - circumference) <= circumference / 100 }
  }
}
