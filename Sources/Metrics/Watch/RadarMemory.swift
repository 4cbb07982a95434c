// What each target of a radar was lately: one whose level flickers is not another car each time, and another car always is one.

import SensorKit

struct RadarMemory: Sendable {
  struct Target: Equatable, Sendable {
    /// Nil where the radar gives it no number: then nothing is known of it.
    var id: Int?
    var level = 0
    var distance: Double?
  }

  private struct Known {
    var target: Target
    /// The highest level that it had lately, and when it had it last.
    var level: Int
    var hadLevel: MonotonicTime
    var seen: MonotonicTime
  }

  /// As many as radars see at once.
  private var known = InlineArray<8, Known?>(repeating: nil)

  /// So long a level has to be gone, before it is news again.
  static let memory = 2.0
  /// A car that was hidden by another one for so long is still the same.
  private static let presence = 4.0
  /// Radars give numbers again. Who is suddenly further away, or nearer than anybody drives, is another car.
  private static let leap = 10.0
  private static let fastest = 60.0

  enum News: Equatable, Sendable {
    /// It was there, at this level or a higher one, within the last seconds.
    case none
    case higherLevel
    case newCar
    /// The radar gives it no number.
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

  /// Its own, else an empty one, else the one of whom nothing was seen for longest.
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
