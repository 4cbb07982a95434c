// Searches the efforts on a new segment in the activity that it was made of, in slices, so that they
// are there at once. `EffortSearch` searches the others.

package import SQLite
package import Wire

package final class SegmentSearch: SlicedWork {
  private let tables: EffortTables
  /// Nil if the activity is not searched yet, because it is new or is being recorded.
  private let passages: PassageSearch?

  package init(
    _ segment: Int, in activity: StoredActivity, of book: SegmentBook, _ database: Database
  ) throws(Refusal) {
    do throws(SQLiteError) {
      let tables = try EffortTables(database)
      self.tables = tables
      if try tables.isKnown(activity), let line = try book.line(of: Int64(segment)) {
        passages = try PassageSearch(Int64(segment), line, in: activity, tables)
      } else {
        passages = nil
      }
    } catch {
      throw Refusal(storage: error)
    }
  }

  package func step() throws(Refusal) -> Bool {
    guard let passages else { return false }
    if try passages.step() { return true }
    try Refusal.storage { () throws(SQLiteError) in try tables.store(passages.efforts) }
    return false
  }
}
