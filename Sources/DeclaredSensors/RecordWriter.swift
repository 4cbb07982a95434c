// Publishes the records of a packet, with values from its registers.

internal import SensorKit

struct RecordWriter {
  /// The record of the current operations.
  private var publication = 0
  private var isOpen = false
  private(set) var hasAnswer = false

  /// Runs the operations of a packet that publish.
  mutating func run(
    _ start: Int, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers,
    into batch: inout Batch
  ) {
    var next = start
    while true {
      let operation = program.code[next]
      next += 1
      switch operation.name {
      case .end: return
      case .unless: if !registers.holds(operation.a) { next = Int(operation.link) }
      case .unlessSet: if registers.bit(operation.c, of: operation.a) != 1 { next = Int(operation.link) }
      case .unlessClear: if registers.bit(operation.c, of: operation.a) != 0 { next = Int(operation.link) }
      case .record:
        publication = Int(operation.link)
        isOpen = false
      case .begin: begin(program, &batch)
      case .publishNumber: publishNumber(registers[operation.a], operation, program, &batch)
      case .publishProduct:
        publishNumber(Registers.finite(registers[operation.a] * operation.constant), operation, program, &batch)
      case .publishQuotient:
        publishNumber(Registers.finite(registers[operation.a] / operation.constant), operation, program, &batch)
      case .publishFlag:
        let flag = registers[operation.a]
        if flag.isNaN { continue }
        open(program, &batch)
        batch.set(program.publishedFields[Int(operation.link)].field, flag != 0)
      case .publishWord: publishWord(registers[operation.a], Int(operation.link), program, &batch)
      case .publish: publish(program.publishedFields[Int(operation.link)], program, bytes, &registers, &batch)
      case .add: registers.set(operation) { Registers.finite($0 + $1) }
      case .subtract: registers.set(operation) { Registers.finite($0 - $1) }
      case .multiply: registers.set(operation) { Registers.finite($0 * $1) }
      case .divide: registers.set(operation) { Registers.finite($0 / $1) }
      case .known: registers.set(operation) { one, _ in one.isNaN ? 0 : 1 }
      case .bits: registers.set(operation) { one, _ in Registers.bits(one, from: operation.c, operation.constant) }
      case .coalesce: registers.set(operation) { $0.isNaN ? $1 : $0 }
      case .count: registers.set(operation) { one, _ in one.isNaN ? .nan : Double(ByteRange(one).count) }
      case .greater: registers.set(operation) { Registers.flag($0, $1, $0 > $1) }
      case .either:
        registers.set(operation) { Registers.isTrue($0) || Registers.isTrue($1) ? 1 : Registers.flag($0, $1, false) }
      default: registers.execute(operation, program, bytes)
      }
    }
  }

  /// Facts begin with each field.
  private mutating func begin(_ program: SensorProgram, _ batch: inout Batch) {
    switch program.publications[publication].form {
    case .sample(let kind): batch.sample(kind)
    case .event(let name): batch.event(name)
    case .answer:
      batch.answer()
      hasAnswer = true
    case .fact: return
    }
    isOpen = true
  }

  @inline(__always)
  private mutating func open(_ program: SensorProgram, _ batch: inout Batch) {
    if isOpen { return }
    if case .fact = program.publications[publication].form { batch.fact() } else { begin(program, &batch) }
  }

  @inline(__always)
  private mutating func publishNumber(
    _ number: Double, _ operation: Operation, _ program: SensorProgram, _ batch: inout Batch
  ) {
    if number.isNaN { return }
    open(program, &batch)
    batch.set(program.publishedFields[Int(operation.link)].field, number)
  }

  private mutating func publishWord(
    _ number: Double, _ index: Int, _ program: SensorProgram, _ batch: inout Batch
  ) {
    guard case .word(_, let rows) = program.publishedFields[index].content, let word = word(number, rows, program)
    else {
      return
    }
    open(program, &batch)
    batch.set(program.publishedFields[index].field, word)
  }

  @inline(never)
  private mutating func publish(
    _ published: PublishedField, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers,
    _ batch: inout Batch
  ) {
    if case .numbers(let list) = published.content {
      let count = registers.run(list.count, program, bytes)
      if count.isNaN { return }
      open(program, &batch)
      return writeNumbers(published.field, list, Int(count), program, bytes, &registers, &batch)
    }
    guard isKnown(published, program, bytes, &registers) else { return }
    open(program, &batch)
    writeKnown(published, program, bytes, &registers, &batch)
  }
}

// MARK: Fields

extension RecordWriter {
  private func isKnown(
    _ published: PublishedField, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers
  ) -> Bool {
    switch published.content {
    case .number(let code), .flag(let code), .text(let code), .bitWords(let code, _):
      !registers.run(code, program, bytes).isNaN
    case .word(let code, let rows): word(registers.run(code, program, bytes), rows, program) != nil
    case .words(let list, _), .numbers(let list): !registers.run(list.count, program, bytes).isNaN
    case .objects(let register, _): !registers[register].isNaN
    }
  }

