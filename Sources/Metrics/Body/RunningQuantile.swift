// A running quantile, such as the median, of the last 64 values, which are kept sorted. Replacing
// the oldest value moves every other value by one place at most. Each move is independent, so the
// loop is vectorized and has no branches.

struct RunningQuantile: Sendable {
  private static let room = 64

  private let part: Double
  /// Unused places, and the one after the last, hold infinity.
  private var inOrderOfTime = InlineArray<64, Float>(repeating: .infinity)
  private var inOrder = InlineArray<65, Float>(repeating: .infinity)
  private(set) var count = 0
  private var oldest = 0
  /// The current quantile; 0 if there are no values.
  private(set) var value = 0.0

  init(_ part: Double) { self.part = part }

  /// Adds a number; when the buffer is full, the oldest one is dropped.
  mutating func add(_ number: Double) {
    let new = Float(number)
    let old = inOrderOfTime[oldest]
    inOrderOfTime[oldest] = new
    oldest = (oldest + 1) % Self.room
    count = min(count + 1, Self.room)
    let rank = part * Double(count - 1)
    let below = Int(rank)
    let share = rank - Double(below)
    var values = inOrder.mutableSpan
    var before = -Float.infinity
    for place in 0..<Self.room {
      let (one, next) = (values[place], values[place + 1])
      let left = one < old ? one : next
      let lower = left < new ? left : new
      values[place] = before > lower ? before : lower
      before = left
    }
    let (lower, upper) = (Double(values[below]), Double(values[below + 1]))
    value = lower * (1 - share) + (share > 0 ? upper * share : 0)
  }
}
