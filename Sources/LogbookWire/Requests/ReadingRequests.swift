// Requests that read activities.

package import Time

package struct ListRequest: LogbookRequest {
  package typealias Reply = ActivitiesReply
  package static let method = LogbookMethod.list
  /// The id of the last activity of the previous page.
  package var before: Int?
  package var limit: Int?
  package var sport: String?
  /// Starts at this time or later.
  package var from: WallTime?
  /// Starts before this time.
  package var to: WallTime?
  /// In the name or the note, in any case.
  package var text: String?
  /// The deleted ones instead of the others.
  package var deleted = false

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.id("before", &before)
    members.whole("limit", &limit, in: RequestLimits.page)
    members.sport("sport", &sport)
    members.time("from", &from)
    members.time("to", &to)
    members.text("text", &text, atMost: RequestLimits.name)
    members.flag("deleted", &deleted)
  }
}

package struct ShowRequest: LogbookRequest {
  package typealias Reply = ActivityDetail
  package static let method = LogbookMethod.show
  package var id = 0

  package init() {}
  package init(id: Int) { self.id = id }

  package mutating func visit(_ members: inout RequestMembers) {
    members.needed(id: "id", &id)
  }
}

package struct LapsRequest: LogbookRequest {
  package typealias Reply = ActivityLapsReply
  package static let method = LogbookMethod.laps
  package var id = 0
  /// The number of the last lap of the previous page.
  package var after: Int?

  package init() {}

  package init(id: Int, after: Int? = nil) {
    self.id = id
    self.after = after
  }

  package mutating func visit(_ members: inout RequestMembers) {
    members.needed(id: "id", &id)
    members.id("after", &after)
  }
}

/// Replied to with a transfer of a `SeriesDocument`.
package struct SeriesRequest: LogbookRequest {
  package typealias Reply = TransferReply
  package static let method = LogbookMethod.series
  package var id = 0
  /// Nil for every field there is.
  package var fields: [String]?
  /// Nil for the sensor that is believed.
  package var sensor: String?
  package var points: Int?
  package var fromS: Double?
  package var toS: Double?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.needed(id: "id", &id)
    members.names("fields", &fields)
    members.text("sensor", &sensor, atMost: RequestLimits.name)
    members.span(points: &points, from: &fromS, to: &toS)
  }
}

/// Replied to with a transfer of a `TrackDocument`.
package struct TrackRequest: LogbookRequest {
  package typealias Reply = TransferReply
  package static let method = LogbookMethod.track
  package var id = 0
  package var sensor: String?
  package var points: Int?
  package var fromS: Double?
  package var toS: Double?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.needed(id: "id", &id)
    members.text("sensor", &sensor, atMost: RequestLimits.name)
    members.span(points: &points, from: &fromS, to: &toS)
  }
}

extension RequestMembers {
  fileprivate mutating func span(points: inout Int?, from: inout Double?, to: inout Double?) {
    whole("points", &points, in: RequestLimits.points)
    number("from_s", &from, in: RequestLimits.seconds)
    number("to_s", &to, in: RequestLimits.seconds)
    require((from ?? 0) < (to ?? .infinity), "from_s is less than to_s")
  }
}

package enum StatisticsPeriod: String, CaseIterable, Sendable {
  case day, week, month, year
}

/// The day that weeks begin on.
package enum WeekStart: String, CaseIterable, Sendable {
  case monday, sunday
}

package struct StatisticsRequest: LogbookRequest {
  package typealias Reply = StatisticsReply
  package static let method = LogbookMethod.stats
  package var by = StatisticsPeriod.week
  /// Nil for Monday.
  package var weekStart: WeekStart?
  /// The last period of the previous page.
  package var beforePeriod: String?
  package var sport: String?
  package var from: WallTime?
  package var to: WallTime?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.needed(word: "by", &by)
    members.word("week_start", &weekStart)
    members.text("before_period", &beforePeriod, atMost: RequestLimits.period)
    members.sport("sport", &sport)
    members.time("from", &from)
    members.time("to", &to)
  }
}

/// The days from that of `from` to the one before `to`.
package struct FitnessRequest: LogbookRequest {
  package typealias Reply = FitnessReply
  package static let method = LogbookMethod.fitness
  /// Nil for all sports.
  package var sport: String?
  package var from: WallTime?
  package var to: WallTime?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.sport("sport", &sport)
    members.time("from", &from)
    members.time("to", &to)
  }
}

package struct RecordsRequest: LogbookRequest {
  package typealias Reply = RecordsReply
  package static let method = LogbookMethod.records
  package var sport: String?
  /// Of the weeks of streaks; nil for Monday.
  package var weekStart: WeekStart?
  package var from: WallTime?
  package var to: WallTime?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.sport("sport", &sport)
    members.word("week_start", &weekStart)
    members.time("from", &from)
    members.time("to", &to)
  }
}
