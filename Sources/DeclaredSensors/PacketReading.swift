// Runs the operations of a packet that read and check its fields.

internal import SensorKit

struct PacketReading {
  private var fields: FieldReading

  init(_ length: Int) { fields = FieldReading(length) }

  mutating func run(
    _ start: Int, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers
  ) throws(DecodeError) {
    var next = start
    while true {
      let operation = program.code[next]
      next += 1
      switch operation.name {
      case .end: return
      case .finish:
        if fields.cursor < bytes.count { throw DecodeError(.trailingBytes, at: fields.cursor) }
        if let failure = fields.failure { throw failure }
        return
      case .goOn: next = Int(operation.link)
      case .unless: if !registers.holds(operation.a) { next = Int(operation.link) }
      case .unlessSet: if registers.bit(operation.c, of: operation.a) != 1 { next = Int(operation.link) }
      case .unlessClear: if registers.bit(operation.c, of: operation.a) != 0 { next = Int(operation.link) }
      case .readU8: try read(.u8, operation, bytes, &registers)
      case .readI8: try read(.i8, operation, bytes, &registers)
      case .readU16: try read(.u16, operation, bytes, &registers)
      case .readI16: try read(.i16, operation, bytes, &registers)
      case .readU32: try read(.u32, operation, bytes, &registers)
      case .readNumber: try read(program.steps[Int(operation.link)].form, operation, bytes, &registers)
      case .unknown:
        if registers[operation.target] == operation.constant { registers[operation.target] = .nan }
      case .bounds: fields.checkBounds(program.steps[Int(operation.link)], registers[operation.a], program)
      case .readField: try fields.readField(Int(operation.link), program, bytes, &registers)
      case .goTo: if let offset = program.steps[Int(operation.link)].offset { try fields.go(to: offset, bytes.count) }
      case .readRecords: try readRecords(program.packets[Int(operation.link)], program, bytes, &registers)
      case .ifRead: if fields.cursor >= bytes.count { next = Int(operation.link) }
      case .refuseRest:
        if fields.cursor < bytes.count { throw DecodeError(.trailingBytes, at: fields.cursor) }
      case .requireChecks: if let failure = fields.failure { throw failure }
      case .refuse: try refuse(operation, program, registers.holds(operation.a))
      case .equal: registers.set(operation) { Registers.flag($0, $1, $0 == $1) }
      case .unequal: registers.set(operation) { Registers.flag($0, $1, $0 != $1) }
      case .bits:
        registers.set(operation) { one, _ in Registers.bits(one, from: operation.c, operation.constant) }
      default: registers.execute(operation, program, bytes)
      }
    }
  }

  @inline(__always)
  private mutating func read(
    _ form: NumberForm, _ operation: Operation, _ bytes: Span<UInt8>, _ registers: inout Registers
  ) throws(DecodeError) {
    let number = try fields.number(form, bytes)
    registers[operation.target] = number == operation.constant ? .nan : number
  }

  private mutating func readRecords(
    _ packet: PacketProgram, _ program: SensorProgram, _ bytes: Span<UInt8>, _ registers: inout Registers
  ) throws(DecodeError) {
    guard let form = packet.recordForm else { return }
    try fields.readRecords(form, packet.records, program, bytes, &registers)
  }

  private func refuse(_ operation: Operation, _ program: SensorProgram, _ holds: Bool) throws(DecodeError) {
    guard holds else { return }
    let rule = program.refusals[Int(operation.link)]
    throw DecodeError(rule.reason, at: rule.offset)
  }
}
