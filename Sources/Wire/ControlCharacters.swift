// Characters that are not shown but change what is: controls, which end lines and steer terminals; formats, which hide text or turn its
// direction; separators of lines and paragraphs. What reaches a terminal or a journal has none of them.

extension Unicode.Scalar {
  /// General categories Cc, Cf, Zl and Zp of Unicode 15. A table, because the standard library's properties of every scalar would
  /// take more room in the program than all else here.
  package var isUnprintable: Bool {
    if value < 0x7f { return value < 0x20 }
    if value < 0xad { return value < 0xa0 }
    return Self.formats.contains { $0.contains(value) }
  }

  private static let formats: [ClosedRange<UInt32>] = [
    0xad...0xad, 0x600...0x605, 0x61c...0x61c, 0x6dd...0x6dd, 0x70f...0x70f, 0x890...0x891, 0x8e2...0x8e2,
    0x180e...0x180e, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x2064, 0x2066...0x206f, 0xfeff...0xfeff,
    0xfff9...0xfffb, 0x110bd...0x110bd, 0x110cd...0x110cd, 0x13430...0x1343f, 0x1bca0...0x1bca3, 0x1d173...0x1d17a,
    0xe0001...0xe0001, 0xe0020...0xe007f,
  ]

  /// They join letters of some scripts, and the parts of an emoji: a name that a user types may have them.
  fileprivate var isJoiner: Bool { value == 0x200c || value == 0x200d }
}

extension String {
  /// Longer names are nobody's: in Unicode scalars, for a single character of Swift's can go on for ever.
  package static let longestName = 64

  /// What a name has to be, for the sentence that refuses another.
  package static let nameRule = "1 to \(longestName) characters, without control, direction and separator characters"

  package var isName: Bool {
    !isEmpty && unicodeScalars.count <= Self.longestName
      && !unicodeScalars.contains { $0.isUnprintable && !$0.isJoiner }
  }

  /// The same for a text of several lines.
  package var printableLines: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
  }

  /// With U+FFFD for every unprintable character, so that no text from the air can begin a line of its own or steer a terminal.
  package var printable: String {
    guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
    return String(String.UnicodeScalarView(unicodeScalars.map { $0.isUnprintable ? "\u{FFFD}" : $0 }))
  }
}
