// The tokens of an expression.

enum Token: Equatable {
  case number(Double)
  case name(String)
  case symbol(String)

  private static let symbols: Set<String> = [
    "??", "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "?", ":", "|", "^", "&", "<", ">", "+", "-", "*", "/", "%",
    "!", "~", "(", ")", "[", "]", ",",
  ]

  static func tokens(of text: String) throws(Mistake) -> [Token] {
    let letters = Array(text.utf8)
    var tokens: [Token] = []
    var place = 0
    while place < letters.count {
      let rest = letters[place...]
      if isBlank(rest[place]) {
        place += 1
        continue
      }
      let end = rest.firstIndex { !isOfWord($0) } ?? rest.endIndex
      if end > place {
        tokens.append(try token(rest[..<end]))
        place = end
      } else if let symbol = symbol(rest) {
        tokens.append(.symbol(symbol))
        place += symbol.utf8.count
      } else {
        let first = String(decoding: rest, as: UTF8.self).unicodeScalars.prefix(1)
        throw Mistake("\"\(String(first))\" is not part of an expression")
      }
    }
    return tokens
  }

  private static func token(_ letters: ArraySlice<UInt8>) throws(Mistake) -> Token {
    let word = String(decoding: letters, as: UTF8.self)
    guard let first = letters.first, UInt8(ascii: "0")...UInt8(ascii: "9") ~= first || first == UInt8(ascii: ".")
    else { return .name(word) }
    guard let number = NumberText.number(word) else { throw Mistake("\"\(word)\" is not a number") }
    return .number(number)
  }

  /// Two letters come before one, so that `<=` is not `<` and `=`.
  private static func symbol(_ letters: ArraySlice<UInt8>) -> String? {
    let two = String(decoding: letters.prefix(2), as: UTF8.self)
    if symbols.contains(two) { return two }
    let one = String(decoding: letters.prefix(1), as: UTF8.self)
    return symbols.contains(one) ? one : nil
  }

  static func isBlank(_ letter: UInt8) -> Bool { letter == UInt8(ascii: " ") || letter == UInt8(ascii: "\t") }

  static func isOfWord(_ letter: UInt8) -> Bool {
    switch letter {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  var text: String {
    switch self {
    case .number(let number): NumberText.text(number)
    case .name(let name), .symbol(let name): name
    }
  }
}
