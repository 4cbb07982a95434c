// Reads a FIT, GPX, TCX or JSON file twice: first for all that readers learn too late, such as the
// laps and the sport, then for the points. Neither the file nor an activity is ever in memory.

import ActivityFiles
import Logbook
import LogbookWire
import SQLite
import Time
import Wire

final class FileImport {
  private enum Phase {
    case outline, items
    /// What the file does not say, from the seconds of the activity with this index.
    case totals(Int, TotalsWork?)
    case finished
  }

  /// Items in one step.
  private static let portion = 200
  private static let mostActivities = 1000
  private static let mostRoutes = 1000

  private let file: UploadedFile
  private let target: ImportTarget?
  private let database: Database
  private let now: WallTime?
  /// What routes are called that have no name.
  private let fileName: String
  private var phase = Phase.outline
  private var reader: AnyActivityReader
  private var outline = ActivityOutline()
  private var arrangement = ActivityArrangement(ActivityOutline())
  private var hash = FileHash()
  private var warnings = ImportWarnings()
  /// Items that were read and not stored yet.
  private var waiting = WaitingItems()
  private var hasEnded = false

  private var table: ActivityTable?
  private var tables: RecordingTables?
  private var activity: ImportedActivity?
  private var routeTable: RouteTable?
  private var route: NewRoute?
  /// A route that was read and is being stored.
  private var endedRoute: NewRoute?
  private var routeCount = 0
  private var completeRoutes: [StoredRoute] = []
  /// Whether the logbook had something of the file before.
  private var hasDuplicates = false
  private var complete: [Int64] = []
  private var duplicates: [Int64] = []
  private var removal: RowRemoval?
  private(set) var reply = PutReply()

  /// `name` is that of the file at the client.
  init(_ file: UploadedFile, named name: String, _ target: ImportTarget?, _ database: Database, now: WallTime?) {
    (self.file, self.target, self.database, self.now) = (file, target, database, now)
    fileName = name.withoutFolderAndEnding
    reader = AnyActivityReader(as: target?.content)
  }

  /// Rows that are to be removed if the import fails.
  var unfinished: RowRemoval.Rows {
    if case .finished = phase { return RowRemoval.Rows() }
    return RowRemoval.Rows(
      activities: complete + duplicates + [activity?.row.id].compactMap(\.self),
      routes: (completeRoutes + [route?.row, endedRoute?.row].compactMap(\.self)).map(\.id).filter { $0 > 0 })
  }

  func step() throws(Refusal) -> Bool {
    if let removal {
      if try removal.step() { return true }
      self.removal = nil
      duplicates = []
      return true
    }
    if endedRoute != nil {
      try storeRoute()
      return true
    }
    switch phase {
    case .outline: try readOutline()
    case .items:
      if !waiting.isEmpty {
        try store()
      } else if hasEnded {
        try endFile()
      } else {
        try readItems()
      }
    case .totals(let index, let work): try computeTotals(index, work)
    case .finished: break
    }
    if case .finished = phase { return false }
    return true
  }
}

// MARK: Reading

extension FileImport {
  private func readOutline() throws(Refusal) {
    let piece = try file.next()
    do throws(ActivityFileError) {
      if let piece {
        let bytes = piece.span
        hash.update(bytes)
        try reader.feed(bytes) { addToOutline($0) }
        return
      }
      let hasMore = try reader.finishSome { addToOutline($0) }
      if hasMore { return }
    } catch {
      throw Refusal(.badFile, error.description)
    }
    reply.duplicateOf = try known()
    guard reply.duplicateOf.isEmpty else {
      reply.added = []
      return phase = .finished
    }
    arrangement = ActivityArrangement(outline)
    reader = AnyActivityReader(as: target?.content)
    try file.rewind()
    phase = .items
  }

  private func addToOutline(_ item: ActivityItem) {
    outline.add(item)
    warnings.add(item)
  }

