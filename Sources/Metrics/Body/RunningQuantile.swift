// What part of the last 64 values is below: their median, and the like. They are kept in order. A value that comes and one that goes
// move all others by a place at most, each for itself: the processor moves several at once, and has no branch to foresee.

struct RunningQuantile: Sendable {
  private static let room = 64

  private let part: Double
  /// Where there is none yet, and behind them all, stands infinity.
  private var inOrderOfTime = InlineArray<64, Float>(repeating: .infinity)
  private var inOrder = InlineArray<65, Float>(repeating: .infinity)
  private(set) var count = 0
  private var oldest = 0
  /// The value that the part of them is below; 0 of none.
  private(set) var value = 0.0

  init(_ part: Double) { self.part = part }

  /// Takes a number, which the oldest makes room for.
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
