// Decides whether an interval is part of the heart's own rhythm or an artefact: a missed beat (two
// intervals in one), an extra beat (one interval in two), or an early beat followed by a long
// pause.
//
// Each interval is compared with the median of itself and four neighbours on each side. It is
// rejected if it deviates by more than 7.5 times the median of recent deviations, which is five
// standard deviations of a normal distribution.
//
// It is also rejected if it sticks out from both direct neighbours, to the same side, by far more
// than neighbours usually differ. Breathing can move the intervals of a resting athlete by a
// quarter, but over several beats.
//
// Thresholds that adapt to the spread of deviations and differences are the idea of Lipponen and
// Tarvainen (2019). Theirs need ninety beats and delay the result by a minute.

struct BeatJudge: Sendable {
  static let neighbours = 4
  /// The limits are shares of the median. Nothing below this is rejected: straps round, and the
  /// rate changes within the neighbourhood.
  private static let lowest = 0.05
  /// Anything above this is rejected.
  private static let highest = 0.35
  /// Used until the spread is known.
  private static let untold = 0.25
  private static let deviations = 7.5
  /// Times the 80 % quantile of the differences.
  private static let differences = 2.8
  /// Values required before a spread counts as known.
  private static let needed = 16

  /// An interval and its neighbours.
  struct Neighbourhood {
    private var intervals = InlineArray<9, Double>(repeating: .infinity)
    fileprivate private(set) var count = 0
    fileprivate private(set) var position = 0
    fileprivate private(set) var lastWasNormal = true

    /// Appends an interval before the one in question, with its verdict.
    mutating func before(_ interval: Double, wasNormal: Bool) {
      append(interval)
      position = count
      lastWasNormal = wasNormal
    }

    /// Appends the interval in question, or one after it.
    mutating func append(_ interval: Double) {
      intervals[count] = interval
      count += 1
    }

    fileprivate subscript(index: Int) -> Double { intervals[index] }

    /// An odd-even sorting network, which has no branches that depend on the data and could be
    /// mispredicted. Unused places hold infinity.
    fileprivate var median: Double {
      var sorted = intervals
      for _ in 0..<5 {
        for index in stride(from: 0, to: 8, by: 2) { Self.order(&sorted, index) }
        for index in stride(from: 1, to: 9, by: 2) { Self.order(&sorted, index) }
      }
      return count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2
    }

    private static func order(_ values: inout InlineArray<9, Double>, _ index: Int) {
      let (one, other) = (values[index], values[index + 1])
      values[index] = one < other ? one : other
      values[index + 1] = one < other ? other : one
    }
  }

  private var deviations = RunningQuantile(0.5)
  private var differences = RunningQuantile(0.8)

  mutating func isNormal(_ near: Neighbourhood) -> Bool {
    // With only two intervals it is impossible to tell which one is wrong.
    guard near.count >= 3 else { return false }
    let median = near.median
    let interval = near[near.position]
    let deviation = (interval - median) / median
    let threshold = Self.threshold(Self.deviations * deviations.value, of: deviations.count)
    let step = Self.threshold(Self.differences * differences.value, of: differences.count)
    deviations.add(abs(deviation))
    let difference = near.position > 0 ? (interval - near[near.position - 1]) / median : nil
    if let difference { differences.add(abs(difference)) }
    guard abs(deviation) <= threshold else { return false }
    if let difference, near.position + 1 < near.count {
      let after = (interval - near[near.position + 1]) / median
      if min(difference, after) > step || max(difference, after) < -step { return false }
    }
    if near.position + 1 < near.count, isHalf(interval, near[near.position + 1], of: median) { return false }
    guard near.position > 0, !near.lastWasNormal else { return true }
    let before = near[near.position - 1]
    // The pause after an early beat makes up for the missing time, more or less, and is part of the
    // same artefact.
    let isPause = before < median && deviation > (median - before) / median / 3
    return !isPause && !isHalf(interval, before, of: median)
  }

  private static func threshold(_ usual: Double, of count: Int) -> Double {
    min(max(count < needed ? untold : usual, lowest), highest)
  }

  /// Whether the two together make up one interval.
  private func isHalf(_ one: Double, _ other: Double, of median: Double) -> Bool {
    one + other < 1.2 * median
  }
}
