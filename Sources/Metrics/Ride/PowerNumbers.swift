// Power over the last seconds, normalized power and work. Docs/metrics.md has the formulas.

import SensorKit

struct PowerNumbers: Sendable {
  typealias Sums = RideAndLap<SavedRide.Power>

  private var sums: Sums
  private var grid = SecondGrid(holding: Self.holding)

  /// A power meter says something at least every two seconds while it lives.
  private static let holding = 2.0
  private static let smoothing = 30
  /// Of less than this nobody should speak of a normalized power.
  private static let leastSeconds = 60.0

  init(_ sums: Sums = Sums(ride: SavedRide.Power(), lap: SavedRide.Power())) {
    self.sums = sums
  }

  mutating func add(_ watts: Double, at time: MonotonicTime, counts: Bool) {
    if grid.closes(at: time) { advance(to: time, counts: counts) }
    grid.add(watts, at: time)
  }

  /// `counts`: the ride is not paused.
  mutating func advance(to time: MonotonicTime, counts: Bool) {
    var (count, known, sum) = (0, 0.0, 0.0)
    grid.advance(to: time) { value in
      count += 1
      if let value { (known, sum) = (known + 1, sum + value) }
    }
    guard counts, count > 0 else { return }
    var more = SavedRide.Power()
    (more.workJ, more.seconds) = (sum, known)
    // Each of the seconds has a half minute that ends with it; where several were closed at once, the later ones are its end.
    for back in stride(from: min(count, SecondGrid.length - Self.smoothing), to: 0, by: -1) {
      guard let mean = grid.mean(ofLast: Self.smoothing, before: back - 1) else { continue }
      let square = mean * mean
      more.fourths += square * square
      more.fourthSeconds += 1
    }
    sums.ride.add(more)
    sums.lap.add(more)
  }

  mutating func beginLap() { sums.lap = SavedRide.Power() }

  func mean(ofLast seconds: Int) -> Double? { grid.mean(ofLast: seconds) }
  func sums(_ span: RideSpan) -> SavedRide.Power { sums[span] }

  /// The fourth root of the mean of the fourth powers of half-minute means.
  func normalized(_ span: RideSpan) -> Double? {
    guard sums[span].fourthSeconds >= Self.leastSeconds else { return nil }
    return (sums[span].fourths / sums[span].fourthSeconds).squareRoot().squareRoot()
  }

  func workJ(_ span: RideSpan) -> Double? { sums[span].seconds > 0 ? sums[span].workJ : nil }
}

extension SavedRide.Power {
  fileprivate mutating func add(_ more: SavedRide.Power) {
    workJ += more.workJ
    seconds += more.seconds
    fourths += more.fourths
    fourthSeconds += more.fourthSeconds
  }
}
