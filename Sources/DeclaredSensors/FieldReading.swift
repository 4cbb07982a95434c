// Reads the fields of a packet into registers. Everything is read first. The first check that fails
// is remembered until the whole packet has been read.

internal import SensorKit

struct FieldReading {
  private(set) var cursor: Int
  /// Where the packet or the record ends.
  private var limit: Int
  /// The first check that failed.
  private(set) var failure: DecodeError?

  static let mostGroupItems = 16
  private static let mostRecords = 64

  init(at start: Int, _ length: Int, _ failure: DecodeError? = nil) {
    cursor = start
    limit = length
    self.failure = failure
  }

  /// Reads a field whose condition holds, at its place.
  mutating func readField(
    _ index: Int, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers
  ) throws(DecodeError) {
    let step = program.steps[index]
    if step.content == .number {
      try readNumber(step, program, bytes, &registers)
    } else {
      try readOther(step, index, program, bytes, &registers)
    }
  }

  mutating func read(
    _ steps: Range<Int>, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers
  ) throws(DecodeError) {
    for index in steps {
      let step = program.steps[index]
      if let condition = step.condition, !registers.holds(condition, program, bytes) { continue }
      if let offset = step.offset { try go(to: offset, bytes.count) }
      try readField(index, program, bytes, &registers)
    }
  }

  mutating func go(to offset: Int, _ length: Int) throws(DecodeError) {
    let start = offset < 0 ? length + offset : offset
    guard start >= 0 else { throw DecodeError(.truncated, at: 0) }
    guard start <= length else { throw DecodeError(.truncated, at: start) }
    cursor = start
  }

  /// A field that does not fit is refused at its first byte.
  @inline(__always)
  private func require(_ count: Int) throws(DecodeError) {
    guard count <= limit - cursor else { throw DecodeError(.truncated, at: cursor) }
  }

  private mutating func fail(_ reason: DecodeError.Reason, at offset: Int, _ check: FieldCheck?) {
    guard failure == nil else { return }
    failure = DecodeError(check?.reason ?? reason, at: offset)
  }
}

// MARK: Numbers

extension FieldReading {
  @inline(__always)
  private mutating func readNumber(
    _ step: FieldStep, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers
  ) throws(DecodeError) {
    let width = step.form.width
    try require(width)
    var number = step.form.read(bytes, at: cursor)
    if let index = step.check { check(program.checks[index], step, &number, program, bytes) }
    registers[step.register] = number
    cursor += width
  }

  private mutating func check(
    _ check: FieldCheck, _ step: FieldStep, _ number: inout Double, _ program: SensorProgram, _ bytes: Span<UInt8>
  ) {
    switch check.comparison {
    case .number(let expected) where number != expected: fail(.notThisProtocol, at: cursor, check)
    case .exclusiveOr:
      if number != Double(Self.exclusiveOr(bytes, cursor)) { fail(.notThisProtocol, at: cursor, check) }
    case .sum:
      if number != Self.sum(bytes, cursor, step.form) { fail(.notThisProtocol, at: cursor, check) }
    default: break
    }
    for index in check.unknown where program.numbers[index] == number { number = .nan }
    if !number.isNaN, let reason = Self.failure(check, number, program) { fail(reason, at: cursor, check) }
  }

  private static func failure(
    _ check: FieldCheck, _ number: Double, _ program: SensorProgram
  ) -> DecodeError.Reason? {
    if number < check.lowest || number > check.highest { return .outOfRange }
    guard !check.alternatives.isEmpty else { return nil }
    for index in check.alternatives where program.numbers[index] == number { return nil }
    return .reservedValue
  }

  /// Of all bytes before the check.
  private static func exclusiveOr(_ bytes: Span<UInt8>, _ end: Int) -> UInt8 {
    var result: UInt8 = 0
    for index in 0..<end { result ^= bytes[index] }
    return result
  }

  /// Of all bytes before the check, as the field would have it.
  private static func sum(_ bytes: Span<UInt8>, _ end: Int, _ form: NumberForm) -> Double {
    var sum: UInt64 = 0
    for index in 0..<end { sum += UInt64(bytes[index]) }
    let unused = UInt64(64 - 8 * form.width)
    let bits = sum << unused
    return form.isSigned ? Double(Int64(bitPattern: bits) >> Int64(unused)) : Double(bits >> unused)
  }
}

// MARK: Everything else

extension FieldReading {
  private mutating func readOther(
    _ step: FieldStep, _ index: Int, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers
  ) throws(DecodeError) {
    let check = step.check.map { program.checks[$0] }
    switch step.content {
    case .number: break
    case .list: try readList(step, index, check, program, bytes, &registers)
    case .group: try readGroup(step, index, check, program, bytes, &registers)
    case .skip, .bytes, .hex, .text, .address, .date:
      let count = amount(of: step, limit - cursor, program, bytes, &registers)
      try require(count)
      readBytes(step, index, count, check, program, bytes, &registers)
      cursor += count
    }
  }

  /// `available` is what is left, in units of the field.
  private func amount(
    of step: FieldStep, _ available: Int, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers
  ) -> Int {
    switch step.amount {
    case .fixed(let count): return count
    case .toEnd: return max(0, available)
    case .computed(let code):
      let count = registers.run(code, program, bytes)
      return count > 0 ? Int(min(count, 65_535)) : 0
    }
  }

