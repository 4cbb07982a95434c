// The width of text in terminal columns, and text cut or wrapped to fit.

import Text

extension String {
  var columns: Int {
    utf8.count == unicodeScalars.count ? utf8.count : reduce(0) { $0 + $1.columns }
  }

  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - columns))
  }

  var trimmedAtEnd: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  /// The text if it fits, otherwise its beginning and an ellipsis.
  func fitted(to width: Int, _ style: Style) -> String {
    if columns <= width { return self }
    let sign = style.either("…", ascii: "~")
    guard width > 1 else { return width == 1 ? sign : "" }
    var text = ""
    var used = 1
    for character in self {
      used += character.columns
      if used > width { break }
      text.append(character)
    }
    return text.trimmedAtEnd + sign
  }

  /// Lines of whole words, each at most this wide unless a single word is wider; at least one line.
  func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ") {
      if !line.isEmpty, line.columns + 1 + String(word).columns > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + [line]
  }
}

extension Character {
  /// 2 for wide East Asian characters and emoji.
  var columns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    // The selector for the emoji form of a character.
    if unicodeScalars.contains("\u{FE0F}") { return 2 }
    return wideScalars.contains { $0.contains(first.value) } ? 2 : 1
  }
}

private let wideScalars: [ClosedRange<UInt32>] = [
  0x1100...0x115F, 0x231A...0x231B, 0x23E9...0x23EC, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF,
  0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
  0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD,
]

/// Removes control characters, so that an advertised name cannot steer the terminal. In an ASCII
/// locale it also replaces all other characters.
func printable(_ text: String) -> String {
  printable(text, isUnicode: UserLocale.current.isUnicode)
}

func printable(_ text: String, isUnicode: Bool) -> String {
  if text.utf8.allSatisfy({ 0x20..<0x7f ~= $0 }) { return text }
  guard text.unicodeScalars.contains(where: { $0.isUnprintable || !$0.isASCII && !isUnicode }) else { return text }
  if !isUnicode {
    return String(text.map { $0.isASCII && !$0.unicodeScalars.contains(where: \.isUnprintable) ? $0 : "?" })
  }
  return text.printable
}
