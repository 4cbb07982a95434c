// Which fields each kind of machine sends, in their order: FTMS 1.0, sections 4.4 to 4.9, where captures do not prove
// otherwise (the resistance level takes two bytes). A field is there when its bit of the flags is set; bit 0 is inverted.

enum Machine: Int {
  case treadmill, crossTrainer, rower, indoorBike, stepClimber, stairClimber

  var layout: [MachineField] {
    switch self {
    case .treadmill: MachineField.treadmill
    case .crossTrainer: MachineField.crossTrainer
    case .rower: MachineField.rower
    case .indoorBike: MachineField.indoorBike
    case .stepClimber: MachineField.stepClimber
    case .stairClimber: MachineField.stairClimber
    }
  }

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

struct MachineField {
  enum Form { case uint8, uint16, int16, uint24 }

  let bit: UInt32
  let quantity: Quantity
  let form: Form
  let divisor: Double
  /// Numbers that mean: not known. Where there is none, it is one that no field can have.
  let unknown: Int32
  let alsoUnknown: Int32

  init(
    _ bit: UInt32, _ quantity: Quantity, _ form: Form, per divisor: Double = 1, unknown: Int32? = nil,
    or alsoUnknown: Int32? = nil
  ) {
    self.bit = bit
    self.quantity = quantity
    self.form = form
    self.divisor = divisor
    self.unknown = unknown ?? .min
    self.alsoUnknown = alsoUnknown ?? .min
  }

  /// Hundredths of a kilometre per hour.
  private static let perSpeed = 360.0

  static let indoorBike: [MachineField] =
    [
      MachineField(0, .speed, .uint16, per: perSpeed),
      MachineField(1, .averageSpeed, .uint16, per: perSpeed),
      MachineField(2, .cadence, .uint16, per: 2),
      MachineField(3, .averageCadence, .uint16, per: 2),
      MachineField(4, .totalDistance, .uint24),
      MachineField(5, .resistance, .int16),
      MachineField(6, .power, .int16),
      MachineField(7, .averagePower, .int16),
    ] + exercise(from: 8)

  static let treadmill: [MachineField] =
    [
      MachineField(0, .speed, .uint16, per: perSpeed),
      MachineField(1, .averageSpeed, .uint16, per: perSpeed),
      MachineField(2, .totalDistance, .uint24),
      MachineField(3, .inclination, .int16, per: 10, unknown: 0x7fff),
      MachineField(3, .rampAngle, .int16, per: 10, unknown: 0x7fff),
      // No table says so, but Life Fitness and Matrix send these for none.
      MachineField(4, .elevationGain, .uint16, per: 10, unknown: 0x7fff, or: 0xffff),
      MachineField(4, .elevationLoss, .uint16, per: 10, unknown: 0x7fff, or: 0xffff),
      MachineField(5, .pace, .uint16),
      MachineField(6, .averagePace, .uint16),
    ] + exercise(from: 7) + [
      MachineField(12, .beltForce, .int16, unknown: 0x7fff),
      MachineField(12, .power, .int16, unknown: 0x7fff),
    ]

  static let rower: [MachineField] =
    [
      MachineField(0, .strokeRate, .uint8, per: 2),
      MachineField(0, .strokeCount, .uint16),
      MachineField(1, .averageStrokeRate, .uint8, per: 2),
      MachineField(2, .totalDistance, .uint24),
      MachineField(3, .rowingPace, .uint16),
      MachineField(4, .averageRowingPace, .uint16),
      MachineField(5, .power, .int16),
      MachineField(6, .averagePower, .int16),
      MachineField(7, .resistance, .int16),
    ] + exercise(from: 8)

  static let crossTrainer: [MachineField] =
    [
      MachineField(0, .speed, .uint16, per: perSpeed),
      MachineField(1, .averageSpeed, .uint16, per: perSpeed),
      MachineField(2, .totalDistance, .uint24),
      MachineField(3, .stepRate, .uint16, unknown: 0xffff),
      MachineField(3, .averageStepRate, .uint16, unknown: 0xffff),
      MachineField(4, .strideCount, .uint16),
      // Whole metres here, tenths on a treadmill.
      MachineField(5, .elevationGain, .uint16, unknown: 0x7fff, or: 0xffff),
      MachineField(5, .elevationLoss, .uint16, unknown: 0x7fff, or: 0xffff),
      MachineField(6, .inclination, .int16, per: 10, unknown: 0x7fff),
      MachineField(6, .rampAngle, .int16, per: 10, unknown: 0x7fff),
      MachineField(7, .resistance, .int16),
      MachineField(8, .power, .int16),
      MachineField(9, .averagePower, .int16),
    ] + exercise(from: 10)

  static let stepClimber: [MachineField] =
    [
      MachineField(0, .floorCount, .uint16),
      MachineField(0, .stepCount, .uint16),
      MachineField(1, .stepRate, .uint16),
      MachineField(2, .averageStepRate, .uint16),
      MachineField(3, .elevationGain, .uint16, unknown: 0x7fff, or: 0xffff),
    ] + exercise(from: 4)

  static let stairClimber: [MachineField] =
    [
      MachineField(0, .floorCount, .uint16),
      MachineField(1, .stepRate, .uint16),
      MachineField(2, .averageStepRate, .uint16),
      MachineField(3, .elevationGain, .uint16, unknown: 0x7fff, or: 0xffff),
      MachineField(4, .strideCount, .uint16),
    ] + exercise(from: 5)

  /// What all machines send in the same order: energy, heart rate, metabolic equivalent, time.
  private static func exercise(from bit: UInt32) -> [MachineField] {
    [
      MachineField(bit, .energyTotal, .uint16, unknown: 0xffff),
      MachineField(bit, .energyPerHour, .uint16, unknown: 0xffff),
      MachineField(bit, .energyPerMinute, .uint8, unknown: 0xff),
      MachineField(bit + 1, .heartRate, .uint8, unknown: 0),
      MachineField(bit + 2, .metabolicEquivalent, .uint8, per: 10),
      MachineField(bit + 3, .elapsed, .uint16),
      MachineField(bit + 4, .remaining, .uint16),
    ]
  }
}
