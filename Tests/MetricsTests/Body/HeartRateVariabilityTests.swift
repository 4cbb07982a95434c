// Variability of simulated hearts: noise, gaps, artefacts, and late, repeated or invalid packets.

import TestSupport
import Testing
import Time

@testable import Metrics

@Suite struct HeartRateVariabilityTests {
  /// Alternating intervals always differ by the same amount.
  @Test("RMSSD is computed from differences of neighbours")
  func rmssd() throws {
    var strap = Strap()
    strap.send((0..<400).map { $0 % 2 == 0 ? 800 : 830 })
    let rmssd = try #require(strap.rmssd)
    let sdnn = try #require(strap.sdnn)
    #expect(abs(rmssd.value - 30) < 1e-9)
    #expect(abs(sdnn.value - 15) < 0.05)
    #expect(rmssd.confidence > 0.97)
  }

  @Test("variability is unknown until half of the window is filled")
  func unknownAtFirst() {
    var strap = Strap()
    strap.send(Array(repeating: 1000, count: 20))
    #expect(strap.rmssd == nil && strap.sdnn == nil && strap.alpha1 == nil && strap.breaths == nil)
    strap.send(Array(repeating: 1000, count: 30))
    #expect(strap.rmssd?.value == 0)
    #expect(strap.rmssd.map { $0.confidence > 0.7 && $0.confidence < 0.8 } == true)
    #expect(strap.sdnn == nil && strap.alpha1 == nil)
  }

  @Test("variability is unknown after a silence")
  func silence() {
    var strap = Strap()
    strap.send(Heart.intervals(Heart.white(300, seed: 1), mean: 800, deviation: 30))
    #expect(strap.rmssd != nil && strap.sdnn != nil && strap.alpha1 != nil)
    strap.wait(35)
    #expect(strap.rmssd == nil && strap.alpha1 == nil)
    strap.wait(300)
    #expect(strap.sdnn == nil)
  }

  /// The values that this estimator has for each noise, over 60 series of two minutes.
  @Test(
    "alpha 1 distinguishes white, pink and brown noise",
    arguments: [("white", 0.58, Heart.white), ("pink", 1.03, Heart.pink), ("brown", 1.49, Heart.brown)])
  func alpha1OfNoise(
    _ row: (name: String, truth: Double, make: @Sendable (Int, UInt64) -> [Double])
  ) throws {
    var sum = 0.0
    for seed in 1...60 {
      var strap = Strap()
      strap.send(Heart.intervals(row.make(320, UInt64(seed) * 104_729), mean: 400, deviation: 12))
      let alpha1 = try #require(strap.alpha1).value
      #expect(abs(alpha1 - row.truth) < 0.2, "seed \(seed)")
      sum += alpha1
    }
    #expect(abs(sum / 60 - row.truth) < 0.02)
  }

  /// The halves have different rates, so only a difference across the gap would not be 0.
  @Test("intervals that are not neighbours are never subtracted")
  func neighboursAcrossGap() throws {
    for said in [false, true] {
      var strap = Strap()
      strap.send(Array(repeating: 700, count: 60))
      if said { strap.hrv.interrupt() } else { strap.wait(5) }
      strap.send(Array(repeating: 800, count: 60))
      #expect(try #require(strap.rmssd).value == 0)
    }
  }

  /// With a strap that sends at each beat, any single lost interval is detected.
  @Test("one lost interval is a gap")
  func lostInterval() throws {
    for lost in 70..<90 {
      var strap = Strap()
      let series = Heart.intervals(Heart.white(120, seed: 5), mean: 900, deviation: 30)
      strap.send(Array(series[..<lost]))
      strap.wait(series[lost] / 1000)
      strap.send(Array(series[(lost + 1)...]))
      var beats = strap.hrv.beats
      beats.judgeWaiting()
      let gaps = beats.window(300, at: strap.now).beats.dropFirst().filter { beats[$0].followsGap }
      #expect(gaps == [lost], "\(lost)")
    }
  }

