// The samples `ride`, `training`, `power_zones` and `grade`, and the lap's numbers.

import SensorKit
import Time
import Vocabulary

extension CurrentRide {
  func writeRide(into out: inout Batch) {
    out.sample(SampleKind("ride"))
    if let identity = edges.identity {
      out.set(Field("ride_id"), text: identity.id.span)
      if let started = identity.started { out.set(Field("started"), text: started.span) }
    }
    out.set(Field("sport"), sport.sport.word)
    if edges.isClosed { out.set(Field("ended"), true) }
    out.set(Field("ride_time_s"), clock.rideTime)
    out.set(Field("moving_time_s"), clock.movingTime)
    out.set(Field("distance_m"), totals.distance.ride)
    out.set(Field("paused"), !isMoving)
    if !isMoving {
      out.set(Field("pause"), clock.phase == .paused ? "by_hand" : "standing")
      out.set(Field("paused_since_t"), clock.pausedSince?.seconds)
    }
    out.set(Field("lap"), laps.number)
    if let start = laps.start { out.set(Field("lap_time_s"), max(0, clock.rideTime - start.rideTime)) }
    out.set(Field("lap_distance_m"), totals.distance.lap)
    out.set(Field("lap_moving_time_s"), totals.movingTime.lap)
    out.set(Field("work_j"), power.ridden.workJ(.ride))
    out.set(Field("energy_kcal"), body.kilocalories)
    if elevation.isKnown {
      out.set(Field("ascent_m"), elevation.ascentM)
      out.set(Field("descent_m"), elevation.descentM)
    }
    out.set(Field("coasting_time_s"), training.coasting.seconds(.ride))
    if let cars = training.cars.count { out.set(Field("cars_passed"), cars) }
  }

  func writeTraining(into out: inout Batch) {
    let (power, rider) = (power.ridden, training.rider)
    let normalized = power.normalized(.ride)
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
    out.set(Field("power_3s_w_per_kg"), Self.quotient(self.power.mean(ofLast: 3), rider.weightKg))
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
    if let watts = power.mean(ofLast: 3) { out.set(Field("zone"), zones.zone(of: watts)) }
    out.beginNumbers(Field("zone_times_s"))
    for zone in 1...PowerZoneTimes.count { out.append(zones.seconds(in: zone)) }
  }

  func writeGrade(at time: MonotonicTime, into out: inout Batch) {
    let (height, grade) = (elevation.elevationM(at: time), elevation.gradePct(at: time))
    guard height != nil || grade != nil else { return }
    out.sample(SampleKind("grade"))
    out.set(Field("grade_pct"), grade)
    out.set(Field("elevation_m"), height)
  }

  private static func quotient(_ value: Double?, _ divisor: Double?) -> Double? {
    guard let value, let divisor, divisor > 0 else { return nil }
    return value / divisor
  }
}

// MARK: The lap

extension CurrentRide {
  /// In seconds; the climb rate of a shorter lap is meaningless.
  private static let leastClimbingTime = 30.0

  /// The current lap as if it ended now.
  var finishedLap: FinishedLap {
    var lap = FinishedLap(number: laps.number)
    let start = laps.start
    lap.lapTimeS = start.map { max(0, clock.rideTime - $0.rideTime) }
    (lap.movingTimeS, lap.distanceM) = (totals.movingTime.lap, totals.distance.lap)
    if let start, elevation.isKnown { lap.ascentM = max(0, elevation.ascentM - start.ascentM) }
    lap.speedAvgMps = totals.meanSpeed(.lap)
    (lap.powerAvgW, lap.normalizedPowerW) = (power.ridden.average(.lap), power.ridden.normalized(.lap))
    (lap.bpmAvg, lap.bpmMax) = (totals.heartRate.mean(.lap), totals.heartRate.maximum(.lap))
    lap.cadenceAvgRpm = totals.cadence.mean(.lap)
    return lap
  }

  /// The members of `lap_averages` that `averages` does not have.
  func writeLap(into out: inout Batch) {
    out.set(Field("moving_time_s"), totals.movingTime.lap)
    out.set(Field("distance_m"), totals.distance.lap)
    out.set(Field("work_j"), power.ridden.workJ(.lap))
    out.set(Field("variability_index"), power.ridden.variability(.lap))
    out.set(Field("coasting_time_s"), training.coasting.seconds(.lap))
    guard let start = laps.start else { return }
    out.set(Field("lap_time_s"), max(0, clock.rideTime - start.rideTime))
    guard elevation.isKnown else { return }
    let ascent = max(0, elevation.ascentM - start.ascentM)
    out.set(Field("ascent_m"), ascent)
    out.set(Field("descent_m"), max(0, elevation.descentM - start.descentM))
    if totals.movingTime.lap >= Self.leastClimbingTime {
      out.set(Field("vam_m_per_h"), ascent / totals.movingTime.lap * 3600)
    }
  }
}
