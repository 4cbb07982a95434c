// Divides a line at blanks outside brackets.

enum BracketedWords {
  /// Stops after the word `last`, and returns what follows it.
  static func divide(
    _ text: String, brackets open: Unicode.Scalar, _ close: Unicode.Scalar, until last: String? = nil
  ) throws(Mistake) -> (words: [String], rest: String) {
    let letters = Array(text.utf8)
    var words: [String] = []
    var start = 0
    var depth = 0
    for place in 0...letters.count {
      let isEnd = place == letters.count
      if isEnd || depth == 0 && Token.isBlank(letters[place]) {
        if place > start { words.append(String(decoding: letters[start..<place], as: UTF8.self)) }
        start = place + 1
        if last != nil, words.last == last { break }
      } else if letters[place] == UInt8(ascii: open) {
        depth += 1
      } else if letters[place] == UInt8(ascii: close) {
        depth -= 1
        guard depth >= 0 else { throw Mistake("\"\(close)\" has no \"\(open)\"") }
      }
    }
    guard depth == 0 else { throw Mistake("\"\(open)\" has no \"\(close)\"") }
    return (words, String(decoding: letters.dropFirst(start).drop(while: Token.isBlank), as: UTF8.self))
  }
}
