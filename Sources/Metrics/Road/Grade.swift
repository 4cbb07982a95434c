// The grade of the road: the straight line with the least squares through the heights of the last metres. Points are taken
// by distance and not by time, so that a stop at a light is none.

internal import SensorKit

struct Grade: Sendable {
  private static let capacity = 12
  /// With fewer, the line would be noise.
  private static let fewest = 6
  /// Slower than this, metres a second, what the height does is more than what the road does.
  private static let slowest = 0.7

  private var points = InlineArray<12, (distance: Double, height: Double)>(repeating: (0, 0))
  private var count = 0
  private var last: (distance: Double, time: MonotonicTime)?

  /// Takes the way since the ride began and the height there, every `step` metres.
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

  /// What was before is of another road, or another way to know the height.
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

  /// In percent; nil where the bike is too slow, or has not gone far enough yet.
  func percent(step: Double, at now: MonotonicTime) -> Double? {
    guard count >= Self.fewest, let last, now.seconds(since: last.time) <= step / Self.slowest else { return nil }
    var (x, y, xx, xy) = (0.0, 0.0, 0.0, 0.0)
    // From the newest point on, lest large numbers eat the small differences.
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
