// One page of the ANT+ radar profile inside a Magene frame. Its four slots are spread over the
// fields for level, side, range and speed. The first slot is in the lowest bits; with the other
// order, captured ranges would not change smoothly.

import SensorKit

struct MagenePage {
  private static let slots = 4
  private static let mark: InlineArray<3, UInt8> = [0x57, 0x09, 0x00]
  private static let firstPage: UInt8 = 0x30
  private static let secondPage: UInt8 = 0x31
  private static let metresOfRange = 3.125
  private static let mpsOfSpeed = 3.04

  /// Slots 4 to 7.
  let isSecond: Bool
  private let levels: UInt8
  private let sides: UInt8
  private let ranges: UInt32
  private let speeds: UInt16

  init(_ value: Span<UInt8>) throws(DecodeError) {
    var cursor = ByteCursor()
    for index in Self.mark.indices {
      guard try cursor.uint8(value) == Self.mark[index] else { throw DecodeError(.unknownFrame, at: index) }
    }
    let page = try cursor.uint8(value)
    guard page == Self.firstPage || page == Self.secondPage else {
      throw DecodeError(.unknownFrame, at: cursor.offset - 1)
    }
    isSecond = page == Self.secondPage
    levels = try cursor.uint8(value)
    sides = try cursor.uint8(value)
    ranges = try cursor.uint24(value)
    speeds = try cursor.uint16(value)
    try cursor.finish(value)
  }

  var isEmpty: Bool { (0..<Self.slots).allSatisfy { !isTaken($0) } }
  var isFull: Bool { (0..<Self.slots).allSatisfy(isTaken) }

  func append(to batch: inout Batch) {
    for slot in 0..<Self.slots where isTaken(slot) { batch.append(target(slot)) }
  }

  private func level(_ slot: Int) -> UInt8 { levels >> (2 * slot) & 0x3 }
  private func side(_ slot: Int) -> UInt8 { sides >> (2 * slot) & 0x3 }
  private func range(_ slot: Int) -> UInt32 { ranges >> (6 * slot) & 0x3f }
  private func speed(_ slot: Int) -> UInt16 { speeds >> (4 * slot) & 0xf }

  /// A slot with any value is a car, because hiding a car is the worse error.
  private func isTaken(_ slot: Int) -> Bool {
    level(slot) != 0 || range(slot) != 0 || speed(slot) != 0
  }

  private func target(_ slot: Int) -> RadarTarget {
    RadarTarget(
      id: UInt8(slot + (isSecond ? Self.slots : 0)), distanceM: Double(range(slot)) * Self.metresOfRange,
      approachSpeedMps: Double(speed(slot)) * Self.mpsOfSpeed, level: level(slot), side: word(forSide: side(slot)))
  }

  /// Nil for the fourth value, whose meaning is unknown.
  private func word(forSide side: UInt8) -> Word? {
    switch side {
    case 0: "none"
    case 1: "right"
    case 2: "left"
    default: nil
    }
  }
}
