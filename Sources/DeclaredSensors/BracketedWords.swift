// Divides a line at blanks outside brackets.

enum BracketedWords {
  /// Stops after the word `last`, and returns what follows it.
  static func divide(
    _ text: String, brackets open: Character, _ close: Character, until last: String? = nil
  ) throws(Mistake) -> (words: [String], rest: Substring) {
    var words: [String] = []
    var word = ""
    var depth = 0
    var rest = Substring(text)
    while let letter = rest.popFirst() {
      if depth == 0, letter == " " || letter == "\t" {
        if !word.isEmpty { words.append(word) }
        word = ""
        if last != nil, words.last == last { break }
        continue
      }
      if letter == open { depth += 1 }
      if letter == close { depth -= 1 }
      guard depth >= 0 else { throw Mistake("\"\(close)\" has no \"\(open)\"") }
      word.append(letter)
    }
    guard depth == 0 else { throw Mistake("\"\(open)\" has no \"\(close)\"") }
    if !word.isEmpty { words.append(word) }
    return (words, rest.drop { $0 == " " || $0 == "\t" })
  }
}
