// Which fields each kind of machine sends, in their order: FTMS 1.0, sections 4.4 to 4.9, where captures do not prove
// otherwise (the resistance level takes two bytes). A field is there when its bit of the flags is set; bit 0 is inverted.

import SensorKit

enum Machine: Int {
  case treadmill, crossTrainer, rower, indoorBike, stepClimber, stairClimber

  /// A cross trainer has three bytes of flags.
  var hasWideFlags: Bool { self == .crossTrainer }

  /// Flags that may announce fields which nobody knows yet.
  var reservedFlags: UInt32 {
    switch self {
    case .treadmill, .rower, .indoorBike: 0xe000
    case .crossTrainer: 0xff_0000
    case .stepClimber: 0xfe00
    case .stairClimber: 0xfc00
    }
  }
}

/// The layouts are code and no tables: the compiler then knows what each field is, and one that is not there costs a look at
/// its flag.
extension MachineReader {
  /// A reader is handed on by its value, and so is in registers while it reads.
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

  /// Hundredths of a kilometre per hour.
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
    // No table says so, but Life Fitness and Matrix send these for none.
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

  /// What all machines send in the same order: energy, heart rate, metabolic equivalent, time.
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
