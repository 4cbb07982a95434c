// Reads a rolling counter of revolutions: its increase since the last event, and the rate. All such
// counters are handled here. Rates come from the sensor's clock alone, because the radio delays and
// repeats packets. The time of arrival only shows whether the sensor's clock is plausible, because
// it wraps every 32 or 64 s.
//
// - The anchor is the last trusted event. A packet that cannot follow from it waits until a second
//   packet follows from that one. Only then has the sensor restarted its count. One bad packet has
//   no effect.
// - While there is no new revolution, the rate is at most one revolution in the time since the last
//   one.
// - A rate describes turning, so a span that may contain a stop has none.

public import Time

public struct CounterDelta: Sendable {
  public enum Status: String, CaseIterable, Sendable {
    /// There was no earlier packet to compare with.
    case first
    /// No revolution for `standstill` seconds: the only case with a rate of zero.
    case stopped
    /// No new revolution yet; sensors repeat the last one in several packets.
    case hold
    /// An older packet arrived late or again.
    case older
    /// The sensor's clock may have wrapped, so the revolutions count but there is no rate.
    case resync
    /// The count changed while the sensor's clock did not.
    case inconsistent
    /// A revolution too soon after the last one: the switch bounced.
    case bounced
    /// It does not follow from the last event. Either the count restarted or this packet is bad;
    /// the next one decides.
    case unconfirmed
    case update
  }

  public struct Reading: Equatable, Sendable {
    public let status: Status
    /// In units per second; nil if none may be published.
    public let rate: Double?
    /// What this packet added, in units.
    public let amount: Double

    public init(_ status: Status, rate: Double? = nil, amount: Double = 0) {
      self.status = status
      self.rate = rate
      self.amount = amount
    }
  }

  public enum Width: UInt32, Sendable {
    case bits16 = 0xffff
    case bits32 = 0xffff_ffff
  }

  /// Seconds without a revolution after which it stands.
  private static let standstill = 3.0
  /// The largest difference between the sensor's clock and ours, in seconds. Delays are shorter, a
  /// wrap is longer.
  private static let clockTolerance = 5.0
  /// A revolution that takes this many times as long as the previous one contains a stop. Braking
  /// to a halt makes the last full revolution 2.4 times as long.
  private static let stopRatio = 2.5
  /// The share of the highest rate that may be gained from one packet to the next without
  /// confirmation.
  private static let surprise = 0.3
  /// Seconds by which packets may arrive closer together than they were sent.
  private static let jitter = 1.0

  /// Selects the counter's bits.
  private let mask: UInt32
  /// Selects the bits of the sensor's clock.
  private let clockMask: UInt32
  /// Clocks have a power of two of ticks per second, so multiplying is exact, and faster than
  /// dividing.
  private let secondsPerTick: Double
  private let fastest: Double
  private var anchor: Anchor?
  /// When a packet was last consistent with the anchor.
  private var agreed = MonotonicTime(nanoseconds: 0)
  /// The first packet that did not follow from the anchor.
  private var candidate: Anchor?
  /// The last accepted rate, independent of the unit, which the user may change.
  private var pace: Pace?

  private struct Anchor {
    let count: UInt32
    let eventTime: UInt32
    let time: MonotonicTime
  }

  /// The distance between an event and a packet.
  private struct Span {
    let revolutions: Double
    let seconds: Double
    /// By our clock.
    let gap: Double

    /// Short enough for the two clocks to agree.
    @inline(__always)
    var isTypical: Bool { seconds > 0 && seconds < standstill && gap < standstill }
  }

  private struct Pace {
    let revolutions: Double
    let seconds: Double
    /// If false, it only serves to judge the next span.
    let isPublished: Bool

    @inline(__always)
    func rate(_ unit: Double) -> Double { revolutions * unit / seconds }
  }

  /// `fastest` is the highest plausible rate, in units per second.
  public init(_ width: Width, ticksPerSecond: Double, fastest: Double) {
    mask = width.rawValue
    clockMask = Width.bits16.rawValue
    secondsPerTick = 1 / ticksPerSecond
    self.fastest = fastest
  }

