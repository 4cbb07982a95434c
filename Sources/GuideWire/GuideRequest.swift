// The requests of guide.sock. Those that other sockets have too, such as `subscribe`, are the
// daemon's. The others are declared here, with their parameters and their reply.

package import JSON
package import LogbookWire
package import Wire

package enum GuideMethod: String, CaseIterable, Sendable {
  case status, follow, leave, coach
  case subscribe, unsubscribe, poll, ping
}

package protocol GuideRequest: RequestParameters {
  associatedtype Reply: WireObject
  static var method: GuideMethod { get }
}

extension JSONWriter {
  /// Writes a request as a client sends it, without the line feed.
  package mutating func request<Asked: GuideRequest>(_ id: RequestID, _ request: Asked) {
    beginObject()
    member("id", id)
    member("method", Asked.method.rawValue)
    member("params")
    request.writeParameters(into: &self)
    endObject()
  }
}

/// A request with its typed parameters, as the guide executes it.
package enum GuideCall: Equatable, Sendable {
  case status, leave, unsubscribe, ping
  case follow(FollowRequest)
  case coach(CoachRequest)
  case subscribe(Filter)
  case poll(Filter)

  /// Refuses an unknown method, and parameters that are missing or have the wrong type.
  package init(_ request: Request) throws(Refusal) {
    guard let method = GuideMethod(rawValue: request.method) else {
      throw Refusal(.unknownMethod, "no method is called \(String(request.method.prefix(64)))")
    }
    switch method {
    case .status:
      _ = try GuideStatusRequest(request.params)
      self = .status
    case .leave:
      _ = try LeaveRequest(request.params)
      self = .leave
    case .follow: self = .follow(try FollowRequest(request.params))
    case .coach: self = .coach(try CoachRequest(request.params))
    case .subscribe, .unsubscribe, .poll, .ping: self = try Self.shared(request.call())
    }
  }

  private static func shared(_ call: Call) throws(Refusal) -> GuideCall {
    switch call {
    case .subscribe(let filter): return .subscribe(filter)
    case .poll(let filter): return .poll(filter)
    case .unsubscribe: return .unsubscribe
    case .ping: return .ping
    default: throw Refusal(.unknownMethod, "\(call.method.rawValue) is a method of the daemon")
    }
  }
}

// MARK: Requests

package struct GuideStatusRequest: GuideRequest {
  package typealias Reply = GuideStatusReply
  package static let method = GuideMethod.status

  package init() {}
  package mutating func visit(_ members: inout RequestMembers) {}
}

/// Follows a route of the logbook, from its start.
package struct FollowRequest: GuideRequest {
  package typealias Reply = FollowedRoute
  package static let method = GuideMethod.follow
  package var route = 0

  package init() {}
  package init(route: Int) { self.route = route }

  package mutating func visit(_ members: inout RequestMembers) { members.needed(id: "route", &route) }
}

package struct LeaveRequest: GuideRequest {
  package typealias Reply = EmptyReply
  package static let method = GuideMethod.leave

  package init() {}
  package mutating func visit(_ members: inout RequestMembers) {}
}

/// Changes the coach. Without parameters, the request only reads.
package struct CoachRequest: GuideRequest {
  package typealias Reply = CoachSettings
  package static let method = GuideMethod.coach
  package var sport: CoachSport?
  package var targetRpm: Double?
  package var preferencePerMin: Double?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.word("sport", &sport)
    members.number("target_rpm", &targetRpm, in: CoachSettings.targets)
    members.number("preference_per_min", &preferencePerMin, in: CoachSettings.preferences)
  }
}
