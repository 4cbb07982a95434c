// Reads a few numbers of many activities, some at a time. A query that spans several slices
// would read a snapshot that grows old, and keep the log from being overwritten.

import LogbookWire
import SQLite
import Time

final class ActivityScan {
  private let rows: Statement
  private let rowsPerStep: Int
  private let (from, to, sport): (WallTime?, WallTime?, String?)
  private var last: (sortMS: Int64, id: Int64) = (.max, .max)

  /// Of the activities in the list: their columns follow `sort_ms` and `id`.
  init(
    _ columns: String, from: WallTime? = nil, to: WallTime? = nil, sport: String? = nil, rowsPerStep: Int,
    in database: Database
  ) throws(SQLiteError) {
    (self.from, self.to, self.sport, self.rowsPerStep) = (from, to, sport, rowsPerStep)
    rows = try database.prepare(
      """
      SELECT sort_ms, id, \(columns) FROM activity
      WHERE \(ActivityCatalogue.isShown) AND \(ActivityCatalogue.isWithin) AND (sort_ms, id) < (?6, ?7)
      ORDER BY sort_ms DESC, id DESC LIMIT ?8
      """)
  }

  /// Calls `body` for the next rows, the newest first. Returns false after the last one.
  func read(_ body: (Statement) -> Void) throws(SQLiteError) -> Bool {
    try ActivityCatalogue.bind(rows, from: from, to: to, sport: sport)
    try rows.bind(6, last.sortMS)
    try rows.bind(7, last.id)
    try rows.bind(8, rowsPerStep)
    var count = 0
    while try rows.step() {
      count += 1
      last = (rows.integer(0), rows.integer(1))
      body(rows)
    }
    return count == rowsPerStep
  }
}

/// What queries select besides the columns of the table.
enum ActivityColumns {
  /// The local time of the start in milliseconds, without the date's zone; NULL if it is unknown.
  static let localStart = "start_utc_ms + start_ms + coalesce(utc_offset_s, 0) * 1000"
  static let movingTime = "coalesce(moving_s, ride_s, (end_ms - start_ms) / 1000.0)"
  static let trainingLoad = member("training_load", of: "totals")
  /// Entries by hand have none of their own.
  static let averageSpeed = """
    coalesce(\(member("speed_avg_mps", of: "totals")), distance_m / nullif(\(movingTime), 0))
    """
  /// As JSON.
  static let powerCurve = "iif(json_valid(detail), detail -> '$.power_curve', NULL)"

  private static func member(_ name: String, of column: String) -> String {
    "iif(json_valid(\(column)), \(column) ->> '$.\(name)', NULL)"
  }
}
