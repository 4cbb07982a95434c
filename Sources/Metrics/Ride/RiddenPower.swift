// Power over the ridden seconds with known power, joined across pauses and gaps: average,
// normalized power, work and best efforts. docs/metrics.md has the definitions. The cost per second
// does not depend on the length of the ride.

/// Computes average and normalized power, work and best efforts from ridden seconds.
public struct RiddenPower: Sendable {
  public typealias Sums = RideAndLap<SavedRide.Power>

  private var sums: Sums
  /// The last twenty minutes in tenths of a watt, as a ring buffer. With integers, sums that are
  /// updated for hours do not drift.
  private var recent: [UInt16]
  private var next = 0
  private var filled = 0
  /// The sum of the last seconds, by window.
  private var windowSums = InlineArray<5, Int>(repeating: 0)
  private var greatest = InlineArray<5, Int>(repeating: 0)

  private static let capacity = 1200
  private static let tenths = 10.0
  /// In seconds: the windows of the best efforts and of normalized power.
  private static let windows = [5, 30, 60, 300, 1200] as InlineArray<5, Int>
  private static let smoothing = 30
  private static let smoothingWindow = 1
  /// Normalized power is meaningless below a minute.
  private static let leastSeconds = 60.0

  public init(
    _ sums: Sums = Sums(ride: SavedRide.Power(), lap: SavedRide.Power()), saved: SavedRide.Efforts = SavedRide.Efforts()
  ) {
    self.sums = sums
    recent = Array(repeating: 0, count: Self.capacity)
    for value in saved.recentTenths.suffix(Self.capacity) { append(value) }
    for window in greatest.indices {
      greatest[window] = max(greatest[window], Self.sum(ofMean: saved.best(Self.windows[window]), window))
    }
  }

  public var saved: SavedRide.Efforts {
    var saved = SavedRide.Efforts()
    saved.recentTenths = (0..<filled).map { recent[(next - filled + $0 + Self.capacity) % Self.capacity] }
    (saved.best5s, saved.best1min) = (best(seconds: 5), best(seconds: 60))
    (saved.best5min, saved.best20min) = (best(seconds: 300), best(seconds: 1200))
    return saved
  }

  public func sums(_ span: RideSpan) -> SavedRide.Power { sums[span] }

  /// Adds a second. Returns the mean of the last 30 seconds once there are as many.
  public mutating func add(_ watts: Double) -> Double? {
    append(UInt16((min(max(0, watts), 6_000) * Self.tenths).rounded()))
    sums.ride.add(watts)
    sums.lap.add(watts)
    guard filled >= Self.smoothing else { return nil }
    let mean = Double(windowSums[Self.smoothingWindow]) / (Self.tenths * Double(Self.smoothing))
    let fourth = mean * mean * mean * mean
    sums.ride.add(fourth: fourth)
    // A lap's windows lie within the lap.
    if sums.lap.seconds >= Double(Self.smoothing) { sums.lap.add(fourth: fourth) }
    return mean
  }

  public mutating func beginLap() { sums.lap = SavedRide.Power() }

  public func average(_ span: RideSpan) -> Double? {
    sums[span].seconds > 0 ? sums[span].workJ / sums[span].seconds : nil
  }
  public func workJ(_ span: RideSpan) -> Double? { sums[span].seconds > 0 ? sums[span].workJ : nil }

  /// The fourth root of the mean of the fourth powers of 30-second means.
  public func normalized(_ span: RideSpan) -> Double? {
    let sums = sums[span]
    guard sums.seconds >= Self.leastSeconds, sums.fourthSeconds > 0 else { return nil }
    return (sums.fourths / sums.fourthSeconds).squareRoot().squareRoot()
  }

  public func variability(_ span: RideSpan) -> Double? {
    guard let normalized = normalized(span), let average = average(span), average > 0 else { return nil }
    return normalized / average
  }

  /// The greatest mean of that many consecutive seconds; nil if the ride is too short so far.
  public func best(seconds: Int) -> Double? {
    for window in greatest.indices where Self.windows[window] == seconds {
      guard filled >= seconds || greatest[window] > 0 else { return nil }
      return Double(greatest[window]) / (Self.tenths * Double(seconds))
    }
    return nil
  }

  private static func sum(ofMean mean: Double?, _ window: Int) -> Int {
    mean.map { Int(($0 * tenths * Double(windows[window])).rounded()) } ?? 0
  }

  private mutating func append(_ value: UInt16) {
    for window in windowSums.indices {
      let length = Self.windows[window]
      if filled >= length { windowSums[window] -= Int(recent[(next - length + Self.capacity) % Self.capacity]) }
      windowSums[window] += Int(value)
      if filled + 1 >= length { greatest[window] = max(greatest[window], windowSums[window]) }
    }
    recent[next] = value
    next = (next + 1) % Self.capacity
    filled = min(filled + 1, Self.capacity)
  }
}

extension SavedRide.Power {
  fileprivate mutating func add(_ watts: Double) {
    workJ += watts
    seconds += 1
  }

  fileprivate mutating func add(fourth: Double) {
    fourths += fourth
    fourthSeconds += 1
  }
}

extension SavedRide.Efforts {
  fileprivate func best(_ seconds: Int) -> Double? {
    switch seconds {
    case 5: best5s
    case 60: best1min
    case 300: best5min
    case 1200: best20min
    default: nil
    }
  }
}
