// Adds what a backup has and the logbook lacks: activities, routes and segments whose uuid is not
// there. Rows that are there stay as they are, whatever the backup says about them. What was salvaged
// of a damaged logbook is added in the same way; it keeps its ids, and impossible rows are left out.

import Logbook
import LogbookWire
import SQLite
import Wire

final class BackupMerge {
  private enum Phase {
    case activities, routes, segments, clocks, states, finished
  }

  private static let mostListed = 5000
  private static let shownPerStep = 100

  private let backup: Database
  private let isSalvage: Bool
  private let database: Database
  private let table: ActivityTable
  private let routeTable: RouteTable
  private var phase = Phase.activities
  /// Of the last row that was looked at.
  private var last: Int64 = 0
  private var copies: ArraySlice<TableCopy> = []
  /// From the ids of the backup to those here.
  private var activities: [Int64: Int64] = [:]
  private var added: [(id: Int64, row: StoredActivity, lacksTotals: Bool)] = []
  private var addedIDs: Set<Int64> = []
  private var addedRoutes: [StoredRoute] = []
  private var addedSegments: [Int64] = []
  /// Of `added` and of `addedRoutes`: the first that is not shown yet.
  private var nextShown = (activity: 0, route: 0)
  /// Rows and bytes that the file can have room for.
  private var room: (rows: Int, bytes: Int)
  private(set) var reply = PutReply()

  init(_ path: String, into database: Database, isSalvage: Bool = false) throws(Refusal) {
    (self.database, self.isSalvage) = (database, isSalvage)
    let verdict: SchemaCheck.Verdict
    do throws(SQLiteError) {
      backup = try Database(untrusted: path)
      verdict = try SchemaCheck.verdict(on: backup)
      let size = Int((try backup.integer("PRAGMA page_count") ?? 0) * (try backup.integer("PRAGMA page_size") ?? 0))
      room = (size / 8 + 1000, size * 2 + 1_000_000)
    } catch {
      throw Refusal(.badFile, "the backup cannot be read: \(error.message)")
    }
    switch verdict {
    case .usable: break
    case .newer(let version):
      throw Refusal(.badFile, "the backup is of a newer release (version \(version) of the logbook): update this one")
    case .different: throw Refusal(.badFile, "this is a database, but not a logbook")
    }
    do throws(SQLiteError) {
      table = try ActivityTable(database)
      routeTable = try RouteTable(database)
    } catch {
      throw Refusal(storage: error)
    }
  }

  /// How many activities the backup has.
  var activityCount: Int { activities.count }

  var addedActivities: [Int64] { added.map(\.id) }

  /// The id here of an activity of the backup.
  func id(of activity: Int64) -> Int64? { activities[activity] }

  /// What is to be removed if the merge fails.
  var unfinished: RowRemoval.Rows {
    guard phase != .finished else { return RowRemoval.Rows() }
    return RowRemoval.Rows(activities: added.map(\.id), routes: addedRoutes.map(\.id), segments: addedSegments)
  }

  func step() throws(Refusal) -> Bool {
    do throws(MergeFailure) {
      if copies.isEmpty { try advance() } else { try copyRows() }
    } catch {
      throw Refusal(merge: error)
    }
    return phase != .finished
  }

  private func copyRows() throws(MergeFailure) {
    let first = copies.startIndex
    let copied = try copies[first].step(backup, database)
    room.rows -= copied.rows
    room.bytes -= copied.bytes
    guard room.rows >= 0, room.bytes >= 0 else { throw .tooLarge }
    if copied.rows == 0 { copies.removeFirst() }
  }

  private func advance() throws(MergeFailure) {
    switch phase {
    case .activities: if try !nextActivity() { begin(.routes) }
    case .routes: if try !nextRoute() { begin(.segments) }
    case .segments: if try !nextSegment() { begin(.clocks) }
    case .clocks:
      try copyClocks()
      begin(.states)
    case .states: try showSome()
    case .finished: break
    }
  }

  private func begin(_ next: Phase) { (phase, last) = (next, 0) }

  private func here<Result>(_ body: () throws(SQLiteError) -> Result) throws(MergeFailure) -> Result {
    do throws(SQLiteError) { return try body() } catch { throw .storage(error) }
  }