  /// For counters and clocks of any width up to 32 bits.
  public init(bits: Int, clockBits: Int, ticksPerSecond: Double, fastest: Double) {
    mask = UInt32.max >> UInt32(32 - bits)
    clockMask = UInt32.max >> UInt32(32 - clockBits)
    secondsPerTick = 1 / ticksPerSecond
    self.fastest = fastest
  }

  /// Reads a packet's count and event time. `unit` is the worth of one revolution: metres, or 60
  /// for rpm.
  @inline(__always)
  public mutating func read(
    _ count: UInt32, eventTime: UInt16, at time: MonotonicTime, unit: Double
  ) -> Reading {
    read(count, eventTime: UInt32(eventTime), at: time, unit: unit)
  }

  /// The same for a clock of another width.
  @inline(__always)
  public mutating func read(
    _ count: UInt32, eventTime: UInt32, at time: MonotonicTime, unit: Double
  ) -> Reading {
    let packet = Anchor(count: count, eventTime: eventTime, time: time)
    guard let anchor else {
      move(to: packet)
      return Reading(.first)
    }
    let span = span(from: anchor, to: packet)
    if span.revolutions == 0 { return hold(span.gap, at: time, unit) }
    if span.isTypical, let rate = typicalRate(span, unit), candidate == nil {
      move(to: packet)
      pace = Pace(revolutions: span.revolutions, seconds: span.seconds, isPublished: true)
      return Reading(.update, rate: rate, amount: span.revolutions * unit)
    }
    return judge(packet, span, anchor, unit)
  }

  /// The count was set by a command, so the next packet is the first.
  public mutating func forget() {
    anchor = nil
    candidate = nil
    pace = nil
  }

  @inline(__always)
  private mutating func move(to packet: Anchor) {
    anchor = packet
    agreed = packet.time
  }

  @inline(__always)
  private func span(from event: Anchor, to packet: Anchor) -> Span {
    Span(
      revolutions: Double((packet.count &- event.count) & mask),
      seconds: Double((packet.eventTime &- event.eventTime) & clockMask) * secondsPerTick,
      gap: packet.time.seconds(since: event.time)
    )
  }

  /// The last revolution was `gap` seconds ago, so the rate is at most one revolution in that time.
  @inline(__always)
  private mutating func hold(_ gap: Double, at time: MonotonicTime, _ unit: Double) -> Reading {
    agreed = time
    candidate = nil
    if gap >= Self.standstill {
      pace = nil
      return Reading(.stopped, rate: 0)
    }
    return Reading(.hold, rate: heldRate(gap, unit))
  }

  @inline(__always)
  private func heldRate(_ gap: Double, _ unit: Double) -> Double? {
    guard let pace, pace.isPublished else { return nil }
    return gap * pace.revolutions > pace.seconds ? unit / gap : pace.rate(unit)
  }

  /// Fast path: the rate of a typical span, close to the previous rate. Nil if it needs a closer
  /// look.
  @inline(__always)
  private func typicalRate(_ span: Span, _ unit: Double) -> Double? {
    guard let pace, pace.isPublished else { return nil }
    let rate = span.revolutions * unit / span.seconds
    let before = pace.revolutions * span.seconds
    guard span.revolutions * pace.seconds * Self.stopRatio >= before,
      rate <= fastest, rate <= pace.rate(unit) + fastest * Self.surprise
    else { return nil }
    return rate
  }
}

// MARK: Exceptions

extension CounterDelta {
  @inline(never)
  private mutating func judge(_ packet: Anchor, _ span: Span, _ anchor: Anchor, _ unit: Double) -> Reading {
    let sinceAgreed = packet.time.seconds(since: agreed)
    // Packets that arrive while the clock stands contain no new revolution.
    if span.seconds == 0, sinceAgreed <= Self.clockTolerance {
      return Reading(.inconsistent, rate: heldRate(span.gap, unit))
    }
    if isPossible(span, unit), isExpected(span, sinceAgreed, unit) { return accept(packet, span, unit, amount: 0) }
    if isBounce(span, unit) {
      move(to: packet)
      candidate = nil
      return Reading(.bounced)
    }
    if isOlder(packet, than: anchor, unit) { return Reading(.older) }
    return confirm(packet, anchor, unit)
  }

