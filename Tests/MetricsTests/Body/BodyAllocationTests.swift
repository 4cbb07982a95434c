// A day of heartbeats, zones and energy allocates nothing after the first rounds, and neither does
// reading the results. This holds for optimised code.

import AllocationCounting
import CAllocationCounter
import Testing
import Time

@testable import Metrics

/// Named so that the filter for allocation tests finds it.
@Suite struct BodyAllocationTests {
  @Test(
    "a day of beats allocates nothing",
    .enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"))
  func dayOfBeats() throws {
    var rider = Rider()
    (rider.weightKg, rider.ageYears, rider.sex, rider.maxBpm) = (75, 40, .male, 185)
    let zones = try #require(HeartRateZones(rider))
    let series = Heart.breathing(perMinute: 24, mean: 450, depth: 12, own: 8, measured: 2, seconds: 600, seed: 1)
    var (hrv, times, energy) = (HeartRateVariability(), TimeInZones(zones), EnergyExpenditure(rider))
    var time = MonotonicTime(nanoseconds: 1_000_000_000_000)
    var told = 0
    func ride(_ rounds: Int) {
      for _ in 0..<rounds {
        for (index, interval) in series.enumerated() {
          time = MonotonicTime(nanoseconds: time.nanoseconds + Int64(interval * 1e6))
          hrv.add(rrMs: interval, at: time)
          times.add(bpm: 60_000 / interval, at: time)
          energy.add(bpm: 60_000 / interval, at: time)
          if index % 100 == 0 { energy.add(powerW: 200, at: time) }
          guard index % 10 == 0 else { continue }
          if hrv.rmssd(at: time) != nil, hrv.sdnn(at: time) != nil, hrv.dfaAlpha1(at: time) != nil,
            hrv.breathsPerMinute(at: time) != nil
          {
            told += 1
          }
        }
      }
    }
    ride(2)
    told = 0
    let before = allocation_count()
    ride(144)
    #expect(allocation_count() - before == 0)
    // All estimators were active.
    #expect(told > 10_000)
  }
}
