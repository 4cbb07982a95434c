// The last stretches a wheel was measured on, and what they say together. A bad one among them moves nothing: the median
// says which belong together, and WheelLine makes a size of these.

internal import CMath

struct WheelBank: Equatable, Sendable {
  /// 10 km and more: so many tell a tire that loses air from one that holds it.
  static let capacity = 48
  /// Fewer decide nothing.
  static let fewest = 8
  /// With so many the size is as well known as it becomes soon.
  static let many = 24

  struct Entry: Equatable, Sendable {
    var circumferenceM: Double
    /// 1 for a stretch on an open road.
    var weight: Double
    var missedShare: Double
    /// How far the wheel had turned by then.
    var turns: Double
    /// Of the stretch; 0 of one that was remembered.
    var quickening = 0.0
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
    // 1.4826 makes a standard deviation of the median deviation of values that are normally distributed.
    let spread = 1.4826 * median(&deviations)
    return estimate(around: middle, within: max(2.5 * spread, 0.0075))
  }

  /// By every way in which a tire may have come here, each as far as the stretches speak for it.
  private func estimate(around middle: Double, within bound: Double) -> Estimate {
    let whole = points(around: middle, within: bound, since: .infinity)
    let losing = whole.line(slope: WheelLine.losing)
    // How far they lie apart is itself not known well from a few: what is usual counts as much as so many of them.
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

  /// Those that belong together; of a tire that held its air until so many kilometres ago.
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
  /// What the stretches have wrong in common.
  private static let commonError = 0.0005
  private static let turnsPerKilometre = 475.0
  /// Before anything was measured.
  private static let probabilityOfLoss = 0.5
  /// Kilometres ago, beside that it has always lost air.
  private static let beginnings = [2.0, 4, 8]

  /// By weight, of as many as there are entries; sorts them.
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
