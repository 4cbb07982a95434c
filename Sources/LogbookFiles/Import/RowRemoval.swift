// Removes activities, routes and segments with all their rows, some hundred at a time.

import Logbook
package import SQLite
package import Wire

final class RowRemoval: SlicedWork {
  struct Rows {
    var activities: [Int64] = []
    var routes: [Int64] = []
    var segments: [Int64] = []

    var isEmpty: Bool { activities.isEmpty && routes.isEmpty && segments.isEmpty }
  }

  private static let portion = 500
  /// From those that refer to others on.
  private static let ofActivity = [
    """
    DELETE FROM second WHERE activity = ?1 AND sec IN
      (SELECT sec FROM second WHERE activity = ?1 ORDER BY sec LIMIT \(portion))
    """,
    "DELETE FROM event WHERE id IN (SELECT id FROM event WHERE activity = ?1 LIMIT \(portion))",
    "DELETE FROM lap WHERE activity = ?1 AND n IN (SELECT n FROM lap WHERE activity = ?1 LIMIT \(portion))",
    "DELETE FROM effort WHERE activity = ?1",
    "DELETE FROM part WHERE activity = ?1",
    "DELETE FROM stream WHERE id IN (SELECT id FROM stream WHERE activity = ?1 LIMIT \(portion))",
    "DELETE FROM activity WHERE id = ?1",
  ]
  private static let ofRoute = [
    "DELETE FROM route_point WHERE route = ?1 AND n IN (SELECT n FROM route_point WHERE route = ?1 LIMIT \(portion))",
    "DELETE FROM cue WHERE route = ?1 AND n IN (SELECT n FROM cue WHERE route = ?1 LIMIT \(portion))",
    "DELETE FROM route WHERE id = ?1",
  ]
  private static let ofSegment = ["DELETE FROM effort WHERE segment = ?1", "DELETE FROM segment WHERE id = ?1"]

  private let database: Database
  private var work: ArraySlice<(statement: String, id: Int64)>

  init(_ rows: Rows, in database: Database) {
    self.database = database
    let lists = [(rows.segments, Self.ofSegment), (rows.activities, Self.ofActivity), (rows.routes, Self.ofRoute)]
    work = lists.flatMap { ids, statements in ids.flatMap { id in statements.map { ($0, id) } } }[...]
  }

  func step() throws(Refusal) -> Bool {
    guard let next = work.first else { return false }
    do throws(SQLiteError) {
      let deletion = try database.prepare(next.statement)
      try deletion.bind(1, next.id)
      try deletion.step()
    } catch {
      throw Refusal(storage: error)
    }
    if database.changes < Self.portion { work.removeFirst() }
    return !work.isEmpty
  }
}

/// Removes what an import left behind that a crash interrupted. Run it after the start.
package final class ImportCleanup: SlicedWork {
  private let removal: RowRemoval

  package init(_ database: Database) throws(Refusal) {
    var rows = RowRemoval.Rows()
    do throws(SQLiteError) {
      let found = try database.prepare("SELECT id FROM activity WHERE state = 'importing'")
      while try found.step() { rows.activities.append(found.integer(0)) }
    } catch {
      throw Refusal(storage: error)
    }
    removal = RowRemoval(rows, in: database)
  }

  package func step() throws(Refusal) -> Bool { try removal.step() }
}
