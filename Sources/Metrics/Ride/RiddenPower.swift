// Power over the seconds that were ridden and whose power is known, joined across pauses and across seconds without a value: average,
// normalized power, work and the best efforts. Docs/metrics.md has the definitions. A second costs the same however long the ride is.

struct RiddenPower: Sendable {
  typealias Sums = RideAndLap<SavedRide.Power>

  private var sums: Sums
  /// The last twenty minutes in tenths of a watt, as a ring. Whole numbers: a sum that is updated for hours does not drift.
  private var recent: [UInt16]
  private var next = 0
  private var filled = 0
  /// Of the last seconds, by window.
  private var windowSums = InlineArray<5, Int>(repeating: 0)
  private var greatest = InlineArray<5, Int>(repeating: 0)

  private static let capacity = 1200
  private static let tenths = 10.0
  /// Seconds: the best efforts, and the window of normalized power.
  private static let windows = [5, 30, 60, 300, 1200] as InlineArray<5, Int>
  private static let smoothing = 30
  private static let smoothingWindow = 1
  /// A normalized power of less than a minute means nothing.
  private static let leastSeconds = 60.0

  init(_ sums: Sums, saved: SavedRide.Efforts = SavedRide.Efforts()) {
    self.sums = sums
    recent = Array(repeating: 0, count: Self.capacity)
    for value in saved.recentTenths.suffix(Self.capacity) { append(value) }
    for window in greatest.indices {
      greatest[window] = max(greatest[window], Self.sum(ofMean: saved.best(Self.windows[window]), window))
    }
  }

  var saved: SavedRide.Efforts {
    var saved = SavedRide.Efforts()
    saved.recentTenths = (0..<filled).map { recent[(next - filled + $0 + Self.capacity) % Self.capacity] }
    (saved.best5s, saved.best1min) = (best(seconds: 5), best(seconds: 60))
    (saved.best5min, saved.best20min) = (best(seconds: 300), best(seconds: 1200))
    return saved
  }

  func sums(_ span: RideSpan) -> SavedRide.Power { sums[span] }

  /// One more second; the mean of the half minute that ends with it, once there is a full one.
  mutating func add(_ watts: Double) -> Double? {
    append(UInt16((min(max(0, watts), 6_000) * Self.tenths).rounded()))
    sums.ride.add(watts)
    sums.lap.add(watts)
    guard filled >= Self.smoothing else { return nil }
    let mean = Double(windowSums[Self.smoothingWindow]) / (Self.tenths * Double(Self.smoothing))
    let fourth = mean * mean * mean * mean
    sums.ride.add(fourth: fourth)
    // A lap's windows lie within the lap: what came before it does not count.
    if sums.lap.seconds >= Double(Self.smoothing) { sums.lap.add(fourth: fourth) }
    return mean
  }

  mutating func beginLap() { sums.lap = SavedRide.Power() }

  func average(_ span: RideSpan) -> Double? { sums[span].seconds > 0 ? sums[span].workJ / sums[span].seconds : nil }
  func workJ(_ span: RideSpan) -> Double? { sums[span].seconds > 0 ? sums[span].workJ : nil }

  /// The fourth root of the mean of the fourth powers of half-minute means.
  func normalized(_ span: RideSpan) -> Double? {
    let sums = sums[span]
    guard sums.seconds >= Self.leastSeconds, sums.fourthSeconds > 0 else { return nil }
    return (sums.fourths / sums.fourthSeconds).squareRoot().squareRoot()
  }

  func variability(_ span: RideSpan) -> Double? {
    guard let normalized = normalized(span), let average = average(span), average > 0 else { return nil }
    return normalized / average
  }

  /// The greatest mean of so many seconds in a row; nil where the ride has no such window yet.
  func best(seconds: Int) -> Double? {
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
