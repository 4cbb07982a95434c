// A connection to a database file. One thread uses it, and the process is the only one that opens
// the file, so that there is nothing to wait for.

internal import CSQLite

@safe package final class Database {
  /// Valid until `deinit`; statements keep this object alive.
  let handle: OpaquePointer

  package enum Mode: Sendable {
    case create, open, readOnly
  }

  /// `file` is a path or a URI with parameters, such as `file:/var/lib/x.db?psow=0`.
  package init(_ file: String, _ mode: Mode) throws(SQLiteError) {
    let flags =
      switch mode {
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .open: SQLITE_OPEN_READWRITE
      case .readOnly: SQLITE_OPEN_READONLY
      }
    var opened: OpaquePointer?
    // The library copies the name, and sets the pointer even if it fails.
    let code = unsafe sqlite3_open_v2(
      file, &opened, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard let opened = unsafe opened else {
      throw SQLiteError(code: ResultCode(rawValue: code), message: "out of memory")
    }
    guard code == SQLITE_OK else {
      let error = unsafe Self.error(of: opened, code)
      unsafe sqlite3_close_v2(opened)
      throw error
    }
    unsafe handle = opened
  }

  deinit {
    // Statements are gone, because each keeps this object alive.
    unsafe sqlite3_close_v2(handle)
  }

  /// Runs statements that return nothing of interest.
  package func execute(_ sql: String) throws(SQLiteError) {
    try check(unsafe sqlite3_exec(handle, sql, nil, nil, nil))
  }

  package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    try Statement(sql, of: self)
  }

  /// The first column of the first row; nil without a row.
  package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Commits if `body` returns, and rolls back if it throws.
  package func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
    try execute("BEGIN IMMEDIATE")
    do throws(SQLiteError) {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // The library has already rolled back after some errors.
      if isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }

  package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }
  package var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }
  /// How many rows the last statement changed.
  package var changes: Int { Int(unsafe sqlite3_changes64(handle)) }

  /// Keeps the file of the write-ahead log when the last connection closes, so that its blocks stay
  /// allocated.
  package func keepWriteAheadLog() throws(SQLiteError) {
    try check(unsafe cyclometer_sqlite_keep_wal(handle))
  }

  /// Whether closing changes the database file and the log. Neither should change if they are damaged.
  package func checkpointOnClose(_ isOn: Bool) throws(SQLiteError) {
    try check(unsafe cyclometer_sqlite_checkpoint_on_close(handle, isOn ? 1 : 0))
  }

  /// Moves committed pages into the database file, as far as nothing is in the way.
  package func checkpoint() throws(SQLiteError) {
    try check(unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil))
  }

  func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw error(code) }
  }

  func error(_ code: Int32) -> SQLiteError { unsafe Self.error(of: handle, code) }

  private static func error(of handle: OpaquePointer, _ code: Int32) -> SQLiteError {
    // The library returns a string that lasts until its next call.
    let message = unsafe sqlite3_errmsg(handle).map { unsafe String(cString: $0) } ?? "error \(code)"
    return SQLiteError(code: ResultCode(rawValue: code), message: message)
  }
}
