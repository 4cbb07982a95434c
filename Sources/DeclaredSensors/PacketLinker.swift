// Puts everything that a packet does into one list of operations: reading, checking and publishing,
// with the operations of its expressions between them. A packet then runs from one end to the other,
// without looking up what each field is.

internal import SensorKit

/// Where the operations of a packet are, and what it has besides.
struct PacketCode: Sendable {
  var read: UInt16 = 0
  var publish: UInt16 = 0
  var firstRegister: UInt16 = 0
  var endOfRegisters: UInt16 = 0
  var hasMatch = false
  var hasOnce = false
  var hasReadings = false
  var keeps = false
}

struct PacketLinker {
  private let parts: ProgramParts
  private(set) var code: [Operation] = []

  init(_ parts: ProgramParts) { self.parts = parts }

  mutating func link(_ index: Int) -> PacketCode {
    let packet = parts.packets[index]
    var result = PacketCode(
      read: here, firstRegister: UInt16(packet.registers.lowerBound), endOfRegisters: UInt16(packet.registers.upperBound),
      hasMatch: packet.match != nil, hasOnce: packet.once != nil, hasReadings: !packet.readings.isEmpty,
      keeps: !packet.kept.isEmpty)
    for index in packet.steps { linkField(index) }
    if packet.recordForm != nil { append(.readRecords, link: index) }
    linkRest(packet.rest)
    append(.requireChecks)
    for index in packet.refusals {
      append(.refuse, a: run(parts.refusals[index].condition), link: index)
    }
    append(.end)
    result.publish = here
    for index in packet.sayings { linkRecord(index) }
    append(.end)
    return result
  }

  private var here: UInt16 { UInt16(code.count) }

  /// An unknown number is never equal to a field.
  private mutating func append(_ name: Operation.Name, into target: UInt8, unknown: Double) {
    code.append(Operation(name: name, target: target, constant: unknown))
  }

  private mutating func append(_ name: Operation.Name, a: UInt8 = 0, c: UInt8 = 0, link: Int = 0) {
    var operation = Operation(name: name, target: 0, a: a, c: c)
    operation.link = UInt16(link)
    code.append(operation)
  }

  /// Returns the register of the result.
  private mutating func run(_ expression: Code) -> UInt8 {
    code += parts.operations[Int(expression.start)..<Int(expression.end)]
    return expression.result
  }

  /// Returns the operation whose link is where to go on if the condition does not hold.
  private mutating func unless(_ condition: Code) -> Int {
    let operations = parts.operations[Int(condition.start)..<Int(condition.end)]
    if let first = operations.first, first.name == .bits, first.side == .none, first.constant == 1 {
      if operations.count == 1 {
        append(.unlessSet, a: first.a, c: first.c)
        return code.count - 1
      }
      if operations.count == 2, let last = operations.last, last.name == .not, last.a == first.target {
        append(.unlessClear, a: first.a, c: first.c)
        return code.count - 1
      }
    }
    append(.unless, a: run(condition))
    return code.count - 1
  }

  private mutating func continueHere(_ operation: Int?) {
    if let operation { code[operation].link = here }
  }
}

// MARK: Reading

extension PacketLinker {
  private mutating func linkField(_ index: Int) {
    let step = parts.steps[index]
    let condition = step.condition.map { unless($0) }
    if step.place != nil { append(.goTo, link: index) }
    if let name = Self.plainRead(step) {
      if let check = step.check {
        guard let unknown = unknownNumber(parts.checks[check]) else {
          append(.readField, link: index)
          return continueHere(condition)
        }
        append(name, into: step.register, unknown: unknown)
      } else {
        append(name, into: step.register, unknown: .nan)
      }
    } else {
      append(.readField, link: index)
    }
    continueHere(condition)
  }

  private static func plainRead(_ step: FieldStep) -> Operation.Name? {
    guard step.content == .number else { return nil }
    return switch step.form {
    case .u8: .readU8
    case .i8: .readI8
    case .u16: .readU16
    case .i16: .readI16
    case .u32: .readU32
    default: nil
    }
  }

  /// The only number that a check knows as unknown, if it checks nothing else.
  private func unknownNumber(_ check: FieldCheck) -> Double? {
    guard check.unknown.count == 1, check.alternatives.isEmpty, check.lowest == -.infinity, check.highest == .infinity,
      case .none = check.comparison
    else { return nil }
    return parts.numbers[check.unknown.lowerBound]
  }

  private mutating func linkRest(_ rest: RestRule) {
    switch rest {
    case .ignore: return
    case .refuse: append(.refuseRest)
    case .ignoreIf(let condition):
      append(.ifRead)
      let allRead = code.count - 1
      let refusal = unless(condition)
      append(.goOn)
      let ignored = code.count - 1
      continueHere(refusal)
      append(.refuseRest)
      continueHere(ignored)
      continueHere(allRead)
    }
  }
}

// MARK: Publishing

extension PacketLinker {
  private mutating func linkRecord(_ index: Int) {
    let saying = parts.sayings[index]
    append(.record, link: index)
    var condition: Int?
    if let when = saying.when {
      condition = unless(when)
      append(.begin, link: index)
    }
    for field in saying.fields {
      let said = parts.saidFields[field]
      let fieldCondition = said.condition.map { unless($0) }
      if case .number(let expression) = said.content {
        append(.publishNumber, a: run(expression), link: field)
      } else {
        append(.publish, link: field)
      }
      continueHere(fieldCondition)
    }
    continueHere(condition)
  }
}
