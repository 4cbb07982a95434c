// The intervals between heartbeats of the last five minutes, each with its own time and a verdict: whether it is one of the heart's own
// rhythm, or an artefact. Everything about variability and breathing is reckoned from these.
//
// Two intervals are neighbours if they came one after the other, with nothing missing and nothing rejected between them. What is no
// interval at all (not a number, none, seconds long) breaks the series, as a gap does: then nobody knows what came between.

import SensorKit

struct BeatSeries: Sendable {
  enum Verdict: UInt8, Sendable { case pending, normal, rejected }

  struct Beat: Sendable {
    /// At which it ended, by the beats' own clock, seconds.
    var seconds: Double
    var intervalMs: Double
    var verdict: Verdict
    /// The interval before it is not known to be its neighbour.
    var followsGap: Bool
  }

  /// Longest window that anything is reckoned over, seconds.
  static let reach = 300.0
  /// Five minutes at 240 beats a minute are 1200; a power of two costs no division.
  private static let room = 2048
  /// What an interval may be to have its place in time, ms: two beats that were missed make one interval of three.
  private static let possible = 100.0...3000.0
  /// What a heart does: 25 to 240 beats a minute, ms.
  private static let plausible = 250.0...2400.0

  private var beats: [Beat]
  /// Beats ever taken, and of these those that were judged.
  private var taken = 0
  private var judged = 0
  /// The first beat after the last gap.
  private var runStart = 0
  private var clock = BeatClock()
  private var judge = BeatJudge()
  /// What came last was no interval: the next has no neighbour.
  private var isBroken = true

  init() {
    beats = Array(
      repeating: Beat(seconds: 0, intervalMs: 0, verdict: .rejected, followsGap: true), count: Self.room)
  }

  /// Forgets everything, for another heart.
  mutating func removeAll() {
    // Not made anew: that would allocate.
    (taken, judged, runStart) = (0, 0, 0)
    (clock, judge, isBroken) = (BeatClock(), BeatJudge(), true)
  }

  /// What is known to be missing between what came and what comes: the link was lost, another sensor speaks.
  mutating func interrupt() {
    judgeAll()
    isBroken = true
  }
}

// MARK: Taking

extension BeatSeries {
  mutating func add(rrMs: Double, at time: MonotonicTime) {
    let one: InlineArray<1, Double> = [rrMs]
    add(rrMs: one.span, at: time)
  }

  /// The intervals of one packet, oldest first.
  mutating func add(rrMs intervals: Span<Double>, at time: MonotonicTime) {
    var length = 0.0
    var count = 0
    for index in intervals.indices where Self.possible.contains(intervals[index]) {
      length += intervals[index] / 1000
      count += 1
    }
    switch clock.packet(length, count, at: time) {
    case .ignored: return
    case .impossible:
      removeAll()
      return
    case .gap: interrupt()
    case .begins, .goesOn: break
    }
    var seconds = clock.seconds - length
    for index in intervals.indices {
      let interval = intervals[index]
      guard Self.possible.contains(interval) else {
        refuse(at: seconds)
        continue
      }
      seconds += interval / 1000
      take(Beat(seconds: seconds, intervalMs: interval, verdict: .pending, followsGap: isBroken))
      isBroken = false
      if taken - judged >= Self.room / 2 { judgeWaiting() }
    }
  }

  /// Counts as rejected, and takes no time: how long the heart really took is told by what comes after it.
  private mutating func refuse(at seconds: Double) {
    interrupt()
    take(Beat(seconds: seconds, intervalMs: 0, verdict: .rejected, followsGap: true))
    judged = taken
    runStart = taken
  }

  private mutating func take(_ beat: Beat) {
    if beat.followsGap { runStart = taken }
    beats[taken & (Self.room - 1)] = beat
    taken += 1
  }

  /// To be called before reading. All that came since the last time are judged together, which takes much less time than one by one.
  mutating func judgeWaiting() {
    while taken - judged > BeatJudge.neighbours { judgeNext() }
  }

  private mutating func judgeAll() {
    while judged < taken { judgeNext() }
    runStart = taken
  }

  private mutating func judgeNext() {
    var near = BeatJudge.Neighbourhood()
    for index in max(runStart, judged - BeatJudge.neighbours, taken - Self.room)..<judged {
      near.before(self[index].intervalMs, wasNormal: self[index].verdict == .normal)
    }
    for index in judged..<min(taken, judged + BeatJudge.neighbours + 1) { near.append(self[index].intervalMs) }
    let isNormal = judge.isNormal(near) && Self.plausible.contains(self[judged].intervalMs)
    beats[judged & (Self.room - 1)].verdict = isNormal ? .normal : .rejected
    judged += 1
  }
}

// MARK: Reading

extension BeatSeries {
  /// A stretch of judged beats, and how good it is.
  struct Window {
    let beats: Range<Int>
    /// What part of the window the accepted intervals fill.
    let fill: Double
    /// Of all its intervals.
    let rejectedShare: Double
  }

  /// One of a window's beats.
  subscript(index: Int) -> Beat { beats[index & (Self.room - 1)] }

  /// The judged beats of the last so many seconds before `time`; those that still wait for their verdict move its end back.
  func window(_ length: Double, at time: MonotonicTime) -> Window {
    let pendingTime = judged < taken && judged > 0 ? max(0, clock.seconds - self[judged - 1].seconds) : 0
    let end = clock.seconds(at: time) - pendingTime
    var index = judged
    var covered = 0.0
    var rejected = 0
    while index > max(0, taken - Self.room), self[index - 1].seconds > end - length {
      index -= 1
      let beat = self[index]
      if beat.verdict == .normal { covered += beat.intervalMs / 1000 } else { rejected += 1 }
    }
    let count = judged - index
    return Window(
      beats: index..<judged, fill: min(1, covered / length),
      rejectedShare: count == 0 ? 1 : Double(rejected) / Double(count))
  }

  /// Whether a beat and the one before it are neighbours, and both good.
  func isPair(_ index: Int) -> Bool {
    let beat = self[index]
    return beat.verdict == .normal && !beat.followsGap && self[index - 1].verdict == .normal
  }
}
