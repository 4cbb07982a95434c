// The parts without the ride, as another program uses them that recomputes a ride from stored
// samples. There is no `@testable` here: everything used is public.

import Metrics
import Testing
import Time

@Suite struct PublicPartsTests {
  private static var rider: Rider {
    var rider = Rider()
    (rider.maxBpm, rider.restingBpm, rider.thresholdPowerW, rider.wPrimeJ) = (190, 50, 250, 20_000)
    (rider.weightKg, rider.ageYears, rider.sex) = (75, 40, .male)
    return rider
  }

  private static func time(_ second: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(second * 1_000_000_000))
  }

  @Test("ten minutes of stored watts give power, zones, W' and energy")
  func watts() throws {
    let watts = Array(repeating: 200.0, count: 300) + Array(repeating: 300.0, count: 300)
    var power = RiddenPower()
    var training = TrainingNumbers(Self.rider)
    var energy = EnergyExpenditure(Self.rider)
    for (second, value) in watts.enumerated() {
      training.add(ridden: value, window: power.add(value), bpm: nil)
      training.pass(value, seconds: 1, isResting: false)
      energy.add(powerW: value, at: Self.time(Double(second)))
    }
    #expect(power.average(.ride) == 250)
    #expect(power.workJ(.ride) == 150_000)
    #expect(power.best(seconds: 60) == 300)
    let normalized = try #require(power.normalized(.ride))
    #expect((260...265).contains(normalized))
    let zones = try #require(training.zones)
    #expect(zones.seconds(in: 3) == 300 && zones.seconds(in: 4) == 0 && zones.seconds(in: 5) == 300)
    #expect(training.balance.balanceJ == 5000.0)
    let kilocalories = try #require(energy.kilocalories)
    #expect(abs(kilocalories - 149.75) < 0.1)
  }

  @Test("means of the last seconds know unridden seconds too")
  func lastSeconds() {
    var power = PowerNumbers()
    var training = TrainingNumbers(Self.rider)
    for second in 0..<20 {
      power.add(150, at: Self.time(Double(second)), PowerNumbers.Riding(isMoving: false), into: &training)
    }
    #expect(power.mean(ofLast: 10) == 150)
    #expect(power.ridden.average(.ride) == nil)
  }

  @Test("stored heart rates give times in zones and a load")
  func heartRates() throws {
    let zones = try #require(HeartRateZones(Self.rider))
    var times = TimeInZones(zones)
    var load = HeartRateLoad(Self.rider)
    for second in 0...120 {
      let bpm = second <= 60 ? 120.0 : 160.0
      times.add(bpm: bpm, at: Self.time(Double(second)))
      load.add(bpm: bpm, at: Self.time(Double(second)), counts: true)
    }
    #expect(times.seconds(in: 2) == 61 && times.seconds(in: 4) == 59)
    #expect(try #require(load.load) > 0)
  }

  @Test("stored intervals give the variability")
  func intervals() throws {
    var variability = HeartRateVariability()
    var second = 0.0
    for beat in 0..<200 {
      let interval = beat.isMultiple(of: 2) ? 790.0 : 810.0
      second += interval / 1000
      variability.add(rrMs: interval, at: Self.time(second))
    }
    let rmssd = variability.rmssd(at: Self.time(second))
    #expect(abs(try #require(rmssd).value - 20) < 0.5)
  }
}
