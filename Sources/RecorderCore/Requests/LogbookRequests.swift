// Dispatches the requests of logbook.sock. Those that need no database are answered here, also while
// the storage cannot be used.

import LogbookWire
import Serving
import Wire

final class LogbookRequests: RequestHandler {
  private let announcer: Announcer
  private let status: () -> LogbookStatusReply
  /// Refuses while the database is not open.
  private let methods: () throws(Refusal) -> LogbookMethods

  init(
    _ announcer: Announcer, status: @escaping () -> LogbookStatusReply,
    methods: @escaping () throws(Refusal) -> LogbookMethods
  ) {
    (self.announcer, self.status, self.methods) = (announcer, status, methods)
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
    default: return try methods().answer(call, asker)
    }
  }

  func ended(_ client: Client) {}
}
