// The time that a strap's beats themselves tell. A beat's own time is the sum of the intervals before it, exact to a millisecond; the
// time at which a packet came is late by up to a second, now by less, now by more. Laid side by side they show what the intervals do not
// say: where some are missing, for then the packets fall behind for good, and where there are more than time has passed for.

import SensorKit

struct BeatClock: Sendable {
  enum Finding: Equatable, Sendable {
    /// The first intervals there are.
    case begins
    /// These follow the ones before.
    case goesOn
    /// Intervals are missing before these.
    case gap
    /// More beats than there was time for: packets twice, or of two hearts.
    case impossible
    /// Of an earlier time than the last.
    case ignored
  }

  /// Packets that tell how late packets are here.
  private static let remembered = 8
  /// Seconds that the beats may be ahead of time: packets are held up, and then come all at once.
  private static let mostAhead = 5.0
  /// How much of a hold-up is made good, seconds.
  private static let mostHeldUp = 10.0
  /// A strap's clock runs so much faster than ours at most, and it rounds its intervals.
  private static let drift = 1.002

  /// Of the newest beat, seconds.
  private(set) var seconds = 0.0
  private var arrival: MonotonicTime?
  /// How late packets came, against the first after the last gap.
  private var lag = 0.0
  private var lags = InlineArray<8, Double>(repeating: 0)
  private var lagCount = 0
  private var ahead = 0.0

  /// The beats' own time at `time`.
  func seconds(at time: MonotonicTime) -> Double {
    guard let arrival else { return seconds }
    return seconds + max(0, time.seconds(since: arrival))
  }

  /// A packet of `count` intervals, together so many seconds long. Its first beat is that much before `seconds`, once this has returned.
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

  /// A packet is late by up to an interval and what the radio adds, now more, now less: later than all of the last ones by half an
  /// interval is too late. While few came before it takes a whole one.
  private func isGap(_ interval: Double) -> Bool {
    guard lagCount > 0 else { return false }
    var latest = lags[0]
    for index in 1..<min(max(lagCount, 1), Self.remembered) { latest = max(latest, lags[index]) }
    return lag > latest + (lagCount >= Self.remembered / 2 ? 0.5 : 1.1) * interval
  }

  private mutating func remember(_ lag: Double) {
    lags[lagCount % Self.remembered] = lag
    // Beyond twice the room the count only has to say where the next goes.
    lagCount = lagCount < 2 * Self.remembered ? lagCount + 1 : Self.remembered + 1
  }
}