  private mutating func readList(
    _ step: FieldStep, _ index: Int, _ check: FieldCheck?, _ program: SensorProgram, _ bytes: Span<UInt8>,
    _ registers: inout Registers
  ) throws(DecodeError) {
    let width = step.form.width
    let start = cursor
    let left = max(0, limit - start)
    let count = amount(of: step, (left + width - 1) / width, program, bytes, &registers)
    guard count * width <= left else { throw DecodeError(.truncated, at: start + left / width * width) }
    if step.by > 1, count % step.by != 0 { fail(.badLength, at: start, check) }
    if let check {
      for item in 0..<count {
        let number = step.form.read(bytes, at: start + item * width)
        guard !number.isNaN, let reason = Self.failure(check, number, program) else { continue }
        fail(reason, at: start, check)
        break
      }
    }
    registers[step.register] = ByteRange(start: start, count: count, step: index).value
    cursor = start + count * width
  }

  /// Reads all items to find their ends and their errors. They are read again to be published.
  private mutating func readGroup(
    _ step: FieldStep, _ index: Int, _ check: FieldCheck?, _ program: SensorProgram, _ bytes: Span<UInt8>,
    _ registers: inout Registers
  ) throws(DecodeError) {
    let start = cursor
    let group = program.groups[step.group]
    let wanted = amount(of: step, limit - cursor, program, bytes, &registers)
    let isToEnd = if case .toEnd = step.amount { true } else { false }
    var count = 0
    while isToEnd ? cursor < limit : count < wanted {
      registers.forget(group.registers)
      try read(group.steps, program, bytes, &registers)
      count += 1
    }
    registers.forget(group.registers)
    if count > Self.mostGroupItems { fail(.outOfRange, at: start, check) }
    registers[step.register] = ByteRange(start: start, count: count, step: index).value
  }

  private mutating func readBytes(
    _ step: FieldStep, _ index: Int, _ count: Int, _ check: FieldCheck?, _ program: SensorProgram,
    _ bytes: Span<UInt8>, _ registers: inout Registers
  ) {
    if let check { compare(check, count, program, bytes, registers[RegisterMap.sender]) }
    var length = count
    switch step.content {
    case .skip, .bytes: return
    case .text:
      if let place = Self.badEncoding(bytes.extracting(cursor..<cursor + count)) {
        fail(.badEncoding, at: cursor + place, check)
      }
      while length > 0, bytes[cursor + length - 1] == 0 { length -= 1 }
      registers[step.register] = length == 0 ? .nan : ByteRange(start: cursor, count: length, step: index).value
      return
    case .date:
      guard checkDate(bytes, check) else {
        registers[step.register] = .nan
        return
      }
    default: break
    }
    registers[step.register] = length == 0 ? .nan : ByteRange(start: cursor, count: length, step: index).value
  }

  private mutating func compare(
    _ check: FieldCheck, _ count: Int, _ program: SensorProgram, _ bytes: Span<UInt8>, _ sender: Double
  ) {
    switch check.comparison {
    case .bytes(let expected):
      for index in 0..<min(count, expected.count)
      where bytes[cursor + index] != program.bytes[expected.lowerBound + index] {
        return fail(.notThisProtocol, at: cursor + index, check)
      }
      if count != expected.count { fail(.notThisProtocol, at: cursor + min(count, expected.count), check) }
    case .sender:
      // Some captures have no addresses.
      if !sender.isNaN, NumberForm.u48.read(bytes, at: cursor) != sender { fail(.notThisProtocol, at: cursor, check) }
    default: break
    }
  }

  /// Where text stops being UTF-8.
  private static func badEncoding(_ text: Span<UInt8>) -> Int? {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: text)
      return nil
    } catch {
      return error.byteOffsets.lowerBound
    }
  }

  /// Returns whether year, month and day are known. A year before 1582 or after 9999, which Date Time does
  /// not have, is out of range like a month of 13.
  private mutating func checkDate(_ bytes: Span<UInt8>, _ check: FieldCheck?) -> Bool {
    var start = ByteCursor(at: cursor)
    do throws(DecodeError) {
      let date = try DateTime(bytes, &start)
      try date.check()
      return date.isKnown
    } catch {
      fail(error.reason, at: error.offset, check)
      return false
    }
  }
}

// MARK: Records

extension FieldReading {
  mutating func readRecords(
    _ form: RecordForm, _ records: Range<Int>, _ program: SensorProgram, _ bytes: Span<UInt8>,
    _ registers: inout Registers
  ) throws(DecodeError) {
    let end = limit
    var count = 0
    var isRead: UInt64 = 0
    while cursor < end {
      limit = end
      let start = cursor
      count += 1
      if count > Self.mostRecords { fail(.outOfRange, at: start, nil) }
      try require(form.number.width)
      let number = Int(form.number.read(bytes, at: cursor))
      cursor += form.number.width
      let index = Self.record(number, records, program)
      let known = index.map { program.records[$0].steps }
      if let index {
        // Of two records with one number the later counts, also without what only the first has.
        let bit: UInt64 = 1 << UInt64(index - records.lowerBound)
        if isRead & bit != 0 { Self.forget(program.records[index].steps, program, &registers) }
        isRead |= bit
      }
      guard form.hasLength else {
        guard let known else {
          cursor = start
          if form.stopsAtUnknown { return }
          throw DecodeError(.unknownFrame, at: start)
        }
        try read(known, program, bytes, &registers)
        continue
      }
      try require(1)
      let length = Int(bytes[cursor])
      cursor += 1
      let recordEnd = cursor + length
      limit = min(end, recordEnd)
      if let known { try read(known, program, bytes, &registers) }
      guard recordEnd <= end else { throw DecodeError(.truncated, at: cursor) }
      cursor = recordEnd
    }
    limit = end
  }

  private static func record(_ number: Int, _ records: Range<Int>, _ program: SensorProgram) -> Int? {
    for index in records where program.records[index].number == number { return index }
    return nil
  }

  private static func forget(_ steps: Range<Int>, _ program: SensorProgram, _ registers: inout Registers) {
    for index in steps where program.steps[index].hasRegister { registers[program.steps[index].register] = .nan }
  }
}
