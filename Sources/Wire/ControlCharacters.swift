// Control characters (C0, DEL, C1): they end lines and steer terminals, so no name and no line of a log has one.

extension Unicode.Scalar {
  package var isControl: Bool { value < 0x20 || (0x7f...0x9f).contains(value) }
}

extension String {
  /// Longer names are nobody's: in Unicode scalars, for a single character of Swift's can go on for ever.
  package static let longestName = 64

  /// What a name has to be, for the sentence that refuses another.
  package static let nameRule = "1 to \(longestName) characters, and no control character"

  package var isName: Bool {
    !isEmpty && unicodeScalars.count <= Self.longestName && !unicodeScalars.contains(where: \.isControl)
  }
}
