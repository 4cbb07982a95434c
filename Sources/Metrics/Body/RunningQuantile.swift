// What part of the last 64 values is below: their median, and the like. They are kept in order, so that a value costs a few moves and
// reading costs nothing.

struct RunningQuantile: Sendable {
  private static let room = 64

  private var inOrderOfTime = InlineArray<64, Float>(repeating: 0)
  private var inOrder = InlineArray<64, Float>(repeating: 0)
  private(set) var count = 0
  private var oldest = 0

  /// The value that this part of them is below; 0 of none.
  @inline(__always)  // else half a kilobyte is copied for the call
  func quantile(_ part: Double) -> Double {
    guard count > 0 else { return 0 }
    let place = part * Double(count - 1)
    let below = Int(place)
    guard below + 1 < count else { return Double(inOrder.span[count - 1]) }
    let share = place - Double(below)
    let values = inOrder.span
    return Double(values[below]) * (1 - share) + Double(values[below + 1]) * share
  }

  /// Takes a number, which the oldest makes room for.
  mutating func add(_ number: Double) {
    let value = Float(number)
    var place = count
    if count == Self.room {
      place = self.place(of: inOrderOfTime[oldest])
    } else {
      count += 1
    }
    inOrderOfTime[oldest] = value
    oldest = (oldest + 1) % Self.room
    // The place that is free moves to where the value belongs.
    let count = count
    var values = inOrder.mutableSpan
    while place > 0, values[place - 1] > value {
      values[place] = values[place - 1]
      place -= 1
    }
    while place + 1 < count, values[place + 1] < value {
      values[place] = values[place + 1]
      place += 1
    }
    values[place] = value
  }

  /// Where a value stands that is there.
  @inline(__always)
  private func place(of value: Float) -> Int {
    var (first, end) = (0, count)
    let values = inOrder.span
    while first < end {
      let middle = (first + end) / 2
      if values[middle] < value { first = middle + 1 } else { end = middle }
    }
    return first
  }
}
