// The syntax of an expression, before its names and types are resolved.

indirect enum Expression {
  case number(Double)
  case flag(Bool)
  /// The list without items.
  case empty
  case name(String)
  case unary(String, Expression)
  case binary(String, Expression, Expression)
  case choice(Expression, Expression, Expression)
  case bits(Expression, high: Int, low: Int)
  case call(String, [Expression])

  static let mostOperations = 64
  static let mostDepth = 16
  static let functions = [
    "abs": 1, "min": 2, "max": 2, "round": 1, "floor": 1, "sqrt": 1, "pow10": 1, "count": 1, "known": 1, "byte": 1,
  ]

  /// How many operations it has.
  var operations: Int {
    switch self {
    case .number, .flag, .empty, .name: 0
    case .unary(_, let value), .bits(let value, _, _): 1 + value.operations
    case .binary(_, let left, let right): 1 + left.operations + right.operations
    case .choice(let condition, let one, let other): 1 + condition.operations + one.operations + other.operations
    case .call(_, let values): values.reduce(1) { $0 + $1.operations }
    }
  }

  /// How many values are held at once while it is computed.
  var depth: Int {
    switch self {
    case .number, .flag, .empty, .name: 1
    case .unary(_, let value), .bits(let value, _, _): value.depth
    case .binary(_, let left, let right): max(left.depth, right.depth + 1)
    case .choice(let condition, let one, let other): max(condition.depth, one.depth + 1, other.depth + 2)
    case .call(_, let values): values.enumerated().map { $0.offset + $0.element.depth }.max() ?? 1
    }
  }
}
