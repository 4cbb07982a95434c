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
    var (count, known, sum) = (0, 0.0, 0.0)
    grid.advance(to: time) { value in
      count += 1
      if let value { (known, sum) = (known + 1, sum + value) }
    }
    guard counts else { return }
    saved.workJ += sum
    saved.seconds += known
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
