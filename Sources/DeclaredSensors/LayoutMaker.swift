// Makes the layout of a packet for one value of its key: runs its instructions as far as they depend
// on the key alone, and copies the others. Fields that are not there are unknown, so whatever is made
// of them is left out.

internal import SensorKit

struct LayoutMaker {
  private let program: SensorProgram
  private let packet: Int
  /// How many instructions there may be in all.
  private var limit = 0
  private(set) var isTooLong = false
  /// The values of registers that are known.
  private var values = Registers()
  private var isKnown = RegisterSet()
  /// The register is known, but does not have its value when the layout runs.
  private var isMissing = RegisterSet()
  /// Branches whose target has not come.
  private var branches = InlineArray<16, Branch>(repeating: Branch())
  private var branchCount = 0
  /// The record that begins before the next field.
  private var record: Instruction?
  /// Where a branch came last; the instructions before and after it cannot be one.
  private var lastTarget = 0
  /// Where the operations of the current expression begin.
  private var expression = 0
  /// Whether a check may have failed.
  private var mayFail = false
  /// The field that a temporary register would be a copy of.
  private var copies = InlineArray<256, UInt8>(repeating: Self.none)
  private static let none: UInt8 = 255

  private struct Branch {
    var instruction = 0
    var target = 0
  }

  init(_ program: SensorProgram, _ packet: Int) {
    self.program = program
    self.packet = packet
    for register in program.packetCodes[packet].registers {
      isKnown[UInt8(register)] = true
      isMissing[UInt8(register)] = true
    }
    // Rates and differences are only known within a packet.
    for counter in program.counters.indices {
      let first = RegisterMap.registers(ofCounter: counter).lowerBound
      isKnown[first] = true
      isKnown[first + 1] = true
    }
  }

  /// Appends the layout to others. Returns false if the packet has none.
  mutating func make(_ key: Double, into code: inout [Instruction], most: Int) -> Bool {
    limit = most
    let source = program.packetCodes[packet]
    guard let reading = program.packetKeys[packet]?.instruction else { return false }
    var next = Int(source.start)
    expression = code.count
    while next < program.code.count, !isTooLong {
      land(at: next, in: &code)
      let instruction = program.code[next]
      if next == reading {
        takeStep(instruction, into: &code)
        expression = code.count
        learn(instruction.operation, key)
        next += 1
        continue
      }
      if instruction.operation.name == .end {
        copy(instruction, into: &code)
        return !isTooLong
      }
      guard let following = take(instruction, at: next, into: &code) else { return false }
      next = following
    }
    return false
  }
}

// MARK: The layout

extension LayoutMaker {
  private mutating func copy(_ instruction: Instruction, into code: inout [Instruction]) {
    guard code.count < limit else {
      isTooLong = true
      return
    }
    code.append(instruction)
  }

  /// Branches to this instruction go on here.
  private mutating func land(at index: Int, in code: inout [Instruction]) {
    var left = 0
    for place in 0..<branchCount {
      let branch = branches[place]
      if branch.target == index, code.indices.contains(branch.instruction) {
        code[branch.instruction].operation.link = UInt16(code.count)
        lastTarget = code.count
      } else {
        branches[left] = branch
        left += 1
      }
    }
    branchCount = left
  }

  /// The next instruction after a jump that is certain. Nil if another branch ends between.
  private func jump(from index: Int, to target: Int) -> Int? {
    for place in 0..<branchCount where branches[place].target > index && branches[place].target < target {
      return nil
    }
    return target
  }

  private mutating func copyBranch(_ instruction: Instruction, at index: Int, into code: inout [Instruction]) -> Int? {
    beginRecord(into: &code)
    let target = Int(instruction.operation.link)
    var instruction = instruction
    if instruction.operation.name != .goOn { instruction.operation.a = use(instruction.operation.a, into: &code) }
    // Registers that are only written on one of the ways need their values on the other.
    for place in index + 1..<max(target, index + 1) {
      let register = program.code[place].operation.target
      if RegisterMap.names.contains(Int(register)) { restore(register, into: &code) }
    }
    guard branchCount < branches.count else { return nil }
    branches[branchCount] = Branch(instruction: code.count, target: target)
    branchCount += 1
    copy(instruction, into: &code)
    expression = code.count
    return index + 1
  }

