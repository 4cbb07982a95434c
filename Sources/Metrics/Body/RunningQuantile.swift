// What part of the last 64 values is below: their median, and the like. They are kept in order, so that a value costs a few moves and
// reading costs nothing.

struct RunningQuantile: Sendable {
  /// A power of two.
  private static let room = 64

  private var inOrderOfTime = [Float](repeating: 0, count: room)
  private var inOrder = [Float](repeating: 0, count: room)
  private(set) var count = 0
  private var oldest = 0

  mutating func removeAll() { (count, oldest) = (0, 0) }

  /// The value that this part of them is below; 0 of none.
  func quantile(_ part: Double) -> Double {
    guard count > 0 else { return 0 }
    let place = part * Double(count - 1)
    let below = Int(place)
    guard below + 1 < count else { return Double(inOrder[count - 1]) }
    let share = place - Double(below)
    return Double(inOrder[below]) * (1 - share) + Double(inOrder[below + 1]) * share
  }

  /// Takes a number, which the oldest makes room for.
  mutating func add(_ number: Double) {
    let value = Float(number)
    var place = count < Self.room ? count : place(of: inOrderOfTime[oldest])
    count = min(count + 1, Self.room)
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

  /// The place of a value that is there, where there is no room left. Each step halves what is left without a branch, for
  /// which way it goes nobody could foresee.
  private func place(of value: Float) -> Int {
    var first = 0
    var half = Self.room / 2
    while half > 0 {
      first += inOrder[first + half - 1] < value ? half : 0
      half /= 2
    }
    return first
  }
}
