// The fields of each type of machine in order: FTMS 1.0, sections 4.4 to 4.9, except where captures
// differ (the resistance level has two bytes). A field is present if its bit in the flags is set;
// bit 0 is inverted.

import SensorKit

enum Machine: Int {
  case treadmill, crossTrainer, rower, indoorBike, stepClimber, stairClimber

  var hasWideFlags: Bool { self == .crossTrainer }

  /// Flags that may announce fields that are not defined yet.
  var reservedFlags: UInt32 {
    switch self {
    case .treadmill, .rower, .indoorBike: 0xe000
    case .crossTrainer: 0xff_0000
    case .stepClimber: 0xfe00
    case .stairClimber: 0xfc00
    }
  }
}

/// The layouts are code and not tables. This way the compiler knows each field, and an absent one
/// only costs a test of its flag.
extension MachineReader {
  /// The reader is passed by value, so that it stays in registers.
  @inline(__always)
  consuming func readFields(
    of machine: Machine, _ value: Span<UInt8>, into record: inout MachineRecord
  ) throws(DecodeError) -> MachineReading {
    switch machine {
    case .treadmill: try readTreadmill(value, &record)
    case .crossTrainer: try readCrossTrainer(value, &record)
    case .rower: try readRower(value, &record)
    case .indoorBike: try readIndoorBike(value, &record)
    case .stepClimber: try readStepClimber(value, &record)
    case .stairClimber: try readStairClimber(value, &record)
    }
  }

  /// The unit is 0.01 km/h.
  private static let perSpeed = 360.0

  private consuming func readIndoorBike(
    _ value: Span<UInt8>, _ record: inout MachineRecord
  ) throws(DecodeError) -> MachineReading {
    try field(0, .speed, .uint16, per: Self.perSpeed, value, &record)
    try field(1, .averageSpeed, .uint16, per: Self.perSpeed, value, &record)
    try field(2, .cadence, .uint16, per: 2, value, &record)
    try field(3, .averageCadence, .uint16, per: 2, value, &record)
    try field(4, .totalDistance, .uint24, value, &record)
    try field(5, .resistance, .int16, value, &record)
    try field(6, .power, .int16, value, &record)
    try field(7, .averagePower, .int16, value, &record)
    try readExercise(from: 8, value, &record)
    return reading
  }

  private consuming func readTreadmill(
    _ value: Span<UInt8>, _ record: inout MachineRecord
  ) throws(DecodeError) -> MachineReading {
    try field(0, .speed, .uint16, per: Self.perSpeed, value, &record)
    try field(1, .averageSpeed, .uint16, per: Self.perSpeed, value, &record)
    try field(2, .totalDistance, .uint24, value, &record)
    try field(3, .inclination, .int16, per: 10, unknown: 0x7fff, value, &record)
    try field(3, .rampAngle, .int16, per: 10, unknown: 0x7fff, value, &record)
    // Not specified, but Life Fitness and Matrix send these values for unknown.
    try field(4, .elevationGain, .uint16, per: 10, unknown: 0x7fff, or: 0xffff, value, &record)
    try field(4, .elevationLoss, .uint16, per: 10, unknown: 0x7fff, or: 0xffff, value, &record)
    try field(5, .pace, .uint16, value, &record)
    try field(6, .averagePace, .uint16, value, &record)
    try readExercise(from: 7, value, &record)
    try field(12, .beltForce, .int16, unknown: 0x7fff, value, &record)
    try field(12, .power, .int16, unknown: 0x7fff, value, &record)
    return reading
  }

  private consuming func readRower(
    _ value: Span<UInt8>, _ record: inout MachineRecord
  ) throws(DecodeError) -> MachineReading {
    try field(0, .strokeRate, .uint8, per: 2, value, &record)
    try field(0, .strokeCount, .uint16, value, &record)
    try field(1, .averageStrokeRate, .uint8, per: 2, value, &record)
    try field(2, .totalDistance, .uint24, value, &record)
    try field(3, .rowingPace, .uint16, value, &record)
    try field(4, .averageRowingPace, .uint16, value, &record)
    try field(5, .power, .int16, value, &record)
    try field(6, .averagePower, .int16, value, &record)
    try field(7, .resistance, .int16, value, &record)
    try readExercise(from: 8, value, &record)
    return reading
  }

