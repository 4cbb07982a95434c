// Remembers the recent targets of a radar. A flickering level must not look like a new car, and a
// new car must always be noticed.

import Time

struct RadarMemory: Sendable {
  struct Target: Equatable, Sendable {
    /// Nil if the radar does not number its targets; then nothing is known about it.
    var id: Int?
    var level = 0
    var distance: Double?
  }

  private struct Known {
    var target: Target
    /// Its highest recent level, and when it last had that level.
    var level: Int
    var hadLevel: MonotonicTime
    var seen: MonotonicTime
  }

  /// The most targets that radars report.
  private var known = InlineArray<8, Known?>(repeating: nil)

  /// A level counts as new again after this many seconds without it.
  static let memory = 2.0
  /// A car that was hidden for this many seconds is still the same.
  private static let presence = 4.0
  /// Radars reuse ids. A target that is suddenly further away, or closer than it can have driven,
  /// is a new car.
  private static let leap = 10.0
  private static let fastest = 60.0

  enum News: Equatable, Sendable {
    /// It had this level or a higher one within the last seconds.
    case none
    case higherLevel
    case newCar
    /// The radar does not number its targets.
    case unknown
  }

  mutating func note(_ target: Target, at time: MonotonicTime) -> News {
    guard let id = target.id else { return .unknown }
    let place = place(of: id)
    guard let before = known[place], before.target.id == id, Self.isSame(before, target, at: time) else {
      known[place] = Known(target: target, level: target.level, hadLevel: time, seen: time)
      return .newCar
    }
    let isRecent = time.seconds(since: before.hadLevel) <= Self.memory
    let rises = target.level >= before.level || !isRecent
    known[place] = Known(
      target: target, level: rises ? target.level : before.level, hadLevel: rises ? time : before.hadLevel, seen: time)
    return isRecent && target.level <= before.level ? .none : .higherLevel
  }

  mutating func removeAll() { known = InlineArray(repeating: nil) }

  /// The target's own place, else an empty one, else that of the target not seen for the longest
  /// time.
  private func place(of id: Int) -> Int {
    var best = 0
    for index in known.indices {
      guard let one = known[index] else {
        best = index
        continue
      }
      if one.target.id == id { return index }
      if let other = known[best], one.seen < other.seen { best = index }
    }
    return best
  }

  private static func isSame(_ before: Known, _ target: Target, at time: MonotonicTime) -> Bool {
    let silence = time.seconds(since: before.seen)
    guard silence <= presence else { return false }
    guard let was = before.target.distance, let distance = target.distance else { return true }
    return distance <= was + leap && distance >= was - leap - fastest * silence
  }
}
