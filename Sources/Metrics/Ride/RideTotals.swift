// Sums over the ride and over the current lap.

import SensorKit
import Vocabulary

public enum RideSpan: Sendable { case ride, lap }

/// The same sums for both spans.
public struct RideAndLap<Sums: Equatable & Sendable>: Equatable, Sendable {
  public var ride: Sums
  public var lap: Sums

  public init(ride: Sums, lap: Sums) { (self.ride, self.lap) = (ride, lap) }

  public subscript(span: RideSpan) -> Sums {
    switch span {
    case .ride: ride
    case .lap: lap
    }
  }
}

extension RideAndLap<Double> {
  public mutating func add(_ amount: Double) {
    ride += amount
    lap += amount
  }
}

struct RideTotals: Sendable {
  var distance: RideAndLap<Double>
  var movingTime: RideAndLap<Double>
  var speed: Statistic
  var cadence: Statistic
  var power: Statistic
  var heartRate: Statistic
  var balance: Statistic
  var powerNumbers: PowerNumbers

  init(
    ride: SavedRide.Totals = SavedRide.Totals(), lap: SavedRide.Totals = SavedRide.Totals(),
    efforts: SavedRide.Efforts = SavedRide.Efforts()
  ) {
    distance = RideAndLap(ride: ride.distance, lap: lap.distance)
    movingTime = RideAndLap(ride: ride.movingTime, lap: lap.movingTime)
    speed = Statistic(RideAndLap(ride: ride.speed, lap: lap.speed))
    cadence = Statistic(RideAndLap(ride: ride.cadence, lap: lap.cadence))
    power = Statistic(RideAndLap(ride: ride.power, lap: lap.power))
    heartRate = Statistic(RideAndLap(ride: ride.heartRate, lap: lap.heartRate))
    balance = Statistic(RideAndLap(ride: ride.balance, lap: lap.balance))
    powerNumbers = PowerNumbers(RideAndLap(ride: ride.powerNumbers, lap: lap.powerNumbers), saved: efforts)
  }

  func saved(_ span: RideSpan) -> SavedRide.Totals {
    var saved = SavedRide.Totals()
    (saved.distance, saved.movingTime) = (distance[span], movingTime[span])
    saved.speed = speed.sums(span)
    saved.cadence = cadence.sums(span)
    saved.power = power.sums(span)
    saved.heartRate = heartRate.sums(span)
    saved.balance = balance.sums(span)
    saved.powerNumbers = powerNumbers.ridden.sums(span)
    return saved
  }

  /// Means of the last seconds, and trends, continue across laps. `PowerNumbers` splits its power
  /// itself, because it knows which seconds were ridden.
  mutating func beginLap() {
    (distance.lap, movingTime.lap) = (0, 0)
    speed.beginLap()
    cadence.beginLap()
    power.beginLap()
    heartRate.beginLap()
    balance.beginLap()
  }

  /// Distance divided by moving time, not a mean of reported speeds.
  func meanSpeed(_ span: RideSpan) -> Double? {
    movingTime[span] >= 1 && distance[span] > 0 ? distance[span] / movingTime[span] : nil
  }

  /// The members of `averages` and of `lap_averages`.
  mutating func write(_ span: RideSpan, into out: inout Batch) {
    out.set(Field("speed_avg_mps"), meanSpeed(span))
    out.set(Field("speed_max_mps"), speed.maximum(span))
    out.set(Field("pace_avg_s_per_km"), meanSpeed(span).flatMap(Pace.secondsPerKilometre))
    out.set(Field("cadence_avg_rpm"), cadence.mean(span))
    out.set(Field("cadence_max_rpm"), cadence.maximum(span))
    out.set(Field("power_avg_w"), powerNumbers.ridden.average(span))
    out.set(Field("power_max_w"), power.maximum(span))
    out.set(Field("bpm_avg"), heartRate.mean(span))
    out.set(Field("bpm_max"), heartRate.maximum(span))
    out.set(Field("balance_avg_pct"), balance.mean(span))
    out.set(Field("normalized_power_w"), powerNumbers.ridden.normalized(span))
    out.set(Field("speed_trend"), speed.trend(span))
    out.set(Field("cadence_trend"), cadence.trend(span))
    out.set(Field("power_trend"), power.trend(span))
    out.set(Field("bpm_trend"), heartRate.trend(span))
  }
}

extension Batch {
  /// Omits unknown values. Rounds to four decimals, which is finer than any sensor.
  mutating func set(_ field: Field, _ number: Double?) {
    if let number, number.isFinite { set(field, (number * 10_000).rounded() / 10_000) }
  }

  mutating func set(_ field: Field, _ trend: Trend?) {
    if let trend { set(field, trend.word) }
  }
}
