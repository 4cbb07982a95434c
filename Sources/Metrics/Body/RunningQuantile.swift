// What part of the last 64 values is below: their median, and the like. They are kept in order. A value that comes and one that goes
// move all others by a place at most, each for itself: the processor moves several at once, and has no branch to foresee.

struct RunningQuantile: Sendable {
  private static let room = 64

  private let part: Double
  /// Where there is none yet stands infinity, which is above all.
  private var inOrderOfTime = InlineArray<64, Float>(repeating: .infinity)
  /// From 1 on. Before them is what is below all, and behind them what is above all.
  private var inOrder = InlineArray<66, Float>(repeating: .infinity)
  private(set) var count = 0
  private var oldest = 0
  /// The value that the part of them is below; 0 of none.
  private(set) var value = 0.0

  init(_ part: Double) {
    self.part = part
    inOrder[0] = -.infinity
  }

  /// Takes a number, which the oldest makes room for.
  mutating func add(_ number: Double) {
    let new = Float(number)
    let old = inOrderOfTime[oldest]
    inOrderOfTime[oldest] = new
    oldest = (oldest + 1) % Self.room
    count = min(count + 1, Self.room)
    var values = inOrder.mutableSpan
    for place in 1...Self.room {
      let (one, next) = (values[place], values[place + 1])
      values[place] = one < old ? one : next
    }
    for place in stride(from: Self.room, to: 0, by: -1) {
      let (before, one) = (values[place - 1], values[place])
      let lower = one < new ? one : new
      values[place] = before > lower ? before : lower
    }
    let place = part * Double(count - 1)
    let below = Int(place)
    let share = place - Double(below)
    value = Double(values[below + 1]) * (1 - share) + (share > 0 ? Double(values[below + 2]) * share : 0)
  }
}
