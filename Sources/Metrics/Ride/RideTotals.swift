// What is summed up over a ride, and in the same way over a lap of it.

import SensorKit

struct RideTotals: Sendable {
  var distance: Double
  var movingTime: Double
  var speed: Statistic
  var cadence: Statistic
  var power: Statistic
  var heartRate: Statistic
  var balance: Statistic
  var powerNumbers: PowerNumbers

  init(saved: SavedRide.Totals = SavedRide.Totals()) {
    distance = saved.distance
    movingTime = saved.movingTime
    speed = Statistic(saved: saved.speed)
    cadence = Statistic(saved: saved.cadence)
    power = Statistic(saved: saved.power)
    heartRate = Statistic(saved: saved.heartRate)
    balance = Statistic(saved: saved.balance)
    powerNumbers = PowerNumbers(saved: saved.powerNumbers)
  }

  var saved: SavedRide.Totals {
    var saved = SavedRide.Totals()
    saved.distance = distance
    saved.movingTime = movingTime
    saved.speed = speed.saved
    saved.cadence = cadence.saved
    saved.power = power.saved
    saved.heartRate = heartRate.saved
    saved.balance = balance.saved
    saved.powerNumbers = powerNumbers.saved
    return saved
  }

  /// Over the time that it moved: a way, and not a mean of what a sensor said of its speed.
  var meanSpeed: Double? { movingTime >= 1 && distance > 0 ? distance / movingTime : nil }

  /// The members of `averages` and of `lap_averages`.
  mutating func write(into out: inout Batch) {
    out.set(Field("speed_avg_mps"), meanSpeed)
    out.set(Field("speed_max_mps"), speed.maximum)
    out.set(Field("cadence_avg_rpm"), cadence.mean)
    out.set(Field("cadence_max_rpm"), cadence.maximum)
    out.set(Field("power_avg_w"), power.mean)
    out.set(Field("power_max_w"), power.maximum)
    out.set(Field("bpm_avg"), heartRate.mean)
    out.set(Field("bpm_max"), heartRate.maximum)
    out.set(Field("balance_avg_pct"), balance.mean)
    out.set(Field("normalized_power_w"), powerNumbers.normalized)
    out.set(Field("speed_trend"), speed.trend())
    out.set(Field("cadence_trend"), cadence.trend())
    out.set(Field("power_trend"), power.trend())
    out.set(Field("bpm_trend"), heartRate.trend())
  }
}

extension Batch {
  /// What is not known is left out. To a tenth of a thousandth: more than anybody measures.
  mutating func set(_ field: Field, _ number: Double?) {
    if let number, number.isFinite { set(field, (number * 10_000).rounded() / 10_000) }
  }

  mutating func set(_ field: Field, _ trend: Trend?) {
    if let trend { set(field, trend.word) }
  }
}
