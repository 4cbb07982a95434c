// Result codes of SQLite, and what a caller can conclude from them.

internal import CSQLite

package struct ResultCode: RawRepresentable, Hashable, Sendable {
  /// With the extended code, whose low byte is the primary code.
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  package var primary: Int32 { rawValue & 0xff }

  /// There is no room on the device.
  package var isFull: Bool { primary == SQLITE_FULL }
  /// The file is not a database, or its contents contradict each other.
  package var isDamage: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }
  /// The statement took more steps than it may.
  package var isInterrupt: Bool { primary == SQLITE_INTERRUPT }
  /// A row is longer than it may be.
  package var isTooLong: Bool { primary == SQLITE_TOOBIG }
  /// The device failed, or it cannot be written.
  package var isDeviceFailure: Bool {
    primary == SQLITE_IOERR || primary == SQLITE_READONLY || primary == SQLITE_CANTOPEN || primary == SQLITE_PERM
  }
  /// The statement names what the schema lacks.
  package var isMissingTable: Bool { primary == SQLITE_ERROR }
  package static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
  package static let damage = ResultCode(rawValue: SQLITE_CORRUPT)
  package var isConstraint: Bool { primary == SQLITE_CONSTRAINT }
}

package struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
  package let code: ResultCode
  package let message: String

  package init(code: ResultCode, message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}
