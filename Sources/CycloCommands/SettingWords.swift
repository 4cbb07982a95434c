// The settings as people write them, for the command line and its help.

public import Vocabulary

extension Setting {
  /// Its name on the command line: without the unit, which can follow the value.
  public var word: String {
    switch form {
    case .word, .flag, .whole: key
    // The unit says what it is: `max_bpm`.
    case .number(_, .beatsPerMinute): key
    case .number, .numberOrNone, .risingNumbers: key.lastIndex(of: "_").map { String(key[..<$0]) } ?? key
    }
  }

  /// The sentence about them in the help.
  static func sentence(_ settings: [Setting]) -> String {
    "The settings: " + settings.map { "\($0.word) (\($0.meaning))" }.joined(separator: "; ") + "."
  }
}