  /// Each packet is late by up to 0.2 s, and that may produce only a few false gaps.
  @Test("packets once per second give nearly the same result", arguments: [1100, 950, 800, 600, 430, 330] as [Double])
  func oncePerSecond(_ mean: Double) throws {
    let series = Heart.intervals(Heart.white(Int(400_000 / mean), seed: 6), mean: mean, deviation: mean / 40)
    var exact = Strap()
    exact.send(series)
    var late = Strap()
    late.sendBySecond(series, jitter: 0.2, seed: 7)
    var beats = late.hrv.beats
    beats.judgeWaiting()
    let gaps = beats.window(300, at: late.now).beats.filter { beats[$0].followsGap }
    #expect(gaps.count <= 6)
    let (told, truth) = (try #require(late.rmssd).value, try #require(exact.rmssd).value)
    // The last packet has not arrived, so the windows differ slightly.
    #expect(abs(told / truth - 1) < 0.1)
    let (sdnn, exactSDNN) = (try #require(late.sdnn).value, try #require(exact.sdnn).value)
    #expect(abs(sdnn / exactSDNN - 1) < 0.06)
  }

  /// A strap that sends once per second loses three seconds of packets or more.
  @Test("a gap between packets is detected", arguments: [3.0, 10, 50])
  func gapBetweenPackets(_ silence: Double) throws {
    var strap = Strap()
    strap.sendBySecond(Array(repeating: 700, count: 90), jitter: 0.1, seed: 8)
    strap.wait(silence)
    strap.sendBySecond(Array(repeating: 800, count: 90), jitter: 0.1, seed: 9)
    #expect(try #require(strap.rmssd).value == 0)
  }

  @Test("delayed packets count once")
  func delayedPackets() throws {
    let series = Heart.intervals(Heart.white(200, seed: 10), mean: 800, deviation: 30)
    var exact = Strap()
    exact.send(series)
    var strap = Strap()
    strap.send(Array(series[..<150]))
    strap.wait(8)
    // Ten beats in one packet.
    strap.hrv.add(rrMs: Array(series[150..<160]).span, at: strap.now)
    strap.send(Array(series[160...]))
    let (told, truth) = (try #require(strap.rmssd).value, try #require(exact.rmssd).value)
    #expect(abs(told / truth - 1) < 0.1)
  }

  /// Otherwise each interval would be a neighbour of itself.
  @Test("variability is unknown if every packet comes twice")
  func repeatedPackets() {
    var strap = Strap()
    for interval in Heart.intervals(Heart.white(300, seed: 11), mean: 800, deviation: 30) {
      strap.wait(interval / 1000)
      strap.hrv.add(rrMs: interval, at: strap.now)
      strap.hrv.add(rrMs: interval, at: strap.now)
    }
    #expect(strap.rmssd == nil && strap.sdnn == nil && strap.alpha1 == nil && strap.breaths == nil)
  }

  @Test("a time before the last one is ignored")
  func pastTime() throws {
    var strap = Strap()
    strap.send(Array(repeating: 800, count: 100))
    let before = strap.rmssd
    strap.hrv.add(rrMs: 300, at: MonotonicTime(nanoseconds: 0))
    #expect(strap.rmssd == before)
  }

  /// In a packet with a valid interval, and then 3,000 times alone.
  @Test(
    "invalid intervals do no harm",
    arguments: [.nan, .infinity, -.infinity, -800, 0, 1, 10_000, 63_999, 1e300] as [Double])
  func invalidIntervals(_ nonsense: Double) throws {
    var strap = Strap()
    for round in 0..<30 {
      strap.send((0..<10).map { $0 % 2 == 0 ? 800 : 830 })
      if round % 3 == 0 {
        strap.wait(0.8)
        strap.hrv.add(rrMs: [nonsense, 800].span, at: strap.now)
      }
    }
    let rmssd = try #require(strap.rmssd)
    #expect(abs(rmssd.value - 30) < 1)
    #expect(rmssd.confidence < 0.95 && rmssd.confidence > 0.5)
    for _ in 0..<3000 { strap.hrv.add(rrMs: nonsense, at: strap.now) }
    #expect(strap.rmssd == nil && strap.sdnn == nil && strap.alpha1 == nil && strap.breaths == nil)
    strap.wait(1)
    strap.send(Array(repeating: 800, count: 400))
    #expect(strap.rmssd?.value == 0 && strap.sdnn?.value == 0)
    // Nothing fluctuates.
    #expect(strap.alpha1 == nil && strap.breaths == nil)
  }

  /// Random intervals at random times. After a reset, valid intervals give the exact value.
  @Test("random input does not break the computation")
  func randomInput() throws {
    var random = SeededRandom(12)
    var strap = Strap()
    for _ in 0..<20_000 {
      strap.wait(random.uniform() < 0.01 ? 100 * random.uniform() : random.uniform())
      let count = Int(9 * random.uniform())
      let intervals = (0..<count).map { _ in Double(random.next() % 65_536) * 1000 / 1024 }
      strap.hrv.add(rrMs: intervals.span, at: strap.now)
      if random.uniform() < 0.02 {
        for estimate in [strap.rmssd, strap.sdnn, strap.alpha1, strap.breaths] {
          guard let estimate else { continue }
          #expect(estimate.value.isFinite && estimate.confidence > 0 && estimate.confidence <= 1)
        }
      }
    }
    strap.hrv.removeAll()
    strap.send((0..<400).map { $0 % 2 == 0 ? 800 : 830 })
    #expect(abs(try #require(strap.rmssd).value - 30) < 1e-9)
  }

  /// A day at 150 beats per minute.
  @Test("a long day does not change the values of its last minutes")
  func longDay() throws {
    let series = Heart.intervals(Heart.pink(1000, seed: 13), mean: 400, deviation: 10)
    var day = Strap()
    for _ in 0..<216 { day.send(series) }
    var alone = Strap()
    alone.send(series)
    #expect(day.now.seconds > 86_000)
    #expect(try #require(day.rmssd).value == (try #require(alone.rmssd).value))
    let (sdnn, alpha1) = (try #require(day.sdnn).value, try #require(day.alpha1).value)
    #expect(abs(sdnn - (try #require(alone.sdnn).value)) < 1e-6)
    #expect(abs(alpha1 - (try #require(alone.alpha1).value)) < 1e-6)
  }
}
