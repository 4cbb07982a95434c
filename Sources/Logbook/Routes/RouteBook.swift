// The routes of the logbook for requests: pages of them, and single ones.

package import LogbookWire
package import SQLite
import Time
package import Wire

package final class RouteBook {
  package let table: RouteTable
  private let page: Statement

  package init(_ database: Database) throws(SQLiteError) {
    table = try RouteTable(database)
    page = try database.prepare(
      RouteTable.selection + """
         WHERE id < ?1 AND \(RouteTable.isShown) AND (?2 IS NULL OR instr(search, ?2) > 0)
        ORDER BY id DESC LIMIT ?3
        """)
  }

  package func routes(_ request: RoutesRequest) throws(Refusal) -> RoutesReply {
    let limit = request.limit ?? RequestLimits.defaultPage
    var reply = RoutesReply()
    try Refusal.storage { () throws(SQLiteError) in
      try page.bind(1, request.before.map(Int64.init) ?? .max)
      try page.bind(2, request.text.flatMap { $0.isEmpty ? nil : SearchText.fold($0) })
      try page.bind(3, limit + 1)
      while try page.step() { reply.routes.append(RouteTable.row(page).record) }
    }
    let count = min(limit, ReplyPage.countThatFits(reply.routes, mostBytes: \.mostBytes))
    reply.hasMore = count < reply.routes.count
    reply.routes.removeLast(reply.routes.count - count)
    return reply
  }

  /// Refuses an id that is unknown, or that of a route that is not complete.
  package func find(_ id: Int) throws(Refusal) -> StoredRoute {
    let found = try Refusal.storage { () throws(SQLiteError) in try table.find(Int64(id)) }
    guard let found else { throw Refusal(.noSuchActivity, "there is no route \(id)") }
    return found
  }

  package func rename(_ request: RouteEditRequest) throws(Refusal) -> RouteRecord {
    var route = try find(request.id)
    route.name = request.name
    try Refusal.storage { () throws(SQLiteError) in try table.rename(route) }
    return route.record
  }
}

extension StoredRoute {
  package var record: RouteRecord {
    var record = RouteRecord()
    record.id = Int(id)
    record.name = name ?? ""
    (record.distanceM, record.ascentM, record.descentM) = (distanceM, ascentM, descentM)
    (record.points, record.cues) = (points, cues)
    record.added = addedUTCMS.map { WallTime(milliseconds: $0) }
    return record
  }
}

extension RouteRecord {
  /// Its numbers take less.
  fileprivate var mostBytes: Int { 250 + ReplyPage.mostBytes(of: name) }
}
