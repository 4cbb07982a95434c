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
  private static let ofActivity = ActivityDeletion.statements(by: portion)
  private static let ofSegment = [
    """
    DELETE FROM segment_point WHERE segment = ?1 AND n IN
      (SELECT n FROM segment_point WHERE segment = ?1 LIMIT \(portion))
    """,
    "DELETE FROM segment WHERE id = ?1",
  ]

  private let database: Database
  private var work: ArraySlice<(statement: String, id: Int64)>
  private let routes: RouteRemoval

  init(_ rows: Rows, in database: Database) {
    self.database = database
    let lists = [(rows.segments, Self.ofSegment), (rows.activities, Self.ofActivity)]
    routes = RouteRemoval(rows.routes, in: database)
    work = lists.flatMap { ids, statements in ids.flatMap { id in statements.map { ($0, id) } } }[...]
  }

  func step() throws(Refusal) -> Bool {
    guard let next = work.first else { return try routes.step() }
    do throws(SQLiteError) {
      let deletion = try database.prepare(next.statement)
      try deletion.bind(1, next.id)
      try deletion.step()
    } catch {
      throw Refusal(storage: error)
    }
    if database.changes < Self.portion { work.removeFirst() }
    return true
  }
}

/// Removes what imports and removals left behind that a crash interrupted. Run it after the start.
package final class ImportCleanup: SlicedWork {
  private let removal: RowRemoval

  package init(_ database: Database) throws(Refusal) {
    var rows = RowRemoval.Rows()
    do throws(SQLiteError) {
      let found = try database.prepare("SELECT id FROM activity WHERE state = 'importing'")
      while try found.step() { rows.activities.append(found.integer(0)) }
      rows.routes = try RouteTable.incomplete(in: database)
    } catch {
      throw Refusal(storage: error)
    }
    removal = RowRemoval(rows, in: database)
  }

  package func step() throws(Refusal) -> Bool { try removal.step() }
}
