// An activity of the logbook (ACTIVITY in the protocol), and the laps of one. Values that are not
// known are omitted.

package import Time
package import Wire

package enum ActivityState: String, CaseIterable, Sendable {
  case recording, complete, interrupted
}

package enum ActivitySource: String, CaseIterable, Sendable {
  case recorded, fit, gpx, tcx, json, hand
}

/// The numbers that activities and laps have in common.
package struct EffortTotals: WireObject {
  package var movingTimeS: Double?
  package var distanceM: Double?
  package var ascentM: Double?
  package var descentM: Double?
  package var workJ: Double?
  package var energyKcal: Double?
  package var coastingTimeS: Double?
  package var speedAvgMps: Double?
  package var speedMaxMps: Double?
  package var cadenceAvgRpm: Double?
  package var cadenceMaxRpm: Double?
  package var powerAvgW: Double?
  package var powerMaxW: Double?
  package var normalizedPowerW: Double?
  package var bpmAvg: Double?
  package var bpmMax: Double?
  package var balanceAvgPct: Double?

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.member("moving_time_s", &movingTimeS)
    members.member("distance_m", &distanceM)
    members.member("ascent_m", &ascentM)
    members.member("descent_m", &descentM)
    members.member("work_j", &workJ)
    members.member("energy_kcal", &energyKcal)
    members.member("coasting_time_s", &coastingTimeS)
    members.member("speed_avg_mps", &speedAvgMps)
    members.member("speed_max_mps", &speedMaxMps)
    members.member("cadence_avg_rpm", &cadenceAvgRpm)
    members.member("cadence_max_rpm", &cadenceMaxRpm)
    members.member("power_avg_w", &powerAvgW)
    members.member("power_max_w", &powerMaxW)
    members.member("normalized_power_w", &normalizedPowerW)
    members.member("bpm_avg", &bpmAvg)
    members.member("bpm_max", &bpmMax)
    members.member("balance_avg_pct", &balanceAvgPct)
  }
}

/// ACTIVITY: the summary.
package struct ActivityRecord: WireObject {
  package var id = 0
  /// Counts the changes, for `if_version`.
  package var version = 1
  package var state = WireWord<ActivityState>()
  package var source: WireWord<ActivitySource>?
  package var sport: String?
  package var name: String?
  package var note: String?
  package var bike: String?
  /// Nil while the date is unknown.
  package var start: WallTime?
  /// Local time minus UTC at the start.
  package var utcOffsetS: Int?
  /// From the first second to the last, pauses included.
  package var elapsedTimeS: Double?
  /// Without pauses by hand.
  package var rideTimeS: Double?
  package var totals = EffortTotals()
  package var carsPassed: Int?
  package var intensityFactor: Double?
  package var trainingStressScore: Double?
  package var heartRateLoad: Double?
  /// The training stress score, or the load from heart rate on the same scale.
  package var trainingLoad: Double?
  /// How many laps.
  package var laps: Int?
  /// Whether `track` has positions.
  package var hasTrack = false
  /// Whether crop, split or join changed what is shown of the recording.
  package var isEdited = false
  /// When it was deleted, if it was.
  package var deleted: WallTime?

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("id", &id)
    members.needed("version", &version)
    members.needed("state", &state)
    members.member("source", &source)
    members.member("sport", &sport)
    members.member("name", &name)
    members.member("note", &note)
    members.member("bike", &bike)
    members.member("start", &start)
    members.member("utc_offset_s", &utcOffsetS)
    members.member("elapsed_time_s", &elapsedTimeS)
    members.member("ride_time_s", &rideTimeS)
    totals.visit(&members)
    members.member("cars_passed", &carsPassed)
    members.member("intensity_factor", &intensityFactor)
    members.member("training_stress_score", &trainingStressScore)
    members.member("heart_rate_load", &heartRateLoad)
    members.member("training_load", &trainingLoad)
    members.member("laps", &laps)
    members.member("track", &hasTrack, unless: false)
    members.member("edited", &isEdited, unless: false)
    members.member("deleted", &deleted)
  }
}

package enum LapTrigger: String, CaseIterable, Sendable {
  /// `manual` is the rider's button, `split` an edit, and `end` the end of the activity.
  case manual, distance, time, position, file, split, end
}

/// LAP: a lap of an activity.
package struct ActivityLapRecord: WireObject {
  /// Counted from 1.
  package var lap = 0
  /// Since the start of the activity.
  package var startS = 0.0
  package var lapTimeS: Double?
  package var trigger: WireWord<LapTrigger>?
  package var totals = EffortTotals()

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("lap", &lap)
    members.needed("start_s", &startS)
    members.member("lap_time_s", &lapTimeS)
    members.member("trigger", &trigger)
    totals.visit(&members)
  }
}
