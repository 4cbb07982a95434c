// Digits large enough to read from a saddle: five rows of three dots. With half blocks two dots
// share a character; in ASCII the middle size looks like a pocket calculator.

enum DigitSize: CaseIterable {
  case huge, large, middle

  var rows: Int {
    switch self {
    case .huge: 10
    case .large: 5
    case .middle: 3
    }
  }
}

struct Digits {
  let rows: [String]

  var columns: Int { rows.first?.columns ?? 0 }

  /// Nil if the text has anything but digits, a sign, a point or a colon.
  init?(_ text: String, _ size: DigitSize, _ style: Style) {
    var rows = Array(repeating: "", count: size.rows)
    for character in text {
      guard let glyph = Self.glyph(character, size, style) else { return nil }
      let gap = rows[0].isEmpty ? "" : size == .huge ? "    " : size == .large ? "  " : " "
      for row in rows.indices { rows[row] += gap + glyph[row] }
    }
    self.rows = rows
  }

  private static func glyph(_ character: Character, _ size: DigitSize, _ style: Style) -> [String]? {
    guard let dots = dots[character] else { return nil }
    switch size {
    case .huge:
      let dot = style.either("████", ascii: "####")
      let wide = dots.map { $0.map { $0 == "#" ? dot : "    " }.joined() }
      return wide.flatMap { [$0, $0] }
    case .large:
      let dot = style.either("██", ascii: "##")
      return dots.map { $0.map { $0 == "#" ? dot : "  " }.joined() }
    case .middle where style.isUnicode:
      let below = dots.dropFirst() + [String(repeating: " ", count: dots[0].count)]
      return stride(from: 0, to: 5, by: 2).map { row in
        String(zip(dots[row], below[row + 1]).map(halves))
      }
    case .middle: return strokes[character]
    }
  }

  private static func halves(_ upper: Character, _ lower: Character) -> Character {
    switch (upper, lower) {
    case ("#", "#"): "█"
    case ("#", _): "▀"
    case (_, "#"): "▄"
    default: " "
    }
  }
}

private let dots: [Character: [String]] = [
  "0": ["###", "# #", "# #", "# #", "###"],
  "1": ["## ", " # ", " # ", " # ", "###"],
  "2": ["###", "  #", "###", "#  ", "###"],
  "3": ["###", "  #", " ##", "  #", "###"],
  "4": ["# #", "# #", "###", "  #", "  #"],
  "5": ["###", "#  ", "###", "  #", "###"],
  "6": ["###", "#  ", "###", "# #", "###"],
  "7": ["###", "  #", "  #", "  #", "  #"],
  "8": ["###", "# #", "###", "# #", "###"],
  "9": ["###", "# #", "###", "  #", "###"],
  "-": ["  ", "  ", "##", "  ", "  "],
  ".": [" ", " ", " ", " ", "#"],
  ":": [" ", "#", " ", "#", " "],
]

private let strokes: [Character: [String]] = [
  "0": [" _ ", "| |", "|_|"],
  "1": ["   ", "  |", "  |"],
  "2": [" _ ", " _|", "|_ "],
  "3": [" _ ", " _|", " _|"],
  "4": ["   ", "|_|", "  |"],
  "5": [" _ ", "|_ ", " _|"],
  "6": [" _ ", "|_ ", "|_|"],
  "7": [" _ ", "  |", "  |"],
  "8": [" _ ", "|_|", "|_|"],
  "9": [" _ ", "|_|", " _|"],
  "-": ["  ", "__", "  "],
  ".": [" ", " ", "."],
  ":": [" ", ".", "."],
]
