// A value second by second, for averages of the last seconds and everything defined on them. A
// second is known if a packet arrived within it, or so shortly before that the next is not overdue.
// Unknown seconds are left out instead of counted as zero, and a mean needs enough known ones.

import Time

struct SecondGrid: Sendable {
  /// As long as the longest average.
  static let length = 60

  /// Seconds that a value holds, because a sensor that sends once a second is sometimes late.
  private let holding: Double
  /// Larger than `length`, because a power of two avoids a division.
  private var seconds = InlineArray<64, Float>(repeating: .nan)
  /// The index of the open second, counted from the origin.
  private var current = -1
  private var origin = MonotonicTime(nanoseconds: 0)
  /// Of the open second.
  private var end: Int64 { origin.nanoseconds + Int64(current + 1) * 1_000_000_000 }
  private var sum = 0.0
  private var weight = 0.0
  private var last: (value: Double, time: MonotonicTime)?

  init(holding: Double) {
    self.holding = holding
  }

  /// How many seconds have passed since the first value.
  var closedSeconds: Int { max(0, current) }

  /// The end of the second with this index, counted from 0.
  func end(ofSecond number: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: origin.nanoseconds + Int64(number + 1) * 1_000_000_000)
  }

  /// Adds a value that applies to the time since the previous one, because sensors report means
  /// since their last packet.
  mutating func add(_ value: Double, at time: MonotonicTime) {
    guard value.isFinite, last.map({ time >= $0.time }) ?? true else { return }
    if current < 0 {
      origin = time
      current = 0
    }
    if closes(at: time) { advance(to: time) }
    sum += value
    weight += 1
    last = (value, time)
  }

  /// Whether the open second has passed.
  func closes(at time: MonotonicTime) -> Bool { current >= 0 && time.nanoseconds >= end }

  /// Closes the seconds that have passed and calls `closed` with each, in order; nil means unknown.
  mutating func advance(to time: MonotonicTime, closed: (Double?) -> Void = { _ in }) {
    guard current >= 0 else { return }
    let second = Int(time.seconds(since: origin))
    guard second > current else { return }
    while current < second {
      let value = valueOfCurrent
      seconds[current & 63] = value.map { Float($0) } ?? .nan
      closed(value)
      current += 1
      (sum, weight) = (0, 0)
      // Of a long gap, only as much is closed as empties the grid.
      if value == nil { current = max(current, second - 2 * Self.length) }
    }
  }

  private var valueOfCurrent: Double? {
    if weight > 0 { return sum / weight }
    guard let last, origin.seconds + Double(current + 1) - last.time.seconds <= holding + 1 else { return nil }
    return last.value
  }

  /// The mean of `count` whole seconds that end `before` seconds before the open one; nil if fewer
  /// than half are known.
  func mean(ofLast count: Int, before: Int = 0) -> Double? {
    guard current > before else { return nil }
    var (sum, known) = (0.0, 0)
    let seconds = seconds.span
    for back in (1 + before)...min(count + before, Self.length) where current - back >= 0 {
      let value = seconds[(current - back) & 63]
      if !value.isNaN { (sum, known) = (sum + Double(value), known + 1) }
    }
    return known * 2 >= count ? sum / Double(known) : nil
  }
}
