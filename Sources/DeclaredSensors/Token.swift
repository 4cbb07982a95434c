// The tokens of an expression.

enum Token: Equatable {
  case number(Double)
  case name(String)
  case symbol(String)

  /// Two letters come before one, so that `<=` is not `<` and `=`.
  private static let symbols = [
    "??", "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "?", ":", "|", "^", "&", "<", ">", "+", "-", "*", "/", "%",
    "!", "~", "(", ")", "[", "]", ",",
  ]

  static func tokens(of text: String) throws(Mistake) -> [Token] {
    var tokens: [Token] = []
    var rest = Substring(text)
    while true {
      rest = rest.drop { $0 == " " || $0 == "\t" }
      guard let first = rest.unicodeScalars.first else { return tokens }
      let word = rest.prefix { isOfWord($0) }
      if !word.isEmpty {
        rest = rest.dropFirst(word.count)
        tokens.append(try token(word))
      } else if let symbol = symbols.first(where: { rest.hasPrefix($0) }) {
        rest = rest.dropFirst(symbol.count)
        tokens.append(.symbol(symbol))
      } else {
        throw Mistake("\"\(first)\" is not part of an expression")
      }
    }
  }

  private static func token(_ word: Substring) throws(Mistake) -> Token {
    guard let first = word.utf8.first, UInt8(ascii: "0")...UInt8(ascii: "9") ~= first || first == UInt8(ascii: ".")
    else { return .name(String(word)) }
    guard let number = NumberText.number(word) else { throw Mistake("\"\(word)\" is not a number") }
    return .number(number)
  }

  private static func isOfWord(_ letter: Character) -> Bool {
    letter.isASCII && (letter.isLetter || letter.isNumber) || letter == "_" || letter == "."
  }

  var text: String {
    switch self {
    case .number(let number): NumberText.text(number)
    case .name(let name), .symbol(let name): name
    }
  }
}
