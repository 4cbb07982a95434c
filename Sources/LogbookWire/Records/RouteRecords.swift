// Routes, segments, and efforts on a segment.

package import Time
package import Wire

package struct RouteRecord: WireObject {
  package var id = 0
  package var name = ""
  package var distanceM: Double?
  package var ascentM: Double?
  package var descentM: Double?
  package var points: Int?
  /// Turn instructions.
  package var cues: Int?
  package var added: WallTime?

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("id", &id)
    members.needed("name", &name)
    members.member("distance_m", &distanceM)
    members.member("ascent_m", &ascentM)
    members.member("descent_m", &descentM)
    members.member("points", &points)
    members.member("cues", &cues)
    members.member("added", &added)
  }
}

/// The content of a `route` transfer as JSON.
package struct RouteDocument: WireObject {
  package var route = RouteRecord()
  package var points: [TrackPoint] = []
  package var cues: [RouteCueRecord] = []

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("route", &route)
    members.needed("points", &points)
    members.member("cues", &cues, unless: [])
  }
}

/// A turn instruction.
package struct RouteCueRecord: WireObject {
  package var distanceM = 0.0
  /// Such as `left`.
  package var kind = ""
  package var text: String?

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("distance_m", &distanceM)
    members.needed("kind", &kind)
    members.member("text", &text)
  }
}

package struct SegmentRecord: WireObject {
  package var id = 0
  package var name = ""
  package var distanceM: Double?
  package var ascentM: Double?
  package var efforts: Int?
  /// The shortest time.
  package var bestTimeS: Double?

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("id", &id)
    members.needed("name", &name)
    members.member("distance_m", &distanceM)
    members.member("ascent_m", &ascentM)
    members.member("efforts", &efforts)
    members.member("best_time_s", &bestTimeS)
  }
}

package struct EffortRecord: WireObject {
  package var segment = 0
  package var activity = 0
  /// Since the start of the activity.
  package var startS = 0.0
  package var start: WallTime?
  package var timeS = 0.0
  /// The length of the segment by the time.
  package var speedAvgMps: Double?
  package var powerAvgW: Double?
  package var bpmAvg: Double?

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("segment", &segment)
    members.needed("activity", &activity)
    members.needed("start_s", &startS)
    members.member("start", &start)
    members.needed("time_s", &timeS)
    members.member("speed_avg_mps", &speedAvgMps)
    members.member("power_avg_w", &powerAvgW)
    members.member("bpm_avg", &bpmAvg)
  }
}
