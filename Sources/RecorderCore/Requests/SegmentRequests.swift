// The methods of segments and efforts.

import Logbook
import LogbookWire
import SQLite
import Serving
import Wire

final class SegmentRequests {
  private let database: Database
  private let book: SegmentBook
  private let catalogue: ActivityCatalogue
  private let lanes: RequestLanes
  private let updates: EffortUpdates

  init(
    _ database: Database, _ catalogue: ActivityCatalogue, _ lanes: RequestLanes, _ updates: EffortUpdates
  ) throws(SQLiteError) {
    (self.database, self.catalogue, self.lanes, self.updates) = (database, catalogue, lanes, updates)
    book = try SegmentBook(database)
  }

  func segments(_ request: SegmentsRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.answer(asker, making: { [database] () throws(Refusal) in try SegmentPage(request, in: database) }) {
      .reply($0.reply)
    }
  }

  func efforts(_ request: EffortsRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.answer(
      asker, making: { [book, catalogue] () throws(Refusal) in try EffortPage(request, in: book, catalogue) }
    ) { .reply($0.reply) }
  }

  /// The reply comes when the efforts in its own activity are known. The others follow.
  func add(_ request: SegmentAddRequest, _ asker: Asker) throws(Refusal) -> Answer {
    var copying: SegmentCopying?
    var id = 0
    var page: SegmentPage?
    let work = WorkChain()
    work.append { [database] () throws(Refusal) -> (any SlicedWork)? in
      let made = try SegmentCopying(request, in: database)
      copying = made
      return made
    }
    work.append { [book, database, updates] () throws(Refusal) -> (any SlicedWork)? in
      guard let copying else { return nil }
      id = try book.add(copying.segment())
      updates.run()
      let search = try SegmentSearch(id, in: copying.activity, of: book, database)
      return search
    }
    work.append { [book, database] () throws(Refusal) -> (any SlicedWork)? in
      let made = try SegmentPage(of: id, in: book, database)
      page = made
      return made
    }
    return try lanes.answer(asker, after: work) { .reply(page?.reply.segments.first ?? SegmentRecord()) }
  }

  func remove(_ request: SegmentRemoveRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.answer(
      asker, making: { [book, database] () throws(Refusal) in try SegmentRemoval(request.id, in: book, database) }
    ) { _ in .done }
  }
}
