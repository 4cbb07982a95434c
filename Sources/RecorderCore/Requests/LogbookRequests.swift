// Dispatches the requests of logbook.sock to methods.

import Logbook
import LogbookWire
import Serving
import Wire

final class LogbookRequests: RequestHandler {
  private let status: () -> LogbookStatusReply
  private let announcer: Announcer
  private let activities: ActivityRequests
  private let edits: EditRequests
  private let transfers: TransferRequests
  private let routes: RouteRequests

  init(
    activities: ActivityRequests, edits: EditRequests, transfers: TransferRequests,
    routes: RouteRequests, _ announcer: Announcer, status: @escaping () -> LogbookStatusReply
  ) {
    (self.activities, self.edits) = (activities, edits)
    (self.transfers, self.routes, self.announcer, self.status) = (transfers, routes, announcer, status)
  }

  func answer(_ request: Request, from asker: Asker) throws(Refusal) -> Answer {
    let call = try LogbookCall(request)
    guard let client = asker.client else { return .later }
    switch call {
    case .status: return .reply(status())
    case .ping: return .done
    case .subscribe: return announcer.subscribe(client)
    case .unsubscribe:
      client.unsubscribe()
      return .done
    case .cancel:
      client.operation?.cancel()
      return .done
    case .export, .backup, .import, .put, .series, .track, .route: return try transfer(call, asker)
    case .routes, .routeAdd, .routeRemove, .segments, .segmentAdd, .segmentRemove, .efforts:
      return try routes.answer(call, asker)
    default: return try activity(call, asker)
    }
  }

  func ended(_ client: Client) {}

  private func transfer(_ call: LogbookCall, _ asker: Asker) throws(Refusal) -> Answer {
    switch call {
    case .export(let request): return try transfers.export(request, asker)
    case .backup: return try transfers.backup(asker)
    case .import(let request): return try transfers.import(request, asker)
    case .put(let request): return try transfers.put(request, asker)
    case .series(let request): return try transfers.series(request, asker)
    case .track(let request): return try transfers.track(request, asker)
    case .route(let request): return try routes.route(request, asker)
    default: throw Self.unknown
    }
  }

  private func activity(_ call: LogbookCall, _ asker: Asker) throws(Refusal) -> Answer {
    switch call {
    case .list(let request): return try activities.list(request, asker)
    case .show(let request): return try activities.show(request.id, asker)
    case .laps(let request): return try activities.laps(request, asker)
    case .stats(let request): return try activities.stats(request, asker)
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
