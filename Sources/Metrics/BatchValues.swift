// How the ride reads and writes the values of a batch.

import SensorKit
import Vocabulary

// MARK: Reading

/// A target of a radar.
struct SeenCar: Sendable {
  var target = RadarMemory.Target()
  /// Approach speed in m/s.
  var speed: Double?
}

extension Batch {
  func power(_ entry: Entry) -> PowerReading? {
    number(.powerW, of: entry).map { watts in
      PowerReading(
        watts: watts, balance: number(.pedalBalancePct, of: entry), reference: word(.pedalBalanceReference, of: entry))
    }
  }

  /// The objects of a radar sample; see `car`.
  func cars(of entry: Entry) -> Range<Int>? {
    for index in entry.fields {
      let field = field(index)
      if field.field == Field("targets"), case .objects(let range) = field.value { return range }
    }
    return nil
  }

  func car(_ object: Int) -> SeenCar {
    var car = SeenCar()
    for index in self.object(object) {
      let field = objectField(index)
      guard case .number(let number) = field.value else { continue }
      switch field.field {
      case Field("id"): car.target.id = Int(exactly: number)
      case Field("level"): car.target.level = Int(exactly: number) ?? 0
      case Field("distance_m"): car.target.distance = number
      case Field("approach_speed_mps"): car.speed = number
      default: break
      }
    }
    return car
  }
}

// MARK: Writing

extension Batch {
  /// Omits unknown values. Rounds to four decimals, which is finer than any sensor.
  mutating func set(_ field: Field, _ number: Double?) {
    if let number, number.isFinite { set(field, (number * 10_000).rounded() / 10_000) }
  }

  mutating func set(_ field: Field, _ trend: Trend?) {
    if let trend { set(field, trend.word) }
  }

  mutating func position(_ fix: Fix) {
    guard fix.mode > .none, let latitude = fix.latitudeDeg, let longitude = fix.longitudeDeg else { return }
    sample(SampleKind("position"))
    set(Field("latitude_deg"), latitude)
    set(Field("longitude_deg"), longitude)
    set(Field("altitude_m"), fix.altitudeM)
    set(Field("speed_mps"), fix.speedMps)
    set(Field("course_deg"), fix.courseDeg)
    set(Field("accuracy_m"), fix.accuracyM)
    if let satellites = fix.satellites { set(Field("satellites"), satellites) }
    switch fix.quality {
    case .bad: set(Field("quality"), "bad" as Word)
    case .okay: set(Field("quality"), "okay" as Word)
    case .good: set(Field("quality"), "good" as Word)
    }
  }
}
