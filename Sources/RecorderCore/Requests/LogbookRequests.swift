// Dispatches the requests of logbook.sock to methods.

import LogbookWire
import Serving
import Wire

final class LogbookRequests: RequestHandler {
  private let status: () -> LogbookStatusReply

  init(status: @escaping () -> LogbookStatusReply) {
    self.status = status
  }

  func answer(_ request: Request, from asker: Asker) throws(Refusal) -> Answer {
    switch try LogbookCall(request) {
    case .ping: return .done
    case .status: return .reply(status())
    default: throw Refusal(.internal, "\(request.method) is not available")
    }
  }

  func ended(_ client: Client) {}
}
