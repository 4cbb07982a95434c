// The connection to the guide, on guide.sock.

import CyclometerClient
import GuideWire
import Wire

struct GuideSession {
  /// The guide waits up to 10 s for the recorder.
  private static let limit = Duration.seconds(15)
  private let service: ServiceSession

  init(_ session: Session) throws(Failure) {
    do throws(ClientError) {
      self = try GuideSession(session.endpoint)
    } catch {
      throw Failure(guide: error)
    }
  }

  init(_ endpoint: Endpoint) throws(ClientError) {
    service = try ServiceSession("guide", at: endpoint.guideSocket, limit: Self.limit)
  }

  func ask<Asked: GuideRequest>(_ request: Asked) throws(Failure) -> Received<Asked.Reply> {
    do throws(ClientError) {
      return try answer(to: request)
    } catch {
      throw Failure(guide: error)
    }
  }

  func answer<Asked: GuideRequest>(to request: Asked) throws(ClientError) -> Received<Asked.Reply> {
    try service.answer(to: Asked.method.rawValue) { $0.request(RequestID(1), request) }
  }
}

extension Failure {
  fileprivate init(guide error: ClientError) {
    switch error {
    case .noDaemon:
      self.init(
        .failed, error.ofGuide,
        advice: ["It is in the package cyclometer-guide. 'cyclo doctor' says why it does not run"])
    case .timeout: self.init(.timeout, error.ofGuide)
    case .closed: self.init(.failed, error.ofGuide)
    case .refused("no_such_activity", let message):
      self.init(.failed, message, advice: ["'cyclo route list' shows the routes"])
    default: self.init(error)
    }
  }
}
