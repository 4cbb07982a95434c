// Makes a route of the track of an activity, in slices.

import ActivityFiles
import Earth
package import LogbookWire
import SQLite
package import Time
package import Wire

/// Call `step` until it returns false or throws. Nothing of a route that fails stays.
package final class RouteCopying: SlicedWork {
  private static let rowsPerStep = 60
  /// Points that are nearer to the one before add nothing to the line, in metres.
  private static let leastStep = 5.0

  private enum Phase {
    case reading
    case storing
    case removing(RouteRemoval, Refusal)
    case finished
  }

  private let table: RouteTable
  private let reader: PointReader
  private var route: NewRoute
  private var phase = Phase.reading
  private var last: Coordinate?
  /// The last position, if it was too near to the one before.
  private var skipped: RoutePoint?

  /// The route, once `step` has returned false.
  package var row: StoredRoute { route.row }

  package init(_ request: RouteAddRequest, _ table: RouteTable, now: WallTime?) throws(Refusal) {
    self.table = table
    let activity = try StoredActivity.requested(request.activity, in: table.database)
    var row = StoredRoute()
    row.name = request.name
    row.source = activity.source.rawValue
    row.addedUTCMS = now?.milliseconds
    route = NewRoute(row)
    reader = try Refusal.storage { () throws(SQLiteError) in
      let range = try CurveRange(activity, fromS: request.fromS, toS: request.toS, in: table.database)
      return try PointReader(activity.shownSpans, in: table.database, fromMS: range.fromMS, toMS: range.toMS)
    }
  }

  package func step() throws(Refusal) -> Bool {
    if case .removing(let removal, let refusal) = phase {
      if try removal.step() { return true }
      phase = .finished
      throw refusal
    }
    do throws(Refusal) {
      return try advance()
    } catch {
      guard route.row.id > 0 else { throw error }
      phase = .removing(RouteRemoval([route.row.id], in: table.database), error)
      return true
    }
  }

  private func advance() throws(Refusal) -> Bool {
    switch phase {
    case .reading:
      let hasMore = try Refusal.storage { () throws(SQLiteError) in
        let hasMore = try reader.readRide(Self.rowsPerStep) { point, ride in
          if ride.state != .pausedByHand { add(point) }
        }
        try route.flush(table)
        return hasMore
      }
      if !hasMore { try endReading() }
      return true
    case .storing:
      return try Refusal.storage { () throws(SQLiteError) in
        if try route.finish(table) { return true }
        try table.complete(route.row)
        phase = .finished
        return false
      }
    case .removing, .finished: return false
    }
  }

  private func endReading() throws(Refusal) {
    if let skipped { route.add(skipped) }
    guard route.isRoute else { throw Refusal(.badRequest, "this part of the activity has no track") }
    phase = .storing
  }

  private func add(_ point: ActivityPoint) {
    guard let position = point.position else { return }
    let added = RoutePoint(position: position, altitude: point[.altitude])
    guard last.map({ $0.distance(to: position) >= Self.leastStep }) ?? true else { return skipped = added }
    route.add(added)
    (last, skipped) = (position, nil)
  }
}
