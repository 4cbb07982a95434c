// Sums over the ride and over the current lap.

import SensorKit
import Time
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

struct RunningTotals: Sendable {
  private(set) var distance: RideAndLap<Double>
  private(set) var movingTime: RideAndLap<Double>
  private var speed: Statistic
  private(set) var cadence: Statistic
  private var power: Statistic
  private(set) var heartRate: Statistic
  private var balance: Statistic

  init(ride: SavedRide.Totals = SavedRide.Totals(), lap: SavedRide.Totals = SavedRide.Totals()) {
    distance = RideAndLap(ride: ride.distance, lap: lap.distance)
    movingTime = RideAndLap(ride: ride.movingTime, lap: lap.movingTime)
    speed = Statistic(RideAndLap(ride: ride.speed, lap: lap.speed))
    cadence = Statistic(RideAndLap(ride: ride.cadence, lap: lap.cadence))
    power = Statistic(RideAndLap(ride: ride.power, lap: lap.power))
    heartRate = Statistic(RideAndLap(ride: ride.heartRate, lap: lap.heartRate))
    balance = Statistic(RideAndLap(ride: ride.balance, lap: lap.balance))
  }

  /// Without `powerNumbers`.
  func saved(_ span: RideSpan) -> SavedRide.Totals {
    var saved = SavedRide.Totals()
    (saved.distance, saved.movingTime) = (distance[span], movingTime[span])
    saved.speed = speed.sums(span)
    saved.cadence = cadence.sums(span)
    saved.power = power.sums(span)
    saved.heartRate = heartRate.sums(span)
    saved.balance = balance.sums(span)
    return saved
  }

  mutating func add(distance metres: Double) { distance.add(metres) }
  mutating func add(movingTime seconds: Double) { movingTime.add(seconds) }

  /// `counts`: the bike is moving.
  mutating func add(speed value: Double, at time: MonotonicTime, counts: Bool) {
    speed.add(value, at: time, counts: counts)
  }

  mutating func add(cadence value: Double, at time: MonotonicTime, counts: Bool) {
    cadence.add(value, at: time, counts: counts)
  }

  mutating func add(power value: Double, at time: MonotonicTime, counts: Bool) {
    power.add(value, at: time, counts: counts)
  }

  mutating func add(bpm value: Double, at time: MonotonicTime, counts: Bool) {
    heartRate.add(value, at: time, counts: counts)
  }

  mutating func add(balance value: Double, at time: MonotonicTime, counts: Bool) {
    balance.add(value, at: time, counts: counts)
  }

  /// Trends continue across laps.
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

  /// The members of `averages` and of `lap_averages`. `ridden` has those about power, because it
  /// knows which seconds were ridden.
  mutating func write(_ span: RideSpan, _ ridden: borrowing RiddenPower, into out: inout Batch) {
    out.set(Field("speed_avg_mps"), meanSpeed(span))
    out.set(Field("speed_max_mps"), speed.maximum(span))
    out.set(Field("pace_avg_s_per_km"), meanSpeed(span).flatMap(Pace.secondsPerKilometre))
    out.set(Field("cadence_avg_rpm"), cadence.mean(span))
    out.set(Field("cadence_max_rpm"), cadence.maximum(span))
    out.set(Field("power_avg_w"), ridden.average(span))
    out.set(Field("power_max_w"), power.maximum(span))
    out.set(Field("bpm_avg"), heartRate.mean(span))
    out.set(Field("bpm_max"), heartRate.maximum(span))
    out.set(Field("balance_avg_pct"), balance.mean(span))
    out.set(Field("normalized_power_w"), ridden.normalized(span))
    out.set(Field("speed_trend"), speed.trend(span))
    out.set(Field("cadence_trend"), cadence.trend(span))
    out.set(Field("power_trend"), power.trend(span))
    out.set(Field("bpm_trend"), heartRate.trend(span))
  }
}
