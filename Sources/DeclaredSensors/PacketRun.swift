// Runs the instructions of one packet. A packet that is refused changes nothing, because counters,
// kept values and records come after the last check.

internal import SensorKit

struct PacketRun {
  /// Where the next field begins.
  private var cursor = ByteCursor()
  /// The first check that failed.
  private var failure: DecodeError?
  /// The form and the name of the current record.
  private var form = RecordCode.fact
  private var name = Field("")
  private var isOpen = false
  private(set) var hasAnswer = false
  /// The number of `Once`.
  private var once = Double.nan

  /// Reads and checks the fields, then counts and publishes. A frequent operation is here, because a call
  /// of `conclude` takes longer.
  mutating func run(
    _ instructions: [Instruction], from start: Int, of program: SensorProgram, _ bytes: Span<UInt8>,
    at time: MonotonicTime, _ registers: inout Registers, _ memory: inout SensorMemory, into batch: inout Batch
  ) throws(DecodeError) {
    var next = start
    while true {
      let index = next
      let operation = instructions[index].operation
      next += 1
      switch operation.name {
      case .end: return
      case .goOn: next = Int(operation.link)
      case .ifHolds: if registers.holds(operation.a) { next = Int(operation.link) }
      case .unless: if !registers.holds(operation.a) { next = Int(operation.link) }
      case .ifKnown: if !registers[operation.a].isNaN { next = Int(operation.link) }
      case .unlessKnown: if registers[operation.a].isNaN { next = Int(operation.link) }
      case .unlessSet: if registers.bit(operation.c, of: operation.a) != 1 { next = Int(operation.link) }
      case .unlessClear: if registers.bit(operation.c, of: operation.a) != 0 { next = Int(operation.link) }
      case .readU8, .readI8, .readU16, .readI16, .readU32, .readNumber:
        store(try number(operation, program, bytes), instructions, index, operation, program, &registers)
      case .unknown: if registers[operation.target] == operation.constant { registers[operation.target] = .nan }
      case .readList: try readList(operation, bytes, &registers)
      case .readBytes: try readBytes(operation, bytes, &registers)
      case .skip: _ = try cursor.skip(Int(operation.c), in: bytes)
      case .refuseRest: try refuseRest(bytes)
      case .requireChecks: if let failure { throw failure }
      case .finish:
        try refuseRest(bytes)
        if let failure { throw failure }
        (form, name) = (operation.c, instructions[index].field)
      case .record: (form, name, isOpen) = (operation.c, instructions[index].field, false)
      case .begin: if form != RecordCode.fact { open(&batch) }
      case .publishNumber, .publishSum, .publishProduct, .publishQuotient:
        publish(published(operation, registers), instructions, index, &batch)
      case .publishFlag: publishFlag(registers.first(of: operation), instructions, index, &batch)
      case .publishNumbers: publishNumbers(operation, program, bytes, &registers, &batch)
      case .publishRow: publishRow(Int(operation.link), instructions, index, program, &batch)
      case .readCounter: readCounter(operation, at: time, &registers, &memory)
      case .commit: if batch.overflowed { throw Self.undone(operation, program, bytes, &registers, &memory) }
      case .rest: memory.rest(operation.c != 0)
      case .endReading: SensorMemory.endReading(operation.a, &registers)
      case .add: registers.set(operation) { Registers.finite($0 + $1) }
      case .multiply: registers.set(operation) { Registers.finite($0 * $1) }
      case .divide: registers.set(operation) { Registers.finite($0 / $1) }
      case .coalesce: registers.set(operation) { $0.isNaN ? $1 : $0 }
      case .bits: registers.set(operation) { one, _ in Registers.bits(one, from: operation.c, operation.constant) }
      case .equal: registers.set(operation) { Registers.flag($0, $1, $0 == $1) }
      case .unequal: registers.set(operation) { Registers.flag($0, $1, $0 != $1) }
      case .greater: registers.set(operation) { Registers.flag($0, $1, $0 > $1) }
      case .count: registers.set(operation) { one, _ in one.isNaN ? .nan : Double(ByteRange(one).count) }
      case .once: if isRepeated(operation, program, bytes, &registers, memory) { return }
      default: try conclude(instructions, index, program, bytes, at: time, &registers, &memory, &batch)
      }
    }
  }
}

// MARK: Consequences

