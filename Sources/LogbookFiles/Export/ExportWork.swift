// An activity as a file, made while it is read by the client.

import Logbook
package import LogbookWire
package import SQLite
package import Time
package import Wire

/// Call `step` until it returns false; then `leftOut` is complete and `next` makes the file.
package final class ExportWork: SlicedWork {
  /// Such as `2026-05-03-12.gpx`.
  package let name: String
  /// What the format does not have.
  package private(set) var leftOut: [String] = []

  /// `start` dates an activity whose date is unknown.
  package init(_ id: Int64, format: ExportFormat, start: WallTime?, in database: Database) throws(Refusal) {
    name = "\(id).\(format.rawValue)"
  }

  package func step() throws(Refusal) -> Bool { false }

  /// The next piece, which may be empty; nil at the end.
  package func next(atMost count: Int) throws(Refusal) -> [UInt8]? { nil }
}
