// Invisible characters that change a text: controls end lines and steer terminals, formats hide
// text or turn its direction, separators end lines and paragraphs. Text for terminals and the
// journal must not contain them.

extension Unicode.Scalar {
  /// General categories Cc, Cf, Zl and Zp of Unicode 15. A table, because the standard library's
  /// scalar properties would make the programs much larger.
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

  /// Joiners combine letters of some scripts and parts of emoji, so a name that a user types may
  /// contain them.
  fileprivate var isJoiner: Bool { value == 0x200c || value == 0x200d }
}

extension String {
  /// Counted in Unicode scalars, because a single Swift character can be arbitrarily long.
  package static let longestName = 64

  /// What a name must be, for error messages.
  package static let nameRule = "1 to \(longestName) characters, without control, direction and separator characters"

  package var isName: Bool {
    !isEmpty && unicodeScalars.count <= Self.longestName
      && !unicodeScalars.contains { $0.isUnprintable && !$0.isJoiner }
  }

  /// Like `printable`, but keeps line feeds.
  package var printableLines: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
  }

  /// Replaces every unprintable character by U+FFFD, so that text received over the air cannot
  /// start a new line or steer a terminal.
  package var printable: String {
    guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
    return String(String.UnicodeScalarView(unicodeScalars.map { $0.isUnprintable ? "\u{FFFD}" : $0 }))
  }
}
