// Answers `show` and `laps`, at once: what they need is stored with the activity, or small.

import JSON
package import LogbookWire
package import SQLite
package import Wire

package struct ActivityDetails {
  private static let mostEvents = 200
  private static let lapsPerPage = 100
  /// Of the line, so that the rest of the reply fits as well.
  private static let mostBytes = 60_000

  private let database: Database

  package init(_ database: Database) throws(SQLiteError) { self.database = database }

  package func show(_ id: Int) throws(Refusal) -> ActivityDetail {
    let activity = try StoredActivity.requested(id, in: database)
    let derived = StoredDetail(text: activity.detail).derived
    var detail = ActivityDetail()
    detail.activity = activity.record
    detail.zoneTimesS = derived.zones.heartRateS
    detail.zoneFloorsBpm = derived.zones.floorsBpm
    detail.powerZoneTimesS = derived.zones.powerS
    detail.powerCurve = derived.powerCurve
    detail.gaps = derived.gaps
    let events = try Refusal.storage { () throws(SQLiteError) in
      try StoredSpans(activity, in: database).events(
        "kind NOT IN ('file_start', 'file_stop', 'file_event')", limit: Self.mostEvents + 1)
    }
    detail.events = events.prefix(Self.mostEvents).map(ActivityEventRecord.init)
    detail.isShortened = derived.isShortened || events.count > Self.mostEvents
    detail.sensors = try Refusal.storage { () throws(SQLiteError) in
      try StoredSensors(activity, derived.batteries, in: database).sensors
    }
    shorten(&detail)
    return detail
  }

  /// Leaves out the last events, and then gaps, until the reply fits into a line.
  private func shorten(_ detail: inout ActivityDetail) {
    while true {
      var writer = JSONWriter()
      detail.write(into: &writer)
      guard writer.bytes.count > Self.mostBytes, detail.events.count + detail.gaps.count > 0 else { return }
      if detail.events.isEmpty {
        detail.gaps.removeLast((detail.gaps.count + 1) / 2)
      } else {
        detail.events.removeLast((detail.events.count + 1) / 2)
      }
      detail.isShortened = true
    }
  }

  package func laps(_ request: LapsRequest) throws(Refusal) -> ActivityLapsReply {
    let activity = try StoredActivity.requested(request.id, in: database)
    let after = request.after ?? 0
    var found: [ActivityLapRecord]
    if activity.spans != nil {
      let all = StoredDetail(text: activity.detail).derived.laps
      found = Array(all.filter { $0.lap > after }.prefix(Self.lapsPerPage + 1))
    } else {
      found = try Refusal.storage { () throws(SQLiteError) in
        try StoredSpans.laps(of: activity.id, after: after, limit: Self.lapsPerPage + 1, in: database)
      }.map(ActivityLapRecord.init)
    }
    var reply = ActivityLapsReply()
    reply.hasMore = found.count > Self.lapsPerPage
    reply.laps = Array(found.prefix(Self.lapsPerPage))
    return reply
  }
}

extension ActivityLapRecord {
  fileprivate init(_ lap: StoredSpans.Lap) {
    self.init()
    self.lap = lap.number
    startS = Double(lap.startMS) / 1000
    let totals = LapTotals(text: lap.totals)
    lapTimeS = totals.lapTimeS ?? Double(max(0, lap.endMS - lap.startMS)) / 1000
    trigger = lap.cause.flatMap(LapTrigger.init(rawValue:)).map { WireWord($0) }
    self.totals = totals.effort
  }
}

extension ActivityEventRecord {
  fileprivate init(_ event: StoredSpans.Event) {
    let members = event.data.members ?? []
    self.init(
      atS: Double(event.atMS) / 1000, event: event.kind, sensor: event.data["sensor"]?.text,
      details: members.filter { !["sensor", "event", "at_s", "from_ms", "to_ms"].contains($0.name) })
  }
}
