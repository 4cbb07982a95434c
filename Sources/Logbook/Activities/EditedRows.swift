// The rows that edits read and write: parts that splits made, and activities that were joined.

import SQLite

final class EditedRows {
  private let table: ActivityTable
  private let joined: Statement
  private let children: Statement
  private let second: Statement
  private let deletion: Statement
  private let effortDeletion: Statement

  init(_ table: ActivityTable) throws(SQLiteError) {
    self.table = table
    let database = table.database
    joined = try database.prepare(ActivityTable.selection + " WHERE joined_into = ?1 ORDER BY id")
    children = try database.prepare(
      ActivityTable.selection + """
         WHERE origin = ?1 AND NOT EXISTS
          (SELECT 1 FROM second WHERE second.id >= activity.id << 32 AND second.id < (activity.id + 1) << 32) ORDER BY id
        """)
    second = try database.prepare(
      """
      SELECT 1 FROM second WHERE id >= (?1 << 32) + ?2 AND id < min((?1 << 32) + ?3, (?1 + 1) << 32) LIMIT 1
      """)
    deletion = try database.prepare("DELETE FROM activity WHERE id = ?1")
    effortDeletion = try database.prepare("DELETE FROM effort_search WHERE activity = ?1")
  }

  // MARK: Reading

  /// Those that were joined to it.
  func members(of id: Int64) throws(SQLiteError) -> [StoredActivity] { try all(joined, of: id) }

  /// What splits made of it, and of those. They have no seconds of their own.
  func descendants(of id: Int64) throws(SQLiteError) -> [StoredActivity] {
    var found: [StoredActivity] = []
    // Damaged rows must not lead in a circle.
    var (waiting, seen) = ([id], Set([id]))
    while let next = waiting.popLast() {
      let parts = try all(children, of: next).filter { seen.insert($0.id).inserted }
      found += parts
      waiting += parts.map(\.id)
    }
    return found
  }

  /// The activity that shows this one, which is the activity itself unless it was joined.
  func top(of activity: StoredActivity) throws(SQLiteError) -> Int64 {
    var (top, seen) = (activity, Set([activity.id]))
    while let next = top.joinedInto, seen.insert(next).inserted, let row = try table.find(next) { top = row }
    return top.id
  }

  /// The last moments of the recordings that these spans show.
  func ends(of spans: [ActivitySpan]) throws(SQLiteError) -> [Int64: Int64] {
    var ends: [Int64: Int64] = [:]
    for span in spans where ends[span.activity] == nil {
      guard let recording = try table.find(span.activity) else { continue }
      ends[span.activity] = recording.baseSpans?.last?.toMS ?? recording.endMS
    }
    return ends
  }

  /// Where these end, in their own time.
  func end(of spans: [ActivitySpan]?) throws(SQLiteError) -> Int64? {
    guard let last = spans?.last else { return nil }
    var end = last.toMS
    if end == nil { end = try ends(of: [last])[last.activity] }
    return end.map { last.atMS + $0 - last.fromMS }
  }

  /// Whether anything was recorded within the spans.
  func haveSeconds(_ spans: [ActivitySpan]) throws(SQLiteError) -> Bool {
    for span in spans {
      try second.bind(1, span.activity)
      try second.bind(2, span.fromMS.dividedDown(by: 1000))
      try second.bind(3, span.toMS.map { ($0 + 999).dividedDown(by: 1000) } ?? .max)
      defer { second.reset() }
      if try second.step() { return true }
    }
    return false
  }

  private func all(_ statement: Statement, of id: Int64) throws(SQLiteError) -> [StoredActivity] {
    try statement.bind(1, id)
    defer { statement.reset() }
    return try table.all(statement)
  }

  // MARK: Writing, within a transaction

  func replace(_ rows: [StoredActivity]) throws(SQLiteError) {
    for row in rows {
      var row = row
      row.version += 1
      try table.replace(row)
    }
  }

  func insert(_ row: StoredActivity) throws(SQLiteError) -> Int64 { try table.insert(row) }

  func remove(_ rows: [StoredActivity]) throws(SQLiteError) {
    for row in rows {
      try effortDeletion.bind(1, row.id)
      try effortDeletion.step()
      try deletion.bind(1, row.id)
      try deletion.step()
    }
  }

  /// Efforts have times of the activity as it was. Totals stay until new ones are stored; after a
  /// crash, the note of it remains.
  func forgetResults(of edit: ActivityEdit) throws(SQLiteError) {
    for id in edit.changed + edit.removed {
      try effortDeletion.bind(1, id)
      try effortDeletion.step()
    }
    for id in edit.changed { try table.markTotalsStale(of: id) }
  }
}
