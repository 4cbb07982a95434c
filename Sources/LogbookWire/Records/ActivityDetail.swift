// The reply to `show`: an activity with all that is known about it, but the curves.

package import JSON
package import Wire

package struct ActivityDetail: WireObject {
  package var activity = ActivityRecord()
  /// Time in each heart-rate zone; the first is below zone 1.
  package var zoneTimesS: [Double] = []
  /// The lower ends of the heart-rate zones.
  package var zoneFloorsBpm: [Double] = []
  package var powerZoneTimesS: [Double] = []
  package var powerCurve: [BestPower] = []
  package var gaps: [ActivityGap] = []
  /// At most 200.
  package var events: [ActivityEventRecord] = []
  package var sensors: [ActivitySensor] = []
  /// Whether there are more gaps or events than fit into a line.
  package var isShortened = false

  package init() {}

  package mutating func visit(_ members: inout Members) {
    activity.visit(&members)
    members.member("zone_times_s", &zoneTimesS, unless: [])
    members.member("zone_floors_bpm", &zoneFloorsBpm, unless: [])
    members.member("power_zone_times_s", &powerZoneTimesS, unless: [])
    members.member("power_curve", &powerCurve, unless: [])
    members.member("gaps", &gaps, unless: [])
    members.member("events", &events, unless: [])
    members.member("sensors", &sensors, unless: [])
    members.member("shortened", &isShortened, unless: false)
  }
}

/// The best average power over a duration.
package struct BestPower: WireObject {
  package var durationS = 0
  package var powerW = 0.0

  package init() {}

  package init(durationS: Int, powerW: Double) { (self.durationS, self.powerW) = (durationS, powerW) }

  package mutating func visit(_ members: inout Members) {
    members.needed("duration_s", &durationS)
    members.needed("power_w", &powerW)
  }
}

package enum GapReason: String, CaseIterable, Sendable {
  /// The rider's pause, no power for the recorder, samples that the daemon dropped, full or failed
  /// storage, and bytes that can no longer be read.
  case pause, interrupted, lag, storage, damaged
}

/// A time without samples.
package struct ActivityGap: WireObject {
  /// Since the start of the activity.
  package var fromS = 0.0
  package var toS = 0.0
  package var reason: WireWord<GapReason>?

  package init() {}

  package init(fromS: Double, toS: Double, _ reason: GapReason) {
    (self.fromS, self.toS) = (fromS, toS)
    self.reason = WireWord(reason)
  }

  package mutating func visit(_ members: inout Members) {
    members.needed("from_s", &fromS)
    members.needed("to_s", &toS)
    members.member("reason", &reason)
  }
}

/// What happened during an activity: pauses, states of sensors, batteries, clocks.
package struct ActivityEventRecord: WireObject {
  /// Since the start of the activity.
  package var atS = 0.0
  package var event = ""
  package var sensor: String?
  package private(set) var details: [JSONValue.Member] = []

  package init() {}

  package init(atS: Double, event: String, sensor: String? = nil, details: [JSONValue.Member] = []) {
    (self.atS, self.event, self.sensor, self.details) = (atS, event, sensor, details)
  }

  package mutating func visit(_ members: inout Members) {
    members.needed("at_s", &atS)
    members.needed("event", &event)
    members.member("sensor", &sensor)
    members.others(&details)
  }
}

/// A sensor whose samples an activity has.
package struct ActivitySensor: WireObject {
  package var sensor = ""
  package var name: String?
  package var kinds: [String] = []
  /// At the end.
  package var batteryPct: Double?
  package var facts = JSONValue.object([])

  package init() {}

  package mutating func visit(_ members: inout Members) {
    members.needed("sensor", &sensor)
    members.member("name", &name)
    members.member("kinds", &kinds)
    members.member("battery_pct", &batteryPct)
    members.member("facts", &facts, unless: .object([]))
  }
}
