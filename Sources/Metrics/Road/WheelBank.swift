// The last stretches a wheel was measured on, and what they say together. A bad one among them moves nothing: the median
// says which belong together, and these are averaged.

internal import CMath

struct WheelBank: Equatable, Sendable {
  /// Enough to average the noise away, few enough (6 km) to follow a tire that loses air.
  static let capacity = 24
  /// Fewer decide nothing.
  static let fewest = 8

  struct Entry: Equatable, Sendable {
    var circumferenceM: Double
    /// 1 for a stretch on an open road.
    var weight: Double
    var missedShare: Double
    /// How far the wheel had turned by then.
    var turns: Double
  }

  struct Estimate: Equatable, Sendable {
    let circumferenceM: Double
    /// Of the circumference, as a part of it: one standard deviation.
    let error: Double
    /// How many stretches agree.
    let count: Int
    let missedShare: Double
    /// What it becomes larger by, as a part of it, in a kilometre.
    let slope: Double

    /// How probable it is that a circumference is the true one within 0.3 %.
    func confidence(in circumferenceM: Double) -> Double {
      let difference = circumferenceM / self.circumferenceM - 1
      let scale = error * 2.squareRoot()
      return (erf((0.003 - difference) / scale) + erf((0.003 + difference) / scale)) / 2
    }
  }

  private(set) var entries: [Entry] = []
  private var next = 0

  init() {
    entries.reserveCapacity(Self.capacity)
  }

  /// The oldest first.
  init(_ saved: [Entry]) {
    self.init()
    for entry in saved.suffix(Self.capacity) where entry.circumferenceM > 0 && entry.weight > 0 { add(entry) }
  }

  mutating func add(_ entry: Entry) {
    if entries.count < Self.capacity {
      entries.append(entry)
    } else {
      entries[next] = entry
      next = (next + 1) % Self.capacity
    }
  }

  var oldestFirst: [Entry] { entries.indices.map { entries[(next + $0) % entries.count] } }

  var isFull: Bool { entries.count == Self.capacity }

  /// Nil until there are a few.
  var estimate: Estimate? {
    guard entries.count >= 4 else { return nil }
    var deviations = InlineArray<24, (value: Double, weight: Double)>(repeating: (0, 0))
    for (index, entry) in entries.enumerated() { deviations[index] = (entry.circumferenceM, entry.weight) }
    let middle = median(&deviations)
    for (index, entry) in entries.enumerated() {
      deviations[index] = (abs(entry.circumferenceM / middle - 1), entry.weight)
    }
    // 1.4826 makes a standard deviation of the median deviation of values that are normally distributed.
    let spread = 1.4826 * median(&deviations)
    return line(around: middle, within: max(2.5 * spread, 0.0075))
  }

  /// A straight line through those that belong together, at where it is now: a tire that loses air has a slope. That it is no
  /// steeper than tires usually lose counts as a measurement of its own, or noise would tilt the line.
  private func line(around middle: Double, within bound: Double) -> Estimate {
    let now = entries[(next + entries.count - 1) % entries.count].turns
    var sums = LineSums()
    for entry in entries where abs(entry.circumferenceM / middle - 1) <= bound {
      sums.add(entry.circumferenceM / middle - 1, at: (entry.turns - now) / Self.turnsPerKilometre, entry)
    }
    let line = sums.solved(slopeWeight: Self.usualSpread * Self.usualSpread / (Self.usualSlope * Self.usualSlope))
    // How far they lie apart is itself not known well from a few: what is usual counts as much as so many of them.
    let variance =
      (sums.squares(around: line) + Self.usualSpread * Self.usualSpread * Self.usualWeight)
      / (max(sums.weight - 1, 0) + Self.usualWeight)
    return Estimate(
      circumferenceM: middle * (1 + line.level),
      error: (variance * line.variance + Self.commonError * Self.commonError).squareRoot(),
      count: sums.count, missedShare: sums.missed / sums.weight, slope: line.slope)
  }

  static let usualSpread = 0.0035
  private static let usualWeight = 8.0
  /// What the stretches have wrong in common.
  private static let commonError = 0.0005
  /// A kilometre.
  private static let usualSlope = 0.0005
  private static let turnsPerKilometre = 475.0

  /// By weight, of as many as there are entries; sorts them.
  private func median(_ values: inout InlineArray<24, (value: Double, weight: Double)>) -> Double {
    var total = 0.0
    for place in 0..<entries.count {
      let moved = values[place]
      total += moved.weight
      var hole = place
      while hole > 0, values[hole - 1].value > moved.value {
        values[hole] = values[hole - 1]
        hole -= 1
      }
      values[hole] = moved
    }
    var below = 0.0
    for place in 0..<entries.count {
      below += values[place].weight
      if below >= total / 2 { return values[place].value }
    }
    return values[entries.count - 1].value
  }
}

/// Sums of weighted points, and the line with the least squares through them.
private struct LineSums {
  private(set) var (weight, missed, count) = (0.0, 0.0, 0)
  private var (x, xx, y, xy, yy) = (0.0, 0.0, 0.0, 0.0, 0.0)

  mutating func add(_ value: Double, at place: Double, _ entry: WheelBank.Entry) {
    let share = entry.weight
    weight += share
    missed += share * entry.missedShare
    count += 1
    x += share * place
    xx += share * place * place
    y += share * value
    xy += share * place * value
    yy += share * value * value
  }

  /// Level and slope at place 0, and the variance of the level for points of variance 1.
  func solved(slopeWeight: Double) -> (level: Double, slope: Double, variance: Double) {
    let tilted = xx + slopeWeight
    let determinant = weight * tilted - x * x
    return ((tilted * y - x * xy) / determinant, (weight * xy - x * y) / determinant, tilted / determinant)
  }

  func squares(around line: (level: Double, slope: Double, variance: Double)) -> Double {
    let (a, b) = (line.level, line.slope)
    return max(0, yy + a * a * weight + b * b * xx - 2 * a * y - 2 * b * xy + 2 * a * b * x)
  }
}
