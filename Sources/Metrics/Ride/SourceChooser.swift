// Chooses one of several sensors of a kind: by the user's priority first, then by how well each is
// received. A source that falls silent is dropped at once. After it returns, it must stay live for
// a while before it is chosen again. That time grows with the number of losses, so that the choice
// does not flap.

import SensorKit
import Time

struct SourceChooser {
  /// A sensor, as its index in the ride's table of sensors.
  typealias Source = Int

  struct Candidate {
    /// Was registered and not forgotten since.
    var isKnown = false
    var priority = 0
    var signal: Double?
    var isLost = true
    var last = MonotonicTime(nanoseconds: 0)
    var liveSince = MonotonicTime(nanoseconds: 0)
    /// The usual time between its samples.
    var period: Double?
    /// The share of samples that were missing recently.
    var missing = 0.0
    /// The number of losses, which decays with a half-life.
    var losses = 0.0
    var lossesCounted = MonotonicTime(nanoseconds: 0)
  }

  /// After this many seconds without a sample a source is not used, whatever its session reports.
  let timeout: Double
  private let timeoutNanoseconds: Int64
  /// By source.
  private(set) var candidates: [Candidate] = []
  /// The number of candidates that are not lost.
  private var living = 0
  private(set) var chosen: Source?
  /// A source of the same priority with better reception, and since when it has been better.
  private var better: (source: Source, since: MonotonicTime)?
  private var nextLook = Int64.min
  private var nextChallenge = Int64.min
  /// The value and source published last.
  private var told: (value: Double, source: Source)?
  /// When the next value is due, in nanoseconds.
  private var nextTelling = Int64.min

  /// Less than a second, because many sensors send once a second.
  private static let lookingPause: Int64 = 900_000_000
  private static let settling = 5.0
  private static let longestSettling = 120.0
  private static let lossHalfLife = 300.0
  /// How much better a source of the same priority has to be, and for how long.
  private static let margin = 0.2
  private static let marginTime = 30.0
  /// Clients read once a second, and no sensor keeps that pace to the millisecond.
  private static let tellingPause: Int64 = 1_000_000_000
  private static let earliness: Int64 = 250_000_000

  init(timeout: Double) {
    self.timeout = timeout
    timeoutNanoseconds = Int64(timeout * 1e9)
  }

  /// Call when a sensor is paired or its settings change. For a known source this updates the
  /// priority.
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
    // Another sensor may reuse its index.
    if told?.source == source { told = nil }
  }

  mutating func note(signal: Double?, of source: Source) {
    if knows(source) { candidates[source].signal = signal }
  }

  /// The session reported that the sensor is silent or gone.
  mutating func lost(_ source: Source, at time: MonotonicTime) {
    guard knows(source), !candidates[source].isLost else { return }
    candidates[source].lose(at: time)
    living -= 1
    choose(at: time)
  }

  /// Records a sample. Returns true if its source is the chosen one.
  @inline(__always)  // as tells: called for every sample
  mutating func record(_ source: Source, at time: MonotonicTime) -> Bool {
    guard knows(source) else { return false }
    if candidates[source].isLost { living += 1 }
    candidates[source].record(at: time, timeout: timeout)
    // The best source changes within seconds, not with every sample.
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

  /// Whether to publish this value of the chosen source: once a second, and at once after a change
  /// of source or when the value becomes zero or stops being zero.
  @inline(__always)
  mutating func tells(_ value: Double, of source: Source, at time: MonotonicTime) -> Bool {
    let now = time.nanoseconds
    let goesOn = told.map { $0.source == source && ($0.value == 0) == (value == 0) } ?? false
    if goesOn, now < nextTelling - Self.earliness { return false }
    // Not simply from now on: a sensor with four samples a second would then be published too
    // seldom.
    nextTelling = goesOn ? max(nextTelling, now - Self.earliness) + Self.tellingPause : now + Self.tellingPause
    told = (value, source)
    return true
  }

  /// The value published last.
  var toldValue: Double? { told?.value }

  /// Drops sources that have been silent for too long.
  mutating func advance(to time: MonotonicTime) {
    for index in candidates.indices where !candidates[index].isLost && !candidates[index].isLive(time, timeout) {
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

  /// Among the live sources. While the current one is live too, others must have settled first.
  @inline(__always)
  private func best(at time: MonotonicTime, beside current: Source?) -> Source? {
    var best = current
    for source in candidates.indices where source != current && candidates[source].isLive(time, timeout) {
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

  /// The chosen source while it is live.
  func live(at time: MonotonicTime) -> Source? { isLive(at: time) ? chosen : nil }

  func isLive(at time: MonotonicTime) -> Bool {
    guard let chosen else { return false }
    return !candidates[chosen].isLost && time.nanoseconds - candidates[chosen].last.nanoseconds <= timeoutNanoseconds
  }
}

extension SourceChooser.Candidate {
  func isLive(_ time: MonotonicTime, _ timeout: Double) -> Bool {
    !isLost && time.seconds(since: last) <= timeout
  }

  /// From 0 to 1: mostly the missing samples, the rest the signal, scaled from -95 dBm to -55 dBm.
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
  fileprivate mutating func record(at time: MonotonicTime, timeout: Double) {
    if isLost || time.seconds(since: last) > timeout {
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
        // A late sample means that others were missed before it.
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

  /// Halves with every half-life, and is linear in between.
  fileprivate static func fade(_ losses: Double, over seconds: Double) -> Double {
    var (left, rest) = (losses, max(0, seconds))
    while rest >= lossHalfLife, left > 0.01 {
      left /= 2
      rest -= lossHalfLife
    }
    return left <= 0.01 ? 0 : left * (1 - rest / lossHalfLife / 2)
  }
}
