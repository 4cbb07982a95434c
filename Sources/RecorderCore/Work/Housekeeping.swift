// What is done after the start and once a day: the rest of interrupted imports is removed, and so is
// what was deleted long ago. Totals of edits and merges are computed that a crash left without.

import EventLoop
import Logbook
import LogbookFiles
import ProgramKit
import SQLite
import Time
import Wire

final class Housekeeping {
  private static let interval = Duration.seconds(86_400)
  private let loop: EventLoop
  private let database: Database
  private let queue: WorkQueue
  private let announcer: Announcer
  private let log: Log
  private var next: Deadline?

  init(loop: EventLoop, _ database: Database, _ queue: WorkQueue, _ announcer: Announcer, log: Log) {
    (self.loop, self.database, self.queue, self.announcer, self.log) = (loop, database, queue, announcer, log)
  }

  func start() {
    let cleanup = WorkChain()
    cleanup.append { [database] () throws(Refusal) -> (any SlicedWork)? in
      let work = try ImportCleanup(database)
      return work
    }
    queue.add(cleanup) { [log] refusal in
      if let refusal { log.warning("logbook: cannot remove an interrupted import (\(refusal.message))") }
    }
    finishEdits()
    purge()
  }

  private func finishEdits() {
    queue.add(WorkChain.staleTotals(in: database, announcer)) { [log] refusal in
      if let refusal { log.warning("logbook: cannot compute totals after an edit (\(refusal.message))") }
    }
  }

  func stop() { next?.cancel() }

  /// Nothing is purged while the date is unknown.
  private func purge() {
    next = loop.schedule(after: Self.interval) { [weak self] in self?.purge() }
    guard let now = Clock.wallTime else { return }
    var purge: PurgeWork?
    let work = WorkChain()
    work.append { [database] () throws(Refusal) -> (any SlicedWork)? in
      let made = try PurgeWork(before: now - PurgeWork.period, in: database)
      purge = made
      return made
    }
    queue.add(work) { [log] refusal in
      if let refusal { log.warning("logbook: cannot remove deleted activities (\(refusal.message))") }
      for id in purge?.removed ?? [] { log.info("activity \(id): removed, 30 days after it was deleted") }
    }
  }
}