extension PacketRun {
  /// Runs any other instruction.
  @inline(never)
  private mutating func conclude(
    _ instructions: [Instruction], _ index: Int, _ program: SensorProgram, _ bytes: Span<UInt8>,
    at time: MonotonicTime, _ registers: inout Registers, _ memory: inout SensorMemory, _ batch: inout Batch
  ) throws(DecodeError) {
    let operation = instructions[index].operation
    let link = Int(operation.link)
    switch operation.name {
    case .computeCounter: memory.count(link, program, bytes, at: time, &registers)
    case .missCounter: SensorMemory.missCount(Int(operation.target), &registers)
    case .remember: memory.remember(link, once: once)
    case .keep: registers.keep(program.kept[link], of: program, bytes)
    case .readField, .goTo, .readRecords: try readOther(operation, program, bytes, &registers)
    case .refuse: if registers.holds(operation.a) { throw Self.refusal(operation, program) }
    case .publishText: publishText(registers[operation.a], link, program, bytes, registers, &batch)
    case .publishWord: publishWord(registers[operation.a], link, program, &batch)
    case .publish: publishOther(link, program, bytes, &registers, &batch)
    default: registers.execute(operation, program, bytes)
    }
  }

  @inline(__always)
  private func readCounter(
    _ operation: Operation, at time: MonotonicTime, _ registers: inout Registers, _ memory: inout SensorMemory
  ) {
    memory.count(
      Int(operation.target), registers[operation.a], registers[operation.b],
      operation.side == .second ? operation.constant : registers[operation.c], at: time, &registers)
  }

  /// The records do not fit.
  @inline(never)
  private static func undone(
    _ operation: Operation, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers,
    _ memory: inout SensorMemory
  ) -> DecodeError {
    memory.uncount(Int(operation.link), program, &registers)
    return DecodeError(.outOfRange, at: bytes.count)
  }

  /// Whether the packet before had the same number of `Once`.
  private mutating func isRepeated(
    _ operation: Operation, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers,
    _ memory: SensorMemory
  ) -> Bool {
    once = program.once(Int(operation.link), bytes, &registers)
    return memory.isRepeated(Int(operation.link), once)
  }
}

// MARK: Reading

extension PacketRun {
  @inline(__always)
  private mutating func number(
    _ operation: Operation, _ program: SensorProgram, _ bytes: Span<UInt8>
  ) throws(DecodeError) -> Double {
    switch operation.name {
    case .readU8: Double(try cursor.uint8(bytes))
    case .readI8: Double(try cursor.int8(bytes))
    case .readU16: Double(try cursor.uint16(bytes))
    case .readI16: Double(try cursor.int16(bytes))
    case .readU32: Double(try cursor.uint32(bytes))
    default: try readNumber(operation, program, bytes)
    }
  }

  /// An unknown number passes every check.
  @inline(__always)
  private mutating func store(
    _ number: Double, _ instructions: [Instruction], _ index: Int, _ operation: Operation, _ program: SensorProgram,
    _ registers: inout Registers
  ) {
    let isUnknown = number == operation.constant
    registers[operation.target] = isUnknown ? .nan : number
    if number < instructions[index].lowest || number > instructions[index].highest, !isUnknown {
      fail(Int(operation.link), program)
    }
  }

  /// The field that was read last is out of its bounds.
  @inline(never)
  private mutating func fail(_ index: Int, _ program: SensorProgram) {
    guard failure == nil else { return }
    let step = program.steps[index]
    guard let check = step.check else { return }
    failure = DecodeError(program.checks[check].boundsFailure, at: cursor.offset - step.form.width)
  }

  @inline(never)
  private mutating func readNumber(
    _ operation: Operation, _ program: SensorProgram, _ bytes: Span<UInt8>
  ) throws(DecodeError) -> Double {
    let form = program.steps[Int(operation.link)].form
    return form.read(bytes, at: try cursor.skip(form.width, in: bytes))
  }

  private mutating func readList(
    _ operation: Operation, _ bytes: Span<UInt8>, _ registers: inout Registers
  ) throws(DecodeError) {
    let start = cursor.offset
    let left = bytes.count - start
    let count = left >> Int(operation.c & 7)
    guard count << Int(operation.c & 7) == left else {
      throw DecodeError(.truncated, at: start + count << Int(operation.c & 7))
    }
    cursor = ByteCursor(at: bytes.count)
    registers[operation.target] = ByteRange(start: start, count: count, step: Int(operation.link)).value
  }

