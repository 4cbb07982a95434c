// How requests are answered: with JSON, with a sentence, or with nothing.

import HTTP
import HTTPServing
import JSON
import WebAccess

extension HTTPResponse {
  static func json(_ status: HTTPStatus = .ok, _ write: (inout JSONWriter) -> Void) -> HTTPResponse {
    var writer = JSONWriter()
    write(&writer)
    return json(status, bytes: writer.bytes)
  }

  static func json(_ status: HTTPStatus = .ok, bytes: [UInt8]) -> HTTPResponse {
    HTTPResponse(status, .bytes(bytes)).setting("Content-Type", "application/json").uncached
  }

  /// A proxy must not wait until it has collected more.
  static let eventStream = HTTPResponse(.ok, .stream).setting("Content-Type", "text/event-stream")
    .setting("X-Accel-Buffering", "no").uncached.securing()

  /// Browsers must not keep it.
  var uncached: HTTPResponse { setting("Cache-Control", "no-store") }
}

extension HTTPExchange {
  /// Every answer has the fields that restrict what browsers do with it.
  func reply(_ response: HTTPResponse) { answer(response.securing()) }

  func refuse(_ status: HTTPStatus, _ reason: String) { refuse(HTTPRefusal(status, reason)) }

  func refuse(_ refusal: HTTPRefusal) { reply(HTTPResponse(refusal).uncached) }

  /// The body as a JSON object. If it is none, the request is refused and the result nil.
  func object() -> JSONValue? {
    if let json = try? JSONValue.parse(request.body), json.members != nil { return json }
    refuse(.badRequest, "the body has to be a JSON object")
    return nil
  }
}
