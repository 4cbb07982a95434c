// Follows the revolution count of one wheel sensor and computes the revolutions at the time of a
// fix. It handles counters that restart, late packets and missed revolutions.
//
// A missed revolution shows in the sensor's own clock: two packets leave time for one more than was
// counted, and afterwards the wheel is as fast as before. A braking wheel is slower afterwards.

public import Time

/// Computes the revolutions of a wheel at any moment from the counts of its sensor.
public struct WheelCounter: Sendable {
  private var count: Double?
  private var time = MonotonicTime(nanoseconds: 0)
  private var clock = SensorClock()
  /// Revolutions per second, from packets without a missed one.
  private var steadyRate: Double?
  private var suspect: Suspect?
  public private(set) var turns = WheelStretch.Turns(total: 0, missed: 0, rate: nil)
  /// How often the count could not be followed. A measurement across a break is void.
  public private(set) var breaks = 0

  /// Consecutive packets that seem to lack a revolution.
  private struct Suspect {
    let missed: Double
    let rate: Double
    let packets: Int
  }
  /// After more packets than this, the wheel has slowed down.
  private static let mostInARow = 4

  public init() {}

  /// Arrival of the packet with the last new revolution; nil before the first.
  public var lastTurn: MonotonicTime? { count == nil || turns.total == 0 ? nil : time }

  /// 40 revolutions per second are 290 km/h.
  private static let fastest = 40.0
  /// Seconds by which a packet may be newer than the fix.
  private static let longestOvertaking = 1.0
  /// An older packet does not show the wheel's current position.
  private static let longestSilence = 2.5
  /// Receivers filter, compute and send, so a fix describes the bike about this many seconds
  /// earlier. At constant speed the delay is the same at both ends of a stretch.
  private static let fixLateness = 0.5

  /// Handles the sensor's count, and its rate in revolutions per second if known.
  public mutating func add(_ next: Double, rate: Double?, at now: MonotonicTime) {
    guard next.isFinite, count == nil || now >= time else { return }
    let rate = rate.flatMap { $0.isFinite && $0 >= 0 && $0 < Self.fastest ? $0 : nil }
    guard let count else { return start(next, rate, now) }
    let added = next - count
    let gap = now.seconds(since: time)
    guard added >= 0, added <= Self.fastest * (gap + 1) else { return start(next, rate, now) }
    // A packet without a new revolution does not change the time of the last one.
    guard added > 0 else {
      if gap > Self.longestSilence { steadyRate = nil }
      return
    }
    let missed = missing(added, rate, gap)
    clock.advance(rate.map { added / $0 }, at: now)
    turns = WheelStretch.Turns(
      total: turns.total + added + missed, missed: turns.missed + missed, rate: rate == nil ? nil : steadyRate)
    (self.count, time) = (next, now)
  }

  private mutating func start(_ next: Double, _ rate: Double?, _ now: MonotonicTime) {
    if count != nil { breaks += 1 }
    (count, time, steadyRate, suspect) = (next, now, rate, nil)
    clock.advance(nil, at: now)
  }

  /// How many revolutions seem to be missing. If the wheel then turns out to have slowed down, they
  /// are taken back.
  private mutating func missing(_ added: Double, _ rate: Double?, _ gap: Double) -> Double {
    guard let rate, rate > 0 else {
      // Without the sensor's own clock, the rate is averaged over a few packets.
      let raw = added / max(gap, 0.1)
      (steadyRate, suspect) = (steadyRate.map { $0 + (raw - $0) * 0.3 } ?? raw, nil)
      return 0
    }
    guard let usual = steadyRate else {
      steadyRate = rate
      return 0
    }
    let lacking = added / rate * usual - added
    if lacking > 0.6, lacking < 2.4, (suspect?.packets ?? 0) < Self.mostInARow {
      let before = suspect ?? Suspect(missed: 0, rate: rate, packets: 0)
      suspect = Suspect(
        missed: before.missed + lacking.rounded(), rate: max(before.rate, rate), packets: before.packets + 1)
      return lacking.rounded()
    }
    defer { (steadyRate, suspect) = (rate, nil) }
    guard let suspect, rate <= (suspect.rate + usual) / 2 else { return 0 }
    return -suspect.missed
  }

  /// The revolutions at the moment of a fix; nil if the last packet is too old or the wheel stands.
  public func turns(at moment: MonotonicTime) -> WheelStretch.Turns? {
    let age = moment.seconds(since: time)
    guard count != nil, (-Self.longestOvertaking...Self.longestSilence).contains(age), let rate = steadyRate, rate > 0,
      !clock.isSettling
    else { return nil }
    let sinceTurn = moment.seconds(since: clock.lastTurn ?? time) - Self.fixLateness
    return WheelStretch.Turns(
      total: turns.total + rate * sinceTurn + clock.turnsSinceLastTurn, missed: turns.missed, rate: turns.rate)
  }
}

/// Estimates the time of the last revolution. A packet arrives up to one revolution and a radio
/// delay later. The sensor's clock gives the time between revolutions, and the packet with the
/// shortest delay gives the offset of the two clocks.
private struct SensorClock: Sendable {
  private var seconds = 0.0
  private var leastLag: Double?
  private var received = MonotonicTime(nanoseconds: 0)
  private var restarted = MonotonicTime(nanoseconds: 0)
  private var packets = 0.0

  /// Seconds after which some packet has had a short delay.
  private static let settlingTime = 4.0
  /// Upper bound for the drift between the clocks.
  private static let drift = 2e-4

  /// Advances by the time between two revolutions; nil if unknown.
  mutating func advance(_ span: Double?, at now: MonotonicTime) {
    let elapsed = now.seconds(since: received)
    received = now
    guard let span, span.isFinite else {
      (seconds, leastLag, restarted, packets) = (now.seconds, nil, now, 0)
      return
    }
    seconds += span
    packets += 1
    let lag = now.seconds - seconds
    leastLag = min(lag, leastLag.map { $0 + elapsed * Self.drift } ?? lag)
  }

  /// After a restart, the lag is only known from a few packets.
  var isSettling: Bool { leastLag != nil && received.seconds(since: restarted) < Self.settlingTime }

  /// Packets arrive at any moment between two revolutions. Of that many packets, the earliest is
  /// expected to be this part of a revolution late.
  var turnsSinceLastTurn: Double { leastLag == nil ? 0 : 1 / (packets + 1) }

  var lastTurn: MonotonicTime? {
    leastLag.map { MonotonicTime(seconds: seconds + $0) }
  }
}
