// Which of several sensors of one kind is believed: the user's priority first, then how well it is received. One that falls silent is
// given up at once; one that comes back is believed again when it has lived for a while, the longer the more often it was lost, so
// that nothing flaps.

import SensorKit

struct SourceChooser {
  /// A sensor, as the ride's table of sensors counts them.
  typealias Source = Int

  struct Candidate {
    /// Was entered, and not forgotten since.
    var isKnown = false
    var priority = 0
    var signal: Double?
    var isLost = true
    var last = MonotonicTime(nanoseconds: 0)
    var liveSince = MonotonicTime(nanoseconds: 0)
    /// Between its samples, as a rule.
    var period: Double?
    /// The share of samples that were missing lately.
    var missing = 0.0
    /// Times that it was lost; halves every so often.
    var losses = 0.0
    var lossesCounted = MonotonicTime(nanoseconds: 0)
  }

  /// After so many seconds without a sample it is not believed, whatever its session says.
  let patience: Double
  private let patienceNanoseconds: Int64
  /// By source.
  private(set) var candidates: [Candidate] = []
  /// How many of them are not lost.
  private var living = 0
  private(set) var chosen: Source?
  /// Of the same priority and better received, and for how long already.
  private var better: (source: Source, since: MonotonicTime)?
  private var nextLook = Int64.min
  private var nextChallenge = Int64.min
  /// What of it was told last.
  private var told: (value: Double, source: Source)?
  /// When the next is due, nanoseconds.
  private var nextTelling = Int64.min

  /// Less than a second, for many sensors speak once a second.
  private static let lookingPause: Int64 = 900_000_000
  private static let settling = 5.0
  private static let longestSettling = 120.0
  private static let lossHalfLife = 300.0
  /// How much better another of the same priority has to be, and for how long.
  private static let margin = 0.2
  private static let marginTime = 30.0
  /// A reader reads once a second, and no sensor keeps the second to the millisecond.
  private static let tellingPause: Int64 = 1_000_000_000
  private static let earliness: Int64 = 250_000_000

  init(patience: Double) {
    self.patience = patience
    patienceNanoseconds = Int64(patience * 1e9)
  }

  /// Called when a sensor is paired or its settings change; a second one of the same source replaces the first one's priority.
  mutating func enter(_ source: Source, priority: Int) {
    while candidates.count <= source { candidates.append(Candidate()) }
    (candidates[source].isKnown, candidates[source].priority) = (true, priority)
  }

  mutating func leave(_ source: Source) {
    guard knows(source) else { return }
    if !candidates[source].isLost { living -= 1 }
    candidates[source] = Candidate()
    if chosen == source { chosen = nil }
    if better?.source == source { better = nil }
    // Another sensor may get its number.
    if told?.source == source { told = nil }
  }

  mutating func note(signal: Double?, of source: Source) {
    if knows(source) { candidates[source].signal = signal }
  }

  /// Its session says that it is silent or gone.
  mutating func lost(_ source: Source, at time: MonotonicTime) {
    guard knows(source), !candidates[source].isLost else { return }
    candidates[source].lose(at: time)
    living -= 1
    choose(at: time)
  }

  /// A sample came. True where its source is the one that is believed.
  @inline(__always)  // as tells: for every sample a call would be dear
  mutating func heard(_ source: Source, at time: MonotonicTime) -> Bool {
    guard knows(source) else { return false }
    if candidates[source].isLost { living += 1 }
    candidates[source].hear(at: time, patience: patience)
    // Who is the best changes within seconds, and not with every sample.
    if chosen == source {
      if time.nanoseconds < nextLook { return true }
      nextLook = time.nanoseconds + Self.lookingPause
      if living == 1 {
        better = nil
        return true
      }
    } else if isLive(at: time) {
      if time.nanoseconds < nextChallenge { return false }
      nextChallenge = time.nanoseconds + Self.lookingPause
    }
    choose(at: time)
    return chosen == source
  }

  /// Whether a value of the source that is believed is to be told: once a second, and at once where another is believed than before or
  /// something begins or ends.
  @inline(__always)
  mutating func tells(_ value: Double, of source: Source, at time: MonotonicTime) -> Bool {
    let now = time.nanoseconds
    let goesOn = told.map { $0.source == source && ($0.value == 0) == (value == 0) } ?? false
    if goesOn, now < nextTelling - Self.earliness { return false }
    // Not from now, or a sensor of four words a second would be told every third time.
    nextTelling = goesOn ? max(nextTelling, now - Self.earliness) + Self.tellingPause : now + Self.tellingPause
    told = (value, source)
    return true
  }

