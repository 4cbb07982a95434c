// Tires that are low, hot or leaking, with sensors that round their values.

import TestSupport
import Testing
import Time

@testable import Metrics

private func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(seconds: 3000 + seconds) }

private func tire(target: Double) -> TireSettings {
  var tire = TireSettings()
  tire.targetPressurePa = target
  return tire
}

func cap(target: Double) -> RideSensor {
  var cap = RideSensor(id: "cap")
  cap.tire = tire(target: target)
  return cap
}

struct TireWatchTests {
  @Test("a limit is reported once, and again after a recovery")
  func limits() {
    var watch = TireWatch(TireWatch.Bounds(tire(target: 300_000)))
    let pressures = [300_000.0, 268_000, 266_000, 271_000, 268_000, 300_000, 265_000, 340_000]
    let events = pressures.enumerated().compactMap {
      watch.add(gauge: $1, celsius: nil, at: time(Double($0) * 60))
    }
    #expect(events == [.low(268_000), .low(265_000), .high(340_000)])
  }

  @Test("the user's limits apply in addition to the target")
  func usersLimits() {
    var settings = tire(target: 300_000)
    (settings.lowestPressurePa, settings.highestCelsius) = (290_000, 50)
    var watch = TireWatch(TireWatch.Bounds(settings))
    let values: [(pressure: Double, celsius: Double)] = [
      (291_000, 49), (289_000, 49), (300_000, 51), (329_000, 51), (331_000, 40),
    ]
    let events = values.enumerated().compactMap {
      watch.add(gauge: $1.pressure, celsius: $1.celsius, at: time(Double($0) * 60))
    }
    #expect(events == [.low(289_000), .hot(51), .high(331_000)])
    // A limit applies without a target, too.
    var alone = TireSettings()
    alone.highestPressurePa = 310_000
    let bounds = TireWatch.Bounds(alone)
    #expect(bounds.low == nil && bounds.high == 310_000 && bounds.hot == 75)
  }

  @Test(
    "contradictory limits are reported",
    arguments: [
      (300, 250, 350, nil), (300, 300, nil, nil), (300, nil, 300, nil), (nil, 250, 251, nil),
      (nil, 250, 250, "lowest_pressure_pa has to be below highest_pressure_pa"),
      (300, 301, nil, "target_pressure_pa cannot be below lowest_pressure_pa"),
      (300, nil, 299, "target_pressure_pa cannot be above highest_pressure_pa"),
    ] as [(Double?, Double?, Double?, String?)])
  func contradictoryLimits(target: Double?, lowest: Double?, highest: Double?, words: String?) {
    var settings = TireSettings()
    (settings.targetPressurePa, settings.lowestPressurePa, settings.highestPressurePa) = (target, lowest, highest)
    #expect(settings.contradiction() == words)
  }

  @Test("the bike's values apply if the sensor has none, unless they contradict it")
  func bikesValues() {
    var (own, bike) = (tire(target: 300_000), tire(target: 500_000))
    (bike.lowestPressurePa, bike.highestPressurePa, bike.highestCelsius) = (250_000, 320_000, 60)
    let filled = own.filled(from: bike)
    #expect(filled.targetPressurePa == 300_000 && filled.lowestPressurePa == 250_000 && filled.highestCelsius == 60)
    own.targetPressurePa = 240_000
    let contradicted = own.filled(from: bike)
    #expect(contradicted.targetPressurePa == 240_000 && contradicted.lowestPressurePa == nil)
    #expect(contradicted.highestPressurePa == nil && contradicted.highestCelsius == 60)
  }

  @Test("a hot tire is reported")
  func hotTire() {
    var watch = TireWatch()
    let events = [60.0, 76, 74, 78, 65, 80].enumerated().compactMap {
      watch.add(gauge: 300_000, celsius: $1, at: time(Double($0) * 10))
    }
    #expect(events == [.hot(76), .hot(80)])
  }

  /// 40 kPa per hour in a tire that warms up by 25 °C; the sensor has a resolution of 1 kPa.
  @Test("a slow leak is found although the tire warms up", arguments: 1...20)
  func leakInWarmingTire(seed: UInt64) throws {
    var (watch, noise) = (TireWatch(), SeededRandom(seed))
    var found: (after: Double, rate: Double)?
    for minute in 0..<120 {
      let celsius = 15 + 25 * min(1, Double(minute) / 40)
      let absolute = (401_325 - 40_000 * Double(minute) / 60) * (celsius + 273.15) / 288.15
      let gauge = ((absolute - 101_325 + 700 * noise.normal()) / 1000).rounded() * 1000
      if case .leak(let rate)? = watch.add(gauge: gauge, celsius: celsius.rounded(), at: time(Double(minute) * 60)) {
        found = found ?? (Double(minute), rate)
      }
    }
    let leak = try #require(found)
    #expect(leak.after <= 45, "\(leak)")
    #expect(abs((watch.trend ?? 0) + 40_000 * 293.15 / 288.15) < 6000, "\(watch.trend ?? 0)")
  }

  @Test("the rate of a leak that begins later is that of the leak", arguments: [0.0, 20, 30, 55, 120])
  func leakRate(begin: Double) throws {
    for (rate, seed) in [(-30_000.0, UInt64(1)), (-40_000, 2), (-80_000, 3), (-200_000, 4)] {
      var (watch, noise) = (TireWatch(), SeededRandom(seed))
      var found: (after: Double, rate: Double)?
      for step in 0..<Int((begin + 60) * 4) where found == nil {
        let minute = Double(step) / 4
        let lost = rate / 60 * max(0, minute - begin)
        let gauge = ((500_000 + lost + 500 * noise.normal()) / 1000).rounded() * 1000
        if case .leak(let rate)? = watch.add(gauge: gauge, celsius: 20, at: time(minute * 60)) {
          found = (minute - begin, rate)
        }
      }
      let leak = try #require(found)
      print("leak of \(rate) after \(begin) minutes: \(leak)")
      #expect(leak.after >= 0 && leak.after <= 30, "\(rate)")
      #expect(abs(leak.rate - rate) <= 0.25 * abs(rate), "\(leak)")
    }
  }

  @Test("a tire that warms and cools does not leak", arguments: 1...20)
  func warmingAndCooling(seed: UInt64) {
    var (watch, noise) = (TireWatch(), SeededRandom(seed))
    for minute in 0..<360 {
      let celsius = 15 + 20 * Double(abs(minute % 120 - 60)) / 60
      let absolute = 401_325 * (celsius + 273.15) / 288.15
      let gauge = ((absolute - 101_325 + 700 * noise.normal()) / 1000).rounded() * 1000
      let event = watch.add(gauge: gauge, celsius: celsius.rounded(), at: time(Double(minute) * 60))
      #expect(event == nil)
    }
  }

  @Test("inflating is not a leak, and ten minutes are too short for one")
  func inflating() {
    var watch = TireWatch()
    for minute in 0..<60 {
      let gauge = minute < 30 ? 300_000.0 : 250_000
      let event = watch.add(gauge: gauge, celsius: 20, at: time(Double(minute) * 60))
      #expect(event == nil)
    }
  }
}
