// Banister's training impulse (TRIMP): minutes, weighted by the share of the heart-rate reserve in
// use and by how steeply lactate rises with it, which differs between women and men.

import CMath
public import Time

/// Computes TRIMP from heart rates.
public struct HeartRateLoad: Equatable, Sendable {
  /// A value counts for the time since the previous one, up to this many seconds.
  private static let longestStep = 5.0

  private var rider: Rider
  /// Nil until something could be counted.
  public private(set) var load: Double?
  private var last: MonotonicTime?

  public init(_ rider: Rider, saved: Double? = nil) {
    self.rider = rider
    if let saved, saved.isFinite, saved >= 0 { load = saved }
  }

  /// The load so far stays.
  public mutating func change(_ rider: Rider) { self.rider = rider }

  public mutating func add(bpm: Double, at time: MonotonicTime, counts: Bool) {
    guard last.map({ time > $0 }) ?? true else { return }
    let step = last.map { min(time.seconds(since: $0), Self.longestStep) } ?? 0
    last = time
    guard counts, let perMinute = Self.perMinute(bpm: bpm, rider) else { return }
    load = (load ?? 0) + perMinute * step / 60
  }

  /// Nil without resting rate, maximum and sex.
  public static func perMinute(bpm: Double, _ rider: Rider) -> Double? {
    guard let resting = rider.restingBpm, let maximum = rider.maxBpm, let sex = rider.sex, maximum > resting else {
      return nil
    }
    let share = max(0, (bpm - resting) / (maximum - resting))
    return switch sex {
    case .male: share * 0.64 * exp(1.92 * share)
    case .female: share * 0.86 * exp(1.67 * share)
    }
  }

  /// The load as a share of that of an hour at threshold heart rate, times 100: as a training stress
  /// score, which has 100 for an hour at threshold power. Nil without the threshold and the rest.
  public static func score(_ load: Double, _ rider: Rider) -> Double? {
    guard let threshold = rider.thresholdBpm, let perMinute = perMinute(bpm: threshold, rider), perMinute > 0 else {
      return nil
    }
    return load / (perMinute * 60) * 100
  }
}
