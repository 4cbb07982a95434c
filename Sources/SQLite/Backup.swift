// A copy of a database into a new file, a few pages at a time, while the original is in use.

internal import CSQLite

@safe package final class Backup {
  private let source: Database
  private let destination: Database
  /// Nil when it is finished.
  private var handle: OpaquePointer?

  /// The file must not exist.
  package init(of source: Database, to file: String) throws(SQLiteError) {
    self.source = source
    destination = try Database(file, .create)
    // A copy that is not finished is of no use, so nothing of it has to be synced or undone.
    try destination.execute("PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF")
    guard let handle = unsafe sqlite3_backup_init(destination.handle, "main", source.handle, "main") else {
      throw destination.error(unsafe sqlite3_errcode(destination.handle))
    }
    unsafe self.handle = handle
  }

  deinit {
    // An unfinished copy is abandoned.
    if let handle = unsafe handle { unsafe sqlite3_backup_finish(handle) }
  }

  /// Copies some pages. Returns whether more are left. Changes that this process makes to the
  /// original meanwhile reach the copy as well.
  package func step(pages: Int32) throws(SQLiteError) -> Bool {
    guard let handle = unsafe handle else { return false }
    let code = unsafe sqlite3_backup_step(handle, pages)
    if code == SQLITE_OK { return true }
    unsafe self.handle = nil
    let end = unsafe sqlite3_backup_finish(handle)
    guard code == SQLITE_DONE, end == SQLITE_OK else { throw destination.error(code == SQLITE_DONE ? end : code) }
    return false
  }

  /// In pages, as of the last step.
  package var remaining: Int { unsafe handle.map { Int(unsafe sqlite3_backup_remaining($0)) } ?? 0 }
}
