// Cycling Power Measurement, 0x2A63: all fields of a packet in the order of its flags. Each field
// goes into the batch as soon as it is read, because the host discards the batch of a rejected
// packet. The counters are updated only after the whole packet was accepted.

import SensorKit

struct CyclingPowerMeasurement {
  /// Twice the resolution of the clock in the speed service; mixing them up doubles or halves the
  /// speed.
  static let wheelTicksPerSecond = 2048.0

  struct Flags: OptionSet {
    let rawValue: UInt16
    static let balance = Flags(rawValue: 1 << 0)
    static let balanceIsLeft = Flags(rawValue: 1 << 1)
    static let torque = Flags(rawValue: 1 << 2)
    static let torqueIsOfCrank = Flags(rawValue: 1 << 3)
    static let wheel = Flags(rawValue: 1 << 4)
    static let crank = Flags(rawValue: 1 << 5)
    static let extremeForce = Flags(rawValue: 1 << 6)
    static let extremeTorque = Flags(rawValue: 1 << 7)
    static let extremeAngles = Flags(rawValue: 1 << 8)
    static let topDeadSpot = Flags(rawValue: 1 << 9)
    static let bottomDeadSpot = Flags(rawValue: 1 << 10)
    static let energy = Flags(rawValue: 1 << 11)
    static let offsetCompensation = Flags(rawValue: 1 << 12)
    static let seldom: Flags = [
      .extremeForce, .extremeTorque, .extremeAngles, .topDeadSpot, .bottomDeadSpot, .energy,
    ]
    static let reserved = Flags(rawValue: 0xe000)
  }

  let flags: Flags
  let wheel: (count: UInt32, time: UInt16)
  let crank: (count: UInt16, time: UInt16)

  @inline(__always)
  init(_ value: Span<UInt8>, balanceNeedsPower: Bool, into batch: inout Batch) throws(DecodeError) {
    var cursor = ByteCursor()
    flags = Flags(rawValue: try cursor.uint16(value))
    let power = try cursor.int16(value)
    batch.sample(.power)
    batch.set(.powerW, power)
    if flags.contains(.balance) {
      let halfPercents = try cursor.uint8(value)
      if power != 0 || !balanceNeedsPower { flags.publishBalance(halfPercents, in: &batch) }
    }
    if flags.contains(.torque) {
      batch.setTorque(.accumulatedTorqueNm, try cursor.uint16(value))
      batch.set(.torqueSource, flags.contains(.torqueIsOfCrank) ? "crank" : "wheel")
    }
    wheel = flags.contains(.wheel) ? (try cursor.uint32(value), try cursor.uint16(value)) : (0, 0)
    crank = flags.contains(.crank) ? (try cursor.uint16(value), try cursor.uint16(value)) : (0, 0)
    if !flags.isDisjoint(with: .seldom) {
      let seldom = try SeldomPowerFields(value, from: cursor, flags)
      seldom.publish(in: &batch)
      cursor = seldom.end
    }
    // A reserved flag may announce fields that are not defined yet.
    if flags.isDisjoint(with: .reserved) { try cursor.finish(value) }
    if flags.contains(.offsetCompensation) { batch.set(.offsetCompensation, true) }
  }
}

extension CyclingPowerMeasurement.Flags {
  @inline(__always)
  fileprivate func publishBalance(_ halfPercents: UInt8, in batch: inout Batch) {
    // Values above 100 % are meaningless, but the reference is still published.
    if halfPercents <= 200 { batch.set(.pedalBalancePct, Double(halfPercents) / 2) }
    batch.set(.pedalBalanceReference, contains(.balanceIsLeft) ? "left" : "unknown")
  }
}

/// Fields that most meters never send. The energy is the last in the packet and the first in the
/// sample.
private struct SeldomPowerFields {
  let force: (max: Int16, min: Int16)?
  let torque: (max: Int16, min: Int16)?
  let angles: UInt32?
  let topDeadSpot: UInt16?
  let bottomDeadSpot: UInt16?
  let kilojoules: UInt16?
  /// The position after the last field.
  let end: ByteCursor

  init(
    _ value: Span<UInt8>, from start: ByteCursor, _ flags: CyclingPowerMeasurement.Flags
  ) throws(DecodeError) {
    var cursor = start
    force = flags.contains(.extremeForce) ? (try cursor.int16(value), try cursor.int16(value)) : nil
    torque = flags.contains(.extremeTorque) ? (try cursor.int16(value), try cursor.int16(value)) : nil
    angles = flags.contains(.extremeAngles) ? try cursor.uint24(value) : nil
    topDeadSpot = flags.contains(.topDeadSpot) ? try cursor.uint16(value) : nil
    bottomDeadSpot = flags.contains(.bottomDeadSpot) ? try cursor.uint16(value) : nil
    kilojoules = flags.contains(.energy) ? try cursor.uint16(value) : nil
    end = cursor
  }

  func publish(in batch: inout Batch) {
    if let kilojoules { batch.set(.accumulatedEnergyJ, Int(kilojoules) * 1000) }
    if let force {
      batch.set(.maxForceN, force.max)
      batch.set(.minForceN, force.min)
    }
    if let torque {
      batch.setTorque(.maxTorqueNm, torque.max)
      batch.setTorque(.minTorqueNm, torque.min)
    }
    if let angles {
      batch.set(.maxAngleDeg, angles & 0xfff)
      batch.set(.minAngleDeg, angles >> 12)
    }
    if let topDeadSpot { batch.set(.topDeadSpotDeg, topDeadSpot) }
    if let bottomDeadSpot { batch.set(.bottomDeadSpotDeg, bottomDeadSpot) }
  }
}

extension Batch {
  /// All torques are in units of 1/32 N m.
  @inline(__always)
  fileprivate mutating func setTorque(_ field: Field, _ raw: some FixedWidthInteger) {
    set(field, Double(raw) / 32)
  }
}
