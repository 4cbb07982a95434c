// Estimates the breathing rate from the rhythm that breathing gives the heart (respiratory sinus
// arrhythmia). It is the peak of the spectrum of the intervals over the last minute, between 6 and
// 45 breaths per minute. Beats are used at their own uneven times, so nothing is interpolated and
// artefacts are simply absent.
//
// Slow changes are removed by subtracting the mean of ten seconds around each beat. The spectrum is
// weighted with the frequency, which flattens the heart's own 1/f noise, so that breathing stands
// out. The confidence follows from the peak's share of the total power.
//
// The heart samples the breath once per beat, so frequencies above half the heart rate are not
// considered.

import CMath
import Time

struct RespiratoryRate: Sendable {
  static let window = 60.0
  private static let leastFill = 0.66
  private static let mostRejected = 0.2
  private static let fewestBeats = 30

  /// Hertz.
  private static let step = 1.0 / 180
  private static let lowest = 13.0 / 180
  /// Up to 0.79 Hz, which covers 45 breaths per minute and the flank of that peak.
  private static let frequencies = 130
  private static let breaths = 0.094...0.756
  /// Seconds on each side of a beat.
  private static let trend = 5.0
  /// Half the width, in hertz, of a single frequency seen through the window.
  private static let flank = 0.033
  /// The peak's share of the power. Noise stays below `seen` in 99 % of cases; from `sure` on the
  /// confidence is full.
  private static let seen = 0.58
  private static let sure = 0.85

  /// One minute at 240 beats per minute.
  private static let room = 240
  private var times = [Double](repeating: 0, count: room)
  private var intervals = [Double](repeating: 0, count: room)
  /// Vectors of four frequencies, which the processor computes at once.
  private var real = [SIMD4<Double>](repeating: .zero, count: (frequencies + 3) / 4)
  private var imaginary = [SIMD4<Double>](repeating: .zero, count: (frequencies + 3) / 4)

  mutating func breathsPerMinute(of beats: BeatSeries, at time: MonotonicTime) -> Estimate? {
    let window = beats.window(Self.window, at: time)
    guard let quality = window.confidence(leastFill: Self.leastFill, mostRejected: Self.mostRejected)
    else { return nil }
    let count = gather(beats, window.beats)
    guard count >= Self.fewestBeats else { return nil }
    let span = times[count - 1] - times[0]
    transform(count)
    let fastest = 0.5 * Double(count - 1) / span
    let usable = min(Self.frequencies, Int((fastest - Self.lowest) / Self.step))
    guard let peak = peak(usable) else { return nil }
    let confidence = min(1, (peak.share - Self.seen) / (Self.sure - Self.seen))
    guard confidence > 0 else { return nil }
    return Estimate(value: peak.frequency * 60, confidence: confidence * quality)
  }

  /// The accepted beats of the window: their times, from the first, and their intervals.
  private mutating func gather(_ beats: BeatSeries, _ window: Range<Int>) -> Int {
    var count = 0
    var origin = 0.0
    for index in window where beats[index].verdict == .normal && count < Self.room {
      if count == 0 { origin = beats[index].seconds }
      times[count] = beats[index].seconds - origin
      intervals[count] = beats[index].intervalMs
      count += 1
    }
    return count
  }

  /// Adds each beat to all frequencies at once: from one frequency to the next, its angle grows by
  /// a constant.
  private mutating func transform(_ count: Int) {
    for group in real.indices {
      real[group] = .zero
      imaginary[group] = .zero
    }
    let end = times[count - 1]
    var (first, next, sum) = (0, 0, 0.0)
    for index in 0..<count {
      let time = times[index]
      while next < count, times[next] <= time + Self.trend {
        sum += intervals[next]
        next += 1
      }
      while times[first] < time - Self.trend {
        sum -= intervals[first]
        first += 1
      }
      let deviation = intervals[index] - sum / Double(next - first)
      // Hann's window. A beat is weighted with the length of its interval.
      let weight = deviation * intervals[index] * (1 - cos(2 * Double.pi * time / end))
      let angle = 2 * Double.pi * time
      var (turnX, turnY) = (cos(angle * Self.step), sin(angle * Self.step))
      var (x, y) = (
        SIMD4<Double>(repeating: weight * cos(angle * Self.lowest)),
        SIMD4<Double>(repeating: weight * sin(angle * Self.lowest))
      )
      for lane in 1..<4 {
        x[lane] = x[lane - 1] * turnX - y[lane - 1] * turnY
        y[lane] = x[lane - 1] * turnY + y[lane - 1] * turnX
      }
      // Four steps at once: doubling the angle twice.
      for _ in 0..<2 { (turnX, turnY) = (turnX * turnX - turnY * turnY, 2 * turnX * turnY) }
      for group in real.indices {
        real[group] += x
        imaginary[group] += y
        (x, y) = (x * turnX - y * turnY, x * turnY + y * turnX)
      }
    }
  }

  private func power(_ index: Int) -> Double {
    let (x, y) = (real[index / 4][index % 4], imaginary[index / 4][index % 4])
    return (x * x + y * y) * frequency(index)
  }

  private func frequency(_ index: Int) -> Double { Self.lowest + Self.step * Double(index) }

  /// The highest peak inside the band and its share of the total. A maximum at the end of the band
  /// is not a peak.
  private func peak(_ usable: Int) -> (frequency: Double, share: Double)? {
    guard usable > 2 else { return nil }
    var highest = 0
    var total = 0.0
    for index in 0..<usable {
      total += power(index)
      if power(index) > power(highest) { highest = index }
    }
    guard highest > 0, highest < usable - 1, Self.breaths.contains(frequency(highest)), total > 0 else { return nil }
    let (before, top, after) = (power(highest - 1), power(highest), power(highest + 1))
    // The vertex of the parabola through the three points.
    let bend = before - 2 * top + after
    let shift = bend < 0 ? (before - after) / (2 * bend) : 0
    let reach = Int(Self.flank / Self.step)
    var near = 0.0
    for index in max(0, highest - reach)...min(usable - 1, highest + reach) { near += power(index) }
    return (frequency(highest) + shift * Self.step, near / total)
  }
}
