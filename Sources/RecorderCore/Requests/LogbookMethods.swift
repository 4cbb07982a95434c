// Dispatches the requests that need the database to methods.

import Logbook
import LogbookWire
import SQLite
import Serving
import Wire

final class LogbookMethods {
  private let activities: ActivityRequests
  private let edits: EditRequests
  private let transfers: TransferRequests
  private let routes: RouteRequests
  private let segments: SegmentRequests

  init(
    _ database: Database, _ catalogue: ActivityCatalogue, _ spool: SpoolFolder, _ updates: ActivityUpdates,
    _ efforts: EffortUpdates, _ context: RecorderContext
  ) throws(SQLiteError) {
    let lanes = RequestLanes(context.queue)
    activities = try ActivityRequests(database, catalogue, lanes, context.announcer)
    edits = try EditRequests(database, catalogue, lanes, updates)
    transfers = TransferRequests(
      loop: context.loop, database, context.queue, spool, imported: { updates.imported($0) })
    routes = try RouteRequests(database, lanes, context.announcer)
    segments = try SegmentRequests(database, catalogue, lanes, efforts, context.announcer)
  }

  func answer(_ call: LogbookCall, _ asker: Asker) throws(Refusal) -> Answer {
    switch call {
    case .export, .backup, .import, .put, .series, .track, .route, .segment: return try transfer(call, asker)
    case .routes(let request): return try routes.routes(request, asker)
    case .routeAdd(let request): return try routes.add(request, asker)
    case .routeEdit(let request): return try routes.rename(request, asker)
    case .routeRemove(let request): return try routes.remove(request, asker)
    case .segments(let request): return try segments.segments(request, asker)
    case .segmentPropose(let request): return try segments.propose(request, asker)
    case .segmentAdd(let request): return try segments.add(request, asker)
    case .segmentEdit(let request): return try segments.rename(request, asker)
    case .segmentRemove(let request): return try segments.remove(request, asker)
    case .efforts(let request): return try segments.efforts(request, asker)
    default: return try activity(call, asker)
    }
  }

  private func transfer(_ call: LogbookCall, _ asker: Asker) throws(Refusal) -> Answer {
    switch call {
    case .export(let request): return try transfers.export(request, asker)
    case .backup: return try transfers.backup(asker)
    case .import(let request): return try transfers.import(request, asker)
    case .put(let request): return try transfers.put(request, asker)
    case .series(let request): return try transfers.series(request, asker)
    case .track(let request): return try transfers.track(request, asker)
    case .route(let request):
      return try transfers.send(asker) { [routes] () throws(Refusal) in try routes.source(request) }
    case .segment(let request):
      return try transfers.send(asker) { [segments] () throws(Refusal) in try segments.source(request) }
    default: throw Self.unknown
    }
  }

  private func activity(_ call: LogbookCall, _ asker: Asker) throws(Refusal) -> Answer {
    switch call {
    case .list(let request): return try activities.list(request, asker)
    case .show(let request): return try activities.show(request.id, asker)
    case .laps(let request): return try activities.laps(request, asker)
    case .stats(let request): return try activities.stats(request, asker)
    case .fitness(let request): return try activities.fitness(request, asker)
    case .records(let request): return try activities.records(request, asker)
    case .add(let request): return try activities.add(request, asker)
    case .edit(let request): return try activities.edit(request, asker)
    case .delete(let request): return try activities.delete(request, asker)
    case .restore(let request): return try activities.restore(request, asker)
    case .crop(let request): return try edits.crop(request, asker)
    case .split(let request): return try edits.split(request, asker)
    case .join(let request): return try edits.join(request, asker)
    case .revert(let request): return try edits.revert(request, asker)
    default: throw Self.unknown
    }
  }

  /// Every method is dispatched.
  private static let unknown = Refusal(.unknownMethod, "the method is not available")
}
