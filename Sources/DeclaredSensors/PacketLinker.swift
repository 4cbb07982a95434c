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
  /// Whether a field is compared with the address of the sender.
  var comparesSender = false
}

struct PacketLinker {
  private let parts: ProgramParts
  private(set) var code: [Operation] = []

  init(_ parts: ProgramParts) { self.parts = parts }

  mutating func link(_ index: Int) -> PacketCode {
    let packet = parts.packets[index]
    var result = PacketCode(
      read: here, firstRegister: UInt16(packet.registers.lowerBound),
      endOfRegisters: UInt16(packet.registers.upperBound),
      hasMatch: packet.match != nil, hasOnce: packet.once != nil, hasReadings: !packet.readings.isEmpty,
      keeps: !packet.kept.isEmpty, comparesSender: comparesSender(packet))
    for index in packet.steps { linkField(index) }
    if packet.recordForm != nil { append(.readRecords, link: index) }
    linkChecks(packet)
    // Nothing of the packet before is left if every field is read again.
    if packet.recordForm == nil, parts.steps[packet.steps].allSatisfy({ $0.condition == nil }) {
      result.endOfRegisters = result.firstRegister
    }
    result.publish = here
    for index in packet.publications { linkRecord(index) }
    append(.end)
    return result
  }

  private func comparesSender(_ packet: PacketProgram) -> Bool {
    let steps = parts.steps[packet.steps] + parts.records[packet.records].flatMap { parts.steps[$0.steps] }
    let groups = steps.filter { $0.content == .group }.flatMap { parts.steps[parts.groups[$0.group].steps] }
    return (steps + groups).contains { step in
      if let check = step.check, case .sender = parts.checks[check].comparison { true } else { false }
    }
  }

  private var here: UInt16 { UInt16(code.count) }

  /// An unknown number is never equal to a field.
  private mutating func append(_ name: Operation.Name, into target: UInt8, unknown: Double, link: Int) {
    var operation = Operation(name: name, target: target, constant: unknown)
    operation.link = UInt16(link)
    code.append(operation)
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
    if step.offset != nil { append(.goTo, link: index) }
    if step.content == .number, linkNumber(step, index) {
      continueHere(condition)
      return
    }
    append(.readField, link: index)
    continueHere(condition)
  }

  /// Returns false for a number with a check that has no operation.
  private mutating func linkNumber(_ step: FieldStep, _ index: Int) -> Bool {
    let check = step.check.map { parts.checks[$0] } ?? FieldCheck()
    guard check.alternatives.isEmpty, case .none = check.comparison else { return false }
    let unknown = parts.numbers[check.unknown]
    let name: Operation.Name =
      switch step.form {
      case .u8: .readU8
      case .i8: .readI8
      case .u16: .readU16
      case .i16: .readI16
      case .u32: .readU32
      default: .readNumber
      }
    append(name, into: step.register, unknown: unknown.first ?? .nan, link: index)
    for number in unknown.dropFirst() { append(.unknown, into: step.register, unknown: number, link: index) }
    if check.lowest > -.infinity || check.highest < .infinity { append(.bounds, a: step.register, link: index) }
    return true
  }

  private mutating func linkChecks(_ packet: PacketProgram) {
    if case .refuse = packet.rest, packet.refusals.isEmpty { return append(.finish) }
    linkRest(packet.rest)
    append(.requireChecks)
    for index in packet.refusals {
      append(.refuse, a: run(parts.refusals[index].condition), link: index)
    }
    append(.end)
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
    let publication = parts.publications[index]
    append(.record, link: index)
    var condition: Int?
    if let when = publication.when {
      condition = unless(when)
      append(.begin, link: index)
    }
    for field in publication.fields {
      let published = parts.publishedFields[field]
      let fieldCondition = published.condition.map { unless($0) }
      switch published.content {
      case .number(let expression): linkNumber(expression, field)
      case .flag(let expression): append(.publishFlag, a: run(expression), link: field)
      case .word(let expression, _): append(.publishWord, a: run(expression), link: field)
      case .text, .bitWords, .words, .numbers, .objects: append(.publish, link: field)
      }
      continueHere(fieldCondition)
    }
    continueHere(condition)
  }

  /// A field times or by a constant is one operation with its publication.
  private mutating func linkNumber(_ expression: Code, _ field: Int) {
    let operations = parts.operations[Int(expression.start)..<Int(expression.end)]
    guard operations.count == 1, let only = operations.first, only.side == .second,
      only.name == .multiply || only.name == .divide
    else { return append(.publishNumber, a: run(expression), link: field) }
    append(only.name == .multiply ? .publishProduct : .publishQuotient, a: only.a, link: field)
    code[code.count - 1].constant = only.constant
  }
}
