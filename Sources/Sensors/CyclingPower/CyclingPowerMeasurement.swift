// Cycling Power Measurement, 0x2A63: every field of a packet, read in the order of its flags, or none.

import SensorKit

struct CyclingPowerMeasurement {
  /// Twice as fine as the speed service's clock: mixing them up halves or doubles speed.
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
    static let reserved = Flags(rawValue: 0xe000)
  }

  let flags: Flags
  let power: Int16
  /// Half percents.
  let balance: UInt8?
  /// 1/32 N m, as are all torques.
  let torque: UInt16?
  let wheel: (count: UInt32, time: UInt16)?
  let crank: (count: UInt16, time: UInt16)?
  let force: (max: Int16, min: Int16)?
  let extremeTorque: (max: Int16, min: Int16)?
  let angles: UInt32?
  let topDeadSpot: UInt16?
  let bottomDeadSpot: UInt16?
  let kilojoules: UInt16?

  init(_ value: Span<UInt8>) throws(DecodeError) {
    var cursor = ByteCursor()
    flags = Flags(rawValue: try cursor.uint16(value))
    power = try cursor.int16(value)
    balance = flags.contains(.balance) ? try cursor.uint8(value) : nil
    torque = flags.contains(.torque) ? try cursor.uint16(value) : nil
    wheel = flags.contains(.wheel) ? (try cursor.uint32(value), try cursor.uint16(value)) : nil
    crank = flags.contains(.crank) ? (try cursor.uint16(value), try cursor.uint16(value)) : nil
    force = flags.contains(.extremeForce) ? (try cursor.int16(value), try cursor.int16(value)) : nil
    extremeTorque = flags.contains(.extremeTorque) ? (try cursor.int16(value), try cursor.int16(value)) : nil
    angles = flags.contains(.extremeAngles) ? try cursor.uint24(value) : nil
    topDeadSpot = flags.contains(.topDeadSpot) ? try cursor.uint16(value) : nil
    bottomDeadSpot = flags.contains(.bottomDeadSpot) ? try cursor.uint16(value) : nil
    kilojoules = flags.contains(.energy) ? try cursor.uint16(value) : nil
    // A reserved flag may announce fields that nobody knows yet.
    if flags.isDisjoint(with: .reserved) { try cursor.finish(value) }
  }

  func publish(in batch: inout Batch, withoutBalance: Bool) {
    batch.sample(.power)
    batch.set(.powerW, power)
    if let balance, !withoutBalance {
      // More than all of it has no meaning; whose share it would be is said all the same.
      if balance <= 200 { batch.set(.pedalBalancePct, Double(balance) / 2) }
      batch.set(.pedalBalanceReference, flags.contains(.balanceIsLeft) ? "left" : "unknown")
    }
    if let torque {
      batch.set(.accumulatedTorqueNm, Double(torque) / 32)
      batch.set(.torqueSource, flags.contains(.torqueIsOfCrank) ? "crank" : "wheel")
    }
    if let kilojoules { batch.set(.accumulatedEnergyJ, Int(kilojoules) * 1000) }
    publishExtremes(in: &batch)
    if flags.contains(.offsetCompensation) { batch.set(.offsetCompensation, true) }
  }

  private func publishExtremes(in batch: inout Batch) {
    if let force {
      batch.set(.maxForceN, force.max)
      batch.set(.minForceN, force.min)
    }
    if let extremeTorque {
      batch.set(.maxTorqueNm, Double(extremeTorque.max) / 32)
      batch.set(.minTorqueNm, Double(extremeTorque.min) / 32)
    }
    if let angles {
      batch.set(.maxAngleDeg, angles & 0xfff)
      batch.set(.minAngleDeg, angles >> 12)
    }
    if let topDeadSpot { batch.set(.topDeadSpotDeg, topDeadSpot) }
    if let bottomDeadSpot { batch.set(.bottomDeadSpotDeg, bottomDeadSpot) }
  }
}
