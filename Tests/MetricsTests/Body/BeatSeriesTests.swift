// Artefacts among heartbeats, in the regular rhythm of hard work and in the variable one of an
// athlete at rest.

import TestSupport
import Testing

@testable import Metrics

@Suite struct BeatSeriesTests {
  /// The indexes of the rejected intervals; the last few are not judged yet.
  private func rejected(_ series: [Double]) -> [Int] {
    var strap = Strap()
    strap.send(series)
    var beats = strap.hrv.beats
    beats.judgeWaiting()
    return beats.window(300, at: strap.now).beats.filter { beats[$0].verdict == .rejected }
  }

  private static let work = Heart.intervals(Heart.white(300, seed: 1), mean: 400, deviation: 5)
  private static let athlete = Heart.breathing(
    perMinute: 10, mean: 1200, depth: 150, own: 20, seconds: 280, seed: 2)

  @Test("no interval of a clean series is rejected", arguments: [work, athlete])
  func cleanSeries(_ series: [Double]) {
    #expect(rejected(series) == [])
  }

  @Test("only the interval of a missed beat is rejected", arguments: [work, athlete])
  func missedBeat(_ series: [Double]) {
    var series = series
    series[100...101] = [series[100] + series[101]]
    #expect(rejected(series) == [100])
  }

  @Test("an extra beat is rejected with both of its intervals", arguments: [work, athlete], [0.3, 0.5, 0.65])
  func extraBeat(_ series: [Double], _ part: Double) {
    var series = series
    series[100...100] = [series[100] * part, series[100] * (1 - part)]
    #expect(rejected(series) == [100, 101])
  }

  @Test("an early beat is rejected with the pause after it", arguments: [(work, 0.15), (work, 0.3), (athlete, 0.4)])
  func earlyBeat(_ row: (series: [Double], early: Double)) {
    var series = row.series
    let early = series[100] * row.early
    series[100] -= early
    series[101] += early
    #expect(rejected(series) == [100, 101])
  }

  /// An early beat among every eight, with the pause after it: a quarter of the intervals is
  /// rejected.
  @Test("variability is unknown if more than a fifth of the intervals is rejected")
  func manyRejected() {
    var strap = Strap()
    var series = Self.work
    for place in stride(from: 10, to: 290, by: 8) {
      series[place] -= 120
      series[place + 1] += 120
    }
    strap.send(series)
    #expect(strap.rmssd == nil && strap.alpha1 == nil && strap.breaths == nil)
  }

  /// The heart rate rises from rest to work within half a minute, and falls again.
  @Test("a sprint is not an artefact")
  func sprint() {
    let up = (0..<50).map { 800 - 9 * Double($0) }
    let series = Array(repeating: 800, count: 60) + up + Array(repeating: 350, count: 60) + up.reversed() + [800, 800]
    #expect(rejected(series) == [])
  }

  @Test("quantiles cover the last 64 values")
  func quantiles() {
    var random = SeededRandom(3)
    var (middle, last, first) = (RunningQuantile(0.5), RunningQuantile(1), RunningQuantile(0))
    #expect(middle.value == 0)
    var values: [Double] = []
    for _ in 0..<1000 {
      // Only 50 different values, so that many are equal.
      let value = Double(random.next() % 50)
      middle.add(value)
      last.add(value)
      first.add(value)
      values.append(value)
      let sorted = values.suffix(64).sorted()
      #expect(middle.value == (sorted[sorted.count / 2] + sorted[(sorted.count - 1) / 2]) / 2)
      #expect(last.value == sorted.last)
      #expect(first.value == sorted.first)
    }
  }
}
