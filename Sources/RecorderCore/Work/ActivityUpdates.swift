// What follows when an activity was added or changed, or a route came with a file.

import Logbook
import LogbookWire
import SQLite
import Wire

final class ActivityUpdates {
  private let database: Database
  private let queue: WorkQueue
  private let announcer: Announcer
  private let efforts: EffortUpdates

  init(_ database: Database, _ queue: WorkQueue, _ announcer: Announcer, _ efforts: EffortUpdates) {
    (self.database, self.queue, self.announcer, self.efforts) = (database, queue, announcer, efforts)
  }

  func imported(_ reply: PutReply) {
    for id in reply.added ?? [] { announcer.announce(.added, Int64(id)) }
    for id in reply.routes { announcer.announce(.added, route: id) }
    // Those of a backup may have none. After a failure, the next start computes them.
    queue.add(WorkChain.staleTotals(in: database, announcer))
    efforts.run()
  }

  /// The totals are computed already.
  func edited(_ edit: ActivityEdit) {
    for id in edit.changed where !edit.added.contains(id) { announcer.announce(.changed, id) }
    for id in edit.added { announcer.announce(.added, id) }
    for id in edit.removed { announcer.announce(removed: Int(id)) }
    efforts.run()
  }

  /// Computes what the daemon does not, such as the power curve, and calls back.
  func ended(_ id: Int64, then finish: @escaping () -> Void) {
    queue.add(WorkChain.totals(of: [id], in: database)) { [announcer, efforts] _ in
      announcer.announce(.ended, id)
      efforts.run()
      finish()
    }
  }
}
