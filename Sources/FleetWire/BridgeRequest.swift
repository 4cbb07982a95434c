// The requests of mqtt.sock, with their parameters and their reply.

package import JSON
package import LogbookWire
package import Wire

package enum BridgeMethod: String, CaseIterable, Sendable {
  case status, subscribe, unsubscribe, ping
}

package protocol BridgeRequest: RequestParameters {
  associatedtype Reply: WireObject
  static var method: BridgeMethod { get }
}

extension JSONWriter {
  /// Writes a request as a client sends it, without the line feed.
  package mutating func request<Asked: BridgeRequest>(_ id: RequestID, _ request: Asked) {
    beginObject()
    member("id", id)
    member("method", Asked.method.rawValue)
    member("params")
    request.writeParameters(into: &self)
    endObject()
  }
}

/// A request with its typed parameters, as the bridge executes it.
package enum BridgeCall: Equatable, Sendable {
  case status, unsubscribe, ping
  case subscribe(WallRequest)

  /// Refuses an unknown method, and parameters of the wrong type.
  package init(_ request: Request) throws(Refusal) {
    guard let method = BridgeMethod(rawValue: request.method) else {
      throw Refusal(.unknownMethod, "no method is called \(String(request.method.prefix(64)))")
    }
    switch method {
    case .status:
      _ = try BridgeStatusRequest(request.params)
      self = .status
    case .subscribe: self = .subscribe(try WallRequest(request.params))
    case .unsubscribe:
      _ = try WallEndRequest(request.params)
      self = .unsubscribe
    case .ping:
      _ = try BridgePingRequest(request.params)
      self = .ping
    }
  }
}

package struct BridgeStatusRequest: BridgeRequest {
  package typealias Reply = BridgeStatusReply
  package static let method = BridgeMethod.status

  package init() {}
  package mutating func visit(_ members: inout RequestMembers) {}
}

package struct BridgePingRequest: BridgeRequest {
  package typealias Reply = EmptyReply
  package static let method = BridgeMethod.ping

  package init() {}
  package mutating func visit(_ members: inout RequestMembers) {}
}

/// What other receivers publish, for a bridge with `Groups=`.
package struct WallRequest: BridgeRequest {
  package typealias Reply = EmptyReply
  package static let method = BridgeMethod.subscribe
  /// How often a value is wanted, per second.
  package static let rates = 0.1...4.0

  /// Nil for all groups of the configuration.
  package var groups: [String]?
  /// The kinds of samples; nil for all.
  package var kinds: [String]?
  /// Nil for once a second.
  package var hz: Double?

  package init() {}
  package init(groups: [String]?, kinds: [String]? = nil, hz: Double? = nil) {
    (self.groups, self.kinds, self.hz) = (groups, kinds, hz)
  }

  package mutating func visit(_ members: inout RequestMembers) {
    members.names("groups", &groups)
    members.names("kinds", &kinds)
    members.number("hz", &hz, in: Self.rates)
  }
}

package struct WallEndRequest: BridgeRequest {
  package typealias Reply = EmptyReply
  package static let method = BridgeMethod.unsubscribe

  package init() {}
  package mutating func visit(_ members: inout RequestMembers) {}
}
