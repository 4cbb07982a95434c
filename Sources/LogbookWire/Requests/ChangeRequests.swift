// Requests that change activities. None of them changes a recorded second. `if_version` refuses the
// request, with `changed`, if the activity has changed meanwhile.

package import Time

/// An activity that no sensor recorded.
package struct AddRequest: LogbookRequest {
  package typealias Reply = ActivityRecord
  package static let method = LogbookMethod.add
  package var sport = ""
  package var start = WallTime(seconds: 0)
  /// Local time minus UTC.
  package var utcOffsetS: Int?
  package var elapsedTimeS = 0.0
  package var values = HandValues()
  package var name: String?
  package var note: String?
  package var bike: String?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.needed(sport: "sport", &sport)
    members.needed(time: "start", &start)
    members.whole("utc_offset_s", &utcOffsetS, in: -64_800...64_800)
    members.needed(number: "elapsed_time_s", &elapsedTimeS, in: RequestLimits.seconds)
    values.visit(&members)
    members.text("name", &name, atMost: RequestLimits.name)
    members.text("note", &note)
    members.text("bike", &bike, atMost: RequestLimits.name)
  }
}

/// What the rider can know without a sensor.
package struct HandValues: Equatable, Sendable {
  package var distanceM: Double?
  package var ascentM: Double?
  package var energyKcal: Double?
  package var bpmAvg: Double?

  package init() {}

  package var isEmpty: Bool { self == HandValues() }

  package mutating func visit(_ members: inout RequestMembers) {
    members.number("distance_m", &distanceM, in: 0...1e8)
    members.number("ascent_m", &ascentM, in: 0...1e5)
    members.number("energy_kcal", &energyKcal, in: 0...1e5)
    members.number("bpm_avg", &bpmAvg, in: 1...300)
  }
}

/// Changes what is given. An empty text clears it. The duration and the values can be changed only
/// if the activity was added by hand.
package struct EditRequest: LogbookRequest {
  package typealias Reply = ActivityRecord
  package static let method = LogbookMethod.edit
  package var id = 0
  package var ifVersion: Int?
  package var name: String?
  package var note: String?
  package var bike: String?
  package var sport: String?
  package var start: WallTime?
  package var utcOffsetS: Int?
  package var elapsedTimeS: Double?
  package var values = HandValues()

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.changed(&id, &ifVersion)
    members.text("name", &name, atMost: RequestLimits.name)
    members.text("note", &note)
    members.text("bike", &bike, atMost: RequestLimits.name)
    members.sport("sport", &sport)
    members.time("start", &start)
    members.whole("utc_offset_s", &utcOffsetS, in: -64_800...64_800)
    members.number("elapsed_time_s", &elapsedTimeS, in: RequestLimits.seconds)
    values.visit(&members)
  }
}

/// Shows only a part of the recording.
package struct CropRequest: LogbookRequest {
  package typealias Reply = ActivityRecord
  package static let method = LogbookMethod.crop
  package var id = 0
  package var ifVersion: Int?
  /// Since the start of the activity as it is now.
  package var fromS: Double?
  package var toS: Double?

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.changed(&id, &ifVersion)
    members.number("from_s", &fromS, in: RequestLimits.seconds)
    members.number("to_s", &toS, in: RequestLimits.seconds)
    members.require(fromS != nil || toS != nil, "from_s or to_s is missing: a number of seconds")
    members.require((fromS ?? 0) < (toS ?? .infinity), "from_s is less than to_s")
  }
}

/// The reply has both parts.
package struct SplitRequest: LogbookRequest {
  package typealias Reply = ActivitiesReply
  package static let method = LogbookMethod.split
  package var id = 0
  package var ifVersion: Int?
  /// Since the start of the activity as it is now.
  package var atS = 0.0

  package init() {}

  package mutating func visit(_ members: inout RequestMembers) {
    members.changed(&id, &ifVersion)
    members.needed(number: "at_s", &atS, in: RequestLimits.seconds)
    members.require(atS > 0, "at_s is above 0")
  }
}

/// Makes one activity of several: the first in time shows them all.
package struct JoinRequest: LogbookRequest {
  package typealias Reply = ActivityRecord
  package static let method = LogbookMethod.join
  package var ids: [Int] = []

  package init() {}
  package init(ids: [Int]) { self.ids = ids }

  package mutating func visit(_ members: inout RequestMembers) {
    members.needed(ids: "ids", &ids, atMost: RequestLimits.joined)
  }
}

/// Undoes crop, split and join.
package struct RevertRequest: LogbookRequest {
  package typealias Reply = ActivityRecord
  package static let method = LogbookMethod.revert
  package var id = 0
  package var ifVersion: Int?

  package init() {}

  package init(id: Int, ifVersion: Int? = nil) {
    self.id = id
    self.ifVersion = ifVersion
  }

  package mutating func visit(_ members: inout RequestMembers) {
    members.changed(&id, &ifVersion)
  }
}

/// It can be restored for 30 days.
package struct DeleteRequest: LogbookRequest {
  package typealias Reply = ActivityRecord
  package static let method = LogbookMethod.delete
  package var id = 0
  package var ifVersion: Int?

  package init() {}

  package init(id: Int, ifVersion: Int? = nil) {
    self.id = id
    self.ifVersion = ifVersion
  }

  package mutating func visit(_ members: inout RequestMembers) {
    members.changed(&id, &ifVersion)
  }
}

package struct RestoreRequest: LogbookRequest {
  package typealias Reply = ActivityRecord
  package static let method = LogbookMethod.restore
  package var id = 0

  package init() {}
  package init(id: Int) { self.id = id }

  package mutating func visit(_ members: inout RequestMembers) {
    members.needed(id: "id", &id)
  }
}

extension RequestMembers {
  fileprivate mutating func changed(_ id: inout Int, _ ifVersion: inout Int?) {
    needed(id: "id", &id)
    self.id("if_version", &ifVersion)
  }
}
