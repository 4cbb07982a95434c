// Mean, maximum and trend of a value that is said now and then: every value counts for the time until the next, and for a few seconds at
// most, so that a silence weighs nothing.

import SensorKit

enum Trend: Sendable {
  case up, down, flat

  var word: Word {
    switch self {
    case .up: "up"
    case .down: "down"
    case .flat: "flat"
    }
  }
}

struct Statistic: Sendable {
  typealias Sums = RideAndLap<SavedRide.Statistic>

  private var sums: Sums
  private var last: MonotonicTime?
  /// Means that forget within half a minute, and within five.
  private var fast: Double?
  private var slow: Double?
  private var trending = Trend.flat

  private static let holding = 5.0
  private static let fastShare = 1 / 30.0
  private static let slowShare = 1 / 300.0
  /// What is this share above the slow mean goes up, and goes on doing so until it is half of that.
  private static let trendShare = 0.04
  /// Of less nobody should speak of a trend.
  private static let trendTime = 60.0

  init(_ sums: Sums = Sums(ride: SavedRide.Statistic(), lap: SavedRide.Statistic())) {
    self.sums = sums
  }

  /// `counts`: whether the time until now belongs to the ride, and to what is averaged.
  @inline(__always)  // for every sample a call would be dear
  mutating func add(_ value: Double, at time: MonotonicTime, counts: Bool = true) {
    let known = last ?? time
    guard value.isFinite, time > known || last == nil else { return }
    last = time
    guard counts else { return }
    // It says what was since its last word.
    let step = min(time.seconds(since: known), Self.holding)
    sums.ride.add(value, step)
    sums.lap.add(value, step)
    fast = Self.blend(fast, value, step * Self.fastShare)
    slow = Self.blend(slow, value, step * Self.slowShare)
  }

  mutating func beginLap() { sums.lap = SavedRide.Statistic() }

  func sums(_ span: RideSpan) -> SavedRide.Statistic { sums[span] }
  func mean(_ span: RideSpan) -> Double? { sums[span].mean }
  func maximum(_ span: RideSpan) -> Double? { sums[span].maximum }

  /// Nil before there is a minute to speak of.
  mutating func trend(_ span: RideSpan) -> Trend? {
    guard let fast, let slow, sums[span].seconds >= Self.trendTime else { return nil }
    let change = fast - slow
    let threshold = max(abs(slow), 1e-9) * Self.trendShare
    switch trending {
    case .up where change < threshold / 2, .down where change > -threshold / 2: trending = .flat
    default: break
    }
    if change > threshold { trending = .up }
    if change < -threshold { trending = .down }
    return trending
  }

  private static func blend(_ mean: Double?, _ value: Double, _ share: Double) -> Double? {
    guard share > 0 else { return mean }
    guard let mean else { return value }
    return mean + (value - mean) * min(1, share)
  }
}

extension SavedRide.Statistic {
  fileprivate mutating func add(_ value: Double, _ step: Double) {
    maximum = max(maximum ?? value, value)
    sum += value * step
    seconds += step
  }

  fileprivate var mean: Double? { seconds > 0 ? sum / seconds : nil }
}
