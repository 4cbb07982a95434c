// The grade of the road: a least-squares line through the heights of the last metres. Points are
// taken by distance and not by time, so that a stop at a light does not count.

import Time

struct Grade: Sendable {
  private static let capacity = 12
  /// With fewer points the line would be noise.
  private static let fewest = 6
  /// Below this speed, in m/s, changes in height are mostly not the road's.
  private static let slowest = 0.7

  private var points = InlineArray<12, (distance: Double, height: Double)>(repeating: (0, 0))
  private var count = 0
  private var last: (distance: Double, time: MonotonicTime)?

  /// Adds the distance since the start of the ride and the height there; keeps a point every `step`
  /// metres.
  mutating func add(distance: Double, height: Double, step: Double, at now: MonotonicTime) {
    guard let last else {
      push(distance, height, now)
      return
    }
    let way = distance - last.distance
    guard way >= 0, way <= 3 * step || way <= 30 else {
      count = 0
      push(distance, height, now)
      return
    }
    if way >= step { push(distance, height, now) }
  }

  /// Drops the points, for example when another source of height takes over.
  mutating func forget() {
    (count, last) = (0, nil)
  }

  private mutating func push(_ distance: Double, _ height: Double, _ now: MonotonicTime) {
    if count == Self.capacity {
      for index in 1..<count { points[index - 1] = points[index] }
      count -= 1
    }
    points[count] = (distance, height)
    count += 1
    last = (distance, now)
  }

  /// In percent; nil if the bike is too slow or has not gone far enough.
  func percent(step: Double, at now: MonotonicTime) -> Double? {
    guard count >= Self.fewest, let last, now.seconds(since: last.time) <= step / Self.slowest else { return nil }
    var (x, y, xx, xy) = (0.0, 0.0, 0.0, 0.0)
    // Relative to the newest point, so that large numbers do not cost precision.
    let origin = points[count - 1]
    for index in 0..<count {
      let (way, rise) = (points[index].distance - origin.distance, points[index].height - origin.height)
      x += way
      y += rise
      xx += way * way
      xy += way * rise
    }
    let size = Double(count)
    let spread = size * xx - x * x
    guard spread > 0 else { return nil }
    return 100 * (size * xy - x * y) / spread
  }
}
