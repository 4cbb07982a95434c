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
  private static let mostAside = 1000

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
      let place = try Self.moveAside(path, "newer")
      (database, event) = (try Self.begin(path), .movedNewer(place))
    case .damaged:
      let place = try Self.moveAside(path, "damaged")
      (database, event) = (try Self.begin(path), .movedDamaged(place))
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
      if !Files.exists(path) { try create(path) }
      let database = try Database(address(of: path), .open)
      guard let version = try database.integer("PRAGMA user_version") else { return .damaged }
      if version > Schema.version { return .newer }
      try database.execute(settings)
      try database.keepWriteAheadLog()
      try migrate(database, from: version)
      // Reads every page that the schema needs.
      for table in ["activity", "part", "stream", "second", "lap", "event", "clock"] {
        _ = try database.integer("SELECT 1 FROM \(table) LIMIT 1")
      }
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

  /// Renames the file and its log. Returns the new path.
  private static func moveAside(_ path: String, _ why: String) throws(Failure) -> String {
    do throws(SystemError) {
      for number in 1...mostAside where !Files.exists("\(path).\(why)-\(number)") {
        let place = "\(path).\(why)-\(number)"
        // The log first: without its file, it is of no use to a new one of the same name.
        for suffix in ["-wal", "-shm", ""] where Files.exists(path + suffix) {
          try Files.rename(path + suffix, to: place + suffix)
        }
        if Files.exists(path + mark) { try Files.remove(path + mark) }
        return place
      }
    } catch {
      throw .system(error)
    }
    throw .database(SQLiteError(code: .cannotOpen, message: "\(path): too many files were moved aside: remove some"))
  }
}
