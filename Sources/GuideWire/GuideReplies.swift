// The replies of guide.sock, and the kinds of its samples.

package import JSON
package import Wire

package enum GuideKinds {
  package static let all = ["route", "segment", "coach"]
}

package enum CoachSport: String, CaseIterable, Sendable {
  case off, running, cycling
}

package struct CoachSettings: WireObject {
  /// Turns of the crank per minute.
  package static let targets = 30.0...150.0
  /// Steps per minute.
  package static let preferences = -10.0...10.0

  package var sport = WireWord(CoachSport.off)
  /// What a cyclist aims at.
  package var targetRpm: Double?
  /// What a runner prefers to the formula, in steps per minute more.
  package var preferencePerMin = 0.0

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("sport", &sport)
    members.member("target_rpm", &targetRpm)
    members.member("preference_per_min", &preferencePerMin)
  }
}

/// A route that is followed.
package struct FollowedRoute: WireObject {
  package var route = 0
  /// Nil until the recorder has sent it.
  package var name: String?
  package var distanceM: Double?
  package var points: Int?
  package var cues: Int?
  package var climbs: Int?

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("route", &route)
    members.member("name", &name)
    members.member("distance_m", &distanceM)
    members.member("points", &points)
    members.member("cues", &cues)
    members.member("climbs", &climbs)
  }
}

package struct GuideStatusReply: WireObject {
  package var release: String?
  /// Whether positions can arrive: the guide is connected to the daemon.
  package var isConnected = false
  /// Nil if no route is followed.
  package var following: FollowedRoute?
  /// Why the route could not be read yet.
  package var message: String?
  /// Why routes cannot be read now. Nil if the recorder can be asked.
  package var logbookMessage: String?
  /// How many segments are recognized.
  package var segments = 0
  package var coach = CoachSettings()
  /// The rider's, which corrects the target of a runner.
  package var heightM: Double?

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.member("release", &release)
    members.member("connected", &isConnected)
    members.member("following", &following)
    members.member("message", &message)
    members.member("logbook_message", &logbookMessage)
    members.member("segments", &segments)
    members.member("coach", &coach)
    members.member("height_m", &heightM)
  }
}

/// What `status` would reply, for every subscriber when it has changed.
package struct GuideStatusRecord: Record {
  package static let className = "guide"
  package let status: GuideStatusReply

  package init(_ status: GuideStatusReply) { self.status = status }

  package init?(_ json: JSONValue) {
    guard let status = GuideStatusReply(json) else { return nil }
    self.status = status
  }

  package func writeMembers(into writer: inout JSONWriter) { status.writeMembers(into: &writer) }
}
