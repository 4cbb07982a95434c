// Removes for good what was deleted long ago, some hundred rows at a time.

package import SQLite
package import Time
package import Wire

package final class PurgeWork: SlicedWork {
  /// After this time a deleted activity cannot be restored.
  package static let period = Duration.seconds(30 * 86_400)

  private let database: Database
  private let next: Statement
  private let deletions: [Statement]
  private let before: WallTime
  private var current: (id: Int64, deletion: Int)?
  /// The activities that are gone.
  package private(set) var removed: [Int64] = []

  private static let portion = 200
  /// From those that refer to the others on. The row of the activity goes last, so that a purge that
  /// was interrupted begins with it again.
  private static let deletions = [
    "DELETE FROM second WHERE activity = ?1 AND sec IN (SELECT sec FROM second WHERE activity = ?1 LIMIT \(portion))",
    "DELETE FROM event WHERE id IN (SELECT id FROM event WHERE activity = ?1 LIMIT \(portion))",
    "DELETE FROM lap WHERE activity = ?1 AND n IN (SELECT n FROM lap WHERE activity = ?1 LIMIT \(portion))",
    """
    DELETE FROM effort WHERE activity = ?1 AND (segment, start_ms) IN
      (SELECT segment, start_ms FROM effort WHERE activity = ?1 LIMIT \(portion))
    """,
    "DELETE FROM stream WHERE id IN (SELECT id FROM stream WHERE activity = ?1 LIMIT \(portion))",
    "DELETE FROM part WHERE activity = ?1",
    "DELETE FROM activity WHERE id = ?1",
  ]

  /// Everything that was deleted before this time. An activity is kept while another one shows its
  /// seconds, and so are those that were joined, until all of them can go.
  package init(before: WallTime, in database: Database) throws(Refusal) {
    self.before = before
    self.database = database
    do throws(SQLiteError) {
      next = try database.prepare(
        """
        WITH whole(id) AS (
          SELECT id FROM activity AS top WHERE deleted_utc_ms < ?1 AND joined_into IS NULL AND NOT EXISTS (
            SELECT 1 FROM activity AS child WHERE child.origin IS NOT NULL AND child.joined_into IS NOT top.id
              AND child.id != top.id AND (child.origin = top.id
              OR child.origin IN (SELECT id FROM activity AS member WHERE member.joined_into = top.id))))
        SELECT id FROM activity AS part WHERE (id IN whole OR joined_into IN whole)
          AND NOT EXISTS (SELECT 1 FROM activity AS member WHERE member.joined_into = part.id)
          AND NOT EXISTS (SELECT 1 FROM activity AS child WHERE child.origin = part.id) LIMIT 1
        """)
      var statements: [Statement] = []
      for text in Self.deletions { statements.append(try database.prepare(text)) }
      deletions = statements
    } catch {
      throw Refusal(storage: error)
    }
  }

  package func step() throws(Refusal) -> Bool {
    do throws(SQLiteError) {
      if current == nil { current = try findNext() }
      guard let (id, index) = current else { return false }
      try deletions[index].bind(1, id)
      try deletions[index].step()
      if database.changes == Self.portion {
        current = (id, index)
      } else if index + 1 < deletions.count {
        current = (id, index + 1)
      } else {
        current = nil
        removed.append(id)
      }
      return true
    } catch {
      throw Refusal(storage: error)
    }
  }

  private func findNext() throws(SQLiteError) -> (id: Int64, deletion: Int)? {
    try next.bind(1, before.milliseconds)
    defer { next.reset() }
    return try next.step() ? (next.integer(0), 0) : nil
  }
}
