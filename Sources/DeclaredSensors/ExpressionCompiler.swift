// Turns an expression into operations, and checks the types of its values.

struct ExpressionCompiler {
  private let scope: Scope
  private var operations: [Operation] = []
  /// Where the operations will be among those of the file.
  private let start: Int

  static let mostOperations = 4096

  /// A value while its expression is compiled.
  private struct Operand {
    enum Location { case register(UInt8), constant(Double) }

    let location: Location
    let valueType: ValueType
  }

  /// An expression with its type. A list has two programs.
  struct Result {
    let valueType: ValueType
    let code: Code
    let list: ListCode?
    /// The name, if the expression is only that.
    let binding: Binding?
  }

  private init(_ scope: Scope, start: Int) {
    self.scope = scope
    self.start = start
  }

  static func compile(
    _ expression: Expression, in scope: Scope, into parts: inout ProgramParts
  ) throws(Mistake) -> Result {
    var compiler = ExpressionCompiler(scope, start: parts.operations.count)
    let result = try compiler.compile(expression)
    guard parts.operations.count + compiler.operations.count <= mostOperations else {
      throw Mistake("a file has at most \(mostOperations) operations")
    }
    parts.operations += compiler.operations
    return result
  }

  private mutating func compile(_ expression: Expression) throws(Mistake) -> Result {
    let valueType = try valueType(of: expression)
    let binding: Binding? = if case .name(let name) = expression { try scope.binding(name) } else { nil }
    guard case .list(let width) = valueType else {
      return Result(
        valueType: valueType, code: try code { compiler throws(Mistake) in try compiler.emit(expression, 0) },
        list: nil, binding: binding)
    }
    let count = try code { compiler throws(Mistake) in try compiler.emitCount(expression, 0) }
    let item = try code { compiler throws(Mistake) in try compiler.emitItem(expression, 0) }
    let itemOperations = operations[(Int(item.start) - start)..<(Int(item.end) - start)]
    let list = ListCode(count: count, item: item, width: UInt8(width ?? 1), itemOperations)
    return Result(valueType: valueType, code: count, list: list, binding: binding)
  }

  private mutating func code(
    _ body: (inout ExpressionCompiler) throws(Mistake) -> Operand
  ) throws(Mistake) -> Code {
    let first = operations.count
    let operand = try body(&self)
    let register = try register(of: operand, 0)
    return Code(start: UInt16(start + first), end: UInt16(start + operations.count), result: register)
  }
}

// MARK: Sorts

extension ExpressionCompiler {
  private func valueType(of expression: Expression) throws(Mistake) -> ValueType {
    switch expression {
    case .number: return .number
    case .flag: return .flag
    case .empty: return .list(width: nil)
    case .name(let name): return try scope.binding(name).valueType
    case .unary(let symbol, let value): return try valueType(symbol, of: try valueType(of: value))
    case .binary(let symbol, let left, let right):
      return try valueType(symbol, of: try valueType(of: left), try valueType(of: right))
    case .choice(let condition, let one, let other):
      let test = try valueType(of: condition)
      guard test.isCondition else {
        throw Mistake("the condition before ? must be a number or a flag, not \(test.text)")
      }
      return try choice(":", try valueType(of: one), try valueType(of: other))
    case .bits(let value, _, _):
      return try number(try valueType(of: value), "bits are taken of a number")
    case .call(let name, let values): return try call(name, values)
    }
  }

  private func number(_ valueType: ValueType, _ rule: String) throws(Mistake) -> ValueType {
    guard valueType == .number || valueType == .broken else { throw Mistake("\(rule), not of \(valueType.text)") }
    return valueType
  }

  private func valueType(_ symbol: String, of value: ValueType) throws(Mistake) -> ValueType {
    switch symbol {
    case "!":
      guard value.isCondition else { throw Mistake("! takes a number or a flag, not \(value.text)") }
      return .flag
    case "-":
      guard value == .number || value.isList || value == .broken else {
        throw Mistake("- takes a number or a list, not \(value.text)")
      }
      return value
    default: return try number(value, "\(symbol) is taken of a number")
    }
  }

