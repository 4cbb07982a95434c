// The way that was ridden, from whichever source is believed at the moment: when another takes over, it says also what was ridden since
// the former one's last word, so that no metre is lost and none counted twice.

import SensorKit

struct Odometer {
  /// What was counted at one moment: by a source itself, by all together, and of time.
  struct Mark: Equatable, Sendable {
    var total = 0.0
    var way = 0.0
    var movingTime = 0.0
    var time = 0.0
  }

  /// What one source has counted, and when; enough of the past to say what it had counted when the former source spoke last.
  private struct Counter {
    let source: SourceChooser.Source
    var total = 0.0
    var times = InlineArray<64, Double>(repeating: 0)
    var totals = InlineArray<64, Double>(repeating: 0)
    var count = 0
    private(set) var lastWord: Double?
    /// Its last word.
    private var mark = Mark()
    /// The word before a silence after which it told what it had counted meanwhile; until it is believed.
    private(set) var unsettled: Mark?

    init(_ source: SourceChooser.Source) { self.source = source }

    mutating func add(_ distance: Double, at time: Double) {
      total += distance
      // One entry a second is fine enough to reckon between.
      if count > 1, time - times[(count - 2) & 63] < 1 { count -= 1 }
      times[count & 63] = time
      totals[count & 63] = total
      count += 1
    }

    mutating func speak(_ distance: Double, at time: Double, isCount: Bool) {
      if isCount, unsettled == nil, let lastWord, time - lastWord > Odometer.longestStep { unsettled = mark }
      add(distance, at: time)
      lastWord = time
    }

    mutating func note(way: Double, movingTime: Double, isBelieved: Bool) {
      mark = Mark(total: total, way: way, movingTime: movingTime, time: lastWord ?? 0)
      if isBelieved { unsettled = nil }
    }

    /// What it counts in a silence that goes on is of no use: not all of it was ridden.
    mutating func interrupt(at time: Double) {
      unsettled = nil
      if let last = lastWord, time - last > Odometer.longestStep { lastWord = nil }
    }

    /// What it had counted then; between two of its words as if it had ridden evenly. Before its first word it knows nothing.
    func total(at time: Double) -> Double {
      var later: Int?
      let (times, totals) = (times.span, totals.span)
      for back in 1...64 where back <= count {
        let index = (count - back) & 63
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
  /// When the believed source spoke last.
  private(set) var coveredUntil: Double?
  private var coveredBy: SourceChooser.Source?
  /// Metres ridden since this began.
  private(set) var distance = 0.0

  /// A speed stands for no more time than this before it.
  private static let longestStep = 6.0
  /// A packet may be late by so much.
  private static let lateness = 5.0

  /// By how much the way has grown.
  struct Growth: Equatable, Sendable {
    /// Since the believed source's last word.
    var recent = 0.0
    /// Of a silence before that: the source that was silent has counted it, and nobody else.
    var late = 0.0
    /// Since the silence began: metres by that source, seconds, and the moving time when it did.
    var silence = Silence()
  }

  struct Silence: Equatable, Sendable {
    var way = 0.0
    var seconds = 0.0
    var movingTime = 0.0
  }

  /// What was rolled since the source's last word, or, where it does not count that, how fast it is.
  mutating func add(
    _ delta: Double?, speed: Double? = nil, from source: SourceChooser.Source, isBelieved: Bool,
    movingTime: Double = 0, at time: MonotonicTime
  ) -> Growth {
    let now = time.seconds
    let index = counters.firstIndex { $0.source == source } ?? counters.count
    if index == counters.count {
      counters.append(Counter(source))
      // The first word tells what came before it only if nobody else did.
      counters[index].add(0, at: coveredUntil ?? now)
    }
    let silence = max(0, now - (counters[index].lastWord ?? now))
    let isPossible = delta.map { $0 >= 0 && $0 <= Self.furthest(in: silence) } ?? false
    let rolled = isPossible ? delta ?? 0 : (speed ?? 0) * min(silence, Self.longestStep)
    counters[index].speak(rolled, at: now, isCount: isPossible)
    var growth = Growth()
    if isBelieved {
      // Most words are of the source that spoke last.
      let goesOn = coveredBy == source && counters[index].unsettled == nil
      growth = goesOn ? Growth(recent: rolled) : growthSince(coveredUntil ?? now - 1, by: index, at: now)
      (coveredUntil, coveredBy) = (now, source)
    }
    distance += growth.recent + growth.late
    counters[index].note(way: distance, movingTime: movingTime, isBelieved: isBelieved)
    return growth
  }

  /// A way that no source counted, found by other means.
  mutating func join(_ way: Double) { distance += way }

  private func growthSince(_ begin: Double, by index: Int, at now: Double) -> Growth {
    let recent = counters[index].total - counters[index].total(at: begin)
    guard let before = counters[index].unsettled else { return Growth(recent: recent) }
    // What the others have counted of its silence is taken from its own count of it.
    let whole = counters[index].total - before.total
    let uncounted = whole - (distance - before.way)
    let isRecent = now - begin <= Self.longestStep
    return Growth(
      recent: isRecent ? recent : 0, late: max(0, uncounted - (isRecent ? recent : 0)),
      silence: Silence(way: whole, seconds: now - before.time, movingTime: before.movingTime))
  }

  /// Nobody keeps his highest speed for minutes.
  private static func furthest(in silence: Double) -> Double {
    let burst = min(silence, longestStep)
    return Plausible.speed.upperBound * (burst + lateness) + Plausible.cruise * (silence - burst)
  }

  /// Another ride begins, or a pause by hand begins or ends.
  mutating func interrupt(at time: MonotonicTime) {
    for index in counters.indices { counters[index].interrupt(at: time.seconds) }
  }

  mutating func forget(_ source: SourceChooser.Source) {
    counters.removeAll { $0.source == source }
    if coveredBy == source { coveredBy = nil }
  }
}
