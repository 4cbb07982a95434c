// Answers the requests of web.sock.

import HTTP
import JSON
import Serving
import WebAccess
import Wire

final class WebRequests: RequestHandler {
  private enum Method: String {
    case link, phones, revoke, status, ping, maps
    case addMap = "map_add"
    case putMap = "map_put"
    case removeMap = "map_remove"
  }

  private let phones: PhoneRequests
  private let maps: MapRequests
  private let writeStatus: (inout JSONWriter) -> Void

  init(_ phones: PhoneRequests, _ maps: MapRequests, writeStatus: @escaping (inout JSONWriter) -> Void) {
    (self.phones, self.maps, self.writeStatus) = (phones, maps, writeStatus)
  }

  func ended(_ client: Client) {}

  func answer(_ request: Request, from asker: Asker) throws(Refusal) -> Answer {
    guard let method = Method(rawValue: request.method) else {
      throw Refusal(.unknownMethod, "no method is called \(String(request.method.prefix(64)))")
    }
    guard request.params == .null || request.params.members != nil else {
      throw Refusal(.badRequest, "params is an object")
    }
    switch method {
    case .link: return try link(request.params)
    case .phones: return list()
    case .revoke: return try revoke(request.params)
    case .status: return .result(writeStatus)
    case .ping: return .done
    case .maps: return maps.list()
    case .addMap: return try maps.add(request.params, asker)
    case .putMap: return try maps.put(request.params, asker)
    case .removeMap: return try maps.remove(request.params)
    }
  }

  private func link(_ parameters: JSONValue) throws(Refusal) -> Answer {
    let wanted = Self.given(parameters, "right") ?? .string(Right.ride.rawValue)
    guard let right = wanted.text.flatMap(Right.init) else {
      let names = Right.allCases.map(\.rawValue).joined(separator: ", ")
      throw Refusal(.badRequest, "right is one of \(names)")
    }
    let name = Self.given(parameters, "name")
    guard name == nil || name?.text != nil else { throw Refusal(.badRequest, "name is a string") }
    let link = try translating { () throws(AccessRefusal) in try phones.makeLink(name?.text, right) }
    return .result { link.write(into: &$0) }
  }

  private func list() -> Answer {
    .result { [phones] writer in
      writer.beginObject()
      writer.member("phones")
      writer.beginArray()
      for phone in phones.all { phone.write(into: &writer) }
      writer.endArray()
      writer.endObject()
    }
  }

  private func revoke(_ parameters: JSONValue) throws(Refusal) -> Answer {
    if Self.given(parameters, "all")?.bool == true {
      return Self.revoked(try translating { () throws(AccessRefusal) in try phones.revokeAll() })
    }
    guard let id = Self.given(parameters, "id")?.integer else {
      throw Refusal(.badRequest, "id is missing: the number of a phone")
    }
    try translating { () throws(AccessRefusal) in try phones.revoke(id) }
    return Self.revoked(1)
  }

  private static func revoked(_ count: Int) -> Answer {
    .result { writer in
      writer.beginObject()
      writer.member("revoked", count)
      writer.endObject()
    }
  }

  /// Null means omitted.
  private static func given(_ parameters: JSONValue, _ name: String) -> JSONValue? {
    parameters[name].flatMap { $0 == .null ? nil : $0 }
  }

  private func translating<Value>(_ body: () throws(AccessRefusal) -> Value) throws(Refusal) -> Value {
    do throws(AccessRefusal) {
      return try body()
    } catch {
      throw Refusal(error.code, error.reason)
    }
  }
}

extension AccessRefusal {
  fileprivate var code: ErrorCode {
    switch status {
    case .notFound: .noSuchPhone
    case .conflict: .limitReached
    case .internalError: .storage
    default: .badRequest
    }
  }
}
