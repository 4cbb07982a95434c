// How old a value of another receiver is. Its `t` counts on a clock of its own, so a wall estimates
// the offset: the least difference between the arrival of a message and its `t`. A message that was
// held up on the way does not look younger than it is, whatever the calendars of both say.

import Time

struct ReceiverClock: Sendable {
  /// Clocks of computers run apart by less than this: one nanosecond in so many.
  private static let drift: Int64 = 10_000

  /// Nanoseconds of a receiver's clock that are possible: sums of them do not overflow.
  private static let possible: Range<Int64> = 0..<2_000_000_000_000_000_000

  private var offset: Int64?
  private var measuredAt = MonotonicTime(nanoseconds: 0)
  /// Whether the offset is from the calendars of both computers, which may disagree.
  private var isGuess = false

  var isKnown: Bool { offset != nil }

  mutating func reset() { offset = nil }

  /// A message that has just arrived, and was not kept by the broker.
  mutating func observe(_ t: MonotonicTime, at arrival: MonotonicTime, replacesGuess: Bool = false) {
    guard Self.possible.contains(t.nanoseconds) else { return }
    let measured = arrival.nanoseconds - t.nanoseconds
    if let known = offset(at: arrival), known < measured, !(isGuess && replacesGuess) { return }
    (offset, measuredAt, isGuess) = (measured, arrival, isGuess && !replacesGuess)
  }

  /// A reading that the broker has kept, by the calendar. It does nothing if an offset is known.
  mutating func guess(from reading: ClockReading, at arrival: MonotonicTime, calendar: WallTime) {
    guard offset == nil, Self.possible.contains(reading.t.nanoseconds) else { return }
    let age = min(1e9, max(0, calendar.secondsSince1970 - reading.time.secondsSince1970))
    (offset, measuredAt, isGuess) = (arrival.nanoseconds - reading.t.nanoseconds - Int64(age * 1e9), arrival, true)
  }

  /// Nil if it is not known.
  func age(of t: MonotonicTime, at now: MonotonicTime) -> Duration? {
    guard Self.possible.contains(t.nanoseconds) else { return nil }
    return offset(at: now).map { .nanoseconds(max(0, now.nanoseconds - t.nanoseconds - $0)) }
  }

  private func offset(at now: MonotonicTime) -> Int64? {
    offset.map { $0 + (now.nanoseconds - measuredAt.nanoseconds) / Self.drift }
  }
}
