// Everything of an activity that a file has apart from its points: header, sensors, events, laps,
// zones and totals. It is read at the start of an export, and small.

import ActivityFiles
import Logbook
import LogbookWire
import SQLite
import Time
import Wire

struct ActivityFrame {
  /// A device or an event, which comes after the point of that second.
  struct Other {
    let after: Int
    let item: ActivityItem
  }

  var header: ActivityHeader
  /// In the order of their places.
  var others: [Other] = []
  var zones: [ActivityZones] = []
  var summary: ActivitySummary
  /// If they have to be found on the way: files that were imported have their own.
  let needsPositions: Bool

  private static let mostEvents = 20_000

  /// `devices` are those of a recording.
  init(_ row: StoredActivity, start: WallTime?, devices: [ActivityDevice], in database: Database) throws(SQLiteError) {
    let kept = row.spans == nil && row.origin == nil ? KeptFile.inDetail(row.detail) : nil
    needsPositions = kept == nil
    summary = Self.summary(of: row, kept)
    header = Self.header(of: row, start: start, kept)
    let laps = try Self.laps(of: row, isKept: kept != nil, in: database)
    header.laps = laps.isEmpty ? [ActivityLap(index: 0, trigger: .end, summary: summary)] : laps
    if let kept {
      zones = kept.zones.map(\.zones)
      others = kept.devices.map { Other(after: $0.after, item: .device($0.device)) }
      others += try Self.keptEvents(of: row.id, in: database)
    } else {
      zones = Self.zones(of: row)
      others = devices.map { Other(after: $0.t == 0 ? -1 : $0.t, item: .device($0)) }
      others += try TimerEvents.events(of: row, in: database).map { event in
        if case .start = event.kind { return Other(after: event.t - 1, item: .event(event)) }
        return Other(after: event.t, item: .event(event))
      }
    }
    // Stable: devices come before the events of the same place.
    others = others.enumerated().sorted { ($0.element.after, $0.offset) < ($1.element.after, $1.offset) }.map(\.element)
  }

  private static func header(of row: StoredActivity, start: WallTime?, _ kept: KeptFile?) -> ActivityHeader {
    var header = ActivityHeader(start: start)
    header.utcOffset = row.utcOffsetS
    (header.name, header.note) = (row.name, row.note)
    let codes = kept.flatMap { $0.sport == row.sport ? $0.codes : nil } ?? SportCodes(word: row.sport)
    (header.sport, header.subSport) = (codes.sport, codes.subSport)
    if let kept {
      header.recorder = kept.recorder.label
      header.rider = kept.rider?.rider
      header.hasBarometer = kept.hasBarometer
    } else {
      header.recorder = .cyclometer
    }
    return header
  }

  private static func summary(of row: StoredActivity, _ kept: KeptFile?) -> ActivitySummary {
    var summary = ActivitySummary(start: 0, elapsed: Double(row.endMS - row.startMS) / 1000)
    if let known = kept?.summary?.summary {
      summary = known
    } else {
      row.totals.write(into: &summary.values)
    }
    if kept?.sport != row.sport {
      let codes = SportCodes(word: row.sport)
      (summary.sport, summary.subSport) = (codes.sport, codes.subSport)
    }
    summary.utcOffset = row.utcOffsetS
    return summary
  }

  private static func laps(
    of row: StoredActivity, isKept: Bool, in database: Database
  ) throws(SQLiteError) -> [ActivityLap] {
    guard row.spans == nil else { return StoredDetail(text: row.detail).derived.laps.map(ActivityLap.init) }
    let rows = try database.prepare(
      "SELECT start_ms, end_ms, cause, totals, detail FROM lap WHERE activity = ?1 ORDER BY n")
    try rows.bind(1, row.id)
    var laps: [ActivityLap] = []
    while try rows.step() {
      if isKept, let kept = KeptLap(text: rows.text(4)) {
        laps.append(kept.lap)
        continue
      }
      let (start, end) = (rows.integer(0), rows.integer(1))
      var summary = ActivitySummary(start: Int(start.rounded(to: 1000)), elapsed: Double(end - start) / 1000)
      let totals = LapTotals(text: rows.text(3))
      totals.effort.write(into: &summary.values)
      summary[.timerTime] = totals.lapTimeS
      let trigger = rows.text(2).flatMap(LapTrigger.init).map(ActivityLap.Trigger.init) ?? .manual
      laps.append(ActivityLap(index: laps.count, trigger: trigger, summary: summary))
    }
    return laps
  }

  private static func zones(of row: StoredActivity) -> [ActivityZones] {
    let times = StoredDetail(text: row.detail).derived.zones
    guard !times.heartRateS.isEmpty || !times.powerS.isEmpty else { return [] }
    var zones = ActivityZones(span: .activity)
    if !times.heartRateS.isEmpty {
      zones.heartRate = ActivityZones.Times(seconds: times.heartRateS, upperBounds: times.floorsBpm)
    }
    if !times.powerS.isEmpty { zones.power = ActivityZones.Times(seconds: times.powerS, upperBounds: []) }
    return [zones]
  }

  private static func keptEvents(of activity: Int64, in database: Database) throws(SQLiteError) -> [Other] {
    let rows = try database.prepare(
      "SELECT at_ms, kind, data FROM event WHERE activity = ?1 ORDER BY at_ms, n LIMIT \(mostEvents)")
    try rows.bind(1, activity)
    var events: [Other] = []
    while try rows.step() {
      guard let kept = rows.text(1).flatMap({ KeptEvent(kind: $0, data: rows.text(2)) }),
        let event = kept.event(at: Int(rows.integer(0) / 1000))
      else { continue }
      events.append(Other(after: kept.after, item: .event(event)))
    }
    return events
  }
}

extension DeviceLabel {
  /// The same for every release, so that a file stays the same when it is exported again.
  fileprivate static var cyclometer: DeviceLabel {
    var label = DeviceLabel(name: "Cyclometer")
    (label.manufacturer, label.product) = (255, 0)
    return label
  }
}

extension ActivityLap {
  /// A lap of an edited activity.
  fileprivate init(_ lap: ActivityLapRecord) {
    var summary = ActivitySummary(start: Int(lap.startS.rounded()), elapsed: lap.lapTimeS ?? 0)
    lap.totals.write(into: &summary.values)
    summary[.timerTime] = lap.lapTimeS
    self.init(index: lap.lap - 1, trigger: lap.trigger?.known.map(Trigger.init) ?? .manual, summary: summary)
  }
}

extension ActivityLap.Trigger {
  fileprivate init(_ trigger: LapTrigger) {
    self =
      switch trigger {
      case .distance: .distance
      case .time: .time
      case .position: .position
      case .end: .end
      case .manual, .file, .split: .manual
      }
  }
}

extension Int64 {
  /// In units of that size.
  func rounded(to unit: Int64) -> Int64 { (self + unit / 2) / unit }
}