  /// Also for the fields of objects.
  private func writeKnown(
    _ published: PublishedField, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers,
    _ batch: inout Batch
  ) {
    switch published.content {
    case .number(let code): batch.set(published.field, registers.run(code, program, bytes))
    case .flag(let code): batch.set(published.field, registers.run(code, program, bytes) != 0)
    case .text(let code): writeText(published.field, code, program, bytes, &registers, &batch)
    case .word(let code, let rows):
      guard let word = word(registers.run(code, program, bytes), rows, program) else { return }
      batch.set(published.field, word)
    case .bitWords(let code, let rows):
      let bits = Registers.lowestBits(registers.run(code, program, bytes))
      batch.beginWords(published.field)
      for index in rows {
        let row = program.tableRows[index]
        if bits >> UInt32(row.number) & 1 == 1 { batch.append(row.word) }
      }
    case .words(let list, let rows):
      let count = Int(registers.run(list.count, program, bytes))
      batch.beginWords(published.field)
      for index in 0..<count where !batch.overflowed {
        registers[RegisterMap.index] = Double(index)
        if let word = word(registers.run(list.item, program, bytes), rows, program) { batch.append(word) }
      }
    case .numbers(let list):
      let count = Int(registers.run(list.count, program, bytes))
      writeNumbers(published.field, list, count, program, bytes, &registers, &batch)
    case .objects(let register, let group):
      writeObjects(published.field, ByteRange(registers[register]), group, program, bytes, &registers, &batch)
    }
  }

  @inline(__always)
  private func word(_ number: Double, _ rows: Range<Int>, _ program: SensorProgram) -> Word? {
    if number.isNaN { return nil }
    var low = rows.lowerBound
    var high = rows.upperBound
    while low < high {
      let middle = (low + high) / 2
      let row = program.tableRows[middle]
      if Double(row.number) == number { return row.word }
      if Double(row.number) < number { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  /// Items with a number that is unknown are left out.
  private func writeNumbers(
    _ field: Field, _ list: ListCode, _ count: Int, _ program: SensorProgram, _ bytes: Span<UInt8>,
    _ registers: inout Registers, _ batch: inout Batch
  ) {
    let width = Int(list.width)
    batch.beginNumbers(field, inGroupsOf: width)
    if count == 0 { return }
    if width == 1, list.isPlain {
      let item = program.operations[Int(list.item.start)]
      let place = ByteRange(registers[item.a])
      if !place.isKept { return writeItems(list, item, place, program, bytes, &registers, &batch) }
    }
    var start = 0
    while start + width <= count {
      var isKnown = true
      for index in start..<start + width where isKnown && width > 1 {
        registers[RegisterMap.index] = Double(index)
        isKnown = !registers.run(list.item, program, bytes).isNaN
      }
      for index in start..<start + width where isKnown {
        registers[RegisterMap.index] = Double(index)
        let number = registers.run(list.item, program, bytes)
        if !number.isNaN { batch.append(number) }
      }
      start += width
    }
  }

  /// Items of a field of this packet: reads each, and then runs the rest of the expression.
  private func writeItems(
    _ list: ListCode, _ item: Operation, _ place: ByteRange, _ program: SensorProgram, _ bytes: Span<UInt8>,
    _ registers: inout Registers, _ batch: inout Batch
  ) {
    let form = program.steps[place.step].form
    let rest = Code(start: list.item.start + 1, end: list.item.end, result: list.item.result)
    for index in 0..<place.count {
      registers[item.target] = form.read(bytes, at: place.start + index * form.width)
      let number = registers.run(rest, program, bytes)
      if !number.isNaN { batch.append(number) }
    }
  }

  private func writeText(
    _ field: Field, _ code: Code, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers,
    _ batch: inout Batch
  ) {
    let value = registers.run(code, program, bytes)
    guard value >= 0 else { return batch.set(field, value == WheelText.front ? "front" : "rear") }
    let place = ByteRange(value)
    let range = place.start..<place.start + place.count
    let content = program.steps[place.step].content
    if place.isKept {
      writeText(field, content, registers.keptBytes.span.extracting(range), &batch)
    } else {
      writeText(field, content, bytes.extracting(range), &batch)
    }
  }

  private func writeText(
    _ field: Field, _ content: FieldStep.Content, _ part: Span<UInt8>, _ batch: inout Batch
  ) {
    switch content {
    case .hex: batch.set(field, hex: part)
    case .address: batch.set(field, text: addressText(part).span)
    case .date:
      var cursor = ByteCursor()
      // A date that was read has all its bytes.
      guard let date = try? DateTime(part, &cursor) else { return }
      batch.set(field, text: date.text.span)
    default: batch.set(field, text: part)
    }
  }
}

// MARK: Objects

extension RecordWriter {
  private func writeObjects(
    _ field: Field, _ place: ByteRange, _ index: Int, _ program: SensorProgram, _ bytes: Span<UInt8>,
    _ registers: inout Registers, _ batch: inout Batch
  ) {
    let group = program.groups[index]
    var reading = FieldReading(at: place.start, bytes.count)
    batch.beginObjects(field)
    for _ in 0..<place.count {
      registers.forget(group.registers)
      // The items were read before, so this succeeds.
      guard (try? reading.read(group.steps, program, bytes, &registers)) != nil else { break }
      if let when = group.when, !registers.holds(when, program, bytes) { continue }
      batch.nextObject()
      for published in group.fields {
        writeOfObject(program.publishedFields[published], program, bytes, &registers, &batch)
      }
    }
    registers.forget(group.registers)
    batch.endObjects()
  }

  private func writeOfObject(
    _ published: PublishedField, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers,
    _ batch: inout Batch
  ) {
    if let condition = published.condition, !registers.holds(condition, program, bytes) { return }
    guard isKnown(published, program, bytes, &registers) else { return }
    writeKnown(published, program, bytes, &registers, &batch)
  }
}

/// The wheel of a sensor, as texts that are not in a packet.
enum WheelText {
  static let front = -1.0
  static let rear = -2.0
}
