// Power over the last seconds, normalized power and work. Docs/metrics.md has the formulas.

import SensorKit

struct PowerNumbers: Sendable {
  private(set) var saved: SavedRide.Power
  private var grid = SecondGrid(holding: Self.holding)

  /// A power meter says something at least every two seconds while it lives.
  private static let holding = 2.0
  private static let smoothing = 30
  /// Of less than this nobody should speak of a normalized power.
  private static let leastSeconds = 60.0

  init(saved: SavedRide.Power = SavedRide.Power()) {
    self.saved = saved
  }

  mutating func add(_ watts: Double, at time: MonotonicTime, counts: Bool) {
    advance(to: time, counts: counts)
    grid.add(watts, at: time)
  }

  /// `counts`: the ride is not paused.
  mutating func advance(to time: MonotonicTime, counts: Bool) {
    // What is closed is told only afterwards what it is worth: a closure may not change what its caller is changing.
    var closed = InlineArray<121, Double>(repeating: .nan)
    var count = 0
    grid.advance(to: time) { value in
      if count < closed.count { closed[count] = value ?? .nan }
      count += 1
    }
    guard counts, count > 0 else { return }
    for index in 0..<min(count, closed.count) where !closed[index].isNaN {
      saved.workJ += closed[index]
      saved.seconds += 1
    }
    // Each of the seconds has a half minute that ends with it; where several were closed at once, the later ones are its end.
    for back in stride(from: min(count, SecondGrid.length - Self.smoothing), to: 0, by: -1) {
      guard let mean = grid.mean(ofLast: Self.smoothing, before: back - 1) else { continue }
      let square = mean * mean
      saved.fourths += square * square
      saved.fourthSeconds += 1
    }
  }

  func mean(ofLast seconds: Int) -> Double? { grid.mean(ofLast: seconds) }

  /// The fourth root of the mean of the fourth powers of half-minute means.
  var normalized: Double? {
    guard saved.fourthSeconds >= Self.leastSeconds else { return nil }
    return (saved.fourths / saved.fourthSeconds).squareRoot().squareRoot()
  }

  var workJ: Double? { saved.seconds > 0 ? saved.workJ : nil }
}
