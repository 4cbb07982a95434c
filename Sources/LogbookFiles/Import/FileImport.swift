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

  private let file: UploadedFile
  private let target: ImportTarget?
  private let database: Database
  private let routes: any RouteReceiver
  private var phase = Phase.outline
  private var reader: AnyActivityReader
  private var outline = ActivityOutline()
  private var arrangement = ActivityArrangement(ActivityOutline())
  private var hash = FileHash()
  private var warnings = ImportWarnings()
  /// Items that were read and not stored yet.
  private var waiting: [ActivityItem] = []
  private var nextWaiting = 0
  private var hasEnded = false

  private var table: ActivityTable?
  private var tables: RecordingTables?
  private var activity: ImportedActivity?
  private var route: ImportedRoute?
  private var routeCount = 0
  private var complete: [Int64] = []
  private var duplicates: [Int64] = []
  private var removal: RowRemoval?
  private(set) var reply = PutReply()

  init(_ file: UploadedFile, _ target: ImportTarget?, _ database: Database, _ routes: any RouteReceiver) {
    (self.file, self.target, self.database, self.routes) = (file, target, database, routes)
    reader = AnyActivityReader(as: target?.content)
  }

  /// Rows that are to be removed if the import fails.
  var unfinished: RowRemoval.Rows {
    if case .finished = phase { return RowRemoval.Rows() }
    return RowRemoval.Rows(
      activities: complete + duplicates + [activity?.row.id].compactMap(\.self),
      routes: reply.routes.map(Int64.init))
  }

  func step() throws(Refusal) -> Bool {
    if let removal {
      if try removal.step() { return true }
      self.removal = nil
      duplicates = []
      return true
    }
    switch phase {
    case .outline: try readOutline()
    case .items:
      if nextWaiting < waiting.count {
        try store()
      } else if hasEnded {
        try endFile()
      } else {
        try readItems()
      }
    case .totals(let index, let work): try computeTotals(index, work)
    case .finished: return false
    }
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
      try reader.finish { addToOutline($0) }
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
    waiting.removeAll(keepingCapacity: true)
    nextWaiting = 0
    let piece = try file.next()
    var found: [ActivityItem] = []
    do throws(ActivityFileError) {
      if let piece {
        try reader.feed(piece.span) { item in arrangement.add(item) { found.append($0) } }
      } else {
        try reader.finish { item in arrangement.add(item) { found.append($0) } }
        arrangement.finish { found.append($0) }
        hasEnded = true
      }
    } catch {
      throw Refusal(.badFile, error.description)
    }
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
    let end = min(waiting.count, nextWaiting + Self.portion)
    while nextWaiting < end {
      let item = waiting[nextWaiting]
      nextWaiting += 1
      try store(item)
    }
    try flush()
  }

  private func store(_ item: ActivityItem) throws(Refusal) {
    switch item {
    case .header(let header): try begin(header)
    case .routePoint(let point):
      if (route?.points.count ?? .max) < ImportedRoute.mostPoints { route?.points.append(point) }
    case .cue(let cue):
      if (route?.cues.count ?? .max) < ImportedRoute.mostCues { route?.cues.append(cue) }
    case .summary:
      activity?.add(item)
      try flush()
      try endActivity()
    case .point, .lap, .event, .device, .zones: activity?.add(item)
    case .warning, .omission: break
    }
  }

  private func begin(_ header: ActivityHeader) throws(Refusal) {
    try endRoute()
    guard header.content == target?.content ?? header.content else {
      throw Refusal(
        .badFile,
        header.content == .route
          ? "this file has a route, not an activity" : "this file has an activity, not a route")
    }
    let source = reader.format.flatMap { ActivitySource(rawValue: $0.rawValue) } ?? .fit
    guard header.content == .activity else {
      let hash = hash.value + [UInt8(truncatingIfNeeded: routeCount), UInt8(truncatingIfNeeded: routeCount >> 8)]
      routeCount += 1
      return route = ImportedRoute(header, source, hash: hash)
    }
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
    guard activity != nil else { return }
    do throws(SQLiteError) {
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

  private func endRoute() throws(Refusal) {
    guard let ended = route else { return }
    route = nil
    switch try routes.add(ended) {
    case .added(let id): reply.routes.append(id)
    case .duplicate(let id): warnings.add("the route is in the logbook already: route \(id)")
    }
  }

  private func endFile() throws(Refusal) {
    try endRoute()
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
      guard !complete.isEmpty, let table else { return }
      try database.transaction { () throws(SQLiteError) -> Void in
        for id in complete {
          guard var row = try table.find(id) else { continue }
          row.state = .complete
          if row.startUTCMS == nil { row.sortMS = try afterNewest() }
          try table.replace(row)
        }
      }
    }
    reply.added = complete.map(Int.init)
    reply.warnings = warnings.sentences
    phase = .finished
  }

  /// Activities whose date is unknown follow the newest one.
  private func afterNewest() throws(SQLiteError) -> Int64 {
    (try database.integer("SELECT max(sort_ms) FROM activity WHERE state != 'importing'") ?? -1) + 1
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