  private func there<Result>(_ body: () throws(SQLiteError) -> Result) throws(MergeFailure) -> Result {
    do throws(SQLiteError) { return try body() } catch { throw .backup(error) }
  }

  /// The next row of a table of the backup; its id is `last`.
  private func next(_ sql: String, name: String) throws(MergeFailure) -> Statement? {
    let rows = try there { () throws(SQLiteError) in
      let rows = try backup.prepare(sql)
      try rows.bind(1, last)
      return try rows.step() ? rows : nil
    }
    guard let rows else { return nil }
    guard rows.integer(0) > last else { throw .impossible(name) }
    last = rows.integer(0)
    room.rows -= 1
    return rows
  }

  /// The id that a row keeps; nil for the next one.
  private func freeID(_ id: Int64, of table: String) throws(MergeFailure) -> Int64? {
    guard isSalvage else { return nil }
    return try here { () throws(SQLiteError) in
      let rows = try database.prepare("SELECT 1 FROM \(table) WHERE id = ?1")
      try rows.bind(1, id)
      defer { rows.reset() }
      return try rows.step() ? nil : id
    }
  }

  private func find(_ table: String, uuid: [UInt8]) throws(MergeFailure) -> Int64? {
    try here { () throws(SQLiteError) in
      let rows = try database.prepare("SELECT id FROM \(table) WHERE uuid = ?1")
      try rows.bind(1, uuid.span)
      defer { rows.reset() }
      return try rows.step() ? rows.integer(0) : nil
    }
  }
}

// MARK: Activities

extension BackupMerge {
  private func nextActivity() throws(MergeFailure) -> Bool {
    guard let found = try next(ActivityTable.selection + " WHERE id > ?1 ORDER BY id LIMIT 1", name: "activity") else {
      return false
    }
    let row = ActivityTable.row(found)
    found.reset()
    guard row.state != .importing else { return true }
    guard row.uuid.count == 16 else { throw .impossible("activity") }
    if let known = try find("activity", uuid: row.uuid) {
      activities[row.id] = known
      return true
    }
    var copy = row.checked
    copy.state = .importing
    let kept = try freeID(row.id, of: "activity")
    let id = try here { () throws(SQLiteError) in try table.insert(copy, id: kept) }
    activities[row.id] = id
    added.append((id, row.checked, try lacksTotals(row)))
    addedIDs.insert(id)
    copies = CopiedTable.ofActivity.map { TableCopy($0, from: row.id, to: id, isLenient: isSalvage) }[...]
    return true
  }

  /// Older releases computed no training load. What was salvaged may contradict its seconds.
  private func lacksTotals(_ row: StoredActivity) throws(MergeFailure) -> Bool {
    if isSalvage || row.totals.trainingLoad == nil { return true }
    return try there { () throws(SQLiteError) in
      let rows = try backup.prepare("SELECT 1 FROM stale_totals WHERE activity = ?1")
      try rows.bind(1, row.id)
      defer { rows.reset() }
      return try rows.step()
    }
  }

  /// Their ids are known now, so rows can refer to each other.
  private func showSome() throws(MergeFailure) {
    let activities = nextShown.activity..<min(added.count, nextShown.activity + Self.shownPerStep)
    let routes = nextShown.route..<min(addedRoutes.count, nextShown.route + Self.shownPerStep)
    try here { () throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        for (id, row, lacksTotals) in added[activities] {
          try table.replace(shown(row, id))
          if lacksTotals { try table.markTotalsStale(of: id) }
        }
        for row in addedRoutes[routes] { try routeTable.complete(row) }
      }
    }
    nextShown = (activities.upperBound, routes.upperBound)
    guard nextShown == (added.count, addedRoutes.count) else { return }
    reply.added = added.prefix(Self.mostListed).map { Int($0.id) }
    reply.routes = addedRoutes.prefix(Self.mostListed).map { Int($0.id) }
    if added.count > Self.mostListed { reply.warnings.append("\(added.count) activities were added") }
    if added.isEmpty, addedRoutes.isEmpty, addedSegments.isEmpty {
      reply.warnings.append("everything in this backup is in the logbook already")
    }
    phase = .finished
  }

  private func shown(_ row: StoredActivity, _ id: Int64) -> StoredActivity {
    var row = row
    row.id = id
    // Its recorder is not here to go on.
    if row.state == .recording { row.state = .interrupted }
    row.origin = row.origin.flatMap { activities[$0] }
    // One that was here before stays as it is, and may not show this one.
    row.joinedInto = row.joinedInto.flatMap { activities[$0] }.flatMap { addedIDs.contains($0) ? $0 : nil }
    row.spans = row.spans.flatMap(mapped)
    row.baseSpans = row.spans == nil ? nil : row.baseSpans.flatMap(mapped) ?? row.spans
    return row
  }

  /// Nil if an activity is missing.
  private func mapped(_ spans: [ActivitySpan]) -> [ActivitySpan]? {
    let known = spans.compactMap { span in
      activities[span.activity].map {
        ActivitySpan(activity: $0, fromMS: span.fromMS, toMS: span.toMS, atMS: span.atMS)
      }
    }
    return known.count == spans.count ? known : nil
  }
}

