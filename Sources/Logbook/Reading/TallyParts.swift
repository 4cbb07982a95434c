// Parts of a tally: how far a counter grew, and means and maxima over time.

/// The growth of a counter that an activity has with its seconds. A counter that falls began again,
/// as in the second of two joined activities.
struct CounterGrowth: Equatable {
  private(set) var sum: Double?
  private var last: Double?

  /// `first`: what the first value counts, because the counter began with the activity.
  mutating func add(_ value: Double?, first: Double = 0) {
    guard let value else { return }
    sum = (sum ?? 0) + (last.map { max(0, value - $0) } ?? first)
    last = value
  }

  /// The growth is counted from here on.
  mutating func restart() { sum = last == nil ? nil : 0 }

  /// The same, for the next part of an activity, which may not have the counter.
  mutating func beginPart() { sum = nil }
}

/// Sums over the parts of an edited activity. Unknown values stay unknown unless a part has them.
struct PartSums: Equatable {
  var rideTime = 0.0
  var movingTime = 0.0
  var distance: Double?
  var ascent: Double?
  var descent: Double?
  var coastingTime: Double?
}

struct WeightedMean: Equatable {
  private var sum = 0.0
  private var weight = 0.0

  mutating func add(_ value: Double, seconds: Double) {
    sum += value * seconds
    weight += seconds
  }

  var mean: Double? { weight > 0 ? sum / weight : nil }
}

extension Optional<Double> {
  mutating func add(_ value: Double?) {
    if let value { self = (self ?? 0) + value }
  }

  mutating func raise(to value: Double) { self = Swift.max(self ?? value, value) }
}
