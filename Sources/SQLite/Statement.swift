// A prepared statement, to be used again and again. Parameters count from 1 and columns from 0, as
// in SQLite.

internal import CSQLite

@safe package final class Statement {
  private let database: Database
  private let handle: OpaquePointer

  init(_ sql: String, of database: Database) throws(SQLiteError) {
    self.database = database
    var prepared: OpaquePointer?
    // The library reads the text during this call only.
    try database.check(
      unsafe sqlite3_prepare_v3(database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil))
    guard let prepared = unsafe prepared else {
      throw SQLiteError(code: ResultCode(rawValue: SQLITE_MISUSE), message: "the statement is empty: \(sql)")
    }
    unsafe handle = prepared
  }

  deinit {
    unsafe sqlite3_finalize(handle)
  }

  /// Returns whether there is a row. After the last one the statement is reset.
  @discardableResult
  package func step() throws(SQLiteError) -> Bool {
    let code = unsafe sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      reset()
      return false
    default:
      let error = database.error(code)
      reset()
      throw error
    }
  }

  /// Ends a query before its last row. An open query keeps the write-ahead log growing.
  package func reset() {
    // Repeats the error of the last step, which was already thrown.
    _ = unsafe sqlite3_reset(handle)
  }

  /// For `limitWork`: otherwise the steps of all runs of the statement add up.
  package func countStepsFromZero() {
    unsafe sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1)
  }
}

// MARK: Parameters

extension Statement {
  package func bind(_ index: Int32, _ value: Int64?) throws(SQLiteError) {
    if let value {
      try database.check(unsafe sqlite3_bind_int64(handle, index, value))
    } else {
      try database.check(unsafe sqlite3_bind_null(handle, index))
    }
  }

  package func bind(_ index: Int32, _ value: Int?) throws(SQLiteError) {
    try bind(index, value.map(Int64.init))
  }

  package func bind(_ index: Int32, _ value: Double?) throws(SQLiteError) {
    if let value {
      try database.check(unsafe sqlite3_bind_double(handle, index, value))
    } else {
      try database.check(unsafe sqlite3_bind_null(handle, index))
    }
  }

  package func bind(_ index: Int32, _ text: String?) throws(SQLiteError) {
    guard let text else { return try database.check(unsafe sqlite3_bind_null(handle, index)) }
    let length = Int32(clamping: text.utf8.count)
    // The library copies the text.
    try database.check(unsafe sqlite3_bind_text(handle, index, text, length, cyclometer_sqlite_transient()))
  }

  package func bind(_ index: Int32, _ bytes: Span<UInt8>) throws(SQLiteError) {
    // The library copies the bytes. An empty span has no address, which would mean NULL.
    let code = unsafe bytes.withUnsafeBufferPointer { buffer in
      buffer.isEmpty
        ? unsafe sqlite3_bind_zeroblob(handle, index, 0)
        : unsafe sqlite3_bind_blob64(
          handle, index, buffer.baseAddress, UInt64(buffer.count), cyclometer_sqlite_transient())
    }
    try database.check(code)
  }

  package func bindNull(_ index: Int32) throws(SQLiteError) {
    try database.check(unsafe sqlite3_bind_null(handle, index))
  }
}

// MARK: Columns

extension Statement {
  package func isNull(_ column: Int32) -> Bool {
    unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  package func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  package func number(_ column: Int32) -> Double? {
    isNull(column) ? nil : unsafe sqlite3_column_double(handle, column)
  }

  package func text(_ column: Int32) -> String? {
    guard let start = unsafe sqlite3_column_text(handle, column) else { return nil }
    let length = Int(unsafe sqlite3_column_bytes(handle, column))
    // The library's buffer lasts until the next step. Damaged text is repaired.
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: length), as: UTF8.self)
  }

  /// Replaces the contents of `bytes`, which keep their capacity. NULL has no bytes.
  package func blob(_ column: Int32, into bytes: inout [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return }
    let length = Int(unsafe sqlite3_column_bytes(handle, column))
    // The library's buffer lasts until the next step.
    unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: length))
  }

  package func blob(_ column: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    blob(column, into: &bytes)
    return bytes
  }
}
