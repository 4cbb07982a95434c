// A receiver that was silent, in a tunnel or under a bridge: the way between its last fix before and its first reliable fix after. The first
// fixes after a silence can be far off, so several have to agree with their own speed first.

import SensorKit

struct PositionGap: Sendable {
  /// What is missing from the way.
  struct Join: Equatable, Sendable {
    var way: Double
    var seconds: Double
    /// When the gap began.
    var movingTime: Double
  }

  private struct Anchor: Sendable {
    var place: Place
    var time: MonotonicTime
    var speed: Double
    /// What had been counted by then.
    var way: Double
    var movingTime: Double
  }

  /// The last fix before the gap, or the last of all.
  private var anchor: Anchor?
  private var last: Anchor?
  /// Since when fixes come again.
  private var returned: MonotonicTime?
  private var agreeing = 0

  /// A speed stands for so many seconds. Only a longer silence is a gap.
  private static let shortest = 6.0
  /// After so long the bike may have been anywhere.
  private static let longest = 1_800.0
  /// So many steps between fixes have to agree with the speed, within a share of it or so many metres.
  private static let fewestAgreeing = 4
  private static let agreement = 0.35
  private static let scatter = 6.0
  /// Fixes that do not agree by then will not.
  private static let longestWait = 20.0
  /// The mean speed in a gap is at most this much more than the greatest of those before it, after it, and of the ride.
  private static let acceleration = 1.5
  /// If the gap is longer by this factor than that, and faster than this, metres a second, the bike was carried: a train.
  private static let excess = 1.25
  private static let fastestRider = 12.0
  /// On the average of a gap a slower bike has stood, metres a second.
  private static let slowest = 0.5

  /// Whether a fix that comes now ends a silence: its speed does not stand for that time.
  func isReturn(at time: MonotonicTime) -> Bool {
    last.map { time.seconds(since: $0.time) > Self.shortest } ?? false
  }

  /// The rider paused the ride, or another begins: there is nothing to join.
  mutating func interrupt() { (anchor, last, returned) = (nil, nil, nil) }

  /// A fix that is not bad. `way` is what has been counted so far, `usual` the mean speed of the ride.
  mutating func add(
    _ fix: Fix, way: Double, movingTime: Double, usual: Double?, isBelieved: Bool
  ) -> Join? {
    guard let latitude = fix.latitudeDeg, let longitude = fix.longitudeDeg, let speed = fix.speedMps,
      Plausible.speed.contains(speed), last.map({ fix.time > $0.time }) ?? true
    else { return nil }
    let before = last
    let place = Place(latitudeDeg: latitude, longitudeDeg: longitude)
    let current = Anchor(place: place, time: fix.time, speed: speed, way: way, movingTime: movingTime)
    last = current
    guard let anchor, let before, isBelieved else {
      (anchor, returned) = (current, nil)
      return nil
    }
    if current.time.seconds(since: before.time) > Self.shortest {
      (returned, agreeing) = (current.time, 0)
      return nil
    }
    guard let returned else {
      self.anchor = current
      return nil
    }
    agreeing = Self.agree(before, current) ? agreeing + 1 : 0
    guard agreeing >= Self.fewestAgreeing || current.time.seconds(since: returned) >= Self.longestWait else {
      return nil
    }
    (self.anchor, self.returned) = (current, nil)
    return Self.join(anchor, current, gap: returned.seconds(since: anchor.time), usual: usual)
  }

  private static func metres(_ one: Anchor, _ other: Anchor) -> Double {
    LocalScale(latitudeDeg: (one.place.latitudeDeg + other.place.latitudeDeg) / 2).metres(
      from: one.place, to: other.place)
  }

  private static func agree(_ one: Anchor, _ other: Anchor) -> Bool {
    let expected = (one.speed + other.speed) / 2 * other.time.seconds(since: one.time)
    return abs(metres(one, other) - expected) <= max(scatter, agreement * expected)
  }

  private static func join(_ before: Anchor, _ after: Anchor, gap: Double, usual: Double?) -> Join? {
    guard gap <= longest else { return nil }
    // What was counted on the way is not missing.
    let missing = metres(before, after) - (after.way - before.way)
    guard missing >= slowest * gap, missing <= Plausible.cruise * gap else { return nil }
    let fastest = acceleration * max(before.speed, after.speed, usual ?? 0)
    guard missing <= max(excess * fastest, fastestRider) * gap else { return nil }
    return Join(way: min(missing, fastest * gap), seconds: gap, movingTime: before.movingTime)
  }
}
