// Adds what a backup has and the logbook lacks: activities, routes and segments whose uuid is not
// there. Rows that are there stay as they are, whatever the backup says about them.

import Logbook
import LogbookWire
import SQLite
import Wire

final class BackupMerge {
  private enum Phase {
    case activities, routes, segments, clocks, states, finished
  }

  private static let mostListed = 5000

  private let backup: Database
  private let database: Database
  private let table: ActivityTable
  private var phase = Phase.activities
  /// Of the last row that was looked at.
  private var last: Int64 = 0
  private var copies: ArraySlice<TableCopy> = []
  /// From the ids of the backup to those here.
  private var activities: [Int64: Int64] = [:]
  private var routes: [Int64: Int64] = [:]
  private var added: [(id: Int64, row: StoredActivity)] = []
  private var addedRoutes: [Int64] = []
  private var addedSegments: [Int64] = []
  private var nextState = 0
  /// Rows and bytes that the file can have room for.
  private var room: (rows: Int, bytes: Int)
  private(set) var reply = PutReply()

  init(_ path: String, into database: Database) throws(Refusal) {
    self.database = database
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
    do throws(SQLiteError) { table = try ActivityTable(database) } catch { throw Refusal(storage: error) }
  }

  /// What is to be removed if the merge fails.
  var unfinished: RowRemoval.Rows {
    guard phase != .finished else { return RowRemoval.Rows() }
    return RowRemoval.Rows(activities: added.map(\.id), routes: addedRoutes, segments: addedSegments)
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
    let copied = try copies[first].step(backup, database, activities)
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
    let id = try here { () throws(SQLiteError) in try table.insert(copy) }
    activities[row.id] = id
    added.append((id, row.checked))
    copies = CopiedTable.ofActivity.map { TableCopy($0, from: row.id, to: id) }[...]
    return true
  }

  /// Their ids are known now, so rows can refer to each other.
  private func showSome() throws(MergeFailure) {
    let end = min(added.count, nextState + 100)
    try here { () throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in
        for index in nextState..<end { try table.replace(shown(added[index].row, added[index].id)) }
      }
    }
    nextState = end
    guard nextState == added.count else { return }
    reply.added = added.prefix(Self.mostListed).map { Int($0.id) }
    reply.routes = addedRoutes.prefix(Self.mostListed).map(Int.init)
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
    row.joinedInto = row.joinedInto.flatMap { activities[$0] }
    row.spans = row.spans.flatMap { spans in
      let known = spans.compactMap { span in
        activities[span.activity].map {
          ActivitySpan(activity: $0, fromMS: span.fromMS, toMS: span.toMS, atMS: span.atMS)
        }
      }
      return known.count == spans.count ? known : nil
    }
    return row
  }
}

// MARK: Routes, segments and clocks

extension BackupMerge {
  private func nextRoute() throws(MergeFailure) -> Bool {
    let sql = """
      SELECT id, uuid, name, source, source_hash, distance_m, ascent_m, added_utc_ms FROM route
      WHERE id > ?1 ORDER BY id LIMIT 1
      """
    guard let found = try next(sql, name: "route") else { return false }
    let uuid = found.blob(1)
    guard uuid.count == 16 else { throw .impossible("route") }
    let hash = found.isNull(4) ? nil : found.blob(4)
    if let known = try knownRoute(uuid, hash) {
      routes[last] = known
      return true
    }
    let id = try here { () throws(SQLiteError) in
      let insertion = try database.prepare(
        """
        INSERT INTO route(uuid, name, source, source_hash, distance_m, ascent_m, added_utc_ms)
        VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)
        """)
      try insertion.bind(1, uuid.span)
      try insertion.bind(2, found.text(2)?.shortened(to: RequestLimits.name))
      try insertion.bind(3, found.text(3)?.shortened(to: 64))
      if let hash { try insertion.bind(4, hash.span) }
      try insertion.bind(5, found.number(5))
      try insertion.bind(6, found.number(6))
      try insertion.bind(7, found.optionalInteger(7).flatMap { WallTimes.range.contains($0) ? $0 : nil })
      try insertion.step()
      return database.lastInsertedRow
    }
    routes[last] = id
    addedRoutes.append(id)
    copies = CopiedTable.ofRoute.map { TableCopy($0, from: last, to: id) }[...]
    return true
  }

  private func knownRoute(_ uuid: [UInt8], _ hash: [UInt8]?) throws(MergeFailure) -> Int64? {
    if let known = try find("route", uuid: uuid) { return known }
    guard let hash else { return nil }
    return try here { () throws(SQLiteError) in
      let rows = try database.prepare("SELECT id FROM route WHERE source_hash = ?1")
      try rows.bind(1, hash.span)
      defer { rows.reset() }
      return try rows.step() ? rows.integer(0) : nil
    }
  }

  private func nextSegment() throws(MergeFailure) -> Bool {
    let sql = "SELECT id, uuid, name, route, from_m, to_m FROM segment WHERE id > ?1 ORDER BY id LIMIT 1"
    guard let found = try next(sql, name: "segment") else { return false }
    let uuid = found.blob(1)
    guard uuid.count == 16 else { throw .impossible("segment") }
    guard try find("segment", uuid: uuid) == nil, let route = routes[found.integer(3)] else { return true }
    let id = try here { () throws(SQLiteError) in
      let insertion = try database.prepare(
        "INSERT INTO segment(uuid, name, route, from_m, to_m) VALUES(?1, ?2, ?3, ?4, ?5)")
      try insertion.bind(1, uuid.span)
      try insertion.bind(2, (found.text(2) ?? "").shortened(to: RequestLimits.name))
      try insertion.bind(3, route)
      try insertion.bind(4, found.number(4))
      try insertion.bind(5, found.number(5))
      try insertion.step()
      return database.lastInsertedRow
    }
    addedSegments.append(id)
    copies = CopiedTable.ofSegment.map { TableCopy($0, from: last, to: id) }[...]
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
    row.spans = row.spans.flatMap { spans in
      let isPossible = spans.allSatisfy { span in
        [span.fromMS, span.toMS ?? 0, span.atMS].allSatisfy(CopiedTable.times.contains)
      }
      return isPossible && !spans.isEmpty && spans.count <= 1000 ? spans : nil
    }
    return row
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
