// Puts everything that a packet does into one list of instructions: reading, checking, counting and
// publishing, with the operations of its expressions between them. A packet then runs from one end
// to the other, without looking up what each field is.

internal import SensorKit

struct PacketLinker {
  private let parts: ProgramParts
  private(set) var code: [Instruction] = []
  // Of each packet.
  private(set) var keys: [PacketKey?] = []
  private(set) var singles: [SingleNumber?] = []

  /// Numbers, flags and words that always fit into an empty batch.
  private static let fewFields = 32

  init(_ parts: ProgramParts) { self.parts = parts }

  mutating func link(_ index: Int) -> PacketCode {
    let packet = parts.packets[index]
    let start = here
    for index in packet.steps { linkField(index) }
    if packet.recordForm != nil { append(.readRecords, link: index) }
    linkChecks(packet)
    if packet.once != nil { append(.once, link: index) }
    for index in packet.readings { linkReading(index) }
    for index in packet.publications { linkRecord(index) }
    if traits(packet).contains(.commits) { linkConsequences(packet, index) }
    append(.end)
    let key = key(packet, start..<here)
    keys.append(key)
    var result = PacketCode(start: UInt16(start), traits: traits(packet))
    if key != nil { result.traits.insert(.hasKey) }
    singles.append(SingleNumber(packet, code[start...], parts))
    if singles[index] != nil { result.traits = .isSingle }
    // Nothing of the packet before is left if every field is read again.
    if packet.recordForm != nil || parts.steps[packet.steps].contains(where: { $0.condition != nil }) {
      result.traits.insert(.forgets)
      result.firstRegister = UInt16(packet.registers.lowerBound)
      result.endOfRegisters = UInt16(packet.registers.upperBound)
    }
    return result
  }

  private func traits(_ packet: PacketProgram) -> PacketCode.Traits {
    var traits: PacketCode.Traits = []
    if comparesSender(packet) { traits.insert(.comparesSender) }
    if packet.once != nil || !packet.readings.isEmpty || !packet.kept.isEmpty { traits.insert(.commits) }
    if !packet.readings.isEmpty { traits.insert(.hasReadings) }
    if packet.hasAnswer { traits.insert(.hasAnswer) }
    if mayOverflow(packet) { traits.insert(.mayOverflow) }
    return traits
  }

  private func comparesSender(_ packet: PacketProgram) -> Bool {
    let steps = parts.steps[packet.steps] + parts.records[packet.records].flatMap { parts.steps[$0.steps] }
    let groups = steps.filter { $0.content == .group }.flatMap { parts.steps[parts.groups[$0.group].steps] }
    return (steps + groups).contains { step in
      if let check = step.check, case .sender = parts.checks[check].comparison { true } else { false }
    }
  }

  private func mayOverflow(_ packet: PacketProgram) -> Bool {
    let publications = parts.publications[packet.publications]
    let fields = publications.flatMap { parts.publishedFields[$0.fields] }
    return fields.count + publications.count > Self.fewFields
      || !fields.allSatisfy { field in
        switch field.content {
        case .number, .flag, .word: true
        case .text, .bitWords, .words, .numbers, .objects: false
        }
      }
  }

  private var here: Int { code.count }

  private mutating func append(
    _ name: Operation.Name, into target: UInt8 = 0, a: UInt8 = 0, c: UInt8 = 0, link: Int = 0
  ) {
    code.append(Instruction(name, into: target, a: a, link: link))
    code[code.count - 1].operation.c = c
  }

  /// Returns the register of the result.
  private mutating func run(_ expression: Code) -> UInt8 {
    code += operations(of: expression).map { Instruction($0) }
    return expression.result
  }

  private func operations(of code: Code) -> ArraySlice<Operation> {
    parts.operations[Int(code.start)..<Int(code.end)]
  }

  /// Returns the branches that are taken if the condition does not hold.
  private mutating func unless(_ condition: Code) -> [Int] {
    branch(operations(of: condition), condition.result, if: false)
  }

  /// Returns the branches that are taken if the condition holds, or if it does not. The second operand of
  /// `&&` and `||` is only computed if it matters.
  private mutating func branch(_ operations: ArraySlice<Operation>, _ result: UInt8, if holds: Bool) -> [Int] {
    if let last = operations.last, last.name == .both || last.name == .either, last.side == .none {
      // What the second operand needs is in higher registers than the first.
      let before = operations.dropLast()
      let end = (before.lastIndex { $0.target == last.a } ?? before.startIndex - 1) + 1
      let (first, second) = (before[..<end], before[end...])
      if (last.name == .either) == holds {
        return branch(first, last.a, if: holds) + branch(second, last.b, if: holds)
      }
      let others = branch(first, last.a, if: !holds)
      let branches = branch(second, last.b, if: holds)
      continueHere(others)
      return branches
    }
    if !holds, let bit = unlessBit(operations) { return [bit] }
    if let last = operations.last, last.name == .known, last.side == .none {
      code += operations.dropLast().map { Instruction($0) }
      append(holds ? .ifKnown : .unlessKnown, a: last.a)
    } else {
      code += operations.map { Instruction($0) }
      append(holds ? .ifHolds : .unless, a: result)
    }
    return [code.count - 1]
  }