  /// The first record begins with the end of the checks.
  private mutating func beginRecord(into code: inout [Instruction]) {
    guard let record else { return }
    self.record = nil
    let last = expression - 1
    if last >= 0, lastTarget <= last, code[last].operation.name == .finish {
      code[last].operation.c = record.operation.c
      code[last].field = record.field
    } else {
      insert(record, into: &code)
    }
  }

  /// Inserts an instruction before the operations of the current expression.
  private mutating func insert(_ instruction: Instruction, into code: inout [Instruction]) {
    copy(instruction, into: &code)
    guard !isTooLong else { return }
    var index = code.count - 1
    while index > expression {
      code.swapAt(index, index - 1)
      index -= 1
    }
    expression += 1
  }

  /// Checks are judged and the rest is refused with one instruction, which ends reading.
  private mutating func requireChecks(_ instruction: Instruction, into code: inout [Instruction]) {
    let last = code.count - 1
    if last >= 0, lastTarget <= last, code[last].operation.name == .refuseRest,
      program.packets[packet].refusals.isEmpty
    {
      code[last].operation.name = .finish
      code[last].operation.c = RecordCode.fact
    } else if mayFail {
      copy(instruction, into: &code)
    }
  }
}

// MARK: Registers

extension LayoutMaker {
  private mutating func learn(_ operation: Operation, _ value: Double) {
    values[operation.target] = value == operation.constant ? .nan : value
    isKnown[operation.target] = true
    isMissing[operation.target] = false
  }

  /// The register has its value, which no instruction sets.
  private mutating func learn(_ register: UInt8) {
    isKnown[register] = true
    isMissing[register] = true
  }

  private mutating func forget(_ register: UInt8) {
    isKnown[register] = false
    isMissing[register] = false
    copies[Int(register)] = Self.none
  }

  private func original(_ register: UInt8) -> UInt8 {
    isKnown[register] || copies[Int(register)] == Self.none ? register : copies[Int(register)]
  }

  /// The register of an expression's value. Operations that it does not need are dropped.
  private mutating func use(_ result: UInt8, into code: inout [Instruction]) -> UInt8 {
    let register = original(result)
    restore(register, into: &code)
    var needed = RegisterSet()
    needed[register] = true
    var index = code.count
    while index > expression {
      index -= 1
      let operation = code[index].operation
      guard RegisterMap.temporaries.contains(Int(operation.target)) else { continue }
      guard needed[operation.target] else {
        code.remove(at: index)
        continue
      }
      needed[operation.target] = false
      let operands = operation.operands
      for place in 0..<operands.count { needed[operands[place]] = true }
    }
    return register
  }

  private func isUnknown(_ register: UInt8) -> Bool { isKnown[register] && values[register].isNaN }

  /// Gives a register its value before an instruction that reads it.
  private mutating func restore(_ register: UInt8, into code: inout [Instruction]) {
    guard isMissing[register] else { return }
    var constant = Instruction(.constant, into: register)
    constant.operation.constant = values[register]
    copy(constant, into: &code)
    // After a branch it may not have been restored.
    if branchCount == 0 { isMissing[register] = false }
  }

  private mutating func restore(_ expression: Code?, into code: inout [Instruction]) {
    guard let expression else { return }
    for index in Int(expression.start)..<Int(expression.end) {
      let operands = program.operations[index].operands
      for place in 0..<operands.count where RegisterMap.names.contains(Int(operands[place])) {
        restore(operands[place], into: &code)
      }
    }
    if expression.isName { restore(expression.result, into: &code) }
  }

  private mutating func restoreFields(into code: inout [Instruction]) {
    for register in program.packetCodes[packet].registers { restore(UInt8(register), into: &code) }
  }
}

// MARK: Instructions

