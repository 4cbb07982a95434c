// Reads the efforts on a segment, some hundred at a time: there can be thousands. Those of activities
// that are not in the list are left out.

import SQLite

final class EffortRows {
  struct Row: Equatable {
    var effort: StoredEffort
    /// Of the activity.
    var sortMS: Int64
    var startUTCMS: Int64?
    var utcOffsetS: Int?
  }

  private static let portion = 500
  private let rows: Statement
  private let segment: Int64
  private var last: (activity: Int64, startMS: Int64) = (.min, .min)

  init(of segment: Int64, in database: Database) throws(SQLiteError) {
    self.segment = segment
    rows = try database.prepare(
      """
      SELECT effort.activity, effort.start_ms, effort.end_ms, power_w, bpm, sort_ms, start_utc_ms,
        utc_offset_s, \(ActivityCatalogue.isShown)
      FROM effort JOIN activity ON activity.id = effort.activity
      WHERE segment = ?1 AND (effort.activity, effort.start_ms) > (?2, ?3)
      ORDER BY effort.activity, effort.start_ms LIMIT ?4
      """)
  }

  /// Returns whether there are more.
  func read(_ body: (Row) -> Void) throws(SQLiteError) -> Bool {
    try rows.bind(1, segment)
    try rows.bind(2, last.activity)
    try rows.bind(3, last.startMS)
    try rows.bind(4, Self.portion)
    var count = 0
    while try rows.step() {
      count += 1
      last = (rows.integer(0), rows.integer(1))
      guard rows.integer(8) != 0 else { continue }
      var effort = StoredEffort(
        segment: segment, activity: last.activity, startMS: last.startMS, endMS: rows.integer(2))
      (effort.powerW, effort.bpm) = (rows.number(3), rows.number(4))
      body(
        Row(
          effort: effort, sortMS: rows.integer(5), startUTCMS: rows.optionalInteger(6),
          utcOffsetS: rows.optionalInteger(7).map(Int.init)))
    }
    return count == Self.portion
  }
}