  /// A branch for a condition that is one bit of a field.
  private mutating func unlessBit(_ operations: ArraySlice<Operation>) -> Int? {
    guard let first = operations.first, first.name == .bits, first.side == .none, first.constant == 1 else {
      return nil
    }
    if operations.count == 1 {
      append(.unlessSet, a: first.a, c: first.c)
      return code.count - 1
    }
    if operations.count == 2, let last = operations.last, last.name == .not, last.a == first.target {
      append(.unlessClear, a: first.a, c: first.c)
      return code.count - 1
    }
    return nil
  }

  private mutating func continueHere(_ branches: [Int]) {
    for branch in branches { code[branch].operation.link = UInt16(here) }
  }
}

// MARK: Reading

extension PacketLinker {
  private mutating func linkField(_ index: Int) {
    let step = parts.steps[index]
    let condition = step.condition.map { unless($0) } ?? []
    if step.offset != nil { append(.goTo, link: index) }
    if !linkNumber(step, index), !linkList(step, index), !linkBytes(step, index) {
      append(.readField, into: step.register, link: index)
    }
    continueHere(condition)
  }

  /// Returns false for anything but a number with a simple check.
  private mutating func linkNumber(_ step: FieldStep, _ index: Int) -> Bool {
    guard step.content == .number else { return false }
    let check = step.check.map { parts.checks[$0] } ?? FieldCheck()
    let unknown = parts.numbers[check.unknown]
    var lowest = check.lowest
    var highest = check.highest
    switch check.comparison {
    case .none: break
    case .number(let expected):
      guard unknown.isEmpty, lowest == -.infinity, highest == .infinity, step.form.counterBits != nil else {
        return false
      }
      (lowest, highest) = (expected, expected)
    case .bytes, .sender, .exclusiveOr, .sum: return false
    }
    guard check.alternatives.isEmpty, unknown.count < 2 || lowest == -.infinity && highest == .infinity else {
      return false
    }
    append(Self.reading(step.form), into: step.register, link: index)
    code[code.count - 1].lowest = lowest
    code[code.count - 1].highest = highest
    // An unknown number is never equal to a field.
    code[code.count - 1].operation.constant = unknown.first ?? .nan
    for number in unknown.dropFirst() {
      append(.unknown, into: step.register)
      code[code.count - 1].operation.constant = number
    }
    return true
  }

  private static func reading(_ form: NumberForm) -> Operation.Name {
    switch form {
    case .u8: .readU8
    case .i8: .readI8
    case .u16: .readU16
    case .i16: .readI16
    case .u32: .readU32
    default: .readNumber
    }
  }

  private mutating func linkList(_ step: FieldStep, _ index: Int) -> Bool {
    guard step.content == .list, step.check == nil, step.by <= 1, step.form.width.nonzeroBitCount == 1,
      case .toEnd = step.amount
    else { return false }
    append(.readList, into: step.register, c: UInt8(step.form.width.trailingZeroBitCount), link: index)
    return true
  }

  /// Bytes that need no check.
  private mutating func linkBytes(_ step: FieldStep, _ index: Int) -> Bool {
    guard step.check == nil, case .fixed(let count) = step.amount, 0...255 ~= count else { return false }
    switch step.content {
    case .skip: append(.skip, c: UInt8(count))
    case .hex, .address:
      if count == 0 { return false }
      append(.readBytes, into: step.register, c: UInt8(count), link: index)
    case .number, .list, .group, .bytes, .text, .date: return false
    }
    return true
  }

  private mutating func linkChecks(_ packet: PacketProgram) {
    if case .refuse = packet.rest, packet.refusals.isEmpty { return append(.finish) }
    linkRest(packet.rest)
    append(.requireChecks)
    for index in packet.refusals {
      append(.refuse, a: run(parts.refusals[index].condition), link: index)
    }
  }

  private mutating func linkRest(_ rest: RestRule) {
    switch rest {
    case .ignore: return
    case .refuse: append(.refuseRest)
    case .ignoreIf(let condition):
      let ignored = branch(operations(of: condition), condition.result, if: true)
      append(.refuseRest)
      continueHere(ignored)
    }
  }

