// What a machine says at one moment: numbers by quantity, each known or not. Pieces of a record are merged until the one
// that closes it (bit 0 clear) comes; pieces that are older than 2 s belong to a record that never was closed.

import SensorKit

extension SampleKind {
  static let trainer = SampleKind("trainer")
  static let trainerStatus = SampleKind("trainer_status")
  static let rowing = SampleKind("rowing")
}

/// In the order in which they are published: first those of kinds of their own.
enum Quantity: Int {
  case speed, cadence, power, heartRate
  case strokeRate, strokeCount, averageStrokeRate, rowingPace, averageRowingPace
  case totalDistance, averageSpeed, averageCadence, averagePower, resistance, inclination, rampAngle
  case elevationGain, elevationLoss, pace, averagePace, beltForce, stepRate, averageStepRate, strideCount
  case floorCount, stepCount
  case energyTotal, energyPerHour, energyPerMinute, metabolicEquivalent, elapsed, remaining

  static let ofRowing = strokeRate.rawValue...averageRowingPace.rawValue
  static let ofTrainer = totalDistance.rawValue...remaining.rawValue

  private static let fields: [Field] = [
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
}

struct MachineRecord {
  private var numbers = InlineArray<32, Double>(repeating: 0)
  private var known: UInt32 = 0
  /// Of cross trainers only.
  var movesBackward: Bool?

  subscript(quantity: Quantity) -> Double? {
    mutating get { known >> quantity.rawValue & 1 == 1 ? numbers[quantity.rawValue] : nil }
    set {
      guard let newValue else { return }
      numbers[quantity.rawValue] = newValue
      known |= 1 << quantity.rawValue
    }
  }

  /// The numbers stay where they are: what is not known is not read.
  mutating func forget() {
    known = 0
    movesBackward = nil
  }

  var isEmpty: Bool { known == 0 && movesBackward == nil }

  // What reads numbers is mutating, and takes the piece as inout: a record is then read where it is, and not copied first.

  mutating func merge(_ piece: inout MachineRecord) {
    var rest = piece.known
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      numbers[index] = piece.numbers[index]
      rest &= rest - 1
    }
    known |= piece.known
    movesBackward = piece.movesBackward ?? movesBackward
  }

  /// By the first that is known of what shows it; nil where nothing of it is.
  mutating func isMoving() -> Bool? {
    (self[.speed] ?? self[.strokeRate] ?? self[.stepRate] ?? self[.cadence] ?? self[.power]).map { $0 != 0 }
  }

  mutating func publish(into batch: inout Batch) {
    publish(.trainer, Quantity.ofTrainer, into: &batch)
    publish(.rowing, Quantity.ofRowing, into: &batch)
    publish(.speed, .speed, into: &batch)
    publish(.cadence, .cadence, into: &batch)
    publish(.power, .power, into: &batch)
    publish(.heartRate, .heartRate, into: &batch)
  }

  private mutating func publish(_ kind: SampleKind, _ quantity: Quantity, into batch: inout Batch) {
    guard let number = self[quantity] else { return }
    batch.sample(kind)
    batch.set(Quantity.field(quantity.rawValue), number)
  }

  private mutating func publish(_ kind: SampleKind, _ quantities: ClosedRange<Int>, into batch: inout Batch) {
    let wanted = UInt32.max << quantities.lowerBound & UInt32.max >> (31 - quantities.upperBound)
    var rest = known & wanted
    guard rest != 0 else { return }
    batch.sample(kind)
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      batch.set(Quantity.field(index), numbers[index])
      rest &= rest - 1
    }
    if kind == .trainer, let movesBackward {
      batch.set(Field("movement_direction"), movesBackward ? "backward" : "forward")
    }
  }
}

struct MachinePieces {
  private static let lifetime = 2.0

  private var record = MachineRecord()
  private var time: MonotonicTime?

  /// Publishes the whole record, when this piece closes it; says whether it tells of movement.
  mutating func add(
    _ piece: inout MachineRecord, hasMore: Bool, at now: MonotonicTime, into batch: inout Batch
  ) -> Bool? {
    if !record.isEmpty, let time, now.seconds(since: time) > Self.lifetime { record.forget() }
    time = now
    // Most records have one piece.
    if record.isEmpty, !hasMore {
      piece.publish(into: &batch)
      return piece.isMoving()
    }
    record.merge(&piece)
    guard !hasMore else { return nil }
    defer { record.forget() }
    record.publish(into: &batch)
    return record.isMoving()
  }
}
