// The methods of routes.

import Logbook
import LogbookFiles
import LogbookWire
import ProgramKit
import SQLite
import Serving
import Wire

final class RouteRequests {
  private let book: RouteBook
  private let lanes: RequestLanes

  init(_ database: Database, _ lanes: RequestLanes) throws(SQLiteError) {
    self.lanes = lanes
    book = try RouteBook(database)
  }

  func routes(_ request: RoutesRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.answer(asker) { [book] () throws(Refusal) in .reply(try book.routes(request)) }
  }

  func add(_ request: RouteAddRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.answer(
      asker,
      making: { [book] () throws(Refusal) in try RouteCopying(request, book.table, now: Clock.wallTime) }
    ) { .reply($0.row.record) }
  }

  func remove(_ request: RouteRemoveRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.answer(
      asker,
      making: { [book] () throws(Refusal) in RouteRemoval([try book.find(request.id).id], in: book.table.database) }
    ) { _ in .done }
  }

  /// What a transfer of the route consists of.
  func source(_ request: RouteRequest) throws(Refusal) -> any TransferSource {
    RouteSource(try RouteExport(try book.find(request.id), as: request.format ?? .json, book.table))
  }
}
