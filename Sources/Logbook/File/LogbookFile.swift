// The database file of the logbook. Its settings lose no committed second at a power cut, and write
// as little as possible. A file that cannot be used is moved aside, because recording comes first.

package import Linux
package import SQLite

package final class LogbookFile {
  package enum Event: Equatable, Sendable {
    /// The file of a newer release is now at this path, unchanged.
    case movedNewer(String)
    /// The damaged file is now at this path.
    case movedDamaged(String)
  }

  package let path: String
  package let database: Database
  /// What happened when it was opened.
  package let event: Event?

  /// Everything is written when COMMIT returns (`synchronous`), into a log that is overwritten in
  /// place (`wal_autocheckpoint`), in whole sectors, so that a cut cannot damage what was committed
  /// before (`psow`).
  private static let settings = """
    PRAGMA page_size=4096; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=64;
    PRAGMA secure_delete=0; PRAGMA foreign_keys=1; PRAGMA trusted_schema=0; PRAGMA cell_size_check=1;
    """
  /// Before all else: no other process opens the file, so the index of the log stays in memory. The
  /// kernel would write its file, 32 KiB, every 30 s.
  private static let alone = "PRAGMA locking_mode=EXCLUSIVE"

  private enum Finding {
    case usable(Database)
    case newer
    case damaged
  }

  package enum Failure: Error, Equatable, CustomStringConvertible {
    case database(SQLiteError)
    case system(SystemError)

    package var description: String {
      switch self {
      case .database(let error): "\(error)"
      case .system(let error): "\(error)"
      }
    }
  }

  /// Opens the file, and creates it if it is missing.
  package init(_ path: String) throws(Failure) {
    self.path = path
    switch try Self.find(path) {
    case .usable(let database): (self.database, event) = (database, nil)
    case .newer:
      let place = try Self.moveAside(path, .newer)
      (database, event) = (try Self.begin(path), .movedNewer(place))
    case .damaged:
      let place = try Self.moveAside(path, .damaged)
      (database, event) = (try Self.begin(path), .movedDamaged(place))
      // What is recorded from now on must not get ids that the damaged file has.
      do throws(SQLiteError) { try IDReservation.reserve(place, in: database) } catch { throw .database(error) }
    }
  }

  /// A new database for what is salvaged. It is only read afterwards, so nothing has to be synced.
  package static func makeCopy(_ path: String) throws(Failure) -> Database {
    do throws(SQLiteError) {
      try create(path)
      let database = try Database(address(of: path), .open)
      try database.execute(
        "PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA foreign_keys=0")
      try migrate(database, from: 0)
      return database
    } catch {
      throw .database(error)
    }
  }

  /// The file contradicts itself. It is moved aside when it is opened the next time.
  package static func condemn(_ path: String) {
    try? Files.replace(path + mark, with: [], mode: 0o600)
  }

  private static let mark = ".is-damaged"

  private static func begin(_ path: String) throws(Failure) -> Database {
    guard case .usable(let database) = try find(path) else {
      throw .database(SQLiteError(code: .damage, message: "\(path): a new database is damaged"))
    }
    return database
  }

  private static func find(_ path: String) throws(Failure) -> Finding {
    do throws(SQLiteError) {
      // The mode of the file is that of the log, too.
      if Files.exists(path + mark) { return .damaged }
      if DamagedFile.hasDamagedLog(path) { return .damaged }
      if !Files.exists(path) { try create(path) }
      let database = try Database(address(of: path), .open)
      try database.keepWriteAheadLog()
      try database.checkpointOnClose(false)
      try database.execute(alone)
      guard let version = try database.integer("PRAGMA user_version") else { return .damaged }
      if version > Schema.version {
        // Its log becomes part of it if there is space, so that one file can be imported.
        _ = try? database.integer("PRAGMA wal_checkpoint(TRUNCATE)")
        return .newer
      }
      try database.execute(settings)
      try migrate(database, from: version)
      // Reads every page that the schema needs.
      for table in ["activity", "part", "stream", "second", "lap", "event", "clock"] {
        _ = try database.integer("SELECT 1 FROM \(table) LIMIT 1")
      }
      try database.checkpointOnClose(true)
      return .usable(database)
    } catch {
      if error.code.isDamage || error.code.isMissingTable { return .damaged }
      throw .database(error)
    }
  }

  private static func create(_ path: String) throws(SQLiteError) {
    do throws(SystemError) {
      _ = try Files.create(path, mode: 0o600)
    } catch {
      throw SQLiteError(code: .cannotOpen, message: "\(error)")
    }
  }

  /// The path as a URI.
  private static func address(of path: String) -> String {
    var address = "file:"
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        address.unicodeScalars.append(Unicode.Scalar(byte))
      default: address += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
      }
    }
    return address + "?psow=0"
  }

  private static func migrate(_ database: Database, from version: Int64) throws(SQLiteError) {
    for index in Int(max(0, version))..<Schema.migrations.count {
      try database.transaction { () throws(SQLiteError) in
        try database.execute(Schema.migrations[index])
        try database.execute("PRAGMA user_version=\(index + 1)")
      }
    }
  }

  /// Returns the new path.
  private static func moveAside(_ path: String, _ reason: MovedLogbooks.Reason) throws(Failure) -> String {
    do throws(SystemError) {
      if let place = try MovedLogbooks.moveAside(path, reason) {
        if Files.exists(path + mark) { try Files.remove(path + mark) }
        return place
      }
    } catch {
      throw .system(error)
    }
    throw .database(SQLiteError(code: .cannotOpen, message: "\(path): too many files were moved aside: remove some"))
  }
}
