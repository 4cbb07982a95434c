// A clock made of a strap's RR intervals. The time of a beat is the sum of the intervals before it,
// exact to a millisecond, while packets arrive up to a second late. Comparing the two shows missing
// intervals (the packets fall behind for good) and surplus ones (more beats than time has passed).

import Time

struct BeatClock: Sendable {
  enum Finding: Equatable, Sendable {
    /// The first intervals.
    case begins
    /// These intervals follow the previous ones.
    case goesOn
    /// Intervals are missing before these.
    case gap
    /// More beats than fit into the time: duplicate packets, or two hearts.
    case impossible
    /// Older than the previous packet.
    case ignored
  }

  /// How many packets the usual lag is taken from.
  private static let remembered = 8
  /// Seconds by which the beats may run ahead: delayed packets arrive in a burst.
  private static let mostAhead = 5.0
  /// Seconds of delay that a burst may make up for.
  private static let mostHeldUp = 10.0
  /// A strap's clock runs at most this much faster than ours, and its intervals are rounded.
  private static let drift = 1.002

  /// Of the newest beat, seconds.
  private(set) var seconds = 0.0
  private var arrival: MonotonicTime?
  /// How late packets arrive, relative to the first one after the last gap.
  private var lag = 0.0
  private var lags = InlineArray<8, Double>(repeating: 0)
  private var lagCount = 0
  private var ahead = 0.0

  /// The beats' own time at `time`.
  func seconds(at time: MonotonicTime) -> Double {
    guard let arrival else { return seconds }
    return seconds + max(0, time.seconds(since: arrival))
  }

  /// Handles a packet with `count` intervals that add up to `length` seconds. Afterwards, its first
  /// interval began `length` before `seconds`.
  mutating func packet(_ length: Double, _ count: Int, at time: MonotonicTime) -> Finding {
    guard let arrival else {
      self.arrival = time
      seconds += length
      remember(0)
      return .begins
    }
    guard time >= arrival else { return .ignored }
    let elapsed = time.seconds(since: arrival)
    self.arrival = time
    ahead = max(ahead + length - elapsed * Self.drift, -Self.mostHeldUp)
    if ahead > Self.mostAhead {
      self = BeatClock()
      return .impossible
    }
    lag += elapsed - length
    guard count > 0 else { return .goesOn }
    guard isGap(length / Double(count)) else {
      seconds += length
      remember(lag)
      return .goesOn
    }
    seconds += max(elapsed, length)
    lag = 0
    lagCount = 0
    remember(0)
    return .gap
  }

  /// A packet is late by up to one interval plus a varying radio delay. It is too late if it lags
  /// half an interval behind all recent ones, or a whole one while few are known.
  private func isGap(_ interval: Double) -> Bool {
    guard lagCount > 0 else { return false }
    var latest = lags[0]
    for index in 1..<min(max(lagCount, 1), Self.remembered) { latest = max(latest, lags[index]) }
    return lag > latest + (lagCount >= Self.remembered / 2 ? 0.5 : 1.1) * interval
  }

  private mutating func remember(_ lag: Double) {
    lags[lagCount % Self.remembered] = lag
    // Bounded, because beyond the capacity only the remainder matters.
    lagCount = lagCount < 2 * Self.remembered ? lagCount + 1 : Self.remembered + 1
  }
}
