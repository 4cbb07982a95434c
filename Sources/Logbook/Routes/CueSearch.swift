// Finds where cues are along a route that have a place only: at the nearest of its points.

import ActivityFiles
import Earth
import SQLite

struct CueSearch {
  /// Of distances between a cue and a point.
  private static let mostComparisons = 20_000

  private struct Nearest {
    let cue: Int
    let place: Coordinate
    var metres = Double.infinity
    var distance = 0.0
  }

  private let cues: [RouteCue]
  private var open: [Nearest]
  private var nextPoint = 0

  init(_ cues: [RouteCue]) {
    self.cues = cues
    open = cues.indices.compactMap { index in
      guard cues[index].distance == nil, let place = cues[index].position else { return nil }
      return Nearest(cue: index, place: place)
    }
  }

  /// Looks at some points of the route. Returns whether there are more.
  mutating func step(_ table: RouteTable, _ route: Int64) throws(SQLiteError) -> Bool {
    guard !open.isEmpty else { return false }
    let points = try table.points(of: route, from: &nextPoint, atMost: max(10, Self.mostComparisons / open.count))
    for point in points {
      for index in open.indices {
        let metres = open[index].place.distance(to: point.position)
        guard metres < open[index].metres else { continue }
        (open[index].metres, open[index].distance) = (metres, point.distance ?? 0)
      }
    }
    return !points.isEmpty
  }

  /// In their order along a route of that length, whose distances count from `origin`.
  func placed(from origin: Double, length: Double) -> [RouteCue] {
    var placed = cues
    for index in placed.indices { placed[index].distance = placed[index].distance.map { $0 - origin } }
    for nearest in open { placed[nearest.cue].distance = nearest.distance }
    for index in placed.indices {
      let distance = placed[index].distance ?? 0
      placed[index].distance = distance.isFinite ? min(max(0, distance), length) : 0
    }
    // The sort is not stable by itself.
    let order = placed.indices.sorted { ($0.distance(in: placed), $0) < ($1.distance(in: placed), $1) }
    return order.map { placed[$0] }
  }
}

extension Int {
  fileprivate func distance(in cues: [RouteCue]) -> Double { cues[self].distance ?? 0 }
}
