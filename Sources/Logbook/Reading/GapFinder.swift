// Times without samples, pauses by hand, and damaged seconds of an activity. Pure.

import ActivityFiles
import LogbookWire
import Wire

struct GapFinder {
  /// What the events say about a time.
  struct Cause: Equatable {
    var fromMS: Int64
    var toMS: Int64
    var reason: GapReason
  }

  /// More do not fit into the line of `show`.
  static let mostGaps = 200

  private(set) var gaps: [ActivityGap] = []
  private(set) var isShortened = false
  private let longest: Int
  /// The reason of a gap that no event explains.
  private let otherwise: GapReason?
  private let causes: [Cause]
  /// The second after the last point.
  private var end: Int?
  private var pausedSince: Int?

  /// A gap lasts more than `longest` seconds.
  init(longest: Int, causes: [Cause], otherwise: GapReason?) {
    (self.longest, self.causes, self.otherwise) = (longest, causes, otherwise)
  }

  mutating func add(_ point: ActivityPoint, _ state: RideSecond.State) {
    if let end, pausedSince == nil, point.t - end > longest, state != .pausedByHand, !isDamaged(end, point.t) {
      add(from: end, to: point.t, reason(from: end, to: point.t))
    }
    if state == .pausedByHand {
      if pausedSince == nil { pausedSince = end ?? point.t }
    } else if let since = pausedSince, state != .unknown {
      add(from: since, to: point.t, .pause)
      pausedSince = nil
    }
    end = point.t + 1
  }

  mutating func addDamage(atMS: Int64) {
    let second = Int(atMS / 1000)
    if let last = gaps.last, last.reason == WireWord(.damaged), Int(last.toS) == second {
      gaps[gaps.count - 1].toS += 1
    } else {
      add(from: second, to: second + 1, .damaged)
    }
  }

  mutating func finish() {
    if let since = pausedSince, let end, end > since { add(from: since, to: end, .pause) }
    pausedSince = nil
    // Damage is found before the points of the seconds before it.
    gaps.sort { $0.fromS < $1.fromS }
  }

  private func isDamaged(_ from: Int, _ to: Int) -> Bool {
    gaps.contains { $0.reason == WireWord(.damaged) && $0.fromS <= Double(from) && $0.toS >= Double(to) }
  }

  private func reason(from: Int, to: Int) -> GapReason? {
    let (fromMS, toMS) = (Int64(from - 1) * 1000, Int64(to + 1) * 1000)
    return causes.first { $0.fromMS <= toMS && $0.toMS >= fromMS }?.reason ?? otherwise
  }

  private mutating func add(from: Int, to: Int, _ reason: GapReason?) {
    guard gaps.count < Self.mostGaps else { return isShortened = true }
    var gap = ActivityGap()
    (gap.fromS, gap.toS, gap.reason) = (Double(from), Double(to), reason.map { WireWord($0) })
    gaps.append(gap)
  }
}
