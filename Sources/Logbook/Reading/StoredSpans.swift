// Laps and events of an activity. Of an edited one, they are those of the recordings that it shows,
// as far as they lie within its spans.

import JSON
import LogbookWire
import SQLite

struct StoredSpans {
  struct Lap: Equatable {
    var number: Int
    var startMS: Int64
    var endMS: Int64
    var cause: String?
    var totals: String?
  }

  struct Event {
    var atMS: Int64
    var kind: String
    var data: JSONValue
  }

  /// The end of a lap within an edited activity.
  struct Boundary: Equatable {
    var atMS: Int64
    var trigger: LapTrigger
  }

  let spans: [ActivitySpan]
  private let database: Database

  init(_ activity: StoredActivity, in database: Database) {
    (spans, self.database) = (activity.shownSpans, database)
  }

  /// At most `limit` events, in the order of time. `kinds`: a condition on the column `kind`.
  func events(_ condition: String, limit: Int) throws(SQLiteError) -> [Event] {
    let rows = try database.prepare(
      """
      SELECT at_ms, kind, data FROM event
      WHERE activity = ?1 AND at_ms >= ?2 AND at_ms < ?3 AND \(condition) ORDER BY at_ms, n LIMIT ?4
      """)
    var events: [Event] = []
    for span in spans {
      try rows.bind(1, span.activity)
      try rows.bind(2, span.fromMS)
      try rows.bind(3, span.toMS ?? .max)
      try rows.bind(4, limit - events.count)
      while try rows.step() {
        let data = rows.text(2).flatMap { try? JSONValue.parse($0) } ?? .object([])
        events.append(
          Event(atMS: rows.integer(0) - span.fromMS + span.atMS, kind: rows.text(1) ?? "", data: data))
      }
    }
    return events
  }

  /// The laps in the table, which are those of activities that were not edited.
  static func laps(of activity: Int64, after: Int, limit: Int, in database: Database) throws(SQLiteError) -> [Lap] {
    let rows = try database.prepare(
      "SELECT n, start_ms, end_ms, cause, totals FROM lap WHERE activity = ?1 AND n > ?2 ORDER BY n LIMIT ?3")
    try rows.bind(1, activity)
    try rows.bind(2, after)
    try rows.bind(3, limit)
    var laps: [Lap] = []
    while try rows.step() {
      laps.append(
        Lap(
          number: Int(rows.integer(0)), startMS: rows.integer(1), endMS: rows.integer(2), cause: rows.text(3),
          totals: rows.text(4)))
    }
    return laps
  }

  /// Where laps end within an edited activity, its own end excluded.
  func boundaries() throws(SQLiteError) -> [Boundary] {
    var boundaries: [Boundary] = []
    for (index, span) in spans.enumerated() {
      if index > 0 { boundaries.append(Boundary(atMS: span.atMS, trigger: .split)) }
      for lap in try Self.laps(of: span.activity, after: 0, limit: 5000, in: database)
      where lap.endMS > span.fromMS && lap.endMS < span.toMS ?? .max && lap.cause != LapTrigger.end.rawValue {
        boundaries.append(
          Boundary(
            atMS: lap.endMS - span.fromMS + span.atMS,
            trigger: lap.cause.flatMap(LapTrigger.init(rawValue:)) ?? .manual))
      }
    }
    return boundaries.sorted { $0.atMS < $1.atMS }
  }

  /// What holes, stops and restarts explain. Times are those of the activity that is shown.
  func gapCauses() throws(SQLiteError) -> [GapFinder.Cause] {
    try events("kind IN ('hole', 'damaged', 'file_stop')", limit: 5000).map { event in
      if event.kind == "file_stop" { return .init(fromMS: event.atMS, toMS: event.atMS, reason: .pause) }
      // Samples that the daemon dropped are counted; seconds that were not stored have ends.
      guard let from = event.data["from_ms"]?.integer, let to = event.data["to_ms"]?.integer else {
        return .init(fromMS: event.atMS, toMS: event.atMS, reason: .lag)
      }
      return .init(
        fromMS: event.atMS, toMS: event.atMS + Int64(clamping: max(0, to - from)),
        reason: event.kind == "damaged" ? .damaged : .storage)
    }
  }
}
