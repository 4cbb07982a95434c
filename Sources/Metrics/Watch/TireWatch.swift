// Watches a tire for low pressure, high pressure, heat and slow leaks that cross no limit for an
// hour. For leaks, the effect of the temperature is removed first: for a gas in a closed vessel,
// absolute pressure divided by absolute temperature is constant.

import Time

struct TireWatch: Sendable {
  /// Gauge pressures in pascal; nil is not watched.
  struct Bounds: Equatable, Sendable {
    var low: Double?
    var high: Double?
    var hot: Double

    /// The user's limits. The defaults are 10 % below and above the target, and the temperature
    /// that tires reach by braking.
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

  private var bounds: Bounds
  private var isLow = false
  private var isHigh = false
  private var isHot = false
  private var isLeaking = false
  private var line = LeakTrend()
  private var last: MonotonicTime?

  private static let atmosphere = 101_325.0
  private static let zeroCelsius = 273.15
  private static let reference = 293.15
  /// A limit is reported again only after the value came back by this share.
  private static let recovery = 0.03
  /// Per hour. A slower loss is normal for tubes, or drift of the sensor.
  private static let leakRate = -15_000.0
  /// In minutes; a shorter drop may be noise.
  private static let leastTime = 10
  /// A pump between two samples is not a leak, and starts a new trend.
  private static let step = 20_000.0
  private var lastCorrected: Double?

  init(_ bounds: Bounds = Bounds()) {
    self.bounds = bounds
  }

  /// The user may have changed the settings.
  mutating func apply(_ bounds: Bounds) { self.bounds = bounds }

  /// Returns the most urgent event first.
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

  /// Pascal per hour at 20 degrees since the leak began; nil if unknown.
  var trend: Double? {
    line.rate.map { $0.slope * 3600 }
  }

  /// The rate of a certain leak; nil if there is none or it is unknown.
  private mutating func noteTrend(_ gauge: Double, _ celsius: Double?, at time: MonotonicTime) -> Double? {
    // Without a temperature, a tire that cools down after a descent would look like a leak.
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
    // Three standard errors, because the fit has chosen the moment that looks most like a leak.
    if trend + 3 * error * 3600 < Self.leakRate { return trend }
    if trend > Self.leakRate / 2 { isLeaking = false }
    return nil
  }
}
