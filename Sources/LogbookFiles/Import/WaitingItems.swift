// Items that were read and are not stored yet. A reader emits a whole route at once, so the points of
// routes lie by themselves: an item has room for much more.

import ActivityFiles

struct WaitingItems {
  enum Portion {
    case item(ActivityItem)
    case points([RoutePoint])
  }

  private static let pointsPerPortion = 500
  private var portions: [Portion] = []
  private var next = 0
  /// The last ones, until something else follows.
  private var points: [RoutePoint] = []

  var isEmpty: Bool { next == portions.count }

  mutating func add(_ item: ActivityItem) {
    if case .routePoint(let point) = item {
      points.append(point)
      if points.count == Self.pointsPerPortion { endPoints() }
    } else {
      endPoints()
      portions.append(.item(item))
    }
  }

  /// Call this before the first `popFirst`.
  mutating func endPoints() {
    guard !points.isEmpty else { return }
    portions.append(.points(points))
    points = []
  }

  mutating func popFirst() -> Portion? {
    guard next < portions.count else { return nil }
    next += 1
    return portions[next - 1]
  }
}
