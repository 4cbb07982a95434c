// Long work is done in slices, so that the next commit of a recording never waits for it.

package import SQLite
package import Wire

package protocol SlicedWork: AnyObject {
  /// Works for some milliseconds. Returns whether more is left.
  func step() throws(Refusal) -> Bool
}

extension Refusal {
  package init(storage error: SQLiteError) {
    self.init(.storage, error.code.isFull ? "the storage is full" : "the storage failed: \(error)")
  }

  package static func noSuchActivity(_ id: Int) -> Refusal {
    Refusal(.noSuchActivity, "there is no activity \(id)")
  }
}
