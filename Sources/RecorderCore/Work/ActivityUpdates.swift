// What follows when an activity was added or changed.

import Logbook
import LogbookWire
import SQLite
import Wire

final class ActivityUpdates {
  private let database: Database
  private let queue: WorkQueue
  private let announcer: Announcer

  init(_ database: Database, _ queue: WorkQueue, _ announcer: Announcer) {
    (self.database, self.queue, self.announcer) = (database, queue, announcer)
  }

  func imported(_ reply: PutReply) {
    for id in reply.added ?? [] { announcer.announce(.added, Int64(id)) }
  }

  /// Computes what the daemon does not, such as the power curve, and calls back.
  func ended(_ id: Int64, then finish: @escaping () -> Void) {
    let work = WorkChain()
    work.append { [database] () throws(Refusal) -> (any SlicedWork)? in
      let totals = try TotalsWork(id, in: database)
      return totals
    }
    queue.add(work) { [announcer] _ in
      announcer.announce(.ended, id)
      finish()
    }
  }
}
