// Searches efforts in the background when there can be new ones.

import Logbook
import ProgramKit
import SQLite
import Wire

final class EffortUpdates {
  private let database: Database
  private let queue: WorkQueue
  private let log: Log
  private var isRunning = false
  /// Something changed while a search was running.
  private var isObsolete = false

  init(_ database: Database, _ queue: WorkQueue, log: Log) {
    (self.database, self.queue, self.log) = (database, queue, log)
  }

  /// Call it after the start, and when activities or segments were added or show something else.
  func run() {
    guard !isRunning else { return isObsolete = true }
    (isRunning, isObsolete) = (true, false)
    let work = WorkChain()
    work.append { [database] () throws(Refusal) -> (any SlicedWork)? in
      let search = try EffortSearch(in: database)
      return search
    }
    queue.add(work) { [weak self] refusal in self?.finish(refusal) }
  }

  private func finish(_ refusal: Refusal?) {
    isRunning = false
    if let refusal { return log.warning("logbook: cannot search efforts (\(refusal.message))") }
    if isObsolete { run() }
  }
}
