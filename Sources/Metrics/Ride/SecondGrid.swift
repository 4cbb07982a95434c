// A value second by second: what averages of the last seconds, and everything that is defined on them, are made of. A second is
// known if the source spoke within it, or spoke so shortly before that it would have said something else by now. A second that is not
// known is no zero: it is left out, and what too little is known of is not known.

import SensorKit

struct SecondGrid: Sendable {
  /// As long as the longest average.
  static let length = 60

  /// How long a value stands for what comes after it: a sensor that says one value a second is late now and then.
  private let holding: Double
  /// More than the length, for a power of two costs no division.
  private var seconds = InlineArray<64, Float>(repeating: .nan)
  /// The second that is being filled, since the grid's origin.
  private var current = -1
  private var origin = MonotonicTime(nanoseconds: 0)
  /// Of that second.
  private var end: Int64 { origin.nanoseconds + Int64(current + 1) * 1_000_000_000 }
  private var sum = 0.0
  private var weight = 0.0
  private var last: (value: Double, time: MonotonicTime)?

  init(holding: Double) {
    self.holding = holding
  }

  /// How many have passed since the first value.
  var closedSeconds: Int { max(0, current) }

  /// Of the one with this number, the first being 0.
  func end(ofSecond number: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: origin.nanoseconds + Int64(number + 1) * 1_000_000_000)
  }

  /// A value that was true from the one before it until now, as sensors say averages over the time since their last packet.
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

  /// Whether the second that is being filled has passed.
  func closes(at time: MonotonicTime) -> Bool { current >= 0 && time.nanoseconds >= end }

  /// Closes the seconds that have passed. `closed` is called with each, in order; nil is one that nobody knows.
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
      // Of a long silence as much is told as pushes everything else out of the grid.
      if value == nil { current = max(current, second - 2 * Self.length) }
    }
  }

  private var valueOfCurrent: Double? {
    if weight > 0 { return sum / weight }
    guard let last, origin.seconds + Double(current + 1) - last.time.seconds <= holding + 1 else { return nil }
    return last.value
  }

  /// Of so many whole seconds, the last of them that many before the last; nil where fewer than half of them are known.
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
