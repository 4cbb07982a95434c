// Adds what a file contains: activities, routes, or all that a backup has and the logbook lacks.

import Logbook
package import LogbookWire
package import SQLite
package import Time
package import Wire

/// Call `step` until it returns false or throws. After `cancel`, too: it removes what was added.
package final class ImportWork: SlicedWork {
  /// Complete when `step` has returned false.
  package private(set) var reply = PutReply()

  /// `path` is that of the uploaded file, and `name` its name at the client.
  package init(
    path: String, name: String, target: ImportTarget?, in database: Database, now: WallTime,
    routes: any RouteReceiver
  ) throws(Refusal) {}

  package func step() throws(Refusal) -> Bool { false }

  package func cancel() {}
}

/// Removes what an import left behind that was interrupted by a crash. Run it after the start.
package final class ImportCleanup: SlicedWork {
  package init(_ database: Database) throws(Refusal) {}

  package func step() throws(Refusal) -> Bool { false }
}
