// The respiratory rate of simulated hearts, with and without breathing.

import Testing

@testable import Metrics

@Suite struct RespiratoryRateTests {
  /// A respiratory rate, the heart's mean interval, its variation and its noise in ms, and in how
  /// many of 20 series the rate must be found.
  struct Breath: Sendable, CustomTestStringConvertible {
    let perMinute: Double
    let mean: Double
    let depth: Double
    let own: Double
    let measured: Double
    let found: Int

    var testDescription: String { "\(perMinute) a minute" }
  }

  @Test(
    "the respiratory rate is found in the intervals",
    arguments: [
      Breath(perMinute: 6, mean: 1000, depth: 60, own: 20, measured: 3, found: 20),
      Breath(perMinute: 9, mean: 950, depth: 50, own: 25, measured: 3, found: 19),
      Breath(perMinute: 12, mean: 1000, depth: 40, own: 25, measured: 3, found: 19),
      Breath(perMinute: 15, mean: 900, depth: 40, own: 25, measured: 3, found: 17),
      Breath(perMinute: 20, mean: 900, depth: 20, own: 20, measured: 3, found: 17),
      Breath(perMinute: 25, mean: 600, depth: 8, own: 6, measured: 2, found: 16),
      Breath(perMinute: 30, mean: 500, depth: 5, own: 4, measured: 2, found: 16),
      Breath(perMinute: 36, mean: 420, depth: 4, own: 3, measured: 2, found: 17),
      Breath(perMinute: 45, mean: 380, depth: 4, own: 3, measured: 2, found: 17),
    ])
  func breathing(_ breath: Breath) {
    var found = 0
    for seed in 1...20 {
      var strap = Strap()
      strap.send(
        Heart.breathing(
          perMinute: breath.perMinute, mean: breath.mean, depth: breath.depth, own: breath.own,
          measured: breath.measured, seconds: 90, seed: UInt64(seed) * 7919))
      guard let told = strap.breaths else { continue }
      found += 1
      #expect(abs(told.value - breath.perMinute) < 0.5, "seed \(seed)")
    }
    #expect(found >= breath.found)
  }

  /// Noise has peaks by chance, too.
  @Test("without breathing, a rate is found in at most 1 of 100 series", arguments: [1000, 600, 380] as [Double])
  func noBreathing(_ mean: Double) {
    var found = 0
    for seed in 1...50 as ClosedRange<UInt64> {
      for noise in [Heart.white(200, seed: seed), Heart.pink(200, seed: seed)] {
        var strap = Strap()
        strap.send(Heart.intervals(noise, mean: mean, deviation: mean / 30))
        if strap.breaths != nil { found += 1 }
      }
    }
    #expect(found <= 1)
  }

  @Test("a rising heart rate alone gives no respiratory rate")
  func risingHeartRate() {
    var strap = Strap()
    strap.send((0..<150).map { Heart.rounded(900 - 3 * Double($0)) })
    #expect(strap.breaths == nil)
  }

  @Test("a changed respiratory rate is followed within a minute")
  func changedRate() throws {
    var strap = Strap()
    strap.send(Heart.breathing(perMinute: 15, mean: 700, depth: 20, seconds: 120, seed: 1))
    #expect(abs(try #require(strap.breaths).value - 15) < 0.3)
    strap.send(Heart.breathing(perMinute: 28, mean: 600, depth: 20, seconds: 65, seed: 2))
    #expect(abs(try #require(strap.breaths).value - 28) < 0.3)
  }
}
