// Answers the requests of mqtt.sock.

import FleetWire
import Serving
import Wire

final class BridgeRequests: RequestHandler {
  private let status: () -> BridgeStatusReply
  /// Nil without `Groups=`.
  private let wall: () -> Wall?

  init(status: @escaping () -> BridgeStatusReply, wall: @escaping () -> Wall?) {
    (self.status, self.wall) = (status, wall)
  }

  func answer(_ request: Request, from asker: Asker) throws(Refusal) -> Answer {
    switch try BridgeCall(request) {
    case .status: return .reply(status())
    case .ping: return .done
    case .subscribe(let request):
      guard let client = asker.client else { return .later }
      guard let wall = wall() else {
        throw Refusal(.notSupported, "this bridge reads no other receivers; set Groups= of [Wall] in mqtt.conf")
      }
      return try wall.subscribe(request, client)
    case .unsubscribe:
      if let client = asker.client { wall()?.unsubscribe(client) }
      return .done
    }
  }

  func ended(_ client: Client) {}
}