  /// Accepts the revolutions. `amount` is what an earlier unconfirmed packet had added.
  private mutating func accept(_ packet: Anchor, _ span: Span, _ unit: Double, amount: Double) -> Reading {
    move(to: packet)
    candidate = nil
    let amount = amount + span.revolutions * unit
    guard span.seconds > 0, span.gap - span.seconds <= Self.clockTolerance else {
      pace = nil
      return Reading(.resync, amount: amount)
    }
    let isTurning = span.seconds < Self.standstill * span.revolutions
    let isSteady = isTurning && isSteady(span)
    pace = isTurning ? Pace(revolutions: span.revolutions, seconds: span.seconds, isPublished: isSteady) : nil
    return Reading(.update, rate: isSteady ? span.revolutions * unit / span.seconds : nil, amount: amount)
  }

  /// Whether the mean rate of this span held all the time. For a long span, that is only certain if
  /// it is close to the previous rate.
  private func isSteady(_ span: Span) -> Bool {
    guard let pace else { return span.seconds < Self.standstill }
    let ratio = span.seconds * pace.revolutions / (pace.seconds * span.revolutions)
    return span.seconds < Self.standstill ? ratio <= Self.stopRatio : (0.8...1.25).contains(ratio)
  }

  /// Whether this many revolutions fit into the time.
  private func isPossible(_ span: Span, _ unit: Double) -> Bool {
    let amount = span.revolutions * unit
    if span.gap - span.seconds > Self.clockTolerance { return amount <= fastest * span.gap }
    return span.seconds > 0 && span.seconds - span.gap <= Self.clockTolerance && amount <= fastest * span.seconds
  }

  /// Whether one packet is enough to trust such a rate. The wheel stood until the last consistent
  /// packet.
  private func isExpected(_ span: Span, _ sinceAgreed: Double, _ unit: Double) -> Bool {
    let amount = span.revolutions * unit
    let gain = fastest * Self.surprise
    if let pace, pace.isPublished, span.gap - span.seconds <= Self.clockTolerance {
      return amount / span.seconds <= pace.rate(unit) + gain
    }
    let hasStood = span.gap - sinceAgreed >= Self.standstill
    return amount <= (hasStood ? gain : fastest) * (sinceAgreed + Self.jitter)
  }

  private func isBounce(_ span: Span, _ unit: Double) -> Bool {
    span.revolutions == 1 && span.seconds > 0 && unit > fastest * span.seconds
  }

  /// Whether clock and count both went back, by a few seconds.
  private func isOlder(_ packet: Anchor, than anchor: Anchor, _ unit: Double) -> Bool {
    let back = span(from: packet, to: anchor)
    return back.seconds > 0 && back.seconds - back.gap <= Self.clockTolerance
      && back.revolutions * unit <= fastest * back.seconds
  }

  /// Accepts a second packet that follows from the first inconsistent one.
  private mutating func confirm(_ packet: Anchor, _ anchor: Anchor, _ unit: Double) -> Reading {
    guard let first = candidate else {
      candidate = packet
      return Reading(.unconfirmed)
    }
    let span = span(from: first, to: packet)
    if span.revolutions == 0, span.gap < Self.standstill { return Reading(.unconfirmed) }
    guard span.revolutions == 0 || isPossible(span, unit) else {
      candidate = packet
      return Reading(.unconfirmed)
    }
    let before = self.span(from: anchor, to: first)
    let amount = isPossible(before, unit) ? before.revolutions * unit : 0
    pace = nil
    guard span.revolutions == 0 else { return accept(packet, span, unit, amount: amount) }
    move(to: first)
    (agreed, candidate) = (packet.time, nil)
    return Reading(.stopped, rate: 0, amount: amount)
  }
}
