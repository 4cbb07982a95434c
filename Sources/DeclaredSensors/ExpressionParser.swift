// Parses an expression by the precedence of its operators.

struct ExpressionParser {
  private var tokens: ArraySlice<Token>
  private var nesting = 0

  /// From weak to strong. `?:` is weaker than all of them.
  private static let levels = [
    "??": 0, "||": 1, "&&": 2, "==": 3, "!=": 3, "<": 3, "<=": 3, ">": 3, ">=": 3, "|": 4, "^": 5, "&": 6, "<<": 7,
    ">>": 7, "+": 8, "-": 8, "*": 9, "/": 9, "%": 9,
  ]
  /// Far more than `mostDepth` needs; protects the parser's own stack.
  private static let mostNesting = 64

  static func parse(_ text: String) throws(Mistake) -> Expression {
    try parse(try Token.tokens(of: text)[...])
  }

  private static func parse(_ tokens: ArraySlice<Token>) throws(Mistake) -> Expression {
    guard !tokens.isEmpty else { throw Mistake("an expression is missing") }
    var parser = ExpressionParser(tokens: tokens)
    let expression = try parser.choice()
    if let rest = parser.tokens.first { throw Mistake("\"\(rest.text)\" is not expected there") }
    guard expression.operations <= Expression.mostOperations else {
      throw Mistake("an expression has at most \(Expression.mostOperations) operations")
    }
    guard expression.depth <= Expression.mostDepth else {
      throw Mistake("an expression holds at most \(Expression.mostDepth) values at once")
    }
    return expression
  }

  private init(tokens: ArraySlice<Token>) { self.tokens = tokens }

  private mutating func choice() throws(Mistake) -> Expression {
    nesting += 1
    defer { nesting -= 1 }
    guard nesting <= Self.mostNesting else { throw Mistake("too many brackets") }
    let condition = try binary(0)
    guard consume("?") else { return condition }
    let one = try choice()
    try require(":")
    return .choice(condition, one, try choice())
  }

  /// Stops at an operator that is weaker than `least`.
  private mutating func binary(_ least: Int) throws(Mistake) -> Expression {
    var left = try unary()
    while case .symbol(let symbol)? = tokens.first, let level = Self.levels[symbol], level >= least {
      tokens.removeFirst()
      left = .binary(symbol, left, try binary(level + 1))
    }
    return left
  }

  private mutating func unary() throws(Mistake) -> Expression {
    var symbols: [String] = []
    while case .symbol(let symbol)? = tokens.first, ["-", "!", "~"].contains(symbol) {
      tokens.removeFirst()
      symbols.append(symbol)
    }
    var value = try postfix()
    for symbol in symbols.reversed() { value = .unary(symbol, value) }
    return value
  }

  private mutating func postfix() throws(Mistake) -> Expression {
    var value = try primary()
    while consume("[") {
      let high = try bit()
      let low = consume(":") ? try bit() : high
      try require("]")
      guard high >= low else { throw Mistake("expected bits from high to low, [\(low):\(high)]") }
      value = .bits(value, high: high, low: low)
    }
    return value
  }

  private mutating func bit() throws(Mistake) -> Int {
    guard case .number(let number)? = tokens.popFirst(), let bit = Int(exactly: number), 0...31 ~= bit else {
      throw Mistake("a bit is a number from 0 to 31")
    }
    return bit
  }

  private mutating func primary() throws(Mistake) -> Expression {
    guard let token = tokens.popFirst() else { throw Mistake("the expression ends too early") }
    switch token {
    case .number(let number): return .number(number)
    case .name("true"): return .flag(true)
    case .name("false"): return .flag(false)
    case .name("empty"): return .empty
    case .name(let name): return consume("(") ? try call(name) : .name(name)
    case .symbol("("):
      let value = try choice()
      try require(")")
      return value
    case .symbol(let symbol): throw Mistake("\"\(symbol)\" is not expected there")
    }
  }

  private mutating func call(_ name: String) throws(Mistake) -> Expression {
    guard let count = Expression.functions[name] else {
      throw Mistake("the functions are \(Expression.functions.keys.sorted().joined(separator: ", ")), not \(name)")
    }
    var values = [try choice()]
    while consume(",") { values.append(try choice()) }
    try require(")")
    guard values.count == count else {
      throw Mistake("\(name) takes \(count == 1 ? "one value" : "two values")")
    }
    return .call(name, values)
  }

  private mutating func consume(_ symbol: String) -> Bool {
    guard tokens.first == .symbol(symbol) else { return false }
    tokens.removeFirst()
    return true
  }

  private mutating func require(_ symbol: String) throws(Mistake) {
    guard consume(symbol) else {
      throw Mistake("\"\(symbol)\" is expected\(tokens.first.map { ", not \"\($0.text)\"" } ?? " at the end")")
    }
  }
}
