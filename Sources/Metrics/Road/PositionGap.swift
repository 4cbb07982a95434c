// The distance across a gap in reception, such as a tunnel: from the last fix before it to the
// first reliable one after it. The first fixes after a gap can be far off, so several must agree
// with their own speed first.

import Time

struct PositionGap: Sendable {
  private struct Anchor: Sendable {
    var place: Place
    var time: MonotonicTime
    var speed: Double
    /// The distance counted by then.
    var way: Double
    var movingTime: Double
  }

  /// The last fix before the gap, and the last of all.
  private var anchor: Anchor?
  private var last: Anchor?
  /// Since when there are fixes again.
  private var returned: MonotonicTime?
  private var agreeing = 0

  /// A speed holds for this many seconds, so only longer silences are gaps.
  private static let shortest = 6.0
  /// After this long the bike may have been anywhere.
  private static let longest = 1_800.0
  /// The number of steps between fixes that must agree with the speed, within a share of it or a
  /// number of metres.
  private static let fewestAgreeing = 4
  private static let agreement = 0.35
  private static let scatter = 6.0
  /// If the fixes do not agree by then, they are used anyway.
  private static let longestWait = 20.0
  /// The mean speed in a gap is at most this factor times the greatest of three: the speed before,
  /// the speed after, and the mean of the ride.
  private static let acceleration = 1.5
  /// If the gap is longer than that by this factor, and faster than this speed in m/s, the bike was
  /// carried, for example by train.
  private static let excess = 1.25
  private static let fastestRider = 12.0
  /// Below this mean speed, in m/s, the bike stood during the gap.
  private static let slowest = 0.5

  /// Whether a fix now would end a gap, so that its speed does not hold for the time before it.
  func isReturn(at time: MonotonicTime) -> Bool {
    last.map { time.seconds(since: $0.time) > Self.shortest } ?? false
  }

  /// A manual pause or a new ride: there is nothing to join.
  mutating func interrupt() { (anchor, last, returned) = (nil, nil, nil) }

  /// Adds a fix that is not bad. `way` is the distance counted so far, `usual` the mean speed of
  /// the ride.
  mutating func add(
    _ fix: Fix, way: Double, movingTime: Double, usual: Double?, isBelieved: Bool
  ) -> Odometer.Silence? {
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

  private static func join(_ before: Anchor, _ after: Anchor, gap: Double, usual: Double?) -> Odometer.Silence? {
    guard gap <= longest else { return nil }
    // Distance counted in the meantime is not missing.
    let missing = metres(before, after) - (after.way - before.way)
    guard missing >= slowest * gap, missing <= Plausible.cruise * gap else { return nil }
    let fastest = acceleration * max(before.speed, after.speed, usual ?? 0)
    guard missing <= max(excess * fastest, fastestRider) * gap else { return nil }
    return Odometer.Silence(way: min(missing, fastest * gap), seconds: gap, movingTime: before.movingTime)
  }
}
