// How refusals and absences of the recorder are answered.

import CyclometerClient
import HTTP
import Wire

extension HTTPRefusal {
  init(_ error: ClientError) {
    switch error {
    case .refused(let code, let message): self.init(Self.status(ErrorCode(rawValue: code)), message)
    case .noDaemon, .closed: self.init(.unavailable, "no recorder answers: rides are not recorded")
    case .notAllowed: self.init(.unavailable, "the dashboard may not use the logbook")
    case .timeout: self.init(.unavailable, "the recorder did not answer in time")
    case .notUnderstood(let what): self.init(.unavailable, what)
    case .system(let error): self.init(.unavailable, "the recorder cannot be asked: \(error)")
    }
  }

  private static func status(_ code: ErrorCode?) -> HTTPStatus {
    switch code {
    case .badRequest, .badJSON, .badFile: .badRequest
    case .noSuchActivity: .notFound
    case .duplicate, .dateUnknown, .busy: .conflict
    case .changed: .preconditionFailed
    case .lineTooLong: .contentTooLarge
    case .internal: .internalError
    default: .unavailable
    }
  }
}
