// Writes the samples `training` and `power_zones`, and the lap's members of `lap_averages`.

import SensorKit
import Time
import Vocabulary

extension RideMetrics {
  func riding(at time: MonotonicTime) -> PowerNumbers.Riding {
    PowerNumbers.Riding(
      isMoving: isMoving, since: clock.movingSince, movedAt: clock.movedAt,
      bpm: heartRates.isLive(at: time) ? heartRates.toldValue : nil)
  }

  mutating func passTraining(moved seconds: Double, to time: MonotonicTime, hasCadence: Bool, hasPower: Bool) {
    training.coasting.pass(
      moved: seconds, to: time, hasCadence: hasCadence, hasPower: hasPower, isMoving: isMoving, movedAt: clock.movedAt)
    totals.powerNumbers.advance(to: time, riding(at: time), into: &training)
  }

  mutating func beginLapOfTraining(at time: MonotonicTime) {
    totals.powerNumbers.beginLap(riding(at: time), into: &training)
    training.beginLap(
      SavedRide.LapStart(
        rideTime: clock.rideTime, ascentM: road.elevation.ascentM, descentM: road.elevation.descentM))
  }

  /// Call once a second during a ride.
  mutating func writeTraining(at time: MonotonicTime, into out: inout Batch) {
    training.climbing.pass(isMoving && road.elevation.isKnown ? road.elevation.ascentM : nil)
    let power = totals.powerNumbers.ridden
    let (normalized, rider) = (power.normalized(.ride), training.rider)
    let intensity = Self.quotient(normalized, rider.thresholdPowerW)
    out.sample(SampleKind("training"))
    out.set(Field("variability_index"), power.variability(.ride))
    out.set(Field("intensity_factor"), intensity)
    out.set(Field("training_stress_score"), intensity.map { power.sums(.ride).seconds / 36 * $0 * $0 })
    out.set(Field("efficiency_factor_w_per_bpm"), Self.quotient(normalized, totals.heartRate.mean(.ride)))
    out.set(Field("decoupling_pct"), training.halves.percent)
    out.set(Field("heart_rate_load"), training.load.load)
    out.set(Field("w_prime_balance_j"), training.balance.balanceJ)
    out.set(Field("w_prime_balance_pct"), training.balance.balancePct)
    out.set(Field("power_3s_w_per_kg"), Self.quotient(totals.powerNumbers.mean(ofLast: 3), rider.weightKg))
    out.set(Field("power_avg_w_per_kg"), Self.quotient(power.average(.ride), rider.weightKg))
    out.set(Field("normalized_power_w_per_kg"), Self.quotient(normalized, rider.weightKg))
    out.set(Field("best_5s_w"), power.best(seconds: 5))
    out.set(Field("best_1min_w"), power.best(seconds: 60))
    out.set(Field("best_5min_w"), power.best(seconds: 300))
    out.set(Field("best_20min_w"), power.best(seconds: 1200))
    out.set(Field("vam_m_per_h"), training.climbing.metresPerHour)
    writePowerZones(into: &out)
  }

  private func writePowerZones(into out: inout Batch) {
    guard let zones = training.zones else { return }
    out.sample(SampleKind("power_zones"))
    if let watts = totals.powerNumbers.mean(ofLast: 3) { out.set(Field("zone"), zones.zone(of: watts)) }
    out.beginNumbers(Field("zone_times_s"))
    for zone in 1...PowerZoneTimes.count { out.append(zones.seconds(in: zone)) }
  }

  /// The totals when the lap began; nil if an earlier release did not save them.
  var lapStart: SavedRide.LapStart? { training.lapStart ?? (lapNumber == 1 ? SavedRide.LapStart() : nil) }

  /// The members of `lap_averages` that `averages` does not have.
  func writeLap(into out: inout Batch) {
    out.set(Field("moving_time_s"), totals.movingTime.lap)
    out.set(Field("distance_m"), totals.distance.lap)
    out.set(Field("work_j"), totals.powerNumbers.ridden.workJ(.lap))
    out.set(Field("variability_index"), totals.powerNumbers.ridden.variability(.lap))
    out.set(Field("coasting_time_s"), training.coasting.seconds(.lap))
    guard let start = lapStart else { return }
    out.set(Field("lap_time_s"), max(0, clock.rideTime - start.rideTime))
    guard road.elevation.isKnown else { return }
    let ascent = max(0, road.elevation.ascentM - start.ascentM)
    out.set(Field("ascent_m"), ascent)
    out.set(Field("descent_m"), max(0, road.elevation.descentM - start.descentM))
    if totals.movingTime.lap >= Self.leastClimbingTime {
      out.set(Field("vam_m_per_h"), ascent / totals.movingTime.lap * 3600)
    }
  }

  /// In seconds; the climb rate of a shorter lap is meaningless.
  private static let leastClimbingTime = 30.0

  private static func quotient(_ value: Double?, _ divisor: Double?) -> Double? {
    guard let value, let divisor, divisor > 0 else { return nil }
    return value / divisor
  }
}

// MARK: Cars

extension RideMetrics {
  mutating func countCars(_ entry: Batch.Entry, of batch: borrowing Batch, at time: MonotonicTime) {
    for index in entry.fields {
      let field = batch.field(index)
      guard field.field == Field("targets"), case .objects(let range) = field.value else { continue }
      for target in range { see(target, of: batch, at: time) }
    }
    training.cars.settle(at: time, counts: isMoving)
  }

  private mutating func see(_ target: Int, of batch: borrowing Batch, at time: MonotonicTime) {
    var (id, distance, speed): (Int?, Double?, Double?)
    for index in batch.object(target) {
      let field = batch.objectField(index)
      guard case .number(let number) = field.value else { continue }
      switch field.field {
      case Field("id"): id = Int(exactly: number)
      case Field("distance_m"): distance = number
      case Field("approach_speed_mps"): speed = number
      default: break
      }
    }
    guard let id, let distance, distance.isFinite else { return }
    training.cars.see(id, distance: distance, speed: speed, at: time, counts: isMoving)
  }
}