  @inline(__always)
  private mutating func readBytes(
    _ operation: Operation, _ bytes: Span<UInt8>, _ registers: inout Registers
  ) throws(DecodeError) {
    let start = try cursor.skip(Int(operation.c), in: bytes)
    registers[operation.target] = ByteRange(start: start, count: Int(operation.c), step: Int(operation.link)).value
  }

  @inline(never)
  private mutating func readOther(
    _ operation: Operation, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers
  ) throws(DecodeError) {
    var fields = FieldReading(at: cursor.offset, bytes.count, failure)
    let link = Int(operation.link)
    switch operation.name {
    case .goTo: if let offset = program.steps[link].offset { try fields.go(to: offset, bytes.count) }
    case .readRecords:
      if let form = program.packets[link].recordForm {
        try fields.readRecords(form, program.packets[link].records, program, bytes, &registers)
      }
    default: try fields.readField(link, program, bytes, &registers)
    }
    cursor = ByteCursor(at: fields.cursor)
    failure = fields.failure
  }

  @inline(__always)
  private func refuseRest(_ bytes: Span<UInt8>) throws(DecodeError) {
    if cursor.offset < bytes.count { throw DecodeError(.trailingBytes, at: cursor.offset) }
  }

  @inline(never)
  private static func refusal(_ operation: Operation, _ program: SensorProgram) -> DecodeError {
    let rule = program.refusals[Int(operation.link)]
    return DecodeError(rule.reason, at: rule.offset)
  }
}

// MARK: Publishing

extension PacketRun {
  @inline(__always)
  private mutating func open(_ batch: inout Batch) {
    if !isOpen { begin(&batch) }
  }

  /// Facts begin with each field.
  @inline(never)
  private mutating func begin(_ batch: inout Batch) {
    switch form {
    case RecordCode.sample: batch.sample(SampleKind(name.name))
    case RecordCode.event: batch.event(name.name)
    case RecordCode.answer:
      batch.answer()
      hasAnswer = true
    default: return batch.fact()
    }
    isOpen = true
  }

  @inline(__always)
  private func published(_ operation: Operation, _ registers: Registers) -> Double {
    switch operation.name {
    case .publishSum: Registers.finite(registers[operation.a] + operation.constant)
    case .publishProduct: Registers.finite(registers[operation.a] * operation.constant)
    case .publishQuotient: Registers.finite(registers[operation.a] / operation.constant)
    default: registers[operation.a]
    }
  }

  @inline(__always)
  private mutating func publishRow(
    _ row: Int, _ instructions: [Instruction], _ index: Int, _ program: SensorProgram, _ batch: inout Batch
  ) {
    open(&batch)
    batch.set(instructions[index].field, program.tableRows[row].word)
  }

  @inline(__always)
  private mutating func publish(
    _ number: Double, _ instructions: [Instruction], _ index: Int, _ batch: inout Batch
  ) {
    if number.isNaN { return }
    open(&batch)
    batch.set(instructions[index].field, number)
  }

  @inline(__always)
  private mutating func publishFlag(
    _ flag: Double, _ instructions: [Instruction], _ index: Int, _ batch: inout Batch
  ) {
    if flag.isNaN { return }
    open(&batch)
    batch.set(instructions[index].field, flag != 0)
  }

  private mutating func publishNumbers(
    _ operation: Operation, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers,
    _ batch: inout Batch
  ) {
    let count = registers.first(of: operation)
    if count.isNaN { return }
    open(&batch)
    if count == 0 { return batch.beginNumbers(program.publishedFields[Int(operation.link)].field, inGroupsOf: 1) }
    RecordWriter().writeNumbers(Int(operation.link), Int(count), program, bytes, &registers, &batch)
  }

  @inline(never)
  private mutating func publishWord(
    _ number: Double, _ index: Int, _ program: SensorProgram, _ batch: inout Batch
  ) {
    guard case .word(_, let rows) = program.publishedFields[index].content,
      let row = program.row(number, rows)
    else { return }
    open(&batch)
    batch.set(program.publishedFields[index].field, program.tableRows[row].word)
  }

  @inline(__always)
  private mutating func publishText(
    _ value: Double, _ index: Int, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: Registers,
    _ batch: inout Batch
  ) {
    if value.isNaN { return }
    open(&batch)
    RecordWriter().writeText(program.publishedFields[index].field, value, program, bytes, registers, &batch)
  }

  private mutating func publishOther(
    _ index: Int, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers, _ batch: inout Batch
  ) {
    RecordWriter().publish(index, program, bytes, &registers, &batch) { open(&$0) }
  }
}
