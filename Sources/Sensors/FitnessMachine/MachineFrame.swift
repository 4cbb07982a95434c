// One packet of a machine's data, by the layout of its kind. Two deviations of real machines are decoded, and no others: a
// packet cut at 20 bytes (the default MTU) keeps the fields that arrived whole, and an indoor bike that sends its cadence
// without the flag for it gets the flag, where the packet then fits exactly.

import SensorKit

struct MachineFrame {
  private static let longestAtDefaultMTU = 20
  private static let more: UInt32 = 0x01
  private static let cadence: UInt32 = 0x04
  private static let averageCadence: UInt32 = 0x08
  private static let movesBackward: UInt32 = 0x8000

  /// Another piece of the same record follows.
  let hasMore: Bool
  private var isCut = false
  private let end: Int

  /// `record` says afterwards what the packet says, and nothing else.
  static func decode(
    _ value: Span<UInt8>, of machine: Machine, energyIsShort: Bool, into record: inout MachineRecord
  ) throws(DecodeError) -> MachineFrame {
    var cursor = ByteCursor()
    var flags = UInt32(try cursor.uint16(value))
    if machine.hasWideFlags { flags |= UInt32(try cursor.uint8(value)) << 16 }
    let frame = try MachineFrame(value, machine, flags, cursor, mayBeCut: true, energyIsShort, &record)
    if frame.isCut || frame.end == value.count || flags & machine.reservedFlags != 0 { return frame }
    if machine == .indoorBike, flags & (cadence | averageCadence) == averageCadence,
      let repaired = try? MachineFrame(value, machine, flags | cadence, cursor, mayBeCut: false, false, &record),
      repaired.end == value.count
    {
      return repaired
    }
    throw DecodeError(.trailingBytes, at: frame.end)
  }

  private init(
    _ value: Span<UInt8>, _ machine: Machine, _ flags: UInt32, _ start: ByteCursor, mayBeCut: Bool,
    _ energyIsShort: Bool, _ record: inout MachineRecord
  ) throws(DecodeError) {
    var cursor = start
    record.forget()
    hasMore = flags & Self.more != 0
    let present = flags ^ Self.more
    let layout = machine.layout
    for index in layout.indices where present >> layout[index].bit & 1 == 1 {
      let field = layout[index]
      if energyIsShort, field.quantity == .energyPerHour || field.quantity == .energyPerMinute { continue }
      if cursor.remaining(value) < field.form.size, mayBeCut, value.count == Self.longestAtDefaultMTU {
        isCut = true
        break
      }
      let number = try field.read(value, &cursor)
      // Two bytes, of which nobody knows whether they are a total or a rate.
      if !energyIsShort || field.quantity != .energyTotal { record[field.quantity] = number }
    }
    if machine == .crossTrainer { record.movesBackward = flags & Self.movesBackward != 0 }
    end = cursor.offset
  }
}

extension QuirkEffect {
  /// The energy has two bytes, not five.
  static let energyIsShort = QuirkEffect("energy_is_short")
}

extension MachineField.Form {
  fileprivate var size: Int {
    switch self {
    case .uint8: 1
    case .uint16, .int16: 2
    case .uint24: 3
    }
  }
}

extension MachineField {
  @inline(__always)
  fileprivate func read(_ value: Span<UInt8>, _ cursor: inout ByteCursor) throws(DecodeError) -> Double? {
    let raw: Int32 =
      switch form {
      case .uint8: Int32(try cursor.uint8(value))
      case .uint16: Int32(try cursor.uint16(value))
      case .int16: Int32(try cursor.int16(value))
      case .uint24: Int32(try cursor.uint24(value))
      }
    return raw == unknown || raw == alsoUnknown ? nil : Double(raw) / divisor
  }
}
