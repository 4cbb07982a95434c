// Why a request gets no further than the gate, as a sentence for the screen and as an answer.

public import HTTP

public struct AccessRefusal: Error, Equatable, Sendable {
  public let status: HTTPStatus
  /// A sentence without a full stop.
  public let reason: String
  /// With `methodNotAllowed`: what the path allows.
  let allowed: [HTTPMethod]
  /// After how many seconds it is worth another try.
  let retrySeconds: Int?

  init(_ status: HTTPStatus, _ reason: String, allowed: [HTTPMethod] = [], retrySeconds: Int? = nil) {
    self.status = status
    self.reason = reason
    self.allowed = allowed
    self.retrySeconds = retrySeconds
  }

  public var response: HTTPResponse {
    var response = HTTPResponse(HTTPRefusal(status, reason))
    if !allowed.isEmpty { response.set("Allow", allowed.map(\.rawValue).joined(separator: ", ")) }
    if let retrySeconds { response.set("Retry-After", String(retrySeconds)) }
    return response
  }
}
