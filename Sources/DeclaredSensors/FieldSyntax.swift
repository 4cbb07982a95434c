// A line of a packet that reads a field: its words, before they are checked against each other.
//
//     NAME = TYPE [at N] [min X] [max X] [in A B …] [is X] [unknown A B …] [by N] [keep] [else WORD] [if CONDITION]

internal import SensorKit

struct FieldSyntax {
  enum Amount {
    case one
    case toEnd
    case computed(String)
  }

  let name: String
  let line: Int
  let type: String
  private(set) var amount = Amount.one
  private(set) var offset: Int?
  private(set) var lowest: Double?
  private(set) var highest: Double?
  private(set) var alternatives: [Double]?
  private(set) var comparison: String?
  private(set) var unknown: [Double]?
  private(set) var by: Int?
  private(set) var isKept = false
  private(set) var reason: DecodeError.Reason?
  private(set) var condition: String?

  private static let keywords = ["at", "min", "max", "in", "is", "unknown", "by", "keep", "else", "if"]

  init(_ name: String, _ text: String, line: Int) throws(Mistake) {
    self.name = name
    self.line = line
    var words = try Self.words(of: text)
    guard let first = words.popFirst() else { throw Mistake("a type is missing") }
    guard let bracket = first.firstIndex(of: "[") else {
      type = first
      try read(&words)
      return
    }
    type = String(first[..<bracket])
    let inside = first[first.index(after: bracket)...].dropLast()
    amount = inside.allSatisfy { $0 == " " } ? .toEnd : .computed(String(inside))
    try read(&words)
  }

  private mutating func read(_ words: inout ArraySlice<String>) throws(Mistake) {
    var seen: Set<String> = []
    while let word = words.popFirst() {
      guard Self.keywords.contains(word) else {
        throw Mistake("\"\(word)\" is not one of \(Self.keywords.joined(separator: ", "))")
      }
      guard seen.insert(word).inserted else { throw Mistake("duplicate \(word)") }
      switch word {
      case "at": offset = try Self.whole(words.popFirst(), in: -512...511, "at")
      case "min": lowest = try Self.number(words.popFirst(), "min")
      case "max": highest = try Self.number(words.popFirst(), "max")
      case "in": alternatives = try Self.numbers(&words, "in")
      case "unknown": unknown = try Self.numbers(&words, "unknown")
      case "by": by = try Self.whole(words.popFirst(), in: 2...64, "by")
      case "keep": isKept = true
      case "is":
        guard let value = words.popFirst() else { throw Mistake("a value is missing after is") }
        comparison = value
      case "else": reason = try Self.reason(words.popFirst() ?? "")
      default:
        guard let text = words.popFirst() else { throw Mistake("a condition is missing after if") }
        condition = text
      }
    }
  }

  /// What the file calls a reason of a refusal.
  static func reason(_ word: String) throws(Mistake) -> DecodeError.Reason {
    guard let reason = DecodeError.Reason(rawValue: word) else {
      let words = DecodeError.Reason.allCases.map(\.rawValue).sorted().joined(separator: ", ")
      throw Mistake("the words of refusals are \(words)\(word.isEmpty ? "" : ", not \"\(word)\"")")
    }
    return reason
  }

  private static func number(_ word: String?, _ keyword: String) throws(Mistake) -> Double {
    guard let word else { throw Mistake("a number is missing after \(keyword)") }
    guard let number = NumberText.number(word) else { throw Mistake("\"\(word)\" is not a number") }
    return number
  }

  private static func whole(_ word: String?, in range: ClosedRange<Int>, _ keyword: String) throws(Mistake) -> Int {
    let number = try number(word, keyword)
    guard let whole = Int(exactly: number), range.contains(whole) else {
      throw Mistake("\(keyword) takes a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return whole
  }

  private static func numbers(_ words: inout ArraySlice<String>, _ keyword: String) throws(Mistake) -> [Double] {
    var numbers: [Double] = []
    while let word = words.first, !keywords.contains(word) {
      numbers.append(try number(words.popFirst(), keyword))
    }
    guard !numbers.isEmpty else { throw Mistake("a number is missing after \(keyword)") }
    return numbers
  }

  /// The condition after `if` stays whole.
  private static func words(of text: String) throws(Mistake) -> ArraySlice<String> {
    let (words, condition) = try BracketedWords.divide(text, brackets: "[", "]", until: "if")
    return (condition.isEmpty ? words : words + [condition])[...]
  }
}
