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
  private let announcer: Announcer

  init(_ database: Database, _ lanes: RequestLanes, _ announcer: Announcer) throws(SQLiteError) {
    (self.lanes, self.announcer) = (lanes, announcer)
    book = try RouteBook(database)
  }

  func routes(_ request: RoutesRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.answer(asker) { [book] () throws(Refusal) in .reply(try book.routes(request)) }
  }

  func add(_ request: RouteAddRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.answer(
      asker,
      making: { [book] () throws(Refusal) in try RouteCopying(request, book.table, now: Clock.wallTime) }
    ) { [announcer] copying in
      let route = copying.row.record
      announcer.announce(.added, route: route.id)
      return .reply(route)
    }
  }

  func rename(_ request: RouteEditRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.answer(asker) { [book, announcer] () throws(Refusal) in
      let route = try book.rename(request)
      announcer.announce(.changed, route: route.id)
      return .reply(route)
    }
  }

  func remove(_ request: RouteRemoveRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try lanes.answer(
      asker,
      making: { [book] () throws(Refusal) in RouteRemoval([try book.find(request.id).id], in: book.table.database) }
    ) { [announcer] _ in
      announcer.announce(.removed, route: request.id)
      return .done
    }
  }

  /// What a transfer of the route consists of.
  func source(_ request: RouteRequest) throws(Refusal) -> any TransferSource {
    let route = try book.find(request.id)
    return RouteSource(
      try RouteExport(route, as: request.format ?? .json, points: request.points, book.table))
  }
}