  private func valueType(_ symbol: String, of left: ValueType, _ right: ValueType) throws(Mistake) -> ValueType {
    switch symbol {
    case "??": return try choice("??", left, right)
    case "&&", "||":
      for side in [left, right] where !side.isCondition {
        throw Mistake("\(symbol) takes numbers and flags, not \(side.text)")
      }
      return .flag
    case "==", "!=":
      guard let joined = left.joined(with: right), joined.isCondition else {
        throw Mistake("\(symbol) compares two numbers or two flags, not \(left.text) and \(right.text)")
      }
      return .flag
    case "<", "<=", ">", ">=": return try numbers(symbol, left, right) == .broken ? .broken : .flag
    case "+", "-", "*", "/", "%": return try arithmetic(symbol, left, right)
    default: return try numbers(symbol, left, right)
    }
  }

  private func choice(_ symbol: String, _ one: ValueType, _ other: ValueType) throws(Mistake) -> ValueType {
    guard let joined = one.joined(with: other) else {
      throw Mistake("both sides of \(symbol) must have the same type, not \(one.text) and \(other.text)")
    }
    if case .objects = joined { throw Mistake("\(symbol) does not take a list of objects") }
    return joined
  }

  private func numbers(_ symbol: String, _ left: ValueType, _ right: ValueType) throws(Mistake) -> ValueType {
    for side in [left, right] where side != .number && side != .broken {
      throw Mistake("\(symbol) takes numbers, not \(side.text)")
    }
    return left == .broken ? left : right
  }

  private func arithmetic(_ symbol: String, _ left: ValueType, _ right: ValueType) throws(Mistake) -> ValueType {
    for side in [left, right] where side != .number && !side.isList && side != .broken {
      throw Mistake("\(symbol) takes numbers and lists, not \(side.text)")
    }
    if left == .broken || right == .broken { return .broken }
    guard !left.isList || !right.isList else { throw Mistake("\(symbol) takes one list, not two") }
    return left.isList ? left : right
  }

  private func call(_ name: String, _ values: [Expression]) throws(Mistake) -> ValueType {
    if name == "byte", !scope.hasPacket { throw Mistake("there is no packet for byte()") }
    for value in values {
      let valueType = try valueType(of: value)
      switch (name, valueType) {
      case (_, .broken), ("known", _), (_, .number), ("count", .list), ("count", .objects): break
      default:
        let isLimit = valueType.isList && (name == "min" || name == "max")
        let hint = isLimit ? "; \(name) after the type of a field checks each number of a list" : ""
        throw Mistake("\(name) takes \(name == "count" ? "a list" : "a number"), not \(valueType.text)\(hint)")
      }
      if name == "count", valueType == .number { throw Mistake("count takes a list, not a number") }
    }
    return name == "known" ? .flag : .number
  }
}

// MARK: Operations

extension ExpressionCompiler {
  private static let names: [String: Operation.Name] = [
    "+": .add, "-": .subtract, "*": .multiply, "/": .divide, "%": .remainder, "&": .and, "|": .or, "^": .exclusiveOr,
    "<<": .shiftLeft, ">>": .shiftRight, "==": .equal, "!=": .unequal, "<": .less, "<=": .lessOrEqual,
    ">": .greater, ">=": .greaterOrEqual, "&&": .both, "||": .either, "??": .coalesce, "abs": .abs, "min": .min,
    "max": .max, "round": .round, "floor": .floor, "sqrt": .squareRoot, "pow10": .powerOfTen, "byte": .byte,
  ]

  private static func operation(_ symbol: String) throws(Mistake) -> Operation.Name {
    guard let name = names[symbol] else { throw Mistake("there is no operator \(symbol)") }
    return name
  }

  /// The register number `depth` of the temporary ones.
  private func temporary(_ depth: Int) throws(Mistake) -> UInt8 {
    let register = RegisterMap.temporaries.lowerBound + depth
    guard RegisterMap.temporaries.contains(register) else { throw Mistake("the expression is too deep") }
    return UInt8(register)
  }

