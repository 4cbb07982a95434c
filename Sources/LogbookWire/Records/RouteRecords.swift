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
  /// The shortest time in the activity of the request. Nil without an effort in it.
  package var activityTimeS: Double?

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("id", &id)
    members.needed("name", &name)
    members.member("distance_m", &distanceM)
    members.member("ascent_m", &ascentM)
    members.member("efforts", &efforts)
    members.member("best_time_s", &bestTimeS)
    members.member("activity_time_s", &activityTimeS)
  }
}

package struct EffortRecord: WireObject {
  package var segment = 0
  package var activity = 0
  /// Since the start of the activity.
  package var startS = 0.0
  package var start: WallTime?
  package var utcOffsetS: Int?
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
    members.member("utc_offset_s", &utcOffsetS)
    members.needed("time_s", &timeS)
    members.member("speed_avg_mps", &speedAvgMps)
    members.member("power_avg_w", &powerAvgW)
    members.member("bpm_avg", &bpmAvg)
  }
}

/// A part of an activity that was ridden several times in the same direction.
package struct SegmentProposalRecord: WireObject {
  package var activity = 0
  /// Since the start of the activity, as the next one.
  package var fromS = 0.0
  package var toS = 0.0
  package var distanceM = 0.0
  /// How often it was ridden.
  package var times = 0

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("activity", &activity)
    members.needed("from_s", &fromS)
    members.needed("to_s", &toS)
    members.needed("distance_m", &distanceM)
    members.needed("times", &times)
  }
}

/// The content of a `segment` transfer.
package struct SegmentDocument: WireObject {
  package var segment = SegmentRecord()
  package var points: [TrackPoint] = []
  /// The fastest one. Nil without any, as the next one.
  package var best: EffortDetailRecord?
  package var last: EffortDetailRecord?

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("segment", &segment)
    members.needed("points", &points)
    members.member("best", &best)
    members.member("last", &last)
  }
}

/// An effort, and when it was where.
package struct EffortDetailRecord: WireObject {
  package var effort = EffortRecord()
  /// From the start of the segment. Empty if they are unknown.
  package var distancesM: [Double] = []
  /// Since the start of the effort, at these distances.
  package var timesS: [Double] = []

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("effort", &effort)
    members.member("distances_m", &distancesM, unless: [])
    members.member("times_s", &timesS, unless: [])
  }
}
