// Turns the fields of a packet, a group or a record into steps that read them.

internal import SensorKit

struct FieldCompiler {
  /// Where the fields stand.
  enum Level { case packet, group, record }

  /// The scope grows by each field.
  private(set) var scope: Scope
  /// What these fields declared.
  private(set) var own: [String: Binding] = [:]
  let level: Level
  /// The groups of the packet, and the type of a list of them.
  private let groups: [String: Int]
  private let problems: ProblemList
  private let allocate: (String) throws(Mistake) -> UInt8
  /// The least number of bytes that all fields together take.
  private(set) var leastBytes = 0

  static let mostFields = 64

  init(
    _ scope: Scope, _ level: Level, groups: [String: Int], _ problems: ProblemList,
    allocate: @escaping (String) throws(Mistake) -> UInt8
  ) {
    self.scope = scope
    self.level = level
    self.groups = groups
    self.problems = problems
    self.allocate = allocate
  }

  /// Compiles a field and declares its name. After a problem the name is known all the same, so that
  /// its uses are not problems too.
  mutating func compile(_ syntax: FieldSyntax, into parts: inout ProgramParts) -> FieldStep? {
    do throws(Mistake) {
      return try compileThrowing(syntax, into: &parts)
    } catch {
      problems.add(syntax.line, "\(syntax.name): \(error.text)")
      declareBroken(syntax.name)
      return nil
    }
  }

  /// The fields of a record are names of its packet.
  mutating func adoptScope(of record: FieldCompiler) {
    scope = record.scope
  }

  mutating func declareBroken(_ name: String) {
    guard (level == .group ? own[name] : scope.field(name)) == nil else { return }
    let binding = Binding(register: 0, valueType: .broken)
    scope.declare(name, binding)
    own[name] = binding
  }

  private mutating func compileThrowing(
    _ syntax: FieldSyntax, into parts: inout ProgramParts
  ) throws(Mistake) -> FieldStep {
    guard !Scope.reserved.contains(syntax.name) else { throw Mistake("\(syntax.name) is a word of the language") }
    var step = try content(of: syntax)
    step.amount = try amount(of: syntax, step, into: &parts)
    step.condition = try condition(syntax.condition, into: &parts)
    if let position = syntax.offset {
      guard level == .packet else { throw Mistake("at is only for the fields of a packet") }
      step.offset = position
    }
    step.check = try check(of: syntax, step, into: &parts)
    step.register = try declare(syntax, step)
    if step.condition == nil { leastBytes += Self.leastBytes(of: step) }
    return step
  }

  private func content(of syntax: FieldSyntax) throws(Mistake) -> FieldStep {
    if let form = NumberForm(syntax.type) {
      if case .one = syntax.amount { return FieldStep(content: .number, form: form, register: 0) }
      return FieldStep(content: .list, form: form, by: syntax.by ?? 1, register: 0)
    }
    let content: FieldStep.Content
    switch syntax.type {
    case "skip": content = .skip
    case "bytes": content = .bytes
    case "text": content = .text
    case "hex": content = .hex
    case "address": content = .address
    case "date": content = .date
    default:
      guard let group = groups[syntax.type] else {
        throw Mistake("\"\(syntax.type)\" is not a type, and \(scope.place) has no [Group \(syntax.type)]")
      }
      guard level != .group else { throw Mistake("a group has no lists of groups") }
      if case .one = syntax.amount { throw Mistake("expected \(syntax.type)[] or \(syntax.type)[COUNT]") }
      return FieldStep(content: .group, group: group, register: 0)
    }
    if content == .address || content == .date, case .one = syntax.amount {
    } else if content == .address || content == .date {
      throw Mistake("\(syntax.type) has no brackets")
    }
    return FieldStep(content: content, register: 0)
  }

