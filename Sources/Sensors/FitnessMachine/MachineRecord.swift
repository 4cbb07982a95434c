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

  var field: Field { Self.fields[rawValue] }
}

struct MachineRecord {
  private var numbers = InlineArray<32, Double>(repeating: 0)
  private var known: UInt32 = 0
  /// Of cross trainers only.
  var movesBackward: Bool?

  subscript(quantity: Quantity) -> Double? {
    get { known >> quantity.rawValue & 1 == 1 ? numbers[quantity.rawValue] : nil }
    set {
      guard let newValue else { return }
      numbers[quantity.rawValue] = newValue
      known |= 1 << quantity.rawValue
    }
  }

  mutating func merge(_ piece: MachineRecord) {
    for index in numbers.indices where piece.known >> index & 1 == 1 { numbers[index] = piece.numbers[index] }
    known |= piece.known
    movesBackward = piece.movesBackward ?? movesBackward
  }

  /// By the first that is known of what shows it; nil where nothing of it is.
  var isMoving: Bool? {
    (self[.speed] ?? self[.strokeRate] ?? self[.stepRate] ?? self[.cadence] ?? self[.power]).map { $0 != 0 }
  }

  func publish(into batch: inout Batch) {
    publish(.trainer, Quantity.ofTrainer, into: &batch)
    publish(.rowing, Quantity.ofRowing, into: &batch)
    publish(.speed, .speed, into: &batch)
    publish(.cadence, .cadence, into: &batch)
    publish(.power, .power, into: &batch)
    publish(.heartRate, .heartRate, into: &batch)
  }

  private func publish(_ kind: SampleKind, _ quantity: Quantity, into batch: inout Batch) {
    guard let number = self[quantity] else { return }
    batch.sample(kind)
    batch.set(quantity.field, number)
  }

  private func publish(_ kind: SampleKind, _ quantities: ClosedRange<Int>, into batch: inout Batch) {
    var hasBegun = false
    for index in quantities {
      guard let quantity = Quantity(rawValue: index), let number = self[quantity] else { continue }
      if !hasBegun { batch.sample(kind) }
      hasBegun = true
      batch.set(quantity.field, number)
    }
    if hasBegun, kind == .trainer, let movesBackward {
      batch.set(Field("movement_direction"), movesBackward ? "backward" : "forward")
    }
  }
}

struct MachinePieces {
  private static let lifetime = 2.0

  private var record = MachineRecord()
  private var time: MonotonicTime?

  /// The whole record, when this piece closes it.
  mutating func add(_ frame: MachineFrame, at now: MonotonicTime) -> MachineRecord? {
    if let time, now.seconds(since: time) > Self.lifetime { record = MachineRecord() }
    time = now
    record.merge(frame.record)
    guard !frame.hasMore else { return nil }
    defer { record = MachineRecord() }
    return record
  }
}
