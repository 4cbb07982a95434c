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
  private let announcer: Announcer
  /// For proposals, while it is running.
  private weak var search: SegmentProposals?

  init(
    _ database: Database, _ catalogue: ActivityCatalogue, _ lanes: RequestLanes, _ updates: EffortUpdates,
    _ announcer: Announcer
  ) throws(SQLiteError) {
    (self.database, self.catalogue, self.lanes, self.updates) = (database, catalogue, lanes, updates)
    self.announcer = announcer
    book = try SegmentBook(database)
  }

  func segments(_ request: SegmentsRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.read(
      asker, making: { [database, catalogue] () throws(Refusal) in try SegmentPage(request, in: database, catalogue) }
    ) { .reply($0.reply) }
  }

  func efforts(_ request: EffortsRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.read(
      asker, making: { [book, catalogue] () throws(Refusal) in try EffortPage(request, in: book, catalogue) }
    ) { .reply($0.reply) }
  }

  /// One search at a time, because each one can read for many seconds.
  func propose(_ request: SegmentProposeRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.read(
      asker,
      making: { [weak self, database] () throws(Refusal) in
        guard self?.search == nil else {
          throw Refusal(.busy, "segments are being proposed to another client: try again when that is done")
        }
        let search = try SegmentProposals(request, in: database)
        self?.search = search
        return search
      }
    ) { .reply($0.reply) }
  }

  /// What a transfer of the segment consists of.
  func source(_ request: SegmentRequest) throws(Refusal) -> any TransferSource {
    SegmentSource(try SegmentDetail(of: request.id, in: book, database))
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
    return try lanes.answer(asker, after: work) { [announcer] in
      announcer.announce(.added, segment: id)
      return .reply(page?.reply.segments.first ?? SegmentRecord())
    }
  }

  func rename(_ request: SegmentEditRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.answer(
      asker,
      making: { [book, database] () throws(Refusal) in
        try book.rename(request)
        return try SegmentPage(of: request.id, in: book, database)
      }
    ) { [announcer] page in
      announcer.announce(.changed, segment: request.id)
      return .reply(page.reply.segments.first ?? SegmentRecord())
    }
  }

  func remove(_ request: SegmentRemoveRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.answer(
      asker, making: { [book, database] () throws(Refusal) in try SegmentRemoval(request.id, in: book, database) }
    ) { [announcer] _ in
      announcer.announce(.removed, segment: request.id)
      return .done
    }
  }
}
