// The layouts of one sensor's packets. A layout is the program of a packet for one value of the field
// that decides which others there are, mostly its flags. A sensor sends few different ones, so what
// depends on the flags alone is decided once. Their space is reserved, so that making one allocates
// nothing. When it is used up, all layouts are dropped and those in use are made again.

internal import SensorKit

struct PacketLayouts {
  /// The program of the file, and after it the layouts.
  private(set) var code: [Instruction]
  private let programEnd: Int
  private var slots: [Slot]

  private static let mostSlots = 64
  /// A layout is in one of these slots from the place of its value on.
  private static let tries = 4
  private static let mostInstructions = 1024

  private struct Slot {
    var packet: UInt16 = 0
    var state = State.seen
    var start: UInt16 = 0
    /// Unused if NaN.
    var value = Double.nan
  }

  private enum State: UInt8 {
    /// The value has come once.
    case seen
    case made
    /// The packet has no layout for this value.
    case failed
  }

  init(_ program: SensorProgram, isUsed: Bool) {
    code = program.code
    programEnd = code.count
    let isUsed = isUsed && program.packetKeys.contains { $0 != nil }
    slots = [Slot](repeating: Slot(), count: isUsed ? Self.mostSlots : 0)
    if isUsed { code.reserveCapacity(programEnd + Self.mostInstructions) }
  }

  /// Where the layout for a value is, if there is one.
  @inline(__always)
  mutating func start(_ packet: Int, _ value: Double, _ program: SensorProgram) -> Int? {
    if slots.isEmpty { return nil }
    let place = Self.place(packet, value)
    for index in place..<place + Self.tries where slots[index].value == value && slots[index].packet == packet {
      if slots[index].state == .made { return Int(slots[index].start) }
      return make(index, packet, value, program)
    }
    replace(place, packet, value)
    return nil
  }

  @inline(__always)
  private static func place(_ packet: Int, _ value: Double) -> Int {
    let bits = (value.bitPattern ^ UInt64(truncatingIfNeeded: packet)) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: bits >> 56) & (mostSlots - tries)
  }

  /// A free slot, or the first.
  private mutating func replace(_ place: Int, _ packet: Int, _ value: Double) {
    let index = (place..<place + Self.tries).first { slots[$0].value.isNaN } ?? place
    slots[index] = Slot(packet: UInt16(truncatingIfNeeded: packet), value: value)
  }

  @inline(never)
  private mutating func make(_ slot: Int, _ packet: Int, _ value: Double, _ program: SensorProgram) -> Int? {
    if slots[slot].state == .failed { return nil }
    var maker = LayoutMaker(program, packet)
    let start = code.count
    if maker.make(value, into: &code, most: min(programEnd + Self.mostInstructions, Int(UInt16.max))) {
      slots[slot].state = .made
      slots[slot].start = UInt16(start)
      return start
    }
    code.removeLast(code.count - start)
    slots[slot].state = .failed
    // It may have been too long only for what was left.
    if maker.isTooLong, start > programEnd { removeAll() }
    return nil
  }

  private mutating func removeAll() {
    code.removeLast(code.count - programEnd)
    for index in slots.indices { slots[index] = Slot() }
  }
}
