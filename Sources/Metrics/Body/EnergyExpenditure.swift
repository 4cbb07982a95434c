// What the ride costs the body. While power is known: the work at the pedals at a gross efficiency of 23.9 %, at which a kilojoule of
// work costs one kilocalorie (1 / 4.184 = 0.239). Trained riders are at 18 to 24 %, so this errs to the low side, by up to a quarter of the truth.
// Else from heart rate, weight, age and sex after Keytel et al. (2005), the formula without oxygen uptake. A moment is counted from one
// of the two, never from both.

import SensorKit

struct EnergyExpenditure: Equatable, Sendable {
  /// A value that is older says nothing of now; power meters and straps are stale after 3 and 5 s.
  private static let longestPowerStep = 3.0
  private static let longestHeartRateStep = 5.0
  static let kilojoulesPerKilocalorie = 4.184
  private static let plausiblePower = 0.0...4000.0

  private var rider: Rider
  /// Nothing before the first moment that could be counted.
  private(set) var kilocalories: Double?

  private struct Value: Equatable {
    var rate: Double
    var time: MonotonicTime
  }

  private var power: Value?
  private var heart: Value?
  /// Since when the heart rate is known without a gap.
  private var heartSince = MonotonicTime(nanoseconds: 0)
  /// Until when energy is counted, from either.
  private var counted: MonotonicTime?

  /// `saved`: kilocalories that were counted before.
  init(_ rider: Rider, saved: Double? = nil) {
    self.rider = rider
    if let saved, saved.isFinite, saved >= 0 { kilocalories = saved }
  }

  /// What was counted stays: it was right for who rode then.
  mutating func change(_ rider: Rider) {
    guard rider != self.rider else { return }
    self.rider = rider
    heart = nil
  }

  /// The ride is paused: what comes until the next values is not counted.
  mutating func interrupt() {
    power = nil
    heart = nil
  }
}

// MARK: Counting

extension EnergyExpenditure {
  mutating func add(powerW: Double, at time: MonotonicTime) {
    guard Self.plausiblePower.contains(powerW), power.map({ time >= $0.time }) ?? true else { return }
    // A watt second is a joule, and a thousand of them cost a kilocalorie.
    let rate = powerW / 1000
    if let power, time.seconds(since: power.time) <= Self.longestPowerStep {
      count(from: power, to: rate, at: time)
    }
    power = Value(rate: rate, time: time)
  }

  mutating func add(bpm: Double, at time: MonotonicTime) {
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
    // Power that may still go on counts for itself; if it does not, the wait is made good at the first value after it.
    if let power, time.seconds(since: power.time) <= Self.longestPowerStep { return }
    let begin = max(counted ?? heartSince, heartSince)
    count(from: Value(rate: heart.rate, time: begin), to: next.rate, at: time)
  }

  /// As if the rate went straight from one value to the next.
  private mutating func count(from value: Value, to rate: Double, at time: MonotonicTime) {
    let begin = max(value.time, counted ?? value.time)
    guard time >= begin else { return }
    kilocalories = (kilocalories ?? 0) + (value.rate + rate) / 2 * time.seconds(since: begin)
    counted = time
  }

  /// Keytel et al. 2005, J Sports Sci 23(3), 289-297; nothing without weight, age and sex. Made for exercise, where it says less than
  /// nothing it says nothing.
  static func kilocaloriesPerMinute(bpm: Double, _ rider: Rider) -> Double? {
    guard let weight = rider.weightKg, let age = rider.ageYears, let sex = rider.sex else { return nil }
    let kilojoules =
      switch sex {
      case .male: -55.0969 + 0.6309 * bpm + 0.1988 * weight + 0.2017 * age
      case .female: -20.4022 + 0.4472 * bpm - 0.1263 * weight + 0.0740 * age
      }
    return max(0, kilojoules / kilojoulesPerKilocalorie)
  }
}