extension LayoutMaker {
  /// Returns the next instruction. Nil if there can be no layout.
  private mutating func take(_ instruction: Instruction, at index: Int, into code: inout [Instruction]) -> Int? {
    switch instruction.operation.name {
    case .goOn: return goOn(to: Int(instruction.operation.link), at: index, into: &code)
    case .unless, .unlessSet, .unlessClear, .unlessKnown, .ifHolds, .ifKnown:
      guard isKnown[instruction.operation.a] else { return copyBranch(instruction, at: index, into: &code) }
      return values.goesOn(instruction.operation)
        ? goOn(to: Int(instruction.operation.link), at: index, into: &code) : index + 1
    case .readRecords: return nil
    default: break
    }
    if instruction.operation.operandCount != nil {
      compute(instruction, into: &code)
    } else {
      takeStep(instruction, into: &code)
      expression = code.count
    }
    return index + 1
  }

  private mutating func takeStep(_ instruction: Instruction, into code: inout [Instruction]) {
    let operation = instruction.operation
    switch operation.name {
    case .readU8, .readI8, .readU16, .readI16, .readU32, .readNumber, .readList, .readBytes:
      if instruction.lowest > -.infinity || instruction.highest < .infinity { mayFail = true }
      copy(instruction, into: &code)
      forget(operation.target)
    case .readField: takeField(instruction, into: &code)
    case .unknown:
      copy(instruction, into: &code)
      if isKnown[operation.target], values[operation.target] == operation.constant { values[operation.target] = .nan }
    case .requireChecks: requireChecks(instruction, into: &code)
    case .finish:
      record = nil
      copy(instruction, into: &code)
    case .refuse:
      if isKnown[operation.a], !Registers.isTrue(values[operation.a]) { break }
      copyUsing(instruction, into: &code)
    case .once:
      restore(program.packets[packet].once, into: &code)
      copy(instruction, into: &code)
    case .readCounter, .computeCounter: takeCounter(instruction, into: &code)
    case .record: record = instruction
    case .begin:
      beginRecord(into: &code)
      copy(instruction, into: &code)
    case .publishNumber, .publishSum, .publishProduct, .publishQuotient, .publishFlag, .publishText, .publishWord,
      .publishNumbers, .publish:
      takePublication(instruction, into: &code)
    case .keep:
      if !isUnknown(operation.a) { copyUsing(instruction, into: &code) }
    case .endReading:
      if !isUnknown(operation.a) || !isUnknown(operation.a + 1) { copy(instruction, into: &code) }
    default: copy(instruction, into: &code)
    }
  }

  private mutating func goOn(to target: Int, at index: Int, into code: inout [Instruction]) -> Int? {
    if let next = jump(from: index, to: target) { return next }
    return copyBranch(Instruction(.goOn, link: target), at: index, into: &code)
  }

  private mutating func copyUsing(_ instruction: Instruction, into code: inout [Instruction]) {
    var instruction = instruction
    instruction.operation.a = use(instruction.operation.a, into: &code)
    copy(instruction, into: &code)
  }

  private mutating func compute(_ instruction: Instruction, into code: inout [Instruction]) {
    let operation = instruction.operation
    let operands = operation.operands
    var isConstant = operation.name != .byte && operation.name != .item
    for place in 0..<operands.count where !isKnown[operands[place]] { isConstant = false }
    if isConstant {
      let noPacket: [UInt8] = []
      values.execute(operation, program, noPacket.span)
      learn(operation.target)
    } else if operation.name == .select, isKnown[operation.a] {
      choose(operation, into: &code)
    } else {
      var instruction = instruction
      if operation.side != .first { instruction.operation.a = original(operation.a) }
      if operation.side != .second { instruction.operation.b = original(operation.b) }
      if operation.name == .select || operation.name == .selectKnown { instruction.operation.c = original(operation.c) }
      for place in 0..<operands.count { restore(operands[place], into: &code) }
      copy(instruction, into: &code)
      forget(operation.target)
    }
  }

