// Mean, maximum and trend of a value that arrives at intervals. Each value counts for the time
// since the previous one, up to a few seconds, so that gaps have no weight.

public import Time
import Vocabulary

/// Whether a value has been rising or falling for minutes.
public enum Trend: Sendable {
  case up, down, flat

  var word: Word {
    switch self {
    case .up: "up"
    case .down: "down"
    case .flat: "flat"
    }
  }
}

/// Computes mean, maximum and trend of one value over the ride and over the lap.
public struct Statistic: Sendable {
  public typealias Sums = RideAndLap<SavedRide.Statistic>

  private var sums: Sums
  private var last: MonotonicTime?
  /// Exponential means over 30 s and 300 s.
  private var fast: Double?
  private var slow: Double?
  private var trending = Trend.flat

  private static let holding = 5.0
  private static let fastShare = 1 / 30.0
  private static let slowShare = 1 / 300.0
  /// The trend is up while the fast mean exceeds the slow one by this share. It ends at half of
  /// that.
  private static let trendShare = 0.04
  /// There is no trend before this many seconds.
  private static let trendTime = 60.0

  public init(_ sums: Sums = Sums(ride: SavedRide.Statistic(), lap: SavedRide.Statistic())) {
    self.sums = sums
  }

  /// `counts`: whether the time until now belongs to the ride.
  @inline(__always)  // called for every sample
  public mutating func add(_ value: Double, at time: MonotonicTime, counts: Bool = true) {
    let known = last ?? time
    guard value.isFinite, time > known || last == nil else { return }
    last = time
    guard counts else { return }
    // The value describes the time since the previous one.
    let step = min(time.seconds(since: known), Self.holding)
    sums.ride.add(value, step)
    sums.lap.add(value, step)
    fast = Self.blend(fast, value, step * Self.fastShare)
    slow = Self.blend(slow, value, step * Self.slowShare)
  }

  public mutating func beginLap() { sums.lap = SavedRide.Statistic() }

  public func sums(_ span: RideSpan) -> SavedRide.Statistic { sums[span] }
  public func mean(_ span: RideSpan) -> Double? { sums[span].mean }
  public func maximum(_ span: RideSpan) -> Double? { sums[span].maximum }

  /// Nil during the first minute.
  public mutating func trend(_ span: RideSpan) -> Trend? {
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
