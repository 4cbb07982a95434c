// A copy of the whole logbook for a transfer: a file of the state folder that is removed afterwards.

import Logbook
package import SQLite
package import Time
package import Wire

/// Call `step` until it returns false; then `next` reads the copy.
package final class BackupWork: SlicedWork {
  /// Such as `logbook-2026-05-03.db`.
  package let name: String

  /// `path` is that of a file that does not exist.
  package init(of database: Database, to path: String, now: WallTime) throws(Refusal) {
    name = "logbook.db"
  }

  package func step() throws(Refusal) -> Bool { false }

  /// The next piece; nil at the end.
  package func next(atMost count: Int) throws(Refusal) -> [UInt8]? { nil }
}
