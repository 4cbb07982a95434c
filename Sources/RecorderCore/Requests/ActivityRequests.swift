// The methods that read activities, and those that change one row.

import Logbook
import LogbookWire
import ProgramKit
import SQLite
import Serving
import Wire

final class ActivityRequests {
  private let database: Database
  private let catalogue: ActivityCatalogue
  private let statistics: ActivityStatistics
  private let details: ActivityDetails
  private let changes: ActivityChanges
  private let lanes: RequestLanes
  private let announcer: Announcer

  init(
    _ database: Database, _ catalogue: ActivityCatalogue, _ lanes: RequestLanes, _ announcer: Announcer
  ) throws(SQLiteError) {
    (self.database, self.catalogue, self.lanes, self.announcer) = (database, catalogue, lanes, announcer)
    statistics = try ActivityStatistics(database)
    details = try ActivityDetails(database)
    changes = ActivityChanges(catalogue)
  }

  // MARK: Reading

  func list(_ request: ListRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.answer(asker) { [catalogue] () throws(Refusal) in .reply(try catalogue.list(request)) }
  }

  func show(_ id: Int, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.answer(asker) { [details] () throws(Refusal) in .reply(try details.show(id)) }
  }

  func laps(_ request: LapsRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.answer(asker) { [details] () throws(Refusal) in .reply(try details.laps(request)) }
  }

  func stats(_ request: StatisticsRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.answer(asker) { [statistics] () throws(Refusal) in .reply(try statistics.stats(request)) }
  }

  func fitness(_ request: FitnessRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.read(
      asker,
      making: { [database] () throws(Refusal) in try FitnessWork(request, now: Clock.calendar, in: database) }
    ) { .reply($0.reply) }
  }

  func records(_ request: RecordsRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.read(
      asker,
      making: { [database] () throws(Refusal) in try RecordsWork(request, now: Clock.calendar, in: database) }
    ) { .reply($0.reply) }
  }

  // MARK: Changing

  func add(_ request: AddRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try change(asker, .added) { [changes] () throws(Refusal) in try changes.add(request) }
  }

  func edit(_ request: EditRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try change(asker, .changed) { [changes] () throws(Refusal) in try changes.edit(request) }
  }

  func delete(_ request: DeleteRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try change(asker, .removed) { [changes] () throws(Refusal) in try changes.delete(request, at: Clock.calendar) }
  }

  func restore(_ request: RestoreRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try change(asker, .added) { [changes] () throws(Refusal) in try changes.restore(request, at: Clock.calendar) }
  }

  private func change(
    _ asker: Asker, _ change: ActivityChange, _ body: @escaping () throws(Refusal) -> ActivityRecord
  ) throws(Refusal) -> Answer {
    try lanes.answer(asker) { [announcer] () throws(Refusal) in
      let record = try body()
      if change == .removed { announcer.announce(removed: record.id) } else { announcer.announce(change, record) }
      return .reply(record)
    }
  }
}
