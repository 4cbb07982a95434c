// Estimates the energy that the ride costs the body. While power is known, it assumes a gross
// efficiency of 23.9 %, so that a kilojoule of work costs one kilocalorie (1 / 4.184 = 0.239).
// Trained riders reach 18 to 24 %, so the estimate is low by up to a quarter. Otherwise it is
// computed from heart rate, weight, age and sex after Keytel et al. (2005), with the formula
// without oxygen uptake. No moment is counted from both.

public import Time

/// Computes kilocalories from power, or from the heart rate while power is unknown.
public struct EnergyExpenditure: Equatable, Sendable {
  /// Older values are not used; power meters and straps are stale after 3 and 5 s.
  private static let longestPowerStep = 3.0
  private static let longestHeartRateStep = 5.0
  public static let kilojoulesPerKilocalorie = 4.184
  private static let plausiblePower = 0.0...4000.0

  private var rider: Rider
  /// Nil until something could be counted.
  public private(set) var kilocalories: Double?

  private struct Value: Equatable {
    var rate: Double
    var time: MonotonicTime
  }

  private var power: Value?
  private var heart: Value?
  /// Since when the heart rate is known without a gap.
  private var heartSince = MonotonicTime(nanoseconds: 0)
  /// Energy is counted up to here, from either source.
  private var counted: MonotonicTime?

  /// `saved`: kilocalories counted before a restart.
  public init(_ rider: Rider, saved: Double? = nil) {
    self.rider = rider
    if let saved, saved.isFinite, saved >= 0 { kilocalories = saved }
  }

  /// The kilocalories so far stay: they were correct for the old profile.
  public mutating func change(_ rider: Rider) {
    guard rider != self.rider else { return }
    self.rider = rider
    heart = nil
  }

  /// The ride is paused. Time until the next values does not count.
  public mutating func interrupt() {
    power = nil
    heart = nil
  }
}

// MARK: Counting

extension EnergyExpenditure {
  public mutating func add(powerW: Double, at time: MonotonicTime) {
    guard Self.plausiblePower.contains(powerW), power.map({ time >= $0.time }) ?? true else { return }
    // A thousand watt seconds are a kilojoule, which costs a kilocalorie.
    let rate = powerW / 1000
    if let power, time.seconds(since: power.time) <= Self.longestPowerStep {
      count(from: power, to: rate, at: time)
    }
    power = Value(rate: rate, time: time)
  }

  public mutating func add(bpm: Double, at time: MonotonicTime) {
    guard HeartRate.plausible.contains(bpm), let rate = Self.kilocaloriesPerMinute(bpm: bpm, rider),
      heart.map({ time >= $0.time }) ?? true
    else { return }
    let next = Value(rate: rate / 60, time: time)
    guard let heart, time.seconds(since: heart.time) <= Self.longestHeartRateStep else {
      self.heart = next
      heartSince = time
      return
    }
    self.heart = next
    // Power may still continue and is counted by itself. If it does not, the first value after the
    // wait catches up.
    if let power, time.seconds(since: power.time) <= Self.longestPowerStep { return }
    let begin = max(counted ?? heartSince, heartSince)
    count(from: Value(rate: heart.rate, time: begin), to: next.rate, at: time)
  }

  /// Assumes that the rate changes linearly between two values.
  private mutating func count(from value: Value, to rate: Double, at time: MonotonicTime) {
    let begin = max(value.time, counted ?? value.time)
    guard time >= begin else { return }
    kilocalories = (kilocalories ?? 0) + (value.rate + rate) / 2 * time.seconds(since: begin)
    counted = time
  }

  /// Keytel et al. 2005, J Sports Sci 23(3), 289-297. Nil without weight, age and sex. The formula
  /// is meant for exercise; where it yields a negative rate, this returns 0.
  public static func kilocaloriesPerMinute(bpm: Double, _ rider: Rider) -> Double? {
    guard let weight = rider.weightKg, let age = rider.ageYears, let sex = rider.sex else { return nil }
    let kilojoules =
      switch sex {
      case .male: -55.0969 + 0.6309 * bpm + 0.1988 * weight + 0.2017 * age
      case .female: -20.4022 + 0.4472 * bpm - 0.1263 * weight + 0.0740 * age
      }
    return max(0, kilojoules / kilojoulesPerKilocalorie)
  }
}