  private mutating func register(of operand: Operand, _ depth: Int) throws(Mistake) -> UInt8 {
    switch operand.location {
    case .register(let register): return register
    case .constant(let number):
      let target = try temporary(depth)
      operations.append(Operation(name: .constant, target: target, constant: number))
      return target
    }
  }

  private mutating func append(
    _ name: Operation.Name, _ depth: Int, _ first: Operand, _ second: Operand? = nil, valueType: ValueType
  ) throws(Mistake) -> Operand {
    if name == .divide, divideLastProduct(first, by: second) { return first }
    var operation = Operation(name: name, target: try temporary(depth))
    switch (first.location, second?.location) {
    case (.constant(let number), .register(let register)):
      (operation.side, operation.constant, operation.b) = (.first, number, register)
    case (.constant, _): operation.a = try self.register(of: first, depth)
    case (.register(let register), _): operation.a = register
    }
    switch second?.location {
    case .constant(let number): (operation.side, operation.constant) = (.second, number)
    case .register(let register): operation.b = register
    case nil: break
    }
    operations.append(operation)
    return Operand(location: .register(operation.target), valueType: valueType)
  }

  /// Makes `x * 1000 / 1024` one product if the divisor is a power of two: its quotient is exact.
  private mutating func divideLastProduct(_ product: Operand, by divisor: Operand?) -> Bool {
    guard case .constant(let divisor)? = divisor?.location, divisor.magnitude >= 1, divisor.isNormal,
      divisor.significand == 1, case .register(let register) = product.location, let last = operations.last,
      last.name == .multiply, last.side == .second, last.target == register
    else { return false }
    let factor = last.constant / divisor
    guard factor.isNormal else { return false }
    operations[operations.count - 1].constant = factor
    return true
  }

  /// Emits a value that is not a list. Everything it needs is at `depth` and deeper.
  private mutating func emit(_ expression: Expression, _ depth: Int) throws(Mistake) -> Operand {
    let valueType = try valueType(of: expression)
    switch expression {
    case .number(let number): return Operand(location: .constant(number), valueType: .number)
    case .flag(let flag): return Operand(location: .constant(flag ? 1 : 0), valueType: .flag)
    case .empty: return Operand(location: .constant(0), valueType: valueType)
    case .name(let name): return Operand(location: .register(try scope.binding(name).register), valueType: valueType)
    case .unary(let symbol, let value): return try emit(symbol, value, depth, valueType)
    case .binary(let symbol, let left, let right):
      let one = try emit(left, depth)
      let other = try emit(right, depth + 1)
      return try append(try Self.operation(symbol), depth, one, other, valueType: valueType)
    case .choice(let condition, let one, let other):
      let test = try emit(condition, depth)
      let first = try emit(one, depth + 1)
      let second = try emit(other, depth + 2)
      return try select(.select, depth, test, first, second, valueType: valueType)
    case .bits(let value, let high, let low):
      let operand = try emit(value, depth)
      let result = try append(.bits, depth, operand, valueType: valueType)
      let last = operations.count - 1
      operations[last].c = UInt8(low)
      operations[last].constant = Double(UInt32.max >> UInt32(31 - (high - low)))
      return result
    case .call(let name, let values): return try emitCall(name, values, depth, valueType)
    }
  }

  private mutating func emit(
    _ symbol: String, _ value: Expression, _ depth: Int, _ valueType: ValueType
  ) throws(Mistake) -> Operand {
    let operand = try emit(value, depth)
    if symbol == "-", case .constant(let number) = operand.location {
      return Operand(location: .constant(-number), valueType: valueType)
    }
    let name: Operation.Name =
      switch symbol {
      case "-": .negate
      case "!": .not
      default: .complement
      }
    return try append(name, depth, operand, valueType: valueType)
  }

