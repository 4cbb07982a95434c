// Removes a segment with its line and its efforts, in slices. The row goes last.

package import SQLite
package import Wire

package final class SegmentRemoval: SlicedWork {
  private static let portion = 500
  private static let texts = [
    """
    DELETE FROM effort WHERE segment = ?1 AND (activity, start_ms) IN
      (SELECT activity, start_ms FROM effort WHERE segment = ?1 LIMIT \(portion))
    """,
    """
    DELETE FROM segment_point WHERE segment = ?1 AND n IN
      (SELECT n FROM segment_point WHERE segment = ?1 LIMIT \(portion))
    """,
    "DELETE FROM segment WHERE id = ?1",
  ]

  private let id: Int
  private let database: Database
  private var left = texts[...]

  package init(_ id: Int, in book: SegmentBook, _ database: Database) throws(Refusal) {
    (self.id, self.database) = (id, database)
    _ = try book.find(id)
  }

  package func step() throws(Refusal) -> Bool {
    guard let text = left.first else { return false }
    try Refusal.storage { () throws(SQLiteError) in
      let deletion = try database.prepare(text)
      try deletion.bind(1, id)
      try deletion.step()
      if database.changes < Self.portion { left.removeFirst() }
    }
    return !left.isEmpty
  }
}
