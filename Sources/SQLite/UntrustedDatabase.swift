// A database file of unknown origin. It is only read, and what its schema contains is never run.

internal import CSQLite

extension Database {
  /// The file must not change while it is open. Its log, if it has one, is ignored. A row of more
  /// bytes than `longestRow` is an error. With `steps`, work is limited from the start: see
  /// `limitWork`.
  package convenience init(untrusted path: String, longestRow: Int32 = 4 << 20, steps: Int32? = nil) throws(SQLiteError)
  {
    try self.init("file:\(Self.escaped(path))?immutable=1", .readOnly)
    try check(unsafe cyclometer_sqlite_defend(handle))
    limitRows(toBytes: longestRow)
    // Some of these read the schema.
    if let steps { limitWork(steps) }
    try execute("PRAGMA query_only=1; PRAGMA cell_size_check=1; PRAGMA mmap_size=0; PRAGMA cache_size=-2000")
  }

  /// A longer row is an error.
  package func limitRows(toBytes most: Int32) {
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, most)
  }

  /// Ends a statement that takes more steps than `steps`, and refuses longer text of SQL in the
  /// schema. So a large schema cannot hold up the process. See `countStepsFromZero`.
  package func limitWork(_ steps: Int32) {
    unsafe cyclometer_sqlite_limit_steps(handle, steps)
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, Self.longestSQL)
  }

  private static let longestSQL: Int32 = 64 << 10

  /// A path within a URI.
  private static func escaped(_ path: String) -> String {
    path.utf8.reduce(into: "") { text, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
      }
    }
  }
}
