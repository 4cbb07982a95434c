// The replies of methods that answer with more than an activity.

package import Wire

package enum StorageState: String, CaseIterable, Sendable {
  case ok, low, failed
}

package struct LogbookStatusReply: WireObject {
  package var release: String?
  /// The activity that is being recorded.
  package var recording: Int?
  /// Whether samples can arrive: the recorder is connected to the daemon.
  package var isConnected = false
  package var storage = WireWord<StorageState>()
  /// What is wrong with the storage.
  package var message: String?
  /// How long a ride could be until the storage is full.
  package var hoursLeft: Double?
  /// 99 of 100 commits reach the storage within this time.
  package var syncP99MS: Double?
  package var activities = 0
  /// The last recorded activity, if it was interrupted.
  package var interrupted: Int?
  /// The folder of automatic exports; nil without any.
  package var exportFolder: String?
  /// Why the last export failed.
  package var exportMessage: String?
  /// What was salvaged of a damaged logbook.
  package var damage: String?
  /// The logbook of a newer release that was moved aside.
  package var newer: String?

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.member("release", &release)
    members.member("recording", &recording)
    members.member("connected", &isConnected)
    members.needed("storage", &storage)
    members.member("message", &message)
    members.member("hours_left", &hoursLeft)
    members.member("sync_p99_ms", &syncP99MS)
    members.needed("activities", &activities)
    members.member("interrupted", &interrupted)
    members.member("export_folder", &exportFolder)
    members.member("export_message", &exportMessage)
    members.member("damage", &damage)
    members.member("newer", &newer)
  }
}

package struct ActivitiesReply: WireObject {
  /// The newest first.
  package var activities: [ActivityRecord] = []
  /// Whether older ones follow: ask again with `before`.
  package var hasMore = false

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("activities", &activities)
    members.member("more", &hasMore, unless: false)
  }
}

package struct ActivityLapsReply: WireObject {
  package var laps: [ActivityLapRecord] = []
  /// Whether later ones follow: ask again with `after`.
  package var hasMore = false

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("laps", &laps)
    members.member("more", &hasMore, unless: false)
  }
}

/// The totals of a day, a week, a month or a year.
package struct StatisticsRow: WireObject {
  /// Such as `2026-05-03`, `2026-W18`, `2026-05` or `2026`.
  package var period = ""
  package var activities = 0
  package var movingTimeS = 0.0
  /// Nil if no activity has one, as the next five.
  package var distanceM: Double?
  package var ascentM: Double?
  package var workJ: Double?
  package var energyKcal: Double?
  package var trainingStressScore: Double?
  package var trainingLoad: Double?
  /// How many activities have no training load.
  package var withoutLoad = 0

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("period", &period)
    members.needed("activities", &activities)
    members.needed("moving_time_s", &movingTimeS)
    members.member("distance_m", &distanceM)
    members.member("ascent_m", &ascentM)
    members.member("work_j", &workJ)
    members.member("energy_kcal", &energyKcal)
    members.member("training_stress_score", &trainingStressScore)
    members.member("training_load", &trainingLoad)
    members.member("without_load", &withoutLoad, unless: 0)
  }
}

package struct StatisticsReply: WireObject {
  /// The newest first. Periods without an activity are omitted.
  package var rows: [StatisticsRow] = []
  package var hasMore = false

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("rows", &rows)
    members.member("more", &hasMore, unless: false)
  }
}

package struct RoutesReply: WireObject {
  package var routes: [RouteRecord] = []
  package var hasMore = false

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("routes", &routes)
    members.member("more", &hasMore, unless: false)
  }
}

package struct SegmentsReply: WireObject {
  package var segments: [SegmentRecord] = []
  package var hasMore = false

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("segments", &segments)
    members.member("more", &hasMore, unless: false)
  }
}

package struct SegmentProposalsReply: WireObject {
  /// In the order of the activity.
  package var proposals: [SegmentProposalRecord] = []

  package init() {}

  package mutating func visit(_ members: inout Members) { members.needed("proposals", &proposals) }
}

package struct EffortsReply: WireObject {
  /// The newest first.
  package var efforts: [EffortRecord] = []
  package var hasMore = false

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("efforts", &efforts)
    members.member("more", &hasMore, unless: false)
  }
}
