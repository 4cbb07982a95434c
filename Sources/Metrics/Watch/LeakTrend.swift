// Estimates how fast a tire loses air, when the beginning of the leak is unknown. The pressures of
// the last hour are fitted with a level line that bends at some moment. The moment with the least
// error is used, and the rate is that of the time after it.

struct LeakTrend: Sendable {
  struct Rate: Sendable {
    /// Pascal per second, and its standard error.
    var slope: Double
    var error: Double
    /// Minutes since the line bends.
    var minutes: Int
  }

  /// The mean of one minute.
  private struct Minute: Sendable {
    var number = 0
    var sum = 0.0
    var count = 0.0
    var mean: Double { sum / count }
  }

  private static let capacity = 60
  /// Minutes after the bend.
  private static let leastTime = 3
  private static let fewest = 5

  private var minutes = InlineArray<60, Minute>(repeating: Minute())
  private var count = 0
  /// As of the last complete minute.
  private(set) var rate: Rate?

  mutating func add(_ pressure: Double, at seconds: Double) {
    let number = Int((seconds / 60).rounded(.down))
    if count > 0, minutes[count - 1].number == number {
      minutes[count - 1].sum += pressure
      minutes[count - 1].count += 1
      return
    }
    rate = fit()
    if count == Self.capacity {
      for index in 1..<count { minutes[index - 1] = minutes[index] }
      count -= 1
    }
    minutes[count] = Minute(number: number, sum: pressure, count: 1)
    count += 1
    while count > 1, number - minutes[0].number >= Self.capacity {
      for index in 1..<count { minutes[index - 1] = minutes[index] }
      count -= 1
    }
  }

  /// The best fit over all moments.
  private func fit() -> Rate? {
    guard count >= Self.fewest else { return nil }
    let last = minutes[count - 1].number
    var best: (rate: Rate, rest: Double)?
    for bend in 0..<count {
      guard last - minutes[bend].number >= Self.leastTime, let found = fit(bend: minutes[bend].number) else { break }
      if best.map({ found.rest < $0.rest }) ?? true { best = found }
    }
    return best?.rate
  }

  /// A least-squares line over the minutes since the bend, with all earlier ones at 0.
  private func fit(bend: Int) -> (rate: Rate, rest: Double)? {
    let origin = minutes[0].mean
    var (size, x, y, xx, xy, yy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for index in 0..<count {
      let (since, value) = (Double(max(0, minutes[index].number - bend)) * 60, minutes[index].mean - origin)
      size += 1
      x += since
      y += value
      xx += since * since
      xy += since * value
      yy += value * value
    }
    let spread = xx - x * x / size
    guard spread > 0 else { return nil }
    let slope = (xy - x * y / size) / spread
    let rest = max(0, yy - y * y / size - slope * slope * spread)
    let error = (rest / max(1, size - 3) / spread).squareRoot()
    return (Rate(slope: slope, error: error, minutes: minutes[count - 1].number - bend), rest)
  }
}
