// Reads a rolling counter of revolutions: how far it went since the last event, and how fast. All such counters are
// subtracted here. Rates come from the sensor's clock alone, because the radio delays and repeats packets. The time of
// arrival only tells whether the sensor's clock can be believed: that clock wraps unseen every 32 or 64 s.
//
// - The anchor is the last event that is believed. A packet that cannot follow from it waits until a second one follows
//   from that packet: only then did the sensor restart its count. One bad packet costs nothing.
// - While no revolution comes, the rate is at most one revolution in the time since the last one.
// - A rate is a rate of turning: a span that may contain a stop has none.

public struct CounterDelta: Sendable {
  public enum Status: String, CaseIterable, Sendable {
    /// There was nothing to compare with.
    case first
    /// No revolution for `standstill`: the only zero.
    case stopped
    /// No new revolution yet: several packets repeat the same one.
    case hold
    /// An older packet arrived late or again.
    case older
    /// The sensor's clock wrapped unseen: the revolutions count, but there is no rate.
    case resync
    /// The count moved while the sensor's clock stood still.
    case inconsistent
    /// One revolution too soon after the last: the switch bounced.
    case bounced
    /// It does not follow from the last event: the count restarted, or this packet is bad. The next one decides.
    case unconfirmed
    case update
  }

  public struct Reading: Equatable, Sendable {
    public let status: Status
    /// In units per second; nil where none may be published.
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

  /// Seconds without a revolution after which it stands still.
  private static let standstill = 3.0
  /// How far the sensor's clock and the receiver's may differ, in seconds: notifications are late by less, a wrap is more.
  private static let clockTolerance = 5.0
  /// A revolution that takes this many times as long as the one before contains a stop. Braking to a halt makes the last
  /// whole turn 2.4 times as long as the one before it.
  private static let stopRatio = 2.5
  /// Part of the highest rate that can be gained from one packet to the next without a second packet that agrees.
  private static let surprise = 0.3
  /// Seconds by which two packets may arrive closer together than they were sent.
  private static let jitter = 1.0

  /// Of the counter's bits.
  private let mask: UInt32
  /// Clocks tick a power of two times per second: multiplying is as exact as dividing, and faster.
  private let secondsPerTick: Double
  private let fastest: Double
  private var anchor: Anchor?
  /// When a packet last agreed with the anchor.
  private var agreed = MonotonicTime(nanoseconds: 0)
  /// The first packet that did not follow from the anchor.
  private var candidate: Anchor?
  /// The last accepted rate. It does not depend on the unit, which the user may change.
  private var pace: Pace?

  private struct Anchor {
    let count: UInt32
    let eventTime: UInt16
    let time: MonotonicTime
  }

  /// What lies between an event and a packet.
  private struct Span {
    let revolutions: Double
    let seconds: Double
    /// By the receiver's clock.
    let gap: Double

    /// Short, so that the two clocks agree.
    @inline(__always)
    var isUsual: Bool { seconds > 0 && seconds < standstill && gap < standstill }
  }

  private struct Pace {
    let revolutions: Double
    let seconds: Double
    /// It was published. Otherwise it only serves to judge the next span.
    let isPublished: Bool

    @inline(__always)
    func rate(_ unit: Double) -> Double { revolutions * unit / seconds }
  }

  /// `fastest` is the highest rate to believe, in units per second.
  public init(_ width: Width, ticksPerSecond: Double, fastest: Double) {
    mask = width.rawValue
    secondsPerTick = 1 / ticksPerSecond
    self.fastest = fastest
  }

  /// Reads the count and the sensor's clock of a packet; `unit` is what one revolution is worth: metres, or 60 for rpm.
  @inline(__always)
  public mutating func read(
    _ count: UInt32, eventTime: UInt16, at time: MonotonicTime, unit: Double
  ) -> Reading {
    let packet = Anchor(count: count, eventTime: eventTime, time: time)
    guard let anchor else {
      move(to: packet)
      return Reading(.first)
    }
    let span = span(from: anchor, to: packet)
    if span.revolutions == 0 { return hold(span.gap, at: time, unit) }
    if span.isUsual, let rate = usualRate(span, unit), candidate == nil {
      move(to: packet)
      pace = Pace(revolutions: span.revolutions, seconds: span.seconds, isPublished: true)
      return Reading(.update, rate: rate, amount: span.revolutions * unit)
    }
    return judge(packet, span, anchor, unit)
  }

  /// The count was set from outside: the next packet is the first.
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
      seconds: Double(packet.eventTime &- event.eventTime) * secondsPerTick, gap: packet.time.seconds(since: event.time)
    )
  }

  /// Its last revolution was `gap` ago, so it is no faster than one revolution in that time.
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

  /// The rate of a span as most are: it goes on about as before. Nil where that needs a closer look.
  @inline(__always)
  private func usualRate(_ span: Span, _ unit: Double) -> Double? {
    guard let pace, pace.isPublished else { return nil }
    let rate = span.revolutions * unit / span.seconds
    let before = pace.revolutions * span.seconds
    guard span.revolutions * pace.seconds * Self.stopRatio >= before,
      rate <= fastest, rate <= pace.rate(unit) + fastest * Self.surprise
    else { return nil }
    return rate
  }
}

// MARK: What does not go on as before

extension CounterDelta {
  @inline(never)
  private mutating func judge(_ packet: Anchor, _ span: Span, _ anchor: Anchor, _ unit: Double) -> Reading {
    let sinceAgreed = packet.time.seconds(since: agreed)
    // A clock that stands still while packets come has seen no revolution.
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

  /// The revolutions count. `amount` is what a packet before it had added, and which nothing has confirmed until now.
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

  /// Whether the mean of this span is how fast it turned all the time. Of a long one that is only known if it is about what
  /// it was before.
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

  /// Whether one packet is enough to believe that it became so fast. It stood until the last packet that said so.
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

  /// Whether the sensor's clock went back by what the count went back, a few seconds.
  private func isOlder(_ packet: Anchor, than anchor: Anchor, _ unit: Double) -> Bool {
    let back = span(from: packet, to: anchor)
    return back.seconds > 0 && back.seconds - back.gap <= Self.clockTolerance
      && back.revolutions * unit <= fastest * back.seconds
  }

  /// A second packet that follows from the first one which did not follow from the anchor.
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
