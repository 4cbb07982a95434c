// The sensors whose samples an activity has: their kinds, names and facts, and the last charge of
// their batteries, which `TotalsWork` found.

import JSON
import LogbookWire
import SQLite

struct StoredSensors {
  /// In the order in which they began to send.
  private(set) var sensors: [ActivitySensor] = []

  private static let derived = ["ride", "file"]

  init(_ activity: StoredActivity, _ batteries: [StoredBattery], in database: Database) throws(SQLiteError) {
    let rows = try database.prepare(
      "SELECT sensor, kind, name, facts FROM stream WHERE activity = ?1 ORDER BY n")
    var activities: Set<Int64> = []
    for span in activity.shownSpans where activities.insert(span.activity).inserted {
      try rows.bind(1, span.activity)
      while try rows.step() { add(rows) }
    }
    for battery in batteries {
      guard let place = sensors.firstIndex(where: { $0.sensor == battery.sensor }) else { continue }
      sensors[place].batteryPct = battery.chargePct
    }
  }

  private mutating func add(_ row: Statement) {
    guard let id = Self.text(row.text(0)), let kind = Self.text(row.text(1)), !Self.derived.contains(id) else { return }
    let place: Int
    if let found = sensors.firstIndex(where: { $0.sensor == id }) {
      place = found
    } else {
      var sensor = ActivitySensor()
      sensor.sensor = id
      place = sensors.count
      sensors.append(sensor)
    }
    if !sensors[place].kinds.contains(kind) { sensors[place].kinds.append(kind) }
    if let name = row.text(2) { sensors[place].name = name }
    if let facts = row.text(3).flatMap({ try? JSONValue.parse($0) }), facts.members != nil {
      sensors[place].batteryPct = facts["battery_pct"]?.number ?? sensors[place].batteryPct
      sensors[place].facts = .object((facts.members ?? []).filter { $0.name != "battery_pct" })
    }
  }

  private static func text(_ json: String?) -> String? { json.flatMap { try? JSONValue.parse($0) }?.text }
}
