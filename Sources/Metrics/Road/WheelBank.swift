// The last stretches on which a wheel was measured, and the estimate from all of them. A median
// excludes bad stretches, and WheelLine computes a size from the others.

internal import CMath

struct WheelBank: Equatable, Sendable {
  /// More than 10 km, which is enough to recognize a tire that loses air.
  static let capacity = 48
  /// The least number for a decision.
  static let fewest = 8
  /// With this many the estimate hardly improves any more.
  static let many = 24

  struct Entry: Equatable, Sendable {
    var circumferenceM: Double
    /// 1 for a stretch on an open road.
    var weight: Double
    var missedShare: Double
    /// The total revolutions of the wheel at that time.
    var turns: Double
    /// Of the stretch; 0 for one that was restored.
    var quickening = 0.0
  }

  struct Estimate: Equatable, Sendable {
    let circumferenceM: Double
    /// One standard deviation, as a share of the circumference.
    let error: Double
    /// How many stretches agree.
    let count: Int
    let missedShare: Double
    /// Relative growth per kilometre.
    let slope: Double

    /// The probability that the true circumference is within 0.3 % of this one.
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

  /// Oldest first.
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

  var hasMany: Bool { entries.count >= Self.many }

  /// Nil until there are a few.
  var estimate: Estimate? {
    guard entries.count >= 4 else { return nil }
    var deviations = InlineArray<48, (value: Double, weight: Double)>(repeating: (0, 0))
    for (index, entry) in entries.enumerated() { deviations[index] = (entry.circumferenceM, entry.weight) }
    let middle = median(&deviations)
    for (index, entry) in entries.enumerated() {
      deviations[index] = (abs(entry.circumferenceM / middle - 1), entry.weight)
    }
    // The factor 1.4826 turns a median deviation into the standard deviation of a normal
    // distribution.
    let spread = 1.4826 * median(&deviations)
    return estimate(around: middle, within: max(2.5 * spread, 0.0075))
  }

  /// Averages over the possible histories of the tire, weighted by how well the stretches fit each.
  private func estimate(around middle: Double, within bound: Double) -> Estimate {
    let whole = points(around: middle, within: bound, since: .infinity)
    let losing = whole.line(slope: WheelLine.losing)
    // A few points do not show their own spread well, so the usual spread counts as much as
    // `usualCount` points.
    let variance =
      (losing.squares + Self.usualSpread * Self.usualSpread * Self.usualCount)
      / (Double(whole.count) - 1 + Self.usualCount)
    var lines = WheelLines(variance: variance)
    lines.add(whole.line(slope: WheelLine.holding), prior: 1 - Self.probabilityOfLoss)
    let part = Self.probabilityOfLoss / Double(Self.beginnings.count + 1)
    lines.add(losing, prior: part)
    for beginning in Self.beginnings {
      lines.add(
        points(around: middle, within: bound, since: beginning).line(slope: WheelLine.losing), prior: part)
    }
    let (level, slope, square) = lines.mean
    return Estimate(
      circumferenceM: middle * (1 + level), error: (square + Self.commonError * Self.commonError).squareRoot(),
      count: whole.count, missedShare: whole.missed / whole.weight, slope: slope)
  }

  /// The points within the bound, for a tire that held its air until this many kilometres ago.
  private func points(around middle: Double, within bound: Double, since beginning: Double) -> WheelPoints {
    let now = entries[(next + entries.count - 1) % entries.count].turns
    var points = WheelPoints()
    for entry in entries where abs(entry.circumferenceM / middle - 1) <= bound {
      let place = (entry.turns - now) / Self.turnsPerKilometre
      points.add(entry.circumferenceM / middle - 1, at: max(place, -beginning), entry)
    }
    return points
  }

  static let usualSpread = 0.0035
  private static let usualCount = 8.0
  /// The error that all stretches share.
  private static let commonError = 0.0005
  private static let turnsPerKilometre = 475.0
  /// Prior probability.
  private static let probabilityOfLoss = 0.5
  /// Kilometres ago at which a loss of air may have begun, besides one from the very start.
  private static let beginnings = [2.0, 4, 8]

  /// Weighted median of the first `entries.count` values, which are sorted in place.
  private func median(_ values: inout InlineArray<48, (value: Double, weight: Double)>) -> Double {
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