  private consuming func readCrossTrainer(
    _ value: Span<UInt8>, _ record: inout MachineRecord
  ) throws(DecodeError) -> MachineReading {
    try field(0, .speed, .uint16, per: Self.perSpeed, value, &record)
    try field(1, .averageSpeed, .uint16, per: Self.perSpeed, value, &record)
    try field(2, .totalDistance, .uint24, value, &record)
    try field(3, .stepRate, .uint16, unknown: 0xffff, value, &record)
    try field(3, .averageStepRate, .uint16, unknown: 0xffff, value, &record)
    try field(4, .strideCount, .uint16, value, &record)
    // Whole metres here, tenths on a treadmill.
    try field(5, .elevationGain, .uint16, unknown: 0x7fff, or: 0xffff, value, &record)
    try field(5, .elevationLoss, .uint16, unknown: 0x7fff, or: 0xffff, value, &record)
    try field(6, .inclination, .int16, per: 10, unknown: 0x7fff, value, &record)
    try field(6, .rampAngle, .int16, per: 10, unknown: 0x7fff, value, &record)
    try field(7, .resistance, .int16, value, &record)
    try field(8, .power, .int16, value, &record)
    try field(9, .averagePower, .int16, value, &record)
    try readExercise(from: 10, value, &record)
    return reading
  }

  private consuming func readStepClimber(
    _ value: Span<UInt8>, _ record: inout MachineRecord
  ) throws(DecodeError) -> MachineReading {
    try field(0, .floorCount, .uint16, value, &record)
    try field(0, .stepCount, .uint16, value, &record)
    try field(1, .stepRate, .uint16, value, &record)
    try field(2, .averageStepRate, .uint16, value, &record)
    try field(3, .elevationGain, .uint16, unknown: 0x7fff, or: 0xffff, value, &record)
    try readExercise(from: 4, value, &record)
    return reading
  }

  private consuming func readStairClimber(
    _ value: Span<UInt8>, _ record: inout MachineRecord
  ) throws(DecodeError) -> MachineReading {
    try field(0, .floorCount, .uint16, value, &record)
    try field(1, .stepRate, .uint16, value, &record)
    try field(2, .averageStepRate, .uint16, value, &record)
    try field(3, .elevationGain, .uint16, unknown: 0x7fff, or: 0xffff, value, &record)
    try field(4, .strideCount, .uint16, value, &record)
    try readExercise(from: 5, value, &record)
    return reading
  }

  /// The fields that all machines have in the same order: energy, heart rate, metabolic equivalent,
  /// time.
  @inline(__always)
  private mutating func readExercise(
    from bit: UInt32, _ value: Span<UInt8>, _ record: inout MachineRecord
  ) throws(DecodeError) {
    if present &>> bit & 0x1f != 0 { goOn(after: try readFieldsOfExercise(from: bit, value, &record)) }
  }

  private consuming func readFieldsOfExercise(
    from bit: UInt32, _ value: Span<UInt8>, _ record: inout MachineRecord
  ) throws(DecodeError) -> MachineReading {
    try field(bit, .energyTotal, .uint16, unknown: 0xffff, value, &record)
    try field(bit, .energyPerHour, .uint16, unknown: 0xffff, value, &record)
    try field(bit, .energyPerMinute, .uint8, unknown: 0xff, value, &record)
    try field(bit &+ 1, .heartRate, .uint8, unknown: 0, value, &record)
    try field(bit &+ 2, .metabolicEquivalent, .uint8, per: 10, value, &record)
    try field(bit &+ 3, .elapsed, .uint16, value, &record)
    try field(bit &+ 4, .remaining, .uint16, value, &record)
    return reading
  }
}
