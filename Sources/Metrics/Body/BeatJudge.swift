// Whether an interval is of the heart's own rhythm, or an artefact: a beat that was missed (one interval of two), one that was not there
// (two intervals of one), a beat that came early, with the long pause after it. An interval is measured against the median of itself and
// four on each side, and rejected if it is further from that than what is usual for this heart now: 7.5 times the median of such
// deviations, five standard deviations of a normal distribution. It is rejected too if it stands out from the one before and the one
// after it, to the same side, by far more than neighbours differ by here: breathing that moves the intervals of a resting athlete by a
// quarter does so over several beats. Thresholds that follow the heart's own spread, of deviations and of differences, are Lipponen and
// Tarvainen's idea (2019); theirs need ninety beats, and a minute's delay.

struct BeatJudge: Sendable {
  /// On each side.
  static let neighbours = 4
  /// Shares of the median. Less is rejected by no threshold: straps round, and the rate changes within the neighbourhood.
  private static let lowest = 0.05
  /// More is never believed.
  private static let highest = 0.35
  /// Until the spread is known.
  private static let untold = 0.25
  private static let deviations = 7.5
  /// Of what four of five differences are below.
  private static let differences = 2.8
  /// What the spreads are told from.
  private static let needed = 16

  /// An interval with those around it.
  struct Neighbourhood {
    private var intervals = InlineArray<9, Double>(repeating: .infinity)
    fileprivate private(set) var count = 0
    fileprivate private(set) var position = 0
    fileprivate private(set) var lastWasNormal = true

    /// One before the interval in question, with its verdict.
    mutating func before(_ interval: Double, wasNormal: Bool) {
      append(interval)
      position = count
      lastWasNormal = wasNormal
    }

    /// The interval in question, or one after it.
    mutating func append(_ interval: Double) {
      intervals[count] = interval
      count += 1
    }

    fileprivate subscript(index: Int) -> Double { intervals[index] }

    /// Sorts by comparing neighbours in turns, without a branch that depends on the intervals: which way it goes nobody could
    /// foresee. Behind them stands infinity.
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
    // Two alone cannot say which of them is wrong.
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
    // The pause after a beat that came early makes up for what was missing, more or less; it belongs to that beat.
    let isPause = before < median && deviation > (median - before) / median / 3
    return !isPause && !isHalf(interval, before, of: median)
  }

  private static func threshold(_ usual: Double, of count: Int) -> Double {
    min(max(count < needed ? untold : usual, lowest), highest)
  }

  /// Two that make up one.
  private func isHalf(_ one: Double, _ other: Double, of median: Double) -> Bool {
    one + other < 1.2 * median
  }
}
