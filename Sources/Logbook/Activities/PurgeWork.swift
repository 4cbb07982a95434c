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

  /// Everything that was deleted before this time, with what was joined to it. An activity is kept
  /// while another one that stays shows its seconds, or would after `revert`.
  package init(before: WallTime, in database: Database) throws(Refusal) {
    self.before = before
    self.database = database
    do throws(SQLiteError) {
      next = try database.prepare(
        """
        WITH RECURSIVE gone(id) AS (
          SELECT id FROM activity WHERE deleted_utc_ms < ?1 AND joined_into IS NULL
          UNION SELECT member.id FROM activity AS member JOIN gone ON member.joined_into = gone.id),
        edited(id, shown) AS (
          SELECT id, spans FROM activity WHERE spans IS NOT NULL
          UNION ALL SELECT id, base_spans FROM activity WHERE spans IS NOT NULL AND base_spans IS NOT NULL),
        needed(id) AS (
          SELECT origin FROM activity WHERE origin IS NOT NULL AND id NOT IN gone
          UNION SELECT json_extract(span.value, '$[0]') FROM edited,
            json_each(CASE WHEN json_valid(shown) THEN shown ELSE '[]' END) AS span WHERE edited.id NOT IN gone)
        SELECT id FROM gone WHERE id NOT IN (SELECT id FROM needed WHERE id IS NOT NULL)
          AND NOT EXISTS (SELECT 1 FROM activity AS member WHERE member.joined_into = gone.id) LIMIT 1
        """)
      var statements: [Statement] = []
      for text in ActivityDeletion.statements(by: Self.portion) { statements.append(try database.prepare(text)) }
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
