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
  private(set) var saved: SavedRide.Statistic
  private var last: (value: Double, time: MonotonicTime)?
  /// Means that forget within half a minute, and within five.
  private var fast: Double?
  private var slow: Double?
  private var trending = Trend.flat

  private static let holding = 5.0
  private static let fastTime = 30.0
  private static let slowTime = 300.0
  /// What is this share above the slow mean goes up, and goes on doing so until it is half of that.
  private static let trendShare = 0.04

  init(saved: SavedRide.Statistic = SavedRide.Statistic()) {
    self.saved = saved
  }

  /// `counts`: whether the time until now belongs to the ride, and to what is averaged.
  mutating func add(_ value: Double, at time: MonotonicTime, counts: Bool = true) {
    guard value.isFinite, last.map({ time > $0.time }) ?? true else { return }
    let known = last
    last = (value, time)
    guard counts else { return }
    saved.maximum = max(saved.maximum ?? value, value)
    guard let known else { return }
    let step = min(time.seconds(since: known.time), Self.holding)
    // It says what was since its last word.
    saved.sum += value * step
    saved.seconds += step
    fast = Self.blend(fast, value, step / Self.fastTime)
    slow = Self.blend(slow, value, step / Self.slowTime)
  }

  var mean: Double? { saved.seconds > 0 ? saved.sum / saved.seconds : nil }
  var maximum: Double? { saved.maximum }

  /// Nil before there is a minute to speak of.
  mutating func trend() -> Trend? {
    guard let fast, let slow, saved.seconds >= 60 else { return nil }
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

  private static func blend(_ mean: Double?, _ value: Double, _ share: Double) -> Double {
    guard let mean else { return value }
    return mean + (value - mean) * min(1, share)
  }
}