// MARK: Routes, segments and clocks

extension BackupMerge {
  private func nextRoute() throws(MergeFailure) -> Bool {
    let sql = RouteTable.selection + " WHERE id > ?1 AND \(RouteTable.isShown) ORDER BY id LIMIT 1"
    guard let found = try next(sql, name: "route") else { return false }
    var row = RouteTable.row(found).checked
    found.reset()
    guard row.uuid.count == 16 else { throw .impossible("route") }
    guard try knownRoute(row) == nil else { return true }
    let kept = try freeID(last, of: "route")
    row.id = try here { () throws(SQLiteError) in try routeTable.insert(row, id: kept) }
    addedRoutes.append(row)
    copies = CopiedTable.ofRoute.map { TableCopy($0, from: last, to: row.id, isLenient: isSalvage) }[...]
    return true
  }

  private func knownRoute(_ row: StoredRoute) throws(MergeFailure) -> Int64? {
    if let known = try find("route", uuid: row.uuid) { return known }
    guard let hash = row.sourceHash else { return nil }
    return try here { () throws(SQLiteError) in try routeTable.find(hash: hash) }
  }

  private func nextSegment() throws(MergeFailure) -> Bool {
    let sql = """
      SELECT id, uuid, name, ascent_m, distance_m, south, west, north, east FROM segment
      WHERE id > ?1 ORDER BY id LIMIT 1
      """
    guard let found = try next(sql, name: "segment") else { return false }
    let uuid = found.blob(1)
    guard uuid.count == 16 else { throw .impossible("segment") }
    guard try find("segment", uuid: uuid) == nil else { return true }
    let numbers = (4...8).compactMap { found.number($0) }
    guard numbers.count == 5, numbers.allSatisfy({ (-100_000...100_000).contains($0) }) else {
      if isSalvage { return true }
      throw .impossible("segment")
    }
    let kept = try freeID(last, of: "segment")
    let id = try here { () throws(SQLiteError) in
      let insertion = try database.prepare(
        """
        INSERT INTO segment(uuid, name, ascent_m, distance_m, south, west, north, east, id)
        VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        """)
      try insertion.bind(9, kept)
      try insertion.bind(1, uuid.span)
      try insertion.bind(2, (found.text(2) ?? "").shortened(to: RequestLimits.name))
      try insertion.bind(3, found.number(3))
      for (index, number) in numbers.enumerated() { try insertion.bind(Int32(index + 4), number) }
      try insertion.step()
      return database.lastInsertedRow
    }
    addedSegments.append(id)
    copies = CopiedTable.ofSegment.map { TableCopy($0, from: last, to: id, isLenient: isSalvage) }[...]
    return true
  }

