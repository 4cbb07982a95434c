// The connection to the bridge, on mqtt.sock.

import CyclometerClient
import FleetWire
import Wire

struct BridgeSession {
  private static let limit = Duration.seconds(10)
  private let service: ServiceSession

  init(_ endpoint: Endpoint) throws(ClientError) {
    service = try ServiceSession("bridge", at: endpoint.bridgeSocket, limit: Self.limit)
  }

  func answer<Asked: BridgeRequest>(to request: Asked) throws(ClientError) -> Received<Asked.Reply> {
    try service.answer(to: Asked.method.rawValue) { $0.request(RequestID(1), request) }
  }
}

extension Failure {
  init(bridge error: ClientError) {
    switch error {
    case .noDaemon:
      self.init(
        .failed, error.of("bridge"),
        advice: [
          "Start it: sudo systemctl start cyclometer-mqtt", "Install it: sudo apt install cyclometer-mqtt",
        ])
    case .timeout: self.init(.timeout, error.of("bridge"))
    case .closed: self.init(.failed, error.of("bridge"))
    default: self.init(error)
    }
  }
}
