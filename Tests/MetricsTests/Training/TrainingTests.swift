// The training numbers of whole rides, compared with those that numpy computes.

import Testing
import Vocabulary

@testable import Metrics

struct TrainingTests {
  @Test("the fixture is there")
  func fixture() { #expect(TrainingReference.all.count >= 11) }

  @Test("power numbers of a ride match those of numpy", arguments: TrainingReference.all)
  func powerNumbers(_ reference: TrainingReference) {
    let ride = reference.ridden()
    let expected = reference.expected
    // A restart loses the current second, and a 30 s mean without it differs slightly.
    let share = reference.restarts.isEmpty ? 1e-5 : 2e-4
    let read = ride.read
    func expect(
      _ kind: String, _ field: String, _ value: Double?, _ share: Double = share,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let found = read[kind]?[field]
      let isClose = value.map { abs((found ?? .infinity) - $0) <= abs($0) * share + 1e-4 } ?? (found == nil)
      #expect(isClose, "\(field): \(found ?? .nan), not \(value ?? .nan)", sourceLocation: sourceLocation)
    }
    expect("averages", "power_avg_w", expected.powerAvgW)
    expect("averages", "normalized_power_w", expected.normalizedPowerW)
    expect("ride", "work_j", expected.workJ)
    expect("training", "variability_index", expected.variabilityIndex)
    expect("training", "intensity_factor", expected.intensityFactor)
    expect("training", "training_stress_score", expected.trainingStressScore)
    expect("training", "power_avg_w_per_kg", expected.powerAvgWPerKg)
    expect("training", "normalized_power_w_per_kg", expected.normalizedPowerWPerKg)
    #expect(expected.best.count == 4)
    for (field, value) in expected.best { expect("training", field, value) }
    expect("lap_averages", "power_avg_w", expected.lap.powerAvgW)
    expect("lap_averages", "normalized_power_w", expected.lap.normalizedPowerW)
    expect("lap_averages", "work_j", expected.lap.workJ)
    let times = ride.lists["power_zones"]
    #expect(times == expected.zoneTimesS)
  }

  @Test("constant power has a variability index of 1.00", arguments: TrainingReference.all.filter(\.isConstant))
  func constantPower(_ reference: TrainingReference) {
    let ride = reference.ridden()
    #expect(ride.value("training", "variability_index") == 1)
    #expect(ride.value("averages", "normalized_power_w") == 250 && ride.value("averages", "power_avg_w") == 250)
  }

  @Test("W' balance matches Euler steps of Skiba's equation", arguments: TrainingReference.all)
  func wPrimeBalance(_ reference: TrainingReference) {
    let found = reference.ridden().value("training", "w_prime_balance_j") ?? .nan
    #expect(abs(found - reference.expected.wPrimeBalanceJ) <= 5, "\(found), not \(reference.expected.wPrimeBalanceJ)")
  }

  @Test("heart-rate load, efficiency and decoupling match those of numpy", arguments: TrainingReference.all)
  func heartNumbers(_ reference: TrainingReference) {
    let ride = reference.ridden()
    let expected = reference.expected
    let load = ride.value("training", "heart_rate_load") ?? .nan
    #expect(abs(load - expected.heartRateLoad) <= 0.005 * expected.heartRateLoad, "\(load)")
    let factor = ride.value("training", "efficiency_factor_w_per_bpm") ?? .nan
    #expect(abs(factor - expected.efficiencyFactorWPerBpm) <= 0.002 * factor, "\(factor)")
    let decoupling = ride.value("training", "decoupling_pct")
    guard let truth = expected.decouplingPct else { return #expect(decoupling == nil) }
    #expect(abs((decoupling ?? .infinity) - truth) <= 0.15, "\(decoupling ?? .nan), not \(truth)")
  }

  @Test("a number is omitted while one of its inputs is unknown")
  func unknownNumbers() {
    let ride = TrainingReference.all[0].ridden(by: Rider())
    let told = Set((ride.read["training"] ?? [:]).keys)
    let fromPowerAndHeartAlone: Set = [
      "variability_index", "efficiency_factor_w_per_bpm", "decoupling_pct", "best_5s_w", "best_1min_w", "best_5min_w",
      "best_20min_w",
    ]
    #expect(told == fromPowerAndHeartAlone)
    let hasZones = ride.read["power_zones"] != nil
    #expect(!hasZones)
    var noPower = TestRide(rider: TrainingReference.rider)
    for _ in 0..<90 { noPower.say(speed: 8, over: 1, from: noPower.wheel); noPower.pass(1) }
    #expect(noPower.read["training"] == [:])
    #expect(noPower.value("ride", "coasting_time_s") == nil && noPower.value("ride", "cars_passed") == nil)
  }

  @Test("a restart in every minute changes the training numbers only slightly")
  func restarts() {
    let reference = TrainingReference.all[3]
    let whole = reference.ridden()
    var parted = TestRide(rider: TrainingReference.rider)
    for second in reference.power.indices {
      if second % 60 == 30 {
        let (saved, now) = (parted.metrics.saved, parted.now)
        parted = TestRide(rider: TrainingReference.rider, saved: saved, now: now)
        let unchanged = parted.metrics.saved
        #expect(unchanged == saved)
      }
      parted.say(speed: 8, over: 1, from: parted.wheel)
      parted.say(.heartRate, [(.bpm, reference.bpm[second])], from: parted.strap)
      parted.say(.power, [(.powerW, reference.power[second] ?? 0)], from: parted.pedals)
      parted.pass(1)
    }
    for (field, value) in whole.read["training"] ?? [:] where field != "decoupling_pct" {
      let found = parted.value("training", field) ?? .nan
      #expect(abs(found - value) <= 0.05 * abs(value), "\(field): \(found), not \(value)")
    }
    #expect(abs((parted.value("training", "decoupling_pct") ?? .nan) - 13.9) < 1.5)
  }
}