  /// What is known of the clocks of boots. There are a few rows for each boot.
  private func copyClocks() throws(MergeFailure) {
    let sql = """
      SELECT id, boot, at_boot_ms, utc_ms, error_ms, source FROM clock WHERE id > ?1 ORDER BY id LIMIT 1
      """
    while let found = try next(sql, name: "clock") {
      guard room.rows >= 0 else { throw .tooLarge }
      let (boot, source) = (found.blob(1), found.text(5) ?? "")
      let (at, utc) = (found.integer(2), found.integer(3))
      guard boot.count <= 64, WallTimes.range.contains(utc), WallTimes.range.contains(at), source.utf8.count <= 64
      else {
        continue
      }
      try here { () throws(SQLiteError) in
        let insertion = try database.prepare(
          """
          INSERT INTO clock(boot, at_boot_ms, utc_ms, error_ms, source) SELECT ?1, ?2, ?3, ?4, ?5
          WHERE NOT EXISTS (SELECT 1 FROM clock WHERE boot = ?1 AND at_boot_ms = ?2 AND utc_ms = ?3 AND source = ?5)
          """)
        try insertion.bind(1, boot.span)
        try insertion.bind(2, at)
        try insertion.bind(3, utc)
        try insertion.bind(4, found.optionalInteger(4).flatMap { WallTimes.range.contains($0) ? $0 : nil })
        try insertion.bind(5, source)
        try insertion.step()
      }
    }
  }
}

enum WallTimes {
  /// In milliseconds since 1970: until 2199, as in requests.
  static let range: ClosedRange<Int64> = 0...7_258_118_399_999
}

extension StoredActivity {
  /// Values of a backup within the ranges that the readers of the logbook rely on.
  fileprivate var checked: StoredActivity {
    var row = self
    if !row.sport.isSportWord { row.sport = "generic" }
    row.name = row.name?.shortened(to: RequestLimits.name)
    row.note = row.note?.shortened(to: RequestLimits.text)
    row.bike = row.bike?.shortened(to: RequestLimits.name)
    row.startUTCMS = row.startUTCMS.flatMap { WallTimes.range.contains($0) ? $0 : nil }
    row.sortMS = row.startUTCMS ?? min(max(row.sortMS, WallTimes.range.lowerBound), WallTimes.range.upperBound)
    row.utcOffsetS = row.utcOffsetS.flatMap { -64_800...64_800 ~= $0 ? $0 : nil }
    row.startMS = min(max(row.startMS, 0), 999)
    row.endMS = min(max(row.endMS, row.startMS), CopiedTable.times.upperBound)
    row.version = max(1, min(row.version, 1_000_000))
    row.deletedUTCMS = row.deletedUTCMS.flatMap { WallTimes.range.contains($0) ? $0 : nil }
    row.spans = row.spans?.checked(places: CopiedTable.times)
    // What is before the activity's zero now can come back.
    row.baseSpans = row.baseSpans?.checked(places: -CopiedTable.times.upperBound...CopiedTable.times.upperBound)
    row.totals = row.totals.plausible
    var detail = StoredDetail(text: row.detail)
    if let unedited = detail.derived.unedited {
      detail.derived.unedited = unedited.plausible
      row.detail = detail.text
    }
    return row
  }
}

extension StoredRoute {
  /// The same for routes.
  fileprivate var checked: StoredRoute {
    var row = self
    row.name = row.name?.shortened(to: RequestLimits.name)
    row.note = row.note?.shortened(to: RequestLimits.text)
    row.source = row.source?.shortened(to: 64)
    row.sourceHash = row.sourceHash.flatMap { $0.count <= 64 ? $0 : nil }
    row.distanceM = CopiedTable.distances.contains(row.distanceM) ? row.distanceM : 0
    row.ascentM = row.ascentM.flatMap { CopiedTable.distances.contains($0) ? $0 : nil }
    row.descentM = row.descentM.flatMap { CopiedTable.distances.contains($0) ? $0 : nil }
    row.points = min(max(0, row.points), CopiedTable.mostNumbered)
    row.cues = min(max(0, row.cues), CopiedTable.mostNumbered)
    row.addedUTCMS = row.addedUTCMS.flatMap { WallTimes.range.contains($0) ? $0 : nil }
    return row
  }
}

extension [ActivitySpan] {
  /// Nil if there are none, too many, or impossible ones.
  fileprivate func checked(places: ClosedRange<Int64>) -> [ActivitySpan]? {
    let arePossible = allSatisfy { span in
      [span.fromMS, span.toMS ?? 0].allSatisfy(CopiedTable.times.contains) && places.contains(span.atMS)
    }
    return arePossible && !isEmpty && count <= ActivityEditor.mostSpans ? self : nil
  }
}

extension String {
  fileprivate var isSportWord: Bool {
    1...32 ~= utf8.count
      && utf8.allSatisfy { byte in
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
          || byte == UInt8(ascii: "_")
      }
  }
}
