// Publishes a field whose value is more than one number, with values from the registers of a packet.

internal import SensorKit

struct RecordWriter {
  /// Opens the record if the field is known.
  @inline(never)
  func publish(
    _ index: Int, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers, _ batch: inout Batch,
    opening open: (inout Batch) -> Void
  ) {
    let published = program.publishedFields[index]
    guard isKnown(published, program, bytes, &registers) else { return }
    open(&batch)
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
    case .text(let code):
      writeText(published.field, registers.run(code, program, bytes), program, bytes, registers, &batch)
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

  private func word(_ number: Double, _ rows: Range<Int>, _ program: SensorProgram) -> Word? {
    program.row(number, rows).map { program.tableRows[$0].word }
  }

  /// Publishes a field that is a list of so many numbers.
  @inline(never)
  func writeNumbers(
    _ index: Int, _ count: Int, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers,
    _ batch: inout Batch
  ) {
    guard case .numbers(let list) = program.publishedFields[index].content else { return }
    writeNumbers(program.publishedFields[index].field, list, count, program, bytes, &registers, &batch)
  }

  /// Items with a number that is unknown are left out.
  @inline(__always)
  private func writeNumbers(
    _ field: Field, _ list: ListCode, _ count: Int, _ program: SensorProgram, _ bytes: Span<UInt8>,
    _ registers: inout Registers, _ batch: inout Batch
  ) {
    let width = Int(list.width)
    batch.beginNumbers(field, inGroupsOf: width)
    if count == 0 { return }
    if width == 1, list.isPlain {
      let place = ByteRange(registers[program.operations[Int(list.item.start)].a])
      if !place.isKept { return writeItems(list, place, program, bytes, &batch) }
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
    _ list: ListCode, _ place: ByteRange, _ program: SensorProgram, _ bytes: Span<UInt8>, _ batch: inout Batch
  ) {
    switch program.steps[place.step].form {
    case .u16: writeItems(list, place, .u16, program, bytes, &batch)
    case let form: writeItems(list, place, form, program, bytes, &batch)
    }
  }

  /// With a form that is known, reading an item is not a choice.
  @inline(__always)
  private func writeItems(
    _ list: ListCode, _ place: ByteRange, _ form: NumberForm, _ program: SensorProgram, _ bytes: Span<UInt8>,
    _ batch: inout Batch
  ) {
    let operations = program.operations
    for index in 0..<place.count {
      var number = form.read(bytes, at: place.start + index * form.width)
      for index in Int(list.item.start) + 1..<Int(list.item.end) {
        number = Self.combined(number, operations[index])
      }
      if !number.isNaN { batch.append(number) }
    }
  }

  /// A number with the constant of an operation.
  @inline(__always)
  private static func combined(_ number: Double, _ operation: Operation) -> Double {
    let first = operation.side == .first ? operation.constant : number
    let second = operation.side == .first ? number : operation.constant
    return switch operation.name {
    case .add: Registers.finite(first + second)
    case .subtract: Registers.finite(first - second)
    case .multiply: Registers.finite(first * second)
    default: Registers.finite(first / second)
    }
  }

  /// Publishes a text that is known.
  func writeText(
    _ field: Field, _ value: Double, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: Registers,
    _ batch: inout Batch
  ) {
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