  private func readItems() throws(Refusal) {
    let piece = try file.next()
    var found = WaitingItems()
    do throws(ActivityFileError) {
      if let piece {
        try reader.feed(piece.span) { item in arrangement.add(item) { found.add($0) } }
      } else {
        hasEnded = try !reader.finishSome { item in arrangement.add(item) { found.add($0) } }
        if hasEnded { arrangement.finish { found.add($0) } }
      }
    } catch {
      throw Refusal(.badFile, error.description)
    }
    found.endPoints()
    waiting = found
  }

  /// Activities of the same file.
  private func known() throws(Refusal) -> [Int] {
    try stored { () throws(SQLiteError) -> [Int] in
      let rows = try database.prepare(
        """
        SELECT id FROM activity WHERE source_hash = ?1 AND deleted_utc_ms IS NULL AND state != 'importing'
        ORDER BY id LIMIT \(Self.mostActivities)
        """)
      try rows.bind(1, hash.value.span)
      var ids: [Int] = []
      while try rows.step() { ids.append(Int(rows.integer(0))) }
      return ids
    }
  }

  private func stored<Result>(_ body: () throws(SQLiteError) -> Result) throws(Refusal) -> Result {
    do throws(SQLiteError) { return try body() } catch { throw Refusal(storage: error) }
  }
}

// MARK: Storing

extension FileImport {
  private func store() throws(Refusal) {
    var count = 0
    while count < Self.portion, endedRoute == nil, let next = waiting.popFirst() {
      switch next {
      case .item(let item): try store(item)
      case .points(let points): for point in points { route?.add(point) }
      }
      if case .points = next { break }
      count += 1
    }
    try flush()
  }

  private func store(_ item: ActivityItem) throws(Refusal) {
    switch item {
    case .header(let header): try begin(header)
    case .cue(let cue): route?.add(cue)
    case .summary:
      activity?.add(item)
      try flush()
      try endActivity()
    case .point, .lap, .event, .device, .zones: activity?.add(item)
    // Points of routes come by themselves.
    case .routePoint, .warning, .omission: break
    }
  }

  private func begin(_ header: ActivityHeader) throws(Refusal) {
    endRoute()
    guard header.content == target?.content ?? header.content else {
      throw Refusal(
        .badFile,
        header.content == .route
          ? "this file has a route, not an activity" : "this file has an activity, not a route")
    }
    let source = reader.format.flatMap { ActivitySource(rawValue: $0.rawValue) } ?? .fit
    guard header.content == .activity else { return try begin(route: header, source) }
    guard complete.count < Self.mostActivities else { throw Refusal(.badFile, "the file has too many activities") }
    var begun = ImportedActivity(header, source, hash: hash.value)
    do throws(SQLiteError) {
      if table == nil { table = try ActivityTable(database) }
      if let table { try begun.begin(table) }
    } catch {
      throw Refusal(storage: error)
    }
    activity = begun
  }

  private func flush() throws(Refusal) {
    do throws(SQLiteError) {
      if let routeTable { try route?.flush(routeTable) }
      guard activity != nil else { return }
      if tables == nil { tables = try RecordingTables(database) }
      if let tables { try activity?.flush(tables, database) }
    } catch {
      throw Refusal(storage: error)
    }
  }

  private func endActivity() throws(Refusal) {
    guard let ended = activity else { return }
    activity = nil
    if ended.dropped > 0 { warnings.add("\(ended.dropped) points were dropped: their times are impossible") }
    let twin = try stored { () throws(SQLiteError) -> Int64? in
      try table?.replace(ended.row)
      return try self.twin(of: ended.row)
    }
    if let twin {
      reply.duplicateOf.append(Int(twin))
      duplicates.append(ended.row.id)
      hasDuplicates = true
    } else {
      complete.append(ended.row.id)
    }
  }

  /// The activity that began in the same second and took as long, within two seconds.
  private func twin(of row: StoredActivity) throws(SQLiteError) -> Int64? {
    guard let start = row.startUTCMS else { return nil }
    let rows = try database.prepare(
      """
      SELECT id FROM activity WHERE sort_ms > ?1 - 1000 AND sort_ms < ?1 + 1000 AND start_utc_ms IS NOT NULL
      AND abs(end_ms - start_ms - ?2) <= 2000 AND deleted_utc_ms IS NULL AND state != 'importing' ORDER BY id LIMIT 1
      """)
    try rows.bind(1, start)
    try rows.bind(2, row.endMS - row.startMS)
    defer { rows.reset() }
    return try rows.step() ? rows.integer(0) : nil
  }

