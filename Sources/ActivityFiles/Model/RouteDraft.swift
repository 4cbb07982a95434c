// A route that is held whole, because its totals or its cues come before its points in a file. It
// has far fewer points than an activity.

import Earth

struct RouteDraft {
  /// Points or cues that are emitted or written at a time.
  static let portion = 500
  private static let metresPerSecond = 8.0
  /// More than a year of riding has.
  private static let mostPoints = 500_000
  private static let mostCues = 10_000
  private static let mostComparisons = 20_000_000

  private(set) var points: [RoutePoint] = []
  /// From the start, in metres, for each point; they never fall.
  private(set) var distances: [Double] = []
  private(set) var cues: [RouteCue] = []

  var length: Double { distances.last ?? 0 }

  mutating func add(_ point: RoutePoint) {
    guard points.count < Self.mostPoints else { return }
    let last = distances.last ?? 0
    let step = points.last.map { $0.position.distance(to: point.position) } ?? 0
    distances.append(max(last, point.distance ?? last + step))
    points.append(point)
  }

  mutating func add(_ cue: RouteCue) {
    guard cues.count < Self.mostCues else { return }
    cues.append(cue)
  }

  func check() throws(ActivityFileError) {
    guard points.count > 1 else { throw ActivityFileError("a route needs at least two points") }
  }

  /// When a ride at a constant speed passes the points, in seconds since its start. Devices place
  /// cues by distance and time, so both rise along the way: at least a second apart.
  func times() -> [Int64] {
    var next: Int64 = 0
    return distances.map { distance in
      let time = max(next, (distance / Self.metresPerSecond).roundedInteger ?? 0)
      next = time + 1
      return time
    }
  }

  /// The index of the point where the cue belongs.
  func nearest(to cue: RouteCue) -> Int {
    if let distance = cue.distance {
      let after = distances.partitioningIndex { $0 >= distance }
      guard after > 0, after < distances.count else { return min(after, distances.count - 1) }
      return distances[after] - distance < distance - distances[after - 1] ? after : after - 1
    }
    guard let position = cue.position else { return 0 }
    // Files of our own have distances. For others, the work is bounded.
    let step = max(1, points.count * cues.count / Self.mostComparisons)
    let nearest = stride(from: 0, to: points.count, by: step).min {
      points[$0].position.distance(to: position) < points[$1].position.distance(to: position)
    }
    return nearest ?? 0
  }
}

extension Array {
  /// The first index from which on the condition holds.
  func partitioningIndex(_ condition: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
