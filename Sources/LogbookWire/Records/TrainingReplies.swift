// The replies of `fitness` and `records`.

package import Time
package import Wire

/// A day of the local calendar.
package struct FitnessRow: WireObject {
  /// Such as `2026-05-03`.
  package var day = ""
  package var trainingLoad = 0.0
  package var fitness = 0.0
  package var fatigue = 0.0
  package var form = 0.0

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("day", &day)
    members.needed("training_load", &trainingLoad)
    members.needed("fitness", &fitness)
    members.needed("fatigue", &fatigue)
    members.needed("form", &form)
  }
}

package struct FitnessReply: WireObject {
  /// The newest first, without a gap.
  package var rows: [FitnessRow] = []
  /// Of these days.
  package var activities = 0
  /// How many of them have no training load.
  package var withoutLoad = 0
  package var hasMore = false

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("rows", &rows)
    members.needed("activities", &activities)
    members.needed("without_load", &withoutLoad)
    members.member("more", &hasMore, unless: false)
  }
}

/// An activity that holds a record, with the number that is the record.
package struct ActivityBest: WireObject {
  package var activity = 0
  package var start: WallTime?
  package var utcOffsetS: Int?
  package var movingTimeS: Double?
  package var distanceM: Double?
  package var speedAvgMps: Double?
  package var ascentM: Double?

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("activity", &activity)
    members.member("start", &start)
    members.member("utc_offset_s", &utcOffsetS)
    members.member("moving_time_s", &movingTimeS)
    members.member("distance_m", &distanceM)
    members.member("speed_avg_mps", &speedAvgMps)
    members.member("ascent_m", &ascentM)
  }
}

package struct PowerBest: WireObject {
  package var durationS = 0
  package var powerW = 0.0
  package var activity = 0
  package var start: WallTime?
  package var utcOffsetS: Int?

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("duration_s", &durationS)
    members.needed("power_w", &powerW)
    members.needed("activity", &activity)
    members.member("start", &start)
    members.member("utc_offset_s", &utcOffsetS)
  }
}

package struct SportRecords: WireObject {
  package var sport = ""
  package var activities = 0
  package var longest: ActivityBest?
  package var farthest: ActivityBest?
  package var fastest: ActivityBest?
  package var mostAscent: ActivityBest?
  package var bestPowers: [PowerBest] = []

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("sport", &sport)
    members.needed("activities", &activities)
    members.member("longest", &longest)
    members.member("farthest", &farthest)
    members.member("fastest", &fastest)
    members.member("most_ascent", &mostAscent)
    members.member("best_powers", &bestPowers, unless: [])
  }
}

/// Days or weeks in a row that had an activity.
package struct StreakRecord: WireObject {
  /// 0 if it ended.
  package var current = 0
  package var longest = 0
  /// The first and the last day of the longest.
  package var from = ""
  package var to = ""

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("current", &current)
    members.needed("longest", &longest)
    members.needed("from", &from)
    members.needed("to", &to)
  }
}

package struct StreaksRecord: WireObject {
  package var days = StreakRecord()
  package var weeks = StreakRecord()

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("days", &days)
    members.needed("weeks", &weeks)
  }
}

package struct RecordsReply: WireObject {
  /// The one with the most activities first.
  package var sports: [SportRecords] = []
  /// Nil without an activity of a known date.
  package var streaks: StreaksRecord?
  package var hasMore = false

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("sports", &sports)
    members.member("streaks", &streaks)
    members.member("more", &hasMore, unless: false)
  }
}
