// Finds the line of a file that refused a packet: reads the packet again, field by field. This is
// slow, and only for people who check a file.

internal import SensorKit

struct RefusalSearch {
  private let program: SensorProgram
  private var registers: Registers
  /// The line of the first check that failed.
  private var failedCheck: Int?

  /// Reading ended at a line.
  private struct Ended: Error { let line: Int }

  /// `registers` are those of the decoder after the packet.
  init(_ program: SensorProgram, _ registers: Registers) {
    self.program = program
    self.registers = registers
  }

  mutating func line(ofPacket index: Int, _ value: Span<UInt8>) -> Int {
    let packet = program.packets[index]
    let lines = program.lines.packets[index]
    registers.forget(packet.registers)
    var fields = FieldReading(at: 0, value.count)
    do throws(Ended) {
      try read(packet.steps, &fields, value)
      var end = fields.cursor
      if let form = packet.recordForm { end = try readRecords(form, packet, lines, from: end, value) }
      if end < value.count, refusesRest(packet, value) { return lines.rest ?? lines.header }
    } catch {
      return error.line
    }
    if let failedCheck { return failedCheck }
    for refusal in packet.refusals where registers.holds(program.refusals[refusal].condition, program, value) {
      return program.lines.refusals[refusal]
    }
    // It has more than a batch holds.
    return lines.header
  }

  private mutating func refusesRest(_ packet: PacketProgram, _ value: Span<UInt8>) -> Bool {
    switch packet.rest {
    case .refuse: true
    case .ignore: false
    case .ignoreIf(let condition): !registers.holds(condition, program, value)
    }
  }

  private mutating func read(
    _ steps: Range<Int>, _ fields: inout FieldReading, _ value: Span<UInt8>
  ) throws(Ended) {
    for step in steps {
      let (before, earlier) = (fields, registers)
      let isRead = (try? fields.read(step..<step + 1, program, value, &registers)) != nil
      let isFirstFailure = before.failure == nil && fields.failure != nil
      if isRead, !isFirstFailure { continue }
      if program.steps[step].content == .group {
        let later = registers
        registers = earlier
        try readItems(step, before, until: isRead ? fields.cursor : value.count, value)
        registers = later
      }
      let line = program.lines.steps[step]
      if !isRead { throw Ended(line: line) }
      failedCheck = failedCheck ?? line
    }
  }

  /// Finds the field of an item that ends reading or is the first to fail.
  private mutating func readItems(
    _ step: Int, _ before: FieldReading, until end: Int, _ value: Span<UInt8>
  ) throws(Ended) {
    let group = program.groups[program.steps[step].group]
    var fields = before
    if let offset = program.steps[step].offset, (try? fields.go(to: offset, value.count)) == nil { return }
    while failedCheck == nil, fields.cursor < end {
      let start = fields.cursor
      registers.forget(group.registers)
      try read(group.steps, &fields, value)
      if fields.cursor == start { return }
    }
  }

  /// Returns where the records end.
  private mutating func readRecords(
    _ form: RecordForm, _ packet: PacketProgram, _ lines: PacketLines, from start: Int, _ value: Span<UInt8>
  ) throws(Ended) -> Int {
    let ownLine = lines.records ?? lines.header
    var cursor = start
    while cursor < value.count {
      let recordStart = cursor
      guard value.count - cursor >= form.number.width + (form.hasLength ? 1 : 0) else { throw Ended(line: ownLine) }
      let number = Int(form.number.read(value, at: cursor))
      cursor += form.number.width
      let length = form.hasLength ? Int(value[cursor]) : nil
      if length != nil { cursor += 1 }
      let end = length.map { cursor + $0 } ?? value.count
      if let record = packet.records.first(where: { program.records[$0].number == number }) {
        let steps = program.records[record].steps
        for step in steps where program.steps[step].hasRegister { registers[program.steps[step].register] = .nan }
        var fields = FieldReading(at: cursor, min(end, value.count))
        try read(steps, &fields, value)
        cursor = fields.cursor
      } else if length == nil {
        if form.stopsAtUnknown { return recordStart }
        throw Ended(line: ownLine)
      }
      if length != nil {
        guard end <= value.count else { throw Ended(line: ownLine) }
        cursor = end
      }
    }
    return cursor
  }
}