  /// A reading of plain fields takes their registers.
  private mutating func linkReading(_ index: Int) {
    let reading = parts.readings[index]
    guard reading.count.isName, reading.clock?.isName ?? true else { return append(.computeCounter, link: index) }
    var unit: UInt8 = 0
    var constant = 1.0
    var side = Operation.Side.second
    if let code = reading.unit {
      let operations = operations(of: code)
      if operations.count == 1, let only = operations.first, only.name == .constant {
        constant = only.constant
      } else {
        unit = run(code)
        side = .none
      }
    }
    append(.readCounter, into: UInt8(reading.counter), a: reading.count.result, c: unit, link: index)
    // Without a clock the count stands for it, and is not used.
    code[code.count - 1].operation.b = reading.clock?.result ?? reading.count.result
    code[code.count - 1].operation.side = side
    code[code.count - 1].operation.constant = constant
  }

  /// What changes the sensor for the next packets.
  private mutating func linkConsequences(_ packet: PacketProgram, _ index: Int) {
    append(.commit, link: index)
    if packet.once != nil { append(.remember, link: index) }
    for index in packet.kept { append(.keep, a: parts.kept[index].register, link: index) }
    if let rests = parts.rests, !packet.kept.isEmpty || !packet.readings.isEmpty {
      append(.rest, c: 0)
      let awake = unless(rests)
      append(.rest, c: 1)
      continueHere(awake)
    }
    for index in packet.readings {
      append(.endReading, a: RegisterMap.registers(ofCounter: parts.readings[index].counter).lowerBound)
    }
  }

  /// The field at a fixed place whose bits or values most conditions ask about.
  private func key(_ packet: PacketProgram, _ range: Range<Int>) -> PacketKey? {
    guard packet.recordForm == nil else { return nil }
    var best: PacketKey?
    var most = 1
    var offset = 0
    for index in packet.steps {
      let step = parts.steps[index]
      guard step.condition == nil, step.offset == nil, case .fixed(let count) = step.amount else { break }
      let instruction = range.first {
        code[$0].operation.link == index && code[$0].lowest <= code[$0].highest && code[$0].reads(step)
      }
      if let instruction, step.form.counterBits != nil, step.form.width <= 4 {
        let uses = range.count { code[$0].asks(about: step.register) }
        if uses > most {
          most = uses
          best = PacketKey(form: step.form, offset: offset, instruction: instruction)
        }
      }
      offset += step.content == .number || step.content == .list ? count * step.form.width : count
    }
    return best
  }
}

extension Code {
  /// Whether nothing is computed.
  var isName: Bool { start == end }
}

extension Instruction {
  fileprivate func reads(_ step: FieldStep) -> Bool {
    switch operation.name {
    case .readU8, .readI8, .readU16, .readI16, .readU32, .readNumber: operation.target == step.register
    default: false
    }
  }

  fileprivate func asks(about register: UInt8) -> Bool {
    switch operation.name {
    case .unlessSet, .unlessClear, .bits: operation.a == register && operation.side != .first
    case .equal, .unequal: operation.a == register && operation.side == .second
    default: false
    }
  }
}

// MARK: Publishing

extension PacketLinker {
  private mutating func linkRecord(_ index: Int) {
    let publication = parts.publications[index]
    linkForm(publication.form)
    var condition: [Int] = []
    if let when = publication.when {
      condition = unless(when)
      append(.begin)
    }
    for index in publication.fields {
      let published = parts.publishedFields[index]
      let fieldCondition = published.condition.map { unless($0) } ?? []
      switch published.content {
      case .number(let expression): linkNumber(expression)
      case .flag(let expression): append(.publishFlag, a: run(expression))
      case .word(let expression, _): append(.publishWord, a: run(expression), link: index)
      case .numbers(let list): append(.publishNumbers, a: run(list.count), link: index)
      case .text(let expression): append(.publishText, a: run(expression), link: index)
      case .bitWords, .words, .objects: append(.publish, link: index)
      }
      code[code.count - 1].field = published.field
      continueHere(fieldCondition)
    }
    continueHere(condition)
  }

  /// The first record begins with the end of the checks.
  private mutating func linkForm(_ form: Publication.Form) {
    if code.last?.operation.name != .finish { append(.record) }
    let last = code.count - 1
    switch form {
    case .sample(let kind):
      code[last].operation.c = RecordCode.sample
      code[last].field = Field(kind.name)
    case .event(let name):
      code[last].operation.c = RecordCode.event
      code[last].field = Field(name)
    case .answer: code[last].operation.c = RecordCode.answer
    case .fact: code[last].operation.c = RecordCode.fact
    }
  }

  /// The last operation is one with the publication if it has a constant.
  private mutating func linkNumber(_ expression: Code) {
    let operations = operations(of: expression)
    guard let last = operations.last, last.side == .second, let name = Self.publication(of: last.name) else {
      return append(.publishNumber, a: run(expression))
    }
    code += operations.dropLast().map { Instruction($0) }
    append(name, a: last.a)
    code[code.count - 1].operation.constant = last.name == .subtract ? -last.constant : last.constant
  }

  private static func publication(of name: Operation.Name) -> Operation.Name? {
    switch name {
    case .add, .subtract: .publishSum
    case .multiply: .publishProduct
    case .divide: .publishQuotient
    default: nil
    }
  }
}
