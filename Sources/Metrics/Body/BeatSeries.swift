// The RR intervals of the last five minutes, each with its own time and a verdict: normal rhythm or
// artefact. All numbers on variability and breathing are computed from this series.
//
// Two intervals are neighbours if one directly followed the other, with nothing missing and nothing
// rejected between them. An impossible value (not a number, zero, many seconds) breaks the series
// like a gap, because it is unknown what happened in between.

import Time

struct BeatSeries: Sendable {
  enum Verdict: UInt8, Sendable { case pending, normal, rejected }

  struct Beat: Sendable {
    /// When it ended, in seconds of the beats' own clock.
    var seconds: Double
    var intervalMs: Double
    var verdict: Verdict
    /// The interval before it may not be its neighbour.
    var followsGap: Bool
  }

  /// The longest window that anything is computed over, in seconds.
  static let reach = 300.0
  /// Five minutes at 240 beats per minute are 1200. A power of two avoids a division.
  private static let room = 2048
  /// Accepted range in ms. It is wide because two missed beats turn three intervals into one.
  private static let possible = 100.0...3000.0
  /// What a heart does: 25 to 240 beats per minute, in ms.
  private static let plausible = 250.0...2400.0

  private var beats: [Beat]
  /// Counts of beats received and beats judged.
  private var taken = 0
  private var judged = 0
  /// The first beat after the last gap.
  private var runStart = 0
  private var clock = BeatClock()
  private var judge = BeatJudge()
  /// The last value was not a possible interval, so the next one has no neighbour.
  private var isBroken = true

  init() {
    beats = Array(
      repeating: Beat(seconds: 0, intervalMs: 0, verdict: .rejected, followsGap: true), count: Self.room)
  }

  /// Forgets everything, for example when another heart is measured.
  mutating func removeAll() {
    // The array is kept, because a new one would allocate.
    (taken, judged, runStart) = (0, 0, 0)
    (clock, judge, isBroken) = (BeatClock(), BeatJudge(), true)
  }

  /// Marks a known hole, such as a lost link or a change of sensor.
  mutating func interrupt() {
    judgeAll()
    isBroken = true
  }
}

// MARK: Adding

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

  /// Counts as rejected and takes no time. The intervals after it show how much time really passed.
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

  /// Call before reading. Judging all waiting beats together is much faster than one by one.
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
  /// A range of judged beats and its quality.
  struct Window {
    let beats: Range<Int>
    /// The share of the window that accepted intervals fill.
    let fill: Double
    /// The share of its intervals that were rejected.
    let rejectedShare: Double
  }

  subscript(index: Int) -> Beat { beats[index & (Self.room - 1)] }

  /// The judged beats of the last `length` seconds before `time`. Beats that are not judged yet
  /// move the end of the window back.
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

  /// Whether a beat and the one before it are neighbours and both are normal.
  func isPair(_ index: Int) -> Bool {
    let beat = self[index]
    return beat.verdict == .normal && !beat.followsGap && self[index - 1].verdict == .normal
  }
}