  private func amount(
    of syntax: FieldSyntax, _ step: FieldStep, into parts: inout ProgramParts
  ) throws(Mistake) -> FieldStep.Amount {
    switch (step.content, syntax.amount) {
    case (.number, _), (.skip, .one): return .fixed(1)
    case (.address, _): return .fixed(6)
    case (.date, _): return .fixed(7)
    case (.list, .toEnd), (.group, .toEnd), (.text, .toEnd), (.text, .one), (.skip, .toEnd): return .toEnd
    case (_, .computed(let text)):
      let expression = try ExpressionParser.parse(text)
      if case .number(let number) = expression {
        return .fixed(try Self.count(number, of: syntax, step))
      }
      let result = try ExpressionCompiler.compile(expression, in: scope, into: &parts)
      guard result.valueType == .number || result.valueType == .broken else {
        throw Mistake("a count is a number, not \(result.valueType.text)")
      }
      return .computed(result.code)
    default: throw Mistake("\(syntax.type) needs a count in brackets")
    }
  }

  /// A packet with more can never be read.
  private static func count(
    _ number: Double, of syntax: FieldSyntax, _ step: FieldStep
  ) throws(Mistake) -> Int {
    let width = step.content == .list ? step.form.width : 1
    let most = step.content == .group ? FieldReading.mostGroupItems : Registers.mostBytes / width
    guard number <= Double(most) else {
      let limit = step.content == .group ? "a group has at most \(most) items" : "at most \(most) fit into a packet"
      throw Mistake("\(syntax.type)[\(NumberText.text(number))] is too long: \(limit)")
    }
    return number.isFinite ? Int(max(0, number)) : 0
  }

  private func condition(_ text: String?, into parts: inout ProgramParts) throws(Mistake) -> Code? {
    guard let text else { return nil }
    return try parts.condition(text, in: scope)
  }

  private mutating func declare(_ syntax: FieldSyntax, _ step: FieldStep) throws(Mistake) -> UInt8 {
    let valueType: ValueType
    switch step.content {
    case .number: valueType = .number
    case .list: valueType = .list(width: step.by)
    case .group: valueType = .objects(group: step.group)
    case .text, .hex, .address, .date: valueType = .text
    case .skip, .bytes:
      if syntax.isKept { throw Self.cannotBeKept }
      return 0
    }
    if syntax.isKept, Self.keptType(of: syntax) == nil { throw Self.cannotBeKept }
    let bits = step.content == .number ? step.form.counterBits : nil
    if syntax.isKept, level == .group { throw Mistake("keep is not for the fields of a group") }
    // A field of a group hides one of its packet.
    if let known = level == .group ? own[syntax.name] : scope.field(syntax.name), known.valueType != .broken {
      guard known.valueType == valueType else {
        throw Mistake("\(syntax.name) is \(known.valueType.text) above, and \(valueType.text) here")
      }
      if known.counterBits != bits {
        var binding = known
        binding.hasSeveralWidths = true
        scope.declare(syntax.name, binding)
      }
      return known.register
    }
    let register = try allocate(syntax.name)
    let binding = Binding(register: register, valueType: valueType, counterBits: bits)
    scope.declare(syntax.name, binding)
    own[syntax.name] = binding
    return register
  }

  private static let cannotBeKept = Mistake("keep is for numbers, lists of numbers and texts")

  /// The type of a field that can be kept.
  static func keptType(of syntax: FieldSyntax) -> ValueType? {
    guard NumberForm(syntax.type) == nil else {
      if case .one = syntax.amount { return .number }
      return .list(width: syntax.by ?? 1)
    }
    return ["text", "hex", "address", "date"].contains(syntax.type) ? .text : nil
  }

  private static func leastBytes(of step: FieldStep) -> Int {
    guard case .fixed(let count) = step.amount else { return 0 }
    return step.content == .list || step.content == .number
      ? count * step.form.width : step.content == .group ? 0 : count
  }
}

// MARK: Checks

