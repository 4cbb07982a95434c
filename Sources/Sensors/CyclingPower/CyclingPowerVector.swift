// Cycling Power Vector, 0x2A64: forces or torques along one revolution of the crank. The array
// takes all remaining bytes.

import SensorKit

private struct Flags: OptionSet {
  let rawValue: UInt8
  static let crank = Flags(rawValue: 0x01)
  static let firstAngle = Flags(rawValue: 0x02)
  static let forces = Flags(rawValue: 0x04)
  static let torques = Flags(rawValue: 0x08)
  static let reserved = Flags(rawValue: 0xc0)

  var direction: Word {
    switch rawValue >> 4 & 3 {
    case 0: "unknown"
    case 1: "tangential"
    case 2: "radial"
    default: "lateral"
    }
  }
}

/// Publishes the vector. Returns the crank counter if it was sent too.
func decodeCyclingPowerVector(
  _ value: Span<UInt8>, into batch: inout Batch
) throws(DecodeError) -> (count: UInt16, time: UInt16)? {
  var cursor = ByteCursor()
  let flags = Flags(rawValue: try cursor.uint8(value))
  // With both arrays, it is impossible to tell where the second one begins.
  if flags.isSuperset(of: [.forces, .torques]) { throw DecodeError(.reservedValue, at: 0) }
  let crank = flags.contains(.crank) ? (count: try cursor.uint16(value), time: try cursor.uint16(value)) : nil

  batch.sample(.power)
  batch.set(.direction, flags.direction)
  if flags.contains(.firstAngle) { batch.set(.firstCrankAngleDeg, try cursor.uint16(value)) }
  if !flags.isDisjoint(with: [.forces, .torques]) {
    let isForce = flags.contains(.forces)
    batch.beginNumbers(isForce ? .forceN : .torqueNm)
    while cursor.remaining(value) > 0 {
      let raw = Double(try cursor.int16(value))
      batch.append(isForce ? raw : raw / 32)
    }
  } else if flags.isDisjoint(with: .reserved) {
    try cursor.finish(value)
  }
  return crank
}
