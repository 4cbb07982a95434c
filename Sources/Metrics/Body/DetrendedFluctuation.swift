// DFA-alpha1: how strongly an interval depends on the previous ones, over 4 to 16 beats.
//
// This is detrended fluctuation analysis after Peng et al. (1995). The intervals minus their mean
// are summed up and cut into boxes of n sums that overlap by half. Each box is detrended with a
// straight line. F(n) is the root mean square of the residuals, and alpha1 is the slope of log F
// over log n. It is about 1 at rest and in easy riding, 0.75 at the aerobic threshold and 0.5
// (chance) at the anaerobic one (Rogers et al. 2021).
//
// The thresholds were found with this estimator, including its bias at small boxes. It yields 0.57
// for white noise, because a line through four points removes most of the noise.
//
// Boxes never span a gap. Up to three rejected intervals in a row are interpolated.

import CMath
import Time

struct DetrendedFluctuation: Sendable {
  static let window = 120.0
  private static let leastFill = 0.75
  /// Share of the intervals. Beyond some 5 % of replaced ones, the error of alpha1 is larger than
  /// the differences that matter.
  private static let mostRejected = 0.1
  private static let smallestBox = 4
  private static let largestBox = 16
  /// Of the largest size; with fewer the slope is meaningless.
  private static let fewestBoxes = 6
  private static let mostReplaced = 3

  /// Two minutes at 240 beats per minute.
  private static let room = 480
  private var profile = [Double](repeating: 0, count: room)
  private var sums = InlineArray<17, Double>(repeating: 0)
  private var counts = InlineArray<17, Int>(repeating: 0)

  mutating func alpha1(of beats: BeatSeries, at time: MonotonicTime) -> Estimate? {
    let window = beats.window(Self.window, at: time)
    guard
      let confidence = window.confidence(leastFill: Self.leastFill, mostRejected: Self.mostRejected)
    else { return nil }
    sums = InlineArray(repeating: 0)
    counts = InlineArray(repeating: 0)
    var index = window.beats.lowerBound
    while index < window.beats.upperBound { index = addRun(of: beats, from: index, to: window.beats.upperBound) }
    guard counts[Self.largestBox] >= Self.fewestBoxes, let slope else { return nil }
    return Estimate(value: slope, confidence: confidence)
  }

  /// Adds the beats up to the next gap, and returns where to continue.
  private mutating func addRun(of beats: BeatSeries, from start: Int, to end: Int) -> Int {
    var index = start
    while index < end, beats[index].verdict != .normal { index += 1 }
    let first = index
    var count = 0
    while index < end, count < Self.room {
      let beat = beats[index]
      if beat.followsGap, index > first { break }
      if beat.verdict == .normal {
        profile[count] = beat.intervalMs
        count += 1
        index += 1
        continue
      }
      var next = index
      while next < end, beats[next].verdict != .normal, !beats[next].followsGap { next += 1 }
      let replaced = next - index
      guard next < end, !beats[next].followsGap, replaced <= Self.mostReplaced, count + replaced < Self.room
      else {
        index = max(next, index + 1)
        break
      }
      let before = profile[count - 1]
      let step = (beats[next].intervalMs - before) / Double(replaced + 1)
      for place in 1...replaced { profile[count + place - 1] = before + step * Double(place) }
      count += replaced
      index = next
    }
    addBoxes(count)
    return index
  }

  private mutating func addBoxes(_ count: Int) {
    guard count >= Self.smallestBox else { return }
    var mean = 0.0
    for index in 0..<count { mean += profile[index] }
    mean /= Double(count)
    var sum = 0.0
    for index in 0..<count {
      sum += profile[index] - mean
      profile[index] = sum
    }
    for size in Self.smallestBox...Self.largestBox where size <= count {
      for start in stride(from: 0, through: count - size, by: size / 2) {
        sums[size] += residual(start, size)
        counts[size] += 1
      }
    }
  }

  /// The mean square of the residuals of a box around its own line.
  private func residual(_ start: Int, _ size: Int) -> Double {
    let box = profile.span.extracting(start..<start + size)
    var mean = 0.0
    for index in box.indices { mean += box[index] }
    mean /= Double(size)
    var (squares, product, place) = (0.0, 0.0, -Double(size - 1) / 2)
    for index in box.indices {
      let deviation = box[index] - mean
      squares += deviation * deviation
      product += deviation * place
      place += 1
    }
    // The sum of the squared places, measured from the middle.
    let places = Double(size * (size * size - 1)) / 12
    return max(0, squares - product * product / places) / Double(size)
  }

  /// The slope of log F over log n by least squares; nil if nothing fluctuates.
  private var slope: Double? {
    var (sizes, fluctuations, products, squares) = (0.0, 0.0, 0.0, 0.0)
    for size in Self.smallestBox...Self.largestBox {
      let mean = sums[size] / Double(counts[size])
      // Intervals are exact to a millisecond; anything smaller is rounding error.
      guard mean > 1e-9 else { return nil }
      let (x, y) = (log(Double(size)), log(mean) / 2)
      sizes += x
      fluctuations += y
      products += x * y
      squares += x * x
    }
    let count = Double(Self.largestBox - Self.smallestBox + 1)
    return (count * products - sizes * fluctuations) / (count * squares - sizes * sizes)
  }
}