  private func endFile() throws(Refusal) {
    if route != nil { return endRoute() }
    guard !completeRoutes.isEmpty || !complete.isEmpty || hasDuplicates else {
      throw Refusal(.badFile, "a route needs at least two positions")
    }
    if !duplicates.isEmpty {
      removal = RowRemoval(RowRemoval.Rows(activities: duplicates), in: database)
    }
    phase = .totals(0, nil)
  }

  private func computeTotals(_ index: Int, _ work: TotalsWork?) throws(Refusal) {
    guard index < complete.count else { return try show() }
    let current: TotalsWork
    if let work { current = work } else { current = try TotalsWork(complete[index], in: database) }
    phase = try current.step() ? .totals(index, current) : .totals(index + 1, nil)
  }

  /// Shows all activities of the file at once.
  private func show() throws(Refusal) {
    try stored { () throws(SQLiteError) -> Void in
      try database.transaction { () throws(SQLiteError) -> Void in
        for row in completeRoutes { try routeTable?.complete(row) }
        for id in complete {
          guard let table, var row = try table.find(id) else { continue }
          row.state = .complete
          if row.startUTCMS == nil { row.sortMS = try afterNewest() }
          try table.replace(row)
        }
      }
    }
    reply.added = complete.map(Int.init)
    reply.routes = completeRoutes.map { Int($0.id) }
    reply.warnings = warnings.sentences
    phase = .finished
  }

  /// Activities whose date is unknown follow the newest one.
  private func afterNewest() throws(SQLiteError) -> Int64 {
    (try database.integer("SELECT max(sort_ms) FROM activity WHERE state != 'importing'") ?? -1) + 1
  }
}

// MARK: Routes

extension FileImport {
  private func begin(route header: ActivityHeader, _ source: ActivitySource) throws(Refusal) {
    let number = [UInt8(truncatingIfNeeded: routeCount), UInt8(truncatingIfNeeded: routeCount >> 8)]
    routeCount += 1
    guard routeCount <= Self.mostRoutes else { throw Refusal(.badFile, "the file has too many routes") }
    var row = StoredRoute()
    row.name = (header.name ?? fileName).shortened(to: RequestLimits.name)
    row.note = header.note?.shortened(to: RequestLimits.text)
    row.source = source.rawValue
    // A file with several routes has one for each.
    row.sourceHash = hash.value + number
    row.addedUTCMS = now.map { $0.seconds * 1000 }
    let known = try stored { () throws(SQLiteError) -> Int64? in
      if routeTable == nil { routeTable = try RouteTable(database) }
      return try routeTable?.find(hash: row.sourceHash ?? [])
    }
    if let known {
      hasDuplicates = true
      warnings.add("the route is in the logbook already: route \(known)")
    } else {
      route = NewRoute(row)
    }
  }

  private func endRoute() { (endedRoute, route) = (route, nil) }

  private func storeRoute() throws(Refusal) {
    let isComplete = try stored { () throws(SQLiteError) -> Bool in
      guard let routeTable else { return true }
      return try endedRoute?.finish(routeTable) != true
    }
    guard isComplete, let ended = endedRoute else { return }
    endedRoute = nil
    if ended.dropped > 0 {
      warnings.add("\(ended.dropped) points or cues of the route were dropped: they are too many")
    }
    if ended.isRoute {
      completeRoutes.append(ended.row)
    } else {
      warnings.add("a route without two positions was left out")
    }
  }
}

extension String {
  /// Of a path: its last part without what follows the last point.
  fileprivate var withoutFolderAndEnding: String {
    let name = split(separator: "/").last ?? ""
    guard let point = name.lastIndex(of: "."), point > name.startIndex else { return String(name) }
    return String(name[..<point])
  }
}

extension ImportTarget {
  fileprivate var content: ActivityHeader.Content {
    switch self {
    case .activity: .activity
    case .route: .route
    }
  }
}
