// The turns of one wheel as its sensor counts them, on the way to what they were when a fix came: counters that begin anew,
// packets that come late, and turns that the sensor did not see.
//
// A missed turn is seen in the sensor's own clock: between two packets there is time for one turn more than it counted, and
// after them the wheel is as fast as before. Who brakes is slower afterwards.

internal import SensorKit

struct WheelCounter: Sendable {
  private var count: Double?
  private var time = MonotonicTime(nanoseconds: 0)
  private var clock = SensorClock()
  /// Turns a second, from packets without a missed turn.
  private var steadyRate: Double?
  private var suspect: Suspect?
  private(set) var turns = WheelStretch.Turns(total: 0, missed: 0, rate: nil)
  /// How often the count could not be followed: what was measured across that is void.
  private(set) var breaks = 0

  /// Packets that seem to lack a turn, until one that does not.
  private struct Suspect {
    let missed: Double
    let rate: Double
    let packets: Int
  }
  /// Who is slower for longer has become slower.
  private static let mostInARow = 4

  /// When the packet came that told of the last turn; nil where none has.
  var lastTurn: MonotonicTime? { count == nil || turns.total == 0 ? nil : time }

  /// 40 turns a second are 290 km/h.
  private static let fastest = 40.0
  /// A fix may be taken up after a packet that came a little later.
  private static let longestOvertaking = 1.0
  /// An older packet says nothing about where the wheel is now.
  private static let longestSilence = 2.5
  /// Receivers filter, reckon and send: a fix is true for so many seconds before it came, more or less. At a steady speed that is
  /// the same at both ends of a stretch.
  private static let fixLateness = 0.5

  /// Takes the sensor's count, and its rate in turns a second where it tells one.
  mutating func add(_ next: Double, rate: Double?, at now: MonotonicTime) {
    guard next.isFinite, count == nil || now >= time else { return }
    let rate = rate.flatMap { $0.isFinite && $0 >= 0 && $0 < Self.fastest ? $0 : nil }
    guard let count else { return start(next, rate, now) }
    let added = next - count
    let gap = now.seconds(since: time)
    guard added >= 0, added <= Self.fastest * (gap + 1) else { return start(next, rate, now) }
    // A packet that tells of no new turn leaves the moment of the last one where it was.
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

  /// How many turns seem to be missing. If the wheel is then seen to have become slower,
  /// they were not, and are taken back.
  private mutating func missing(_ added: Double, _ rate: Double?, _ gap: Double) -> Double {
    guard let rate, rate > 0 else {
      // Without the sensor's own clock, a few packets tell the rate together.
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

  /// The turns when a fix was true that came at this moment; nil where that is too long ago, or the wheel stands.
  func turns(at moment: MonotonicTime) -> WheelStretch.Turns? {
    let age = moment.seconds(since: time)
    guard count != nil, (-Self.longestOvertaking...Self.longestSilence).contains(age), let rate = steadyRate, rate > 0,
      !clock.isSettling
    else { return nil }
    let sinceTurn = moment.seconds(since: clock.lastTurn ?? time) - Self.fixLateness
    return WheelStretch.Turns(
      total: turns.total + rate * sinceTurn + clock.turnsSinceLastTurn, missed: turns.missed, rate: turns.rate)
  }
}

/// When the last turn was that a packet tells of: before the packet came by up to a turn, and by what the radio took. The
/// sensor's clock says how turns follow each other, and the packet that came soonest after its turn what the two clocks differ by.
private struct SensorClock: Sendable {
  private var seconds = 0.0
  private var leastLag: Double?
  private var received = MonotonicTime(nanoseconds: 0)
  private var restarted = MonotonicTime(nanoseconds: 0)
  private var packets = 0.0

  /// Seconds after which one of the packets came soon enough after its turn.
  private static let settlingTime = 4.0
  /// Clocks drift apart by less than this part.
  private static let drift = 2e-4

  /// By the time between two turns; nil where it is not known.
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

  /// It restarted, as after a stop, and its lag is known from a few packets only.
  var isSettling: Bool { leastLag != nil && received.seconds(since: restarted) < Self.settlingTime }

  /// Packets come at any moment between two turns: of so many, the one that came soonest came this part of a turn late.
  var turnsSinceLastTurn: Double { leastLag == nil ? 0 : 1 / (packets + 1) }

  var lastTurn: MonotonicTime? {
    leastLag.map { MonotonicTime(seconds: seconds + $0) }
  }
}