  /// The value that was told last.
  var toldValue: Double? { told?.value }

  /// Nothing was heard, but time has passed.
  mutating func advance(to time: MonotonicTime) {
    for index in candidates.indices where !candidates[index].isLost && !candidates[index].isLive(time, patience) {
      candidates[index].lose(at: time)
      living -= 1
    }
    if living > 0 { choose(at: time) }
  }

  private func knows(_ source: Source) -> Bool {
    candidates.indices.contains(source) && candidates[source].isKnown
  }

  private mutating func choose(at time: MonotonicTime) {
    let current = live(at: time)
    guard let best = best(at: time, beside: current) else { return }
    guard let current else { return take(best) }
    guard best != current else { return better = nil }
    if candidates[best].priority > candidates[current].priority { return take(best) }
    guard candidates[best].quality > candidates[current].quality + Self.margin else { return better = nil }
    if better?.source != best { better = (best, time) }
    if let better, time.seconds(since: better.since) >= Self.marginTime { take(best) }
  }

  /// Of those that live, and beside one that lives also, of those that have settled.
  @inline(__always)
  private func best(at time: MonotonicTime, beside current: Source?) -> Source? {
    var best = current
    for source in candidates.indices where source != current && candidates[source].isLive(time, patience) {
      if current != nil, !candidates[source].hasSettled(at: time) { continue }
      guard let known = best else {
        best = source
        continue
      }
      let (one, other) = (candidates[source].priority, candidates[known].priority)
      if one > other || one == other && candidates[source].quality > candidates[known].quality { best = source }
    }
    return best
  }

  private mutating func take(_ source: Source) {
    chosen = source
    better = nil
  }

  var hasLive: Bool { living > 0 }

  /// Nil where nobody lives: who was believed last is not believed any more.
  func live(at time: MonotonicTime) -> Source? { isLive(at: time) ? chosen : nil }

  func isLive(at time: MonotonicTime) -> Bool {
    guard let chosen else { return false }
    return !candidates[chosen].isLost && time.nanoseconds - candidates[chosen].last.nanoseconds <= patienceNanoseconds
  }
}

extension SourceChooser.Candidate {
  func isLive(_ time: MonotonicTime, _ patience: Double) -> Bool {
    !isLost && time.seconds(since: last) <= patience
  }

  /// From 0 to 1: most of it by what was missing, the rest by the signal, of which -55 dBm is plenty and -95 dBm none.
  var quality: Double {
    let strength = signal.map { min(1, max(0, ($0 + 95) / 40)) } ?? 0.5
    return 0.8 * (1 - missing) + 0.2 * strength
  }

  fileprivate func hasSettled(at time: MonotonicTime) -> Bool {
    time.seconds(since: liveSince) >= SourceChooser.settlingTime(afterLosses: losses)
  }

  fileprivate mutating func lose(at time: MonotonicTime) {
    isLost = true
    losses = SourceChooser.fade(losses, over: time.seconds(since: lossesCounted)) + 1
    lossesCounted = time
  }

  @inline(__always)
  fileprivate mutating func hear(at time: MonotonicTime, patience: Double) {
    if isLost || time.seconds(since: last) > patience {
      if !isLost { lose(at: time) }
      isLost = false
      liveSince = time
      losses = SourceChooser.fade(losses, over: time.seconds(since: lossesCounted))
      lossesCounted = time
    } else {
      let gap = time.seconds(since: last)
      guard gap > 0 else { return }
      let usual = period ?? gap
      let memory = min(1, gap * (1 / 30.0))
      if gap < 1.5 * usual {
        missing -= missing * memory
        period = usual + (gap - usual) * 0.1
      } else {
        // What comes much later than usual had others before it.
        let missed = (gap / usual).rounded() - 1
        missing += (missed / (missed + 1) - missing) * memory
      }
    }
    last = time
  }
}

extension SourceChooser {
  fileprivate static func settlingTime(afterLosses losses: Double) -> Double {
    var time = settling
    var doubled = 1.0
    while doubled < losses, time < longestSettling {
      time *= 2
      doubled += 1
    }
    return min(time, longestSettling)
  }

  /// Halves with every half-life; a straight line between.
  fileprivate static func fade(_ losses: Double, over seconds: Double) -> Double {
    var (left, rest) = (losses, max(0, seconds))
    while rest >= lossHalfLife, left > 0.01 {
      left /= 2
      rest -= lossHalfLife
    }
    return left <= 0.01 ? 0 : left * (1 - rest / lossHalfLife / 2)
  }
}
