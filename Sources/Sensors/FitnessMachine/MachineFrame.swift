// Decodes one data packet by the layout of its machine. Two deviations of real machines are
// accepted. A packet cut at 20 bytes (the default MTU) keeps its complete fields. An indoor bike
// that sends its cadence without the flag is read as if the flag were set, if the packet then fits
// exactly.

import SensorKit

enum MachineFrame {
  private static let more: UInt32 = 0x01
  private static let cadence: UInt32 = 0x04
  private static let averageCadence: UInt32 = 0x08
  private static let movesBackward: UInt32 = 0x8000

  /// Afterwards `record` holds the values of this packet and nothing else. Returns true if another
  /// packet of the same set follows.
  static func decode(
    _ value: Span<UInt8>, of machine: Machine, energyIsShort: Bool, into record: inout MachineRecord
  ) throws(DecodeError) -> Bool {
    var start = ByteCursor()
    var flags = UInt32(try start.uint16(value))
    if machine.hasWideFlags { flags |= UInt32(try start.uint8(value)) << 16 }
    let reader = MachineReader(from: start, flags ^ more, mayBeCut: true, energyIsShort: energyIsShort)
    let reading = try reader.readFields(of: machine, value, into: &record)
    record.know(reading.known)
    if reading.end.offset != value.count, flags & machine.reservedFlags == 0 {
      guard machine == .indoorBike, flags & (cadence | averageCadence) == averageCadence,
        repair(value, MachineReader(from: start, (flags | cadence) ^ more), &record)
      else { throw DecodeError(.trailingBytes, at: reading.end.offset) }
    }
    if machine == .crossTrainer {
      record.store(flags & movesBackward != 0 ? 1 : 0, as: .direction)
      record.know(reading.known | MachineQuantity.direction.bit)
    }
    return flags & more != 0
  }

  /// Reads an indoor bike's packet again as if the flag were set. Returns false if that does not
  /// fit either.
  private static func repair(_ value: Span<UInt8>, _ reader: MachineReader, _ record: inout MachineRecord) -> Bool {
    do throws(DecodeError) {
      let reading = try reader.readFields(of: .indoorBike, value, into: &record)
      record.know(reading.known)
      return reading.end.offset == value.count
    } catch {
      return false
    }
  }
}

/// The result of reading a packet: a bit for each stored quantity, and the position after its
/// fields.
struct MachineReading {
  let known: UInt64
  let end: ByteCursor
}

/// Reads the fields of a packet in order.
struct MachineReader {
  enum Form { case uint8, uint16, int16, uint24 }

  private static let longestAtDefaultMTU = 20

  private var cursor: ByteCursor
  private var known: UInt64 = 0
  let present: UInt32
  private let mayBeCut: Bool
  private let energyIsShort: Bool

  /// `present` has a bit for each field in the packet.
  init(from start: ByteCursor, _ present: UInt32, mayBeCut: Bool = false, energyIsShort: Bool = false) {
    cursor = start
    self.present = present
    self.mayBeCut = mayBeCut
    self.energyIsShort = energyIsShort
  }

  var reading: MachineReading { MachineReading(known: known, end: cursor) }

  /// Continues after another reader.
  @inline(__always)
  mutating func goOn(after reading: MachineReading) {
    known = reading.known
    cursor = reading.end
  }

  /// Reads a field if its bit is set. `unknown` and `alsoUnknown` are values that mean unknown.
  @inline(__always)
  mutating func field(
    _ bit: UInt32, _ quantity: MachineQuantity, _ form: Form, per divisor: Double = 1, unknown: Int32? = nil,
    or alsoUnknown: Int32? = nil, _ value: Span<UInt8>, _ record: inout MachineRecord
  ) throws(DecodeError) {
    guard present &>> bit & 1 == 1 else { return }
    if energyIsShort, quantity == .energyPerHour || quantity == .energyPerMinute { return }
    if !cursor.has(form.size, in: value), mayBeCut, value.count == Self.longestAtDefaultMTU {
      // Nothing is left, so the following fields were cut off too.
      cursor = ByteCursor(at: value.count)
      return
    }
    let raw: Int32 =
      switch form {
      case .uint8: Int32(try cursor.uint8(value))
      case .uint16: Int32(try cursor.uint16(value))
      case .int16: Int32(try cursor.int16(value))
      case .uint24: Int32(try cursor.uint24(value))
      }
    // It is unclear whether these two bytes are a total or a rate.
    if energyIsShort, quantity == .energyTotal { return }
    if raw == unknown || raw == alsoUnknown { return }
    record.store(Double(raw) / divisor, as: quantity)
    known |= quantity.bit
  }
}

extension QuirkEffect {
  /// The energy has two bytes instead of five.
  static let energyIsShort = QuirkEffect("energy_is_short")
}

extension MachineReader.Form {
  @inline(__always)
  fileprivate var size: Int {
    switch self {
    case .uint8: 1
    case .uint16, .int16: 2
    case .uint24: 3
    }
  }
}