  /// A choice that is certain is one of its values.
  private mutating func choose(_ operation: Operation, into code: inout [Instruction]) {
    let test = values[operation.a]
    let value = original(test != 0 ? operation.b : operation.c)
    if test.isNaN || isKnown[value] {
      values[operation.target] = test.isNaN ? .nan : values[value]
      return learn(operation.target)
    }
    forget(operation.target)
    if RegisterMap.temporaries.contains(Int(value)) {
      for index in (expression..<code.count).reversed() where code[index].operation.target == value {
        code[index].operation.target = operation.target
        break
      }
    } else {
      copies[Int(operation.target)] = value
    }
  }

  private mutating func takeField(_ instruction: Instruction, into code: inout [Instruction]) {
    let step = program.steps[Int(instruction.operation.link)]
    if case .computed(let count) = step.amount { restore(count, into: &code) }
    if step.content == .group { restoreFields(into: &code) }
    copy(instruction, into: &code)
    if step.hasRegister { forget(step.register) }
    mayFail = true
  }

  private mutating func takeCounter(_ instruction: Instruction, into code: inout [Instruction]) {
    let operation = instruction.operation
    let reading = program.readings[Int(operation.link)]
    let own = RegisterMap.registers(ofCounter: reading.counter)
    if operation.name == .readCounter, isUnknown(operation.a) || isUnknown(operation.b) {
      values[own.lowerBound + 3] = .nan
      isKnown[own.lowerBound + 3] = true
      return copy(Instruction(.missCounter, into: operation.target), into: &code)
    }
    restore(reading.count, into: &code)
    restore(reading.clock, into: &code)
    restore(reading.unit, into: &code)
    var instruction = instruction
    if operation.name == .readCounter, operation.side != .second {
      instruction.operation.c = use(operation.c, into: &code)
    }
    copy(instruction, into: &code)
    for register in own { forget(register) }
  }

  private mutating func takePublication(_ instruction: Instruction, into code: inout [Instruction]) {
    let operation = instruction.operation
    let content = program.publishedFields[Int(operation.link)].content
    switch (operation.name, content) {
    case (.publish, .bitWords(let value, _)):
      if value.isName, isUnknown(value.result) { return }
      beginRecord(into: &code)
      restore(value, into: &code)
      copy(instruction, into: &code)
    case (.publish, .words(let list, _)):
      if isEmpty(list) { return }
      beginRecord(into: &code)
      restore(list.count, into: &code)
      restore(list.item, into: &code)
      copy(instruction, into: &code)
    case (.publish, _):
      beginRecord(into: &code)
      restoreFields(into: &code)
      copy(instruction, into: &code)
    default:
      if isUnknown(operation.a) { return }
      beginRecord(into: &code)
      if case .numbers(let list) = content, operation.name == .publishNumbers,
        values[operation.a] != 0 || !isKnown[operation.a]
      {
        restore(list.item, into: &code)
      }
      publish(instruction, content, into: &code)
    }
  }

  /// Publishes a register. A word or a flag that is known is one instruction.
  private mutating func publish(
    _ instruction: Instruction, _ content: PublishedField.Content, into code: inout [Instruction]
  ) {
    let operation = instruction.operation
    guard isKnown[operation.a] else { return copyUsing(instruction, into: &code) }
    var instruction = instruction
    switch (operation.name, content) {
    case (.publishWord, .word(_, let rows)):
      guard let row = program.row(values[operation.a], rows) else { return }
      instruction.operation.name = .publishRow
      instruction.operation.link = UInt16(row)
      copy(instruction, into: &code)
    case (.publishFlag, _), (.publishNumbers, _):
      instruction.operation.side = .second
      instruction.operation.constant = values[operation.a]
      copy(instruction, into: &code)
    default: copyUsing(instruction, into: &code)
    }
  }

  /// Whether a list is only that of a field that is not there.
  private func isEmpty(_ list: ListCode) -> Bool {
    let operations = program.operations[Int(list.count.start)..<Int(list.count.end)]
    guard let first = operations.first, operations.count == 1, first.name == .count else { return false }
    return isUnknown(first.a)
  }
}
