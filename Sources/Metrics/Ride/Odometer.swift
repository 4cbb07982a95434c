// The way that was ridden, from whichever source is believed at the moment: when another takes over, it says also what was ridden since
// the former one's last word, so that no metre is lost and none counted twice.

import SensorKit

struct Odometer {
  /// What one source has counted, and when; enough of the past to say what it had counted when the former source spoke last.
  private struct Counter {
    let source: SourceChooser.Source
    var total = 0.0
    var times = InlineArray<64, Double>(repeating: 0)
    var totals = InlineArray<64, Double>(repeating: 0)
    var count = 0

    mutating func add(_ distance: Double, at time: Double) {
      total += distance
      // One entry a second is fine enough to reckon between.
      if count > 1, time - times[(count - 2) % 64] < 1 { count -= 1 }
      times[count % 64] = time
      totals[count % 64] = total
      count += 1
    }

    /// What it had counted then; between two of its words as if it had ridden evenly. Before its first word it knows nothing.
    func total(at time: Double) -> Double {
      var later: Int?
      for back in 1...64 where back <= count {
        let index = (count - back) % 64
        if times[index] <= time {
          guard let later, times[later] > times[index] else { return totals[index] }
          let share = (time - times[index]) / (times[later] - times[index])
          return totals[index] + share * (totals[later] - totals[index])
        }
        later = index
      }
      return later.map { totals[$0] } ?? total
    }
  }

  private var counters: [Counter] = []
  private var coveredUntil: Double?
  /// Metres ridden since this began.
  private(set) var distance = 0.0

  /// The distance since the source's last word. Gives back by how much the way has grown.
  mutating func add(_ delta: Double, from source: SourceChooser.Source, isBelieved: Bool, at time: MonotonicTime)
    -> Double
  {
    guard delta.isFinite, delta >= 0 else { return 0 }
    let now = time.seconds
    let index = counters.firstIndex { $0.source == source } ?? counters.count
    if index == counters.count {
      counters.append(Counter(source: source))
      // The first word tells what came before it only if nobody else did.
      counters[index].add(0, at: coveredUntil ?? now)
    }
    counters[index].add(delta, at: now)
    guard isBelieved else { return 0 }
    let grown = counters[index].total - counters[index].total(at: coveredUntil ?? now - 1)
    coveredUntil = now
    distance += grown
    return grown
  }

  mutating func forget(_ source: SourceChooser.Source) {
    counters.removeAll { $0.source == source }
  }
}