extension FieldCompiler {
  private func check(
    of syntax: FieldSyntax, _ step: FieldStep, into parts: inout ProgramParts
  ) throws(Mistake) -> Int? {
    let isNumber = step.content == .number || step.content == .list
    if !isNumber {
      for (word, isThere) in [
        ("min", syntax.lowest != nil), ("max", syntax.highest != nil), ("in", syntax.alternatives != nil),
        ("unknown", syntax.unknown != nil), ("by", syntax.by != nil),
      ] where isThere {
        let hint = step.content == .group ? "; to limit their number, use Refuse with count(\(syntax.name))" : ""
        throw Mistake("\(word) is for numbers, not for \(syntax.type)\(hint)")
      }
    }
    if step.content == .list, syntax.unknown != nil {
      throw Mistake("unknown is for single numbers, not for lists; a [Group] can have a field with unknown")
    }
    if step.content == .number, syntax.by != nil { throw Mistake("by is for lists") }
    if case .fixed(let count) = step.amount, let by = syntax.by, count % by != 0 {
      throw Mistake("\(count) numbers are not items of \(by)")
    }
    if isNumber, let range = step.form.range {
      let comparison = syntax.comparison.flatMap { NumberText.number($0) }.map { [$0] } ?? []
      let numbers = (syntax.alternatives ?? []) + (syntax.unknown ?? []) + comparison
      let impossible =
        numbers.first { !range.contains($0) } ?? syntax.lowest.flatMap { $0 > range.upperBound ? $0 : nil }
        ?? syntax.highest.flatMap { $0 < range.lowerBound ? $0 : nil }
      if let impossible { throw Mistake("a \(syntax.type) cannot be \(NumberText.text(impossible))") }
    }
    if let lowest = syntax.lowest, let highest = syntax.highest, lowest > highest {
      throw Mistake("min \(NumberText.text(lowest)) is more than max \(NumberText.text(highest))")
    }
    var check = FieldCheck()
    check.lowest = syntax.lowest ?? -.infinity
    check.highest = syntax.highest ?? .infinity
    check.alternatives = parts.add(syntax.alternatives ?? [])
    check.unknown = parts.add(syntax.unknown ?? [])
    check.comparison = try comparison(syntax, step, into: &parts)
    check.reason = syntax.reason
    if step.content == .bytes, syntax.comparison == nil { throw Mistake("bytes needs is; skip passes bytes over") }
    let hasCheck =
      syntax.lowest != nil || syntax.highest != nil || syntax.alternatives != nil || syntax.unknown != nil
      || syntax.comparison != nil
    if syntax.reason != nil, !hasCheck, step.content != .text, step.content != .date, syntax.by == nil {
      throw Mistake("else needs min, max, in or is")
    }
    guard hasCheck || syntax.reason != nil else { return nil }
    parts.checks.append(check)
    return parts.checks.count - 1
  }

  private func comparison(
    _ syntax: FieldSyntax, _ step: FieldStep, into parts: inout ProgramParts
  ) throws(Mistake) -> FieldCheck.Comparison {
    guard let text = syntax.comparison else { return .none }
    switch (step.content, text) {
    case (.number, "xor"), (.number, "sum"):
      guard step.form.counterBits != nil else { throw Mistake("\(text) is for whole numbers") }
      return text == "xor" ? .exclusiveOr : .sum
    case (.number, _):
      guard let number = NumberText.number(text) else { throw Mistake("\"\(text)\" is not a number, xor or sum") }
      return .number(number)
    case (.address, "sender"): return .sender
    case (.address, _): throw Mistake("is of an address takes sender, not \"\(text)\"")
    case (.bytes, _), (.hex, _):
      guard let bytes = NumberText.bytes(text) else { throw Mistake("\"\(text)\" is not pairs of hex digits") }
      if case .fixed(let count) = step.amount, count != bytes.count {
        throw Mistake("\(count) bytes cannot be the \(bytes.count) of \(text)")
      }
      parts.bytes += bytes
      return .bytes(parts.bytes.count - bytes.count..<parts.bytes.count)
    default: throw Mistake("is is for single numbers, bytes, hex and address")
    }
  }
}

extension ProgramParts {
  mutating func add(_ numbers: [Double]) -> Range<Int> {
    self.numbers += numbers
    return self.numbers.count - numbers.count..<self.numbers.count
  }

  mutating func condition(_ text: String, in scope: Scope) throws(Mistake) -> Code {
    let result = try ExpressionCompiler.compile(try ExpressionParser.parse(text), in: scope, into: &self)
    guard result.valueType.isCondition else {
      throw Mistake("a condition is a number or a flag, not \(result.valueType.text)")
    }
    return result.code
  }

  mutating func number(_ text: String, in scope: Scope) throws(Mistake) -> ExpressionCompiler.Result {
    let result = try ExpressionCompiler.compile(try ExpressionParser.parse(text), in: scope, into: &self)
    guard result.valueType == .number || result.valueType == .broken else {
      throw Mistake("a number is expected, not \(result.valueType.text)")
    }
    return result
  }
}
