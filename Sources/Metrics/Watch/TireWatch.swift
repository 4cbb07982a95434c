// A tire: too little, too much, too hot, and one that loses air so slowly that no bound is crossed for an hour. What a tire gains and loses
// by its temperature is taken out first: of a gas in a vessel, absolute pressure over absolute temperature stays the same.

import SensorKit

struct TireWatch: Sendable {
  /// Gauge, in pascal; what is not set is not watched.
  struct Bounds: Equatable, Sendable {
    var low: Double?
    var high: Double?
    var hot: Double

    /// As the user says; else a tenth below the target and as much above, and as hot as tires get by braking.
    init(_ settings: TireSettings = TireSettings()) {
      low = settings.lowestPressurePa ?? settings.targetPressurePa.map { $0 * 0.9 }
      high = settings.highestPressurePa ?? settings.targetPressurePa.map { $0 * 1.1 }
      hot = settings.highestCelsius ?? 75
    }
  }

  enum Event: Equatable, Sendable {
    case low(Double)
    case high(Double)
    case hot(Double)
    case leak(pascalPerHour: Double)
  }

  var bounds: Bounds
  private var isLow = false
  private var isHigh = false
  private var isHot = false
  private var isLeaking = false
  private var line = LeakTrend()
  private var last: MonotonicTime?

  private static let atmosphere = 101_325.0
  private static let zeroCelsius = 273.15
  private static let reference = 293.15
  /// Back over a bound by this share, it is said again when it is crossed.
  private static let recovery = 0.03
  /// Slower than this per hour is what any tube loses, and what sensors drift.
  private static let leakRate = -15_000.0
  /// Minutes: a shorter fall is told by noise.
  private static let leastTime = 10
  /// A pump between two samples is no leak, and begins a new trend.
  private static let step = 20_000.0
  private var lastCorrected: Double?

  init(_ bounds: Bounds = Bounds()) {
    self.bounds = bounds
  }

  /// What is said first is what is the most urgent.
  mutating func add(gauge: Double, celsius: Double?, at time: MonotonicTime) -> Event? {
    guard gauge.isFinite, last.map({ time > $0 }) ?? true else { return nil }
    last = time
    let leakRate = noteTrend(gauge, celsius, at: time)
    if let low = bounds.low {
      if gauge < low, !isLow {
        isLow = true
        return .low(gauge)
      }
      if gauge > low * (1 + Self.recovery) { isLow = false }
    }
    if let high = bounds.high {
      if gauge > high, !isHigh {
        isHigh = true
        return .high(gauge)
      }
      if gauge < high * (1 - Self.recovery) { isHigh = false }
    }
    if let celsius, celsius.isFinite {
      if celsius > bounds.hot, !isHot {
        isHot = true
        return .hot(celsius)
      }
      if celsius < bounds.hot - 5 { isHot = false }
    }
    guard let leakRate, !isLeaking else { return nil }
    isLeaking = true
    return .leak(pascalPerHour: leakRate)
  }

  /// Pascal an hour, at 20 degrees, since the tire began to leak if it does.
  var trend: Double? {
    line.rate.map { $0.slope * 3600 }
  }

  /// How fast it surely leaks; nil where it does not, or nobody knows.
  private mutating func noteTrend(_ gauge: Double, _ celsius: Double?, at time: MonotonicTime) -> Double? {
    // Without a temperature a tire that cools down after a descent would leak.
    guard let celsius, celsius.isFinite, celsius > -60 else { return nil }
    let corrected = (gauge + Self.atmosphere) * Self.reference / (celsius + Self.zeroCelsius)
    if let lastCorrected, abs(corrected - lastCorrected) > Self.step {
      line = LeakTrend()
      isLeaking = false
    }
    lastCorrected = corrected
    line.add(corrected, at: time.seconds)
    guard let trend, let error = line.rate?.error, let minutes = line.rate?.minutes, minutes >= Self.leastTime else {
      return nil
    }
    // Three times its own uncertainty, for of all moments the one that looks most like a leak was chosen.
    if trend + 3 * error * 3600 < Self.leakRate { return trend }
    if trend > Self.leakRate / 2 { isLeaking = false }
    return nil
  }
}
