// The data of a machine at one moment: numbers by quantity, each known or not. The pieces of a
// record are merged until the last one (bit 0 clear). Some machines never send that. A record
// therefore also ends when a quantity repeats, or one second after its first piece.

import SensorKit

extension SampleKind {
  static let trainer = SampleKind("trainer")
  static let trainerStatus = SampleKind("trainer_status")
  static let rowing = SampleKind("rowing")
}

/// In order of publication; those with a kind of their own come first.
enum MachineQuantity: Int {
  case speed, cadence, power, heartRate
  case strokeRate, strokeCount, averageStrokeRate, rowingPace, averageRowingPace
  case totalDistance, averageSpeed, averageCadence, averagePower, resistance, inclination, rampAngle
  case elevationGain, elevationLoss, pace, averagePace, beltForce, stepRate, averageStepRate, strideCount
  case floorCount, stepCount
  case energyTotal, energyPerHour, energyPerMinute, metabolicEquivalent, elapsed, remaining
  /// Only from cross trainers: 1 is backward, 0 forward. Published as a word.
  case direction

  /// Masks with one bit per quantity.
  static let ofRowing = bits(from: strokeRate, to: averageRowingPace)
  static let ofTrainer = bits(from: totalDistance, to: remaining)

  private static func bits(from first: MachineQuantity, to last: MachineQuantity) -> UInt64 {
    UInt64.max << first.rawValue & UInt64.max >> (63 - last.rawValue)
  }

  private static let fields: InlineArray<32, Field> = [
    .speedMps, .cadenceRpm, .powerW, .bpm,
    Field("stroke_rate_spm"), Field("stroke_count"), Field("average_stroke_rate_spm"), Field("pace_s_per_500m"),
    Field("average_pace_s_per_500m"),
    Field("total_distance_m"), Field("average_speed_mps"), Field("average_cadence_rpm"), Field("average_power_w"),
    Field("resistance_level"), Field("inclination_pct"), Field("ramp_angle_deg"),
    Field("elevation_gain_m"), Field("elevation_loss_m"), Field("pace_s_per_500m"), Field("average_pace_s_per_500m"),
    Field("belt_force_n"), Field("step_rate_spm"), Field("average_step_rate_spm"), Field("stride_count"),
    Field("floor_count"), Field("step_count"),
    Field("energy_total_kcal"), Field("energy_per_hour_kcal"), Field("energy_per_minute_kcal"),
    Field("metabolic_equivalent"), Field("elapsed_s"), Field("remaining_s"),
  ]

  static func field(_ index: Int) -> Field { fields[index] }

  var bit: UInt64 { 1 &<< rawValue }
}

struct MachineRecord {
  private var numbers = InlineArray<33, Double>(repeating: 0)
  /// One bit per quantity.
  private var known: UInt64 = 0

  subscript(quantity: MachineQuantity) -> Double? {
    @inline(__always)
    mutating get { known & quantity.bit != 0 ? numbers[quantity.rawValue] : nil }
  }

  /// The number only counts after `know`: the decoder collects the known bits in a register.
  @inline(__always)
  mutating func store(_ number: Double, as quantity: MachineQuantity) {
    numbers[quantity.rawValue] = number
  }

  /// Marks exactly these quantities as known. Other stored numbers are ignored.
  mutating func know(_ quantities: UInt64) {
    known = quantities
  }

  mutating func forget() {
    known = 0
  }

  var isEmpty: Bool { known == 0 }

  /// Whether both have the same quantity. The direction does not count, because every piece of a
  /// cross trainer has it.
  func shares(with piece: inout MachineRecord) -> Bool {
    known & piece.known & ~MachineQuantity.direction.bit != 0
  }

  // Functions that read numbers are mutating and take pieces as inout, so that a record is read in
  // place and not copied.

  mutating func merge(_ piece: inout MachineRecord) {
    var rest = piece.known
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      numbers[index] = piece.numbers[index]
      rest &= rest - 1
    }
    known |= piece.known
  }

  /// Judged by the first known quantity that shows movement; nil if there is none.
  mutating func isMoving() -> Bool? {
    (self[.speed] ?? self[.strokeRate] ?? self[.stepRate] ?? self[.cadence] ?? self[.power]).map { $0 != 0 }
  }

  mutating func publish(into batch: inout Batch) {
    if known & MachineQuantity.ofTrainer != 0 {
      batch.sample(.trainer)
      publish(MachineQuantity.ofTrainer, into: &batch)
      if let direction = self[.direction] {
        batch.set(Field("movement_direction"), direction == 1 ? "backward" : "forward")
      }
    }
    if known & MachineQuantity.ofRowing != 0 {
      batch.sample(.rowing)
      publish(MachineQuantity.ofRowing, into: &batch)
    }
    publish(.speed, .speedMps, .speed, into: &batch)
    publish(.cadence, .cadenceRpm, .cadence, into: &batch)
    publish(.power, .powerW, .power, into: &batch)
    publish(.heartRate, .bpm, .heartRate, into: &batch)
  }

  @inline(__always)
  private mutating func publish(
    _ kind: SampleKind, _ field: Field, _ quantity: MachineQuantity, into batch: inout Batch
  ) {
    guard let number = self[quantity] else { return }
    batch.sample(kind)
    batch.set(field, number)
  }

  @inline(__always)
  private mutating func publish(_ quantities: UInt64, into batch: inout Batch) {
    var rest = known & quantities
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      batch.set(MachineQuantity.field(index), numbers[index])
      rest &= rest - 1
    }
  }
}

struct MachinePieces {
  /// Machines send a record at least once a second.
  private static let longestRecord = Duration.seconds(1)

  private var record = MachineRecord()
  /// When an incomplete record is published; nil if there is none.
  private(set) var deadline: MonotonicTime?

  /// Publishes what is complete after this piece. Returns whether it shows movement.
  mutating func add(
    _ piece: inout MachineRecord, hasMore: Bool, at now: MonotonicTime, into batch: inout Batch
  ) -> Bool? {
    var isMoving: Bool?
    if let deadline, deadline < now || record.shares(with: &piece) { isMoving = publish(into: &batch) }
    // Most records have one piece.
    if deadline == nil, !hasMore {
      piece.publish(into: &batch)
      return piece.isMoving() ?? isMoving
    }
    record.merge(&piece)
    guard hasMore else { return publish(into: &batch) ?? isMoving }
    if deadline == nil, !record.isEmpty { deadline = now + Self.longestRecord }
    return isMoving
  }

  /// Publishes the stored record. Returns whether it shows movement.
  mutating func publish(into batch: inout Batch) -> Bool? {
    record.publish(into: &batch)
    deadline = nil
    defer { record.forget() }
    return record.isMoving()
  }
}
