// Searches efforts in the background when there can be new ones.

import Logbook
import LogbookWire
import ProgramKit
import SQLite
import Wire

final class EffortUpdates {
  private let database: Database
  private let queue: WorkQueue
  private let log: Log
  private let announcer: Announcer
  private var isRunning = false
  /// Something changed while a search was running.
  private var isObsolete = false

  init(_ database: Database, _ queue: WorkQueue, _ announcer: Announcer, log: Log) {
    (self.database, self.queue, self.announcer, self.log) = (database, queue, announcer, log)
  }

  /// Call it after the start, and when activities or segments were added or show something else.
  func run() {
    guard !isRunning else { return isObsolete = true }
    (isRunning, isObsolete) = (true, false)
    let work = WorkChain()
    var search: EffortSearch?
    work.append { [database] () throws(Refusal) -> (any SlicedWork)? in
      let made = try EffortSearch(in: database)
      search = made
      return made
    }
    queue.add(work) { [weak self] refusal in self?.finish(refusal, search?.segments ?? []) }
  }

  private func finish(_ refusal: Refusal?, _ segments: Set<Int64>) {
    isRunning = false
    for id in segments.sorted() { announcer.announce(.changed, segment: Int(id)) }
    if let refusal { return log.warning("logbook: cannot search efforts (\(refusal.message))") }
    if isObsolete { run() }
  }
}
