// Reads and writes the rows of routes, of their points and of their cues.

package import ActivityFiles
import Earth
package import SQLite

package final class RouteTable {
  package let database: Database
  private let insertion: Statement
  private let completion: Statement
  private let renaming: Statement
  private let pointInsertion: Statement
  private let cueInsertion: Statement
  private let search: Statement
  private let sameFile: Statement
  private let points: Statement
  private let cues: Statement

  /// Begins a query whose rows `row` reads. With `isShown` it has those that are complete.
  package static let selection = """
    SELECT id, uuid, name, note, source, source_hash, distance_m, ascent_m, descent_m, points, cues, added_utc_ms
    FROM route
    """
  package static let isShown = "points IS NOT NULL"

  package init(_ database: Database) throws(SQLiteError) {
    self.database = database
    insertion = try database.prepare(
      """
      INSERT INTO route(uuid, name, note, search, source, source_hash, added_utc_ms, id)
      VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """)
    completion = try database.prepare(
      "UPDATE route SET distance_m = ?1, ascent_m = ?2, descent_m = ?3, points = ?4, cues = ?5 WHERE id = ?6")
    renaming = try database.prepare("UPDATE route SET name = ?1, search = ?2 WHERE id = ?3")
    pointInsertion = try database.prepare("INSERT INTO route_point VALUES(?1, ?2, ?3, ?4, ?5, ?6)")
    cueInsertion = try database.prepare("INSERT INTO cue VALUES(?1, ?2, ?3, ?4, ?5, ?6)")
    search = try database.prepare(Self.selection + " WHERE id = ?1 AND \(Self.isShown)")
    sameFile = try database.prepare(
      "SELECT id FROM route WHERE source_hash = ?1 AND \(Self.isShown) ORDER BY id LIMIT 1")
    points = try database.prepare(
      """
      SELECT n, latitude, longitude, altitude_m, distance_m FROM route_point
      WHERE route = ?1 AND n >= ?2 ORDER BY n LIMIT ?3
      """)
    cues = try database.prepare(
      "SELECT n, distance_m, kind, name, note FROM cue WHERE route = ?1 AND n >= ?2 ORDER BY n LIMIT ?3")
  }

  // MARK: Writing

  /// Inserts the row and returns its id: the given one or else the next one. No list shows the route
  /// until `complete`.
  package func insert(_ route: StoredRoute, id: Int64? = nil) throws(SQLiteError) -> Int64 {
    try insertion.bind(8, id)
    try insertion.bind(1, route.uuid.span)
    try insertion.bind(2, route.name)
    try insertion.bind(3, route.note)
    try insertion.bind(4, route.name.map(SearchText.fold))
    try insertion.bind(5, route.source)
    if let hash = route.sourceHash { try insertion.bind(6, hash.span) } else { try insertion.bindNull(6) }
    try insertion.bind(7, route.addedUTCMS)
    try insertion.step()
    return database.lastInsertedRow
  }

  /// Stores the totals. The route is shown from now on.
  package func complete(_ route: StoredRoute) throws(SQLiteError) {
    try completion.bind(1, route.distanceM)
    try completion.bind(2, route.ascentM)
    try completion.bind(3, route.descentM)
    try completion.bind(4, route.points)
    try completion.bind(5, route.cues)
    try completion.bind(6, route.id)
    try completion.step()
  }

  /// Stores the name.
  func rename(_ route: StoredRoute) throws(SQLiteError) {
    try renaming.bind(1, route.name)
    try renaming.bind(2, route.name.map(SearchText.fold))
    try renaming.bind(3, route.id)
    try renaming.step()
  }

  func insert(_ point: RoutePoint, _ number: Int, of route: Int64) throws(SQLiteError) {
    try pointInsertion.bind(1, route)
    try pointInsertion.bind(2, number)
    try pointInsertion.bind(3, point.position.latitude)
    try pointInsertion.bind(4, point.position.longitude)
    try pointInsertion.bind(5, point.altitude)
    try pointInsertion.bind(6, point.distance ?? 0)
    try pointInsertion.step()
  }

  func insert(_ cue: RouteCue, _ number: Int, of route: Int64) throws(SQLiteError) {
    try cueInsertion.bind(1, route)
    try cueInsertion.bind(2, number)
    try cueInsertion.bind(3, cue.distance ?? 0)
    try cueInsertion.bind(4, cue.kind.name ?? String(cue.kind.rawValue))
    try cueInsertion.bind(5, cue.name)
    try cueInsertion.bind(6, cue.note)
    try cueInsertion.step()
  }

  // MARK: Reading

  /// A complete route.
  package func find(_ id: Int64) throws(SQLiteError) -> StoredRoute? {
    try search.bind(1, id)
    defer { search.reset() }
    return try search.step() ? Self.row(search) : nil
  }

  /// The complete route of the same file.
  package func find(hash: [UInt8]) throws(SQLiteError) -> Int64? {
    try sameFile.bind(1, hash.span)
    defer { sameFile.reset() }
    return try sameFile.step() ? sameFile.integer(0) : nil
  }

  /// The routes that are being added or removed.
  package static func incomplete(in database: Database) throws(SQLiteError) -> [Int64] {
    let found = try database.prepare("SELECT id FROM route WHERE points IS NULL ORDER BY id")
    var ids: [Int64] = []
    while try found.step() { ids.append(found.integer(0)) }
    return ids
  }

  package static func row(_ row: Statement) -> StoredRoute {
    var route = StoredRoute()
    route.id = row.integer(0)
    route.uuid = row.blob(1)
    (route.name, route.note, route.source) = (row.text(2), row.text(3), row.text(4))
    route.sourceHash = row.isNull(5) ? nil : row.blob(5)
    route.distanceM = row.number(6) ?? 0
    (route.ascentM, route.descentM) = (row.number(7), row.number(8))
    (route.points, route.cues) = (Int(row.integer(9)), Int(row.integer(10)))
    route.addedUTCMS = row.optionalInteger(11)
    return route
  }

  /// Some points of a route from this number on, which becomes that of the next one; none after the
  /// last. Their distances are known.
  package func points(of route: Int64, from number: inout Int, atMost limit: Int) throws(SQLiteError) -> [RoutePoint] {
    try points.bind(1, route)
    try points.bind(2, number)
    try points.bind(3, limit)
    var found: [RoutePoint] = []
    while try points.step() {
      number = Int(points.integer(0)) + 1
      // What is stored was checked.
      guard let position = Coordinate(latitude: points.number(1) ?? 0, longitude: points.number(2) ?? 0) else {
        continue
      }
      found.append(RoutePoint(position: position, altitude: points.number(3), distance: points.number(4) ?? 0))
    }
    return found
  }

  /// The same for cues.
  package func cues(of route: Int64, from number: inout Int, atMost limit: Int) throws(SQLiteError) -> [RouteCue] {
    try cues.bind(1, route)
    try cues.bind(2, number)
    try cues.bind(3, limit)
    var found: [RouteCue] = []
    while try cues.step() {
      number = Int(cues.integer(0)) + 1
      let word = cues.text(2) ?? ""
      let kind = CueKind(name: word) ?? UInt8(word).map(CueKind.init(rawValue:)) ?? .generic
      var cue = RouteCue(kind: kind, distance: cues.number(1) ?? 0)
      (cue.name, cue.note) = (cues.text(3), cues.text(4))
      found.append(cue)
    }
    return found
  }
}
