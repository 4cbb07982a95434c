// Files of each ride in a folder, from which other programs pick them up. A ride is exported when it
// has ended; one that failed is tried again after the next ride, and at the next start.

import EventLoop
import Linux
import Logbook
import LogbookFiles
import LogbookWire
import ProgramKit
import SQLite
import Wire

final class AutomaticExports {
  struct Settings: Equatable {
    /// Nil if nothing is exported.
    var folder: String?
    var formats: [ExportFormat]
  }

  private let table: ActivityTable
  private let queue: WorkQueue
  private let log: Log
  private let waiting: Statement
  private let marking: Statement
  private var settings: Settings
  /// Whether a search for rides is under way, and whether another one is needed.
  private var isRunning = false
  private var isWanted = false
  /// Why the last export failed; nil if none did.
  private(set) var message: String?

  init(_ database: Database, _ queue: WorkQueue, _ settings: Settings, log: Log) throws(SQLiteError) {
    (self.queue, self.settings, self.log) = (queue, settings, log)
    table = try ActivityTable(database)
    waiting = try database.prepare(
      ActivityTable.selection + """
         WHERE exported = 0 AND source = 'recorded' AND state IN ('complete', 'interrupted') AND deleted_utc_ms IS NULL
        AND joined_into IS NULL AND origin IS NULL AND id > ?1 ORDER BY id LIMIT 1
        """)
    marking = try database.prepare("UPDATE activity SET exported = 1 WHERE id = ?1")
  }

  func apply(_ settings: Settings) {
    guard settings != self.settings else { return }
    self.settings = settings
    message = nil
    run()
  }

  /// Exports all rides that were not exported yet.
  func run() {
    guard settings.folder != nil else { return }
    isWanted = true
    guard !isRunning else { return }
    (isRunning, isWanted) = (true, false)
    message = nil
    exportNext(after: 0)
  }

  private func exportNext(after id: Int64) {
    let search = RideSearch(waiting, after: id)
    queue.add(search) { [weak self] refusal in
      guard let self else { return }
      if let refusal { return finish(refusal.message) }
      guard let ride = search.found, let folder = settings.folder else { return finish(nil) }
      export(ride, into: folder)
    }
  }

  private func export(_ ride: StoredActivity, into folder: String) {
    let formats = settings.formats.filter { $0 != .gpx || ride.totals.hasTrack }
    let database = table.database
    let files = WorkChain()
    for format in formats {
      files.append { () throws(Refusal) in try FileExport(ride.id, format, folder, database) }
    }
    let marking = marking
    files.append { () throws(Refusal) in try Self.mark(ride.id, marking) }
    queue.add(files) { [weak self] refusal in
      guard let self else { return }
      if let refusal {
        message = "activity \(ride.id): \(refusal.message)"
        log.warning("export of activity \(ride.id): failed (\(refusal.message))")
      } else {
        log.info("export of activity \(ride.id): written (\(formats.map(\.rawValue).joined(separator: ", ")))")
      }
      exportNext(after: ride.id)
    }
  }

  /// Leaves nothing to do.
  private static func mark(_ id: Int64, _ marking: Statement) throws(Refusal) -> (any SlicedWork)? {
    do throws(SQLiteError) {
      try marking.bind(1, id)
      try marking.step()
      return nil
    } catch {
      throw Refusal(storage: error)
    }
  }

  private func finish(_ failure: String?) {
    isRunning = false
    if let failure {
      message = failure
      log.warning("export: failed (\(failure))")
    } else if isWanted {
      run()
    }
  }
}

/// The next ride to export.
private final class RideSearch: SlicedWork {
  private let statement: Statement
  private let id: Int64
  private(set) var found: StoredActivity?

  init(_ statement: Statement, after id: Int64) { (self.statement, self.id) = (statement, id) }

  func step() throws(Refusal) -> Bool {
    do throws(SQLiteError) {
      try statement.bind(1, id)
      defer { statement.reset() }
      if try statement.step() { found = ActivityTable.row(statement) }
      return false
    } catch {
      throw Refusal(storage: error)
    }
  }
}