  private mutating func emitCall(
    _ name: String, _ values: [Expression], _ depth: Int, _ valueType: ValueType
  ) throws(Mistake) -> Operand {
    if case .list(let width) = try self.valueType(of: values[0]) {
      var count = try emitCount(values[0], depth)
      // Items of several numbers are counted, and not their numbers.
      if name == "count", let width, width > 1 {
        count = try append(
          .divide, depth, count, Operand(location: .constant(Double(width)), valueType: .number), valueType: .number)
      }
      return name == "count" ? count : try append(.known, depth, count, valueType: valueType)
    }
    let first = try emit(values[0], depth)
    guard values.count == 1 else {
      let second = try emit(values[1], depth + 1)
      return try append(try Self.operation(name), depth, first, second, valueType: valueType)
    }
    switch name {
    case "known": return try append(.known, depth, first, valueType: valueType)
    case "count": return try append(.count, depth, first, valueType: valueType)
    default: return try append(try Self.operation(name), depth, first, valueType: valueType)
    }
  }

  private mutating func select(
    _ name: Operation.Name, _ depth: Int, _ test: Operand, _ first: Operand, _ second: Operand, valueType: ValueType
  ) throws(Mistake) -> Operand {
    let a = try register(of: test, depth)
    let b = try register(of: first, depth + 1)
    let c = try register(of: second, depth + 2)
    operations.append(Operation(name: name, target: try temporary(depth), a: a, b: b, c: c))
    return Operand(location: .register(try temporary(depth)), valueType: valueType)
  }
}

// MARK: Lists

extension ExpressionCompiler {
  /// How many items a list has; unknown if the list is.
  private mutating func emitCount(_ expression: Expression, _ depth: Int) throws(Mistake) -> Operand {
    switch expression {
    case .unary(_, let value): return try emitCount(value, depth)
    case .binary("??", let left, let right):
      let one = try emitCount(left, depth)
      let other = try emitCount(right, depth + 1)
      return try append(.coalesce, depth, one, other, valueType: .number)
    case .binary(_, let left, let right):
      let isLeft = try valueType(of: left).isList
      let count = try emitCount(isLeft ? left : right, depth)
      if case .number = isLeft ? right : left { return count }
      let number = try emit(isLeft ? right : left, depth + 1)
      return try append(.onlyIfKnown, depth, count, number, valueType: .number)
    case .choice(let condition, let one, let other):
      let test = try emit(condition, depth)
      let first = try emitCount(one, depth + 1)
      let second = try emitCount(other, depth + 2)
      return try select(.select, depth, test, first, second, valueType: .number)
    case .name: return try append(.count, depth, try emit(expression, depth), valueType: .number)
    default: return try emit(expression, depth)
    }
  }

  /// The item at the index.
  private mutating func emitItem(_ expression: Expression, _ depth: Int) throws(Mistake) -> Operand {
    switch expression {
    case .unary(_, let value):
      return try append(.negate, depth, try emitItem(value, depth), valueType: .number)
    // The empty list has no items.
    case .binary("??", let left, .empty): return try emitItem(left, depth)
    case .binary("??", let left, let right):
      let count = try emitCount(left, depth)
      let one = try emitItem(left, depth + 1)
      let other = try emitItem(right, depth + 2)
      return try select(.selectKnown, depth, count, one, other, valueType: .number)
    case .binary(let symbol, let left, let right):
      let isLeft = try valueType(of: left).isList
      let one = isLeft ? try emitItem(left, depth) : try emit(left, depth)
      let other = isLeft ? try emit(right, depth + 1) : try emitItem(right, depth + 1)
      return try append(try Self.operation(symbol), depth, one, other, valueType: .number)
    case .choice(let condition, let one, let other):
      let test = try emit(condition, depth)
      let first = try emitItem(one, depth + 1)
      let second = try emitItem(other, depth + 2)
      return try select(.select, depth, test, first, second, valueType: .number)
    case .name: return try append(.item, depth, try emit(expression, depth), valueType: .number)
    default: return try emit(expression, depth)
    }
  }
}
