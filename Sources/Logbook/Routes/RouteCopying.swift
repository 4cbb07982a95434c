// Makes a route of the track of an activity or of a drawn line, in slices.

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

  private enum Source {
    case activity(PointReader)
    case drawn([Coordinate])
  }

  private let table: RouteTable
  private let source: Source
  private var route: NewRoute
  private var phase = Phase.reading
  private var last: Coordinate?
  /// The last position, if it was too near to the one before.
  private var skipped: RoutePoint?

  /// The route, once `step` has returned false.
  package var row: StoredRoute { route.row }

  package init(_ request: RouteAddRequest, _ table: RouteTable, now: WallTime?) throws(Refusal) {
    self.table = table
    var row = StoredRoute()
    row.name = request.name
    row.addedUTCMS = now?.milliseconds
    if let id = request.activity {
      let activity = try StoredActivity.requested(id, in: table.database)
      row.source = activity.source.rawValue
      source = try Refusal.storage { () throws(SQLiteError) in
        let range = try CurveRange(activity, fromS: request.fromS, toS: request.toS, in: table.database)
        return .activity(
          try PointReader(activity.shownSpans, in: table.database, fromMS: range.fromMS, toMS: range.toMS))
      }
    } else {
      row.source = "drawn"
      source = .drawn(Self.line(request))
    }
    route = NewRoute(row)
  }

  private static func line(_ request: RouteAddRequest) -> [Coordinate] {
    zip(request.latitudesDeg ?? [], request.longitudesDeg ?? []).compactMap(Coordinate.init(latitude:longitude:))
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
        let hasMore = try read()
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

  private func read() throws(SQLiteError) -> Bool {
    switch source {
    case .activity(let reader):
      return try reader.readRide(Self.rowsPerStep) { point, ride in
        guard ride.state != .pausedByHand, let position = point.position else { return }
        add(position, altitude: point[.altitude])
      }
    case .drawn(let line):
      for position in line { add(position, altitude: nil) }
      return false
    }
  }

  private func endReading() throws(Refusal) {
    if let skipped, skipped.position != last { route.add(skipped) }
    guard route.isRoute else {
      let message =
        switch source {
        case .activity: "this part of the activity has no track"
        case .drawn: "the line has no length: all its places are the same"
        }
      throw Refusal(.badRequest, message)
    }
    phase = .storing
  }

  private func add(_ position: Coordinate, altitude: Double?) {
    let added = RoutePoint(position: position, altitude: altitude)
    guard last.map({ $0.distance(to: position) >= Self.leastStep }) ?? true else { return skipped = added }
    route.add(added)
    (last, skipped) = (position, nil)
  }
}
