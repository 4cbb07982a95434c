// The points of a route that was read, emitted a portion at a time: a reader has the whole route
// before it can emit any of it.

struct RouteEmission {
  private let header: ActivityHeader
  private let draft: RouteDraft
  private var next = 0

  init(_ header: ActivityHeader, _ draft: RouteDraft) {
    (self.header, self.draft) = (header, draft)
  }

  /// The header comes first. Returns whether there are more points.
  mutating func emitPoints(_ emit: (ActivityItem) -> Void) -> Bool {
    if next == 0 { emit(.header(header)) }
    let end = min(draft.points.count, next + RouteDraft.portion)
    for index in next..<end {
      var point = draft.points[index]
      point.distance = draft.distances[index]
      emit(.routePoint(point))
    }
    next = end
    return end < draft.points.count
  }
}
