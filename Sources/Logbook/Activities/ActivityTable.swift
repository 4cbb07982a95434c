// Reads and writes rows of the table `activity`. Requests and the recording use it; what they do to
// rows is theirs.

import LogbookWire
package import SQLite

package final class ActivityTable {
  package let database: Database
  private let insertion: Statement
  private let replacement: Statement
  private let search: Statement
  private let staleInsertion: Statement
  private let settlement: Statement

  private static let columnNames = [
    "uuid", "ride_id", "state", "source", "sport", "name", "note", "bike", "rider", "sort_ms", "start_utc_ms",
    "utc_source", "utc_offset_s", "start_ms", "end_ms", "ride_s", "moving_s", "distance_m", "ascent_m", "work_j",
    "energy_kcal", "stress", "totals", "detail", "spans", "origin", "joined_into", "exported", "version",
    "deleted_utc_ms", "source_hash", "base_spans",
  ]
  private static let columns = columnNames.joined(separator: ", ")
  private static let columnCount: Int32 = 32
  /// Begins a query whose rows `row` reads.
  package static let selection = "SELECT id, \(columns) FROM activity"
  /// The same without what only `show` and exports need. Long texts lie on pages of their own.
  static let summarySelection = "SELECT id, \(summaryColumns) FROM activity"
  private static let summaryColumns = columnNames.map { $0 == "rider" || $0 == "detail" ? "NULL" : $0 }
    .joined(separator: ", ")

  package init(_ database: Database) throws(SQLiteError) {
    self.database = database
    let marks = (1...Self.columnCount + 1).map { "?\($0)" }.joined(separator: ", ")
    insertion = try database.prepare(
      "INSERT INTO activity(\(Self.columns), search, id) VALUES(\(marks), ?\(Self.columnCount + 2))")
    replacement = try database.prepare(
      "UPDATE activity SET (\(Self.columns), search) = (\(marks)) WHERE id = ?\(Self.columnCount + 2)")
    search = try database.prepare(Self.selection + " WHERE id = ?1")
    staleInsertion = try database.prepare("INSERT OR IGNORE INTO stale_totals(activity) VALUES(?1)")
    settlement = try database.prepare("DELETE FROM stale_totals WHERE activity = ?1")
  }

  /// Returns the id: the given one or else the next one.
  package func insert(_ activity: StoredActivity, id: Int64? = nil) throws(SQLiteError) -> Int64 {
    try bind(activity, to: insertion)
    try insertion.bind(Self.columnCount + 2, id)
    try insertion.step()
    return database.lastInsertedRow
  }

  package func replace(_ activity: StoredActivity) throws(SQLiteError) {
    try bind(activity, to: replacement)
    try replacement.bind(Self.columnCount + 2, activity.id)
    try replacement.step()
  }

  package func find(_ id: Int64) throws(SQLiteError) -> StoredActivity? {
    try search.bind(1, id)
    guard try search.step() else { return nil }
    defer { search.reset() }
    return Self.row(search)
  }

  /// Until `TotalsWork` stores new ones, also after a crash.
  package func markTotalsStale(of id: Int64) throws(SQLiteError) {
    try staleInsertion.bind(1, id)
    try staleInsertion.step()
  }

  /// The activities whose totals were not computed after an edit or a merge.
  package static func staleTotals(in database: Database) throws(SQLiteError) -> [Int64] {
    let rows = try database.prepare("SELECT activity FROM stale_totals ORDER BY activity")
    var ids: [Int64] = []
    while try rows.step() { ids.append(rows.integer(0)) }
    return ids
  }

  func didStoreTotals(of id: Int64) throws(SQLiteError) {
    try settlement.bind(1, id)
    try settlement.step()
  }

  /// The rows of a query that begins with `selection`.
  package func all(_ statement: Statement) throws(SQLiteError) -> [StoredActivity] {
    var rows: [StoredActivity] = []
    while try statement.step() { rows.append(Self.row(statement)) }
    return rows
  }

  package static func row(_ statement: Statement) -> StoredActivity {
    var row = StoredActivity()
    row.id = statement.integer(0)
    row.uuid = statement.blob(1)
    row.rideID = statement.text(2)
    row.state = statement.text(3).flatMap(StoredActivity.State.init) ?? .complete
    row.source = statement.text(4).flatMap { .init(rawValue: $0) } ?? .recorded
    row.sport = statement.text(5) ?? ""
    (row.name, row.note, row.bike) = (statement.text(6), statement.text(7), statement.text(8))
    row.rider = statement.text(9)
    (row.sortMS, row.startUTCMS) = (statement.integer(10), statement.optionalInteger(11))
    (row.utcSource, row.utcOffsetS) = (statement.text(12), statement.optionalInteger(13).map(Int.init))
    (row.startMS, row.endMS) = (statement.integer(14), statement.integer(15))
    // The columns 16 to 22 repeat numbers of the totals.
    row.totals = StoredTotals(text: statement.text(23))
    row.detail = statement.text(24)
    row.spans = statement.text(25).flatMap(ActivitySpan.spans)
    (row.origin, row.joinedInto) = (statement.optionalInteger(26), statement.optionalInteger(27))
    row.isExported = statement.integer(28) != 0
    row.version = Int(statement.integer(29))
    row.deletedUTCMS = statement.optionalInteger(30)
    row.sourceHash = statement.isNull(31) ? nil : statement.blob(31)
    row.baseSpans = statement.text(32).flatMap(ActivitySpan.spans)
    return row
  }

  private func bind(_ row: StoredActivity, to statement: Statement) throws(SQLiteError) {
    let effort = row.totals.effort
    try statement.bind(1, row.uuid.span)
    try statement.bind(2, row.rideID)
    try statement.bind(3, row.state.rawValue)
    try statement.bind(4, row.source.rawValue)
    try statement.bind(5, row.sport)
    try statement.bind(6, row.name)
    try statement.bind(7, row.note)
    try statement.bind(8, row.bike)
    try statement.bind(9, row.rider)
    try statement.bind(10, row.sortMS)
    try statement.bind(11, row.startUTCMS)
    try statement.bind(12, row.utcSource)
    try statement.bind(13, row.utcOffsetS)
    try statement.bind(14, row.startMS)
    try statement.bind(15, row.endMS)
    try statement.bind(16, row.totals.rideTimeS)
    try statement.bind(17, effort.movingTimeS)
    try statement.bind(18, effort.distanceM)
    try statement.bind(19, effort.ascentM)
    try statement.bind(20, effort.workJ)
    try statement.bind(21, effort.energyKcal)
    try statement.bind(22, row.totals.trainingStressScore)
    try statement.bind(23, row.totals.text)
    try statement.bind(24, row.detail)
    try statement.bind(25, row.spans.map(ActivitySpan.text))
    try statement.bind(26, row.origin)
    try statement.bind(27, row.joinedInto)
    try statement.bind(28, row.isExported ? 1 : 0)
    try statement.bind(29, row.version)
    try statement.bind(30, row.deletedUTCMS)
    if let hash = row.sourceHash { try statement.bind(31, hash.span) } else { try statement.bindNull(31) }
    try statement.bind(32, row.baseSpans.map(ActivitySpan.text))
    try statement.bind(33, SearchText.of(row))
  }
}
