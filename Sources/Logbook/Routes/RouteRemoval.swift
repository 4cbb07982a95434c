// Removes routes with their points and cues, in slices.

package import SQLite
package import Wire

package final class RouteRemoval: SlicedWork {
  private static let portion = 500
  /// No list shows it from the first one on; if the removal is interrupted, the next start goes on.
  private static let texts = [
    "UPDATE route SET points = NULL WHERE id = ?1",
    "DELETE FROM route_point WHERE route = ?1 AND n IN (SELECT n FROM route_point WHERE route = ?1 LIMIT \(portion))",
    "DELETE FROM cue WHERE route = ?1 AND n IN (SELECT n FROM cue WHERE route = ?1 LIMIT \(portion))",
    "DELETE FROM route WHERE id = ?1",
  ]

  private let database: Database
  private var left: [(text: String, id: Int64)]

  package init(_ ids: [Int64], in database: Database) {
    self.database = database
    left = ids.flatMap { id in Self.texts.map { ($0, id) } }.reversed()
  }

  package func step() throws(Refusal) -> Bool {
    guard let next = left.last else { return false }
    try Refusal.storage { () throws(SQLiteError) in
      let statement = try database.prepare(next.text)
      try statement.bind(1, next.id)
      try statement.step()
    }
    if database.changes < Self.portion { left.removeLast() }
    return !left.isEmpty
  }
}
