// Lists, statistics and changes of activities.

import Linux
import LogbookWire
import SQLite
import TestSupport
import Testing
import Time
import Wire

@testable import Logbook

@Suite struct ActivityCatalogueTests {
  private let logbook: FilledLogbook

  init() throws { logbook = try FilledLogbook() }

  private func list(_ change: (inout ListRequest) -> Void = { _ in }) throws -> [Int] {
    var request = ListRequest()
    change(&request)
    return try logbook.catalogue.list(request).activities.map(\.id)
  }

  @Test("pages are complete and in order, also when activities begin at the same moment")
  func pages() throws {
    for number in 0..<120 { try logbook.insert(start: "2026-05-03T07:30:00Z", plus: Int64(number / 3) * 60_000) }
    var (ids, request) = ([Int](), ListRequest())
    while true {
      let reply = try logbook.catalogue.list(request)
      ids += reply.activities.map(\.id)
      guard reply.hasMore else { break }
      #expect(reply.activities.count == 50)
      request.before = ids.last
    }
    #expect(ids == Array((1...120).reversed()))
    #expect(try logbook.catalogue.count() == 120)
  }

  @Test("a page with long notes ends where the line is full")
  func longNotes() throws {
    for _ in 0..<60 {
      try logbook.insert(start: "2026-05-03T07:30:00Z") { $0.note = String(repeating: "\u{1}", count: 4000) }
    }
    var request = ListRequest()
    request.limit = 200
    let reply = try logbook.catalogue.list(request)
    #expect(reply.activities.count == 2 && reply.hasMore)
  }

  @Test("filters by sport, time and text")
  func filters() throws {
    try logbook.insert(start: "2026-05-03T07:30:00Z") { ($0.name, $0.startMS) = ("Über den Großglockner", 400) }
    try logbook.insert(start: "2026-05-04T07:30:00Z") { ($0.note, $0.sport) = ("ΟΔΟΣ", "running") }
    try logbook.insert(start: nil) { $0.name = "indoors" }
    #expect(try list { $0.sport = "running" } == [2])
    for (text, found) in [("ÜBER", [1]), ("grossGLOCKNER", [1]), ("οδος", [2]), ("100%", []), ("", [3, 2, 1])] {
      #expect(try list { $0.text = text } == found, "\(text)")
    }
    #expect(try list { $0.from = WallTime("2026-05-03T07:30:00.400Z") } == [2, 1])
    #expect(try list { $0.from = WallTime("2026-05-03T07:30:00.401Z") } == [2])
    #expect(try list { $0.to = WallTime("2026-05-04T07:30:00Z") } == [1])
    #expect(try list { $0.to = WallTime("2026-05-03T07:30:00.400Z") } == [])
  }

  @Test("a plain page needs no scan and no sort")
  func plan() throws {
    let plan = try logbook.file.database.prepare(
      """
      EXPLAIN QUERY PLAN SELECT * FROM activity WHERE \(ActivityCatalogue.isShown) AND \(ActivityCatalogue.isWithin)
      AND (sort_ms, id) < (?6, ?7) ORDER BY sort_ms DESC, id DESC LIMIT 51
      """)
    var steps: [String] = []
    while try plan.step() { steps.append(plan.text(3) ?? "") }
    #expect(steps.count == 1 && steps[0].hasPrefix("SEARCH activity USING INDEX activity_shown"), "\(steps)")
  }

  @Test("deleted, joined and unfinished activities are in no list, and deleted ones in their own")
  func hidden() throws {
    for _ in 0..<4 { try logbook.insert(start: "2026-05-03T07:30:00Z") }
    try logbook.change(1) { $0.joinedInto = 2 }
    try logbook.change(3) { $0.state = .importing }
    let deleted = try logbook.changes.delete(DeleteRequest(id: 4), at: logbook.now)
    #expect(deleted.deleted == logbook.now && deleted.version == 2)
    #expect(try list() == [2] && list { $0.deleted = true } == [4])
    #expect(throws: Refusal.self) { try logbook.catalogue.record(3) }
    #expect(try logbook.changes.restore(RestoreRequest(id: 4), at: logbook.now).deleted == nil)
    #expect(try list() == [4, 2])
  }

  @Test(
    "statistics group by the local date",
    arguments: [
      ("2026-01-01T00:00:00Z", 0, "2026-W01", "2026-01", "2026"),
      ("2026-01-01T00:00:00Z", -3600, "2026-W01", "2025-12", "2025"),
      ("2021-01-03T22:59:59Z", 3600, "2020-W53", "2021-01", "2021"),
      ("2021-01-03T23:00:00Z", 3600, "2021-W01", "2021-01", "2021"),
      ("2024-12-30T12:00:00Z", 0, "2025-W01", "2024-12", "2024"),
      ("1970-01-01T00:00:00Z", 0, "1970-W01", "1970-01", "1970"),
    ])
  func periods(start: String, offset: Int, week: String, month: String, year: String) throws {
    try logbook.insert(start: start) { $0.utcOffsetS = offset }
    let local = WallTime(milliseconds: logbook.milliseconds(start) + Int64(offset) * 1000)
    let day = String(local.isoText.prefix(10))
    for (period, text) in [(StatisticsPeriod.day, day), (.week, week), (.month, month), (.year, year)] {
      var request = StatisticsRequest()
      request.by = period
      #expect(try logbook.statistics.stats(request).rows.map(\.period) == [text])
    }
  }

  @Test("statistics add up, newest first, and end where the line is full")
  func sums() throws {
    for week in 0..<250 {
      for distance in [1000.1, 2000.2] {
        try logbook.insert(start: "2020-01-01T12:00:00Z", plus: Int64(week) * 7 * 86_400_000) {
          $0.totals.effort.distanceM = distance
          $0.totals.effort.movingTimeS = 100
        }
      }
    }
    let reply = try logbook.statistics.stats(StatisticsRequest())
    #expect(reply.hasMore && reply.rows.count == 220)
    var older = StatisticsRequest()
    older.beforePeriod = reply.rows.last?.period
    let rest = try logbook.statistics.stats(older)
    #expect(!rest.hasMore && rest.rows.count == 30 && rest.rows.last?.period == "2020-W01")
    #expect(try #require(rest.rows.first).period < (try #require(reply.rows.last)).period)
    let first = try #require(reply.rows.first)
    #expect(first.activities == 2 && first.distanceM == 3000.3 && first.movingTimeS == 200 && first.workJ == nil)
    #expect(first.period == "2024-W41" && first.ascentM == nil)
    try logbook.insert(start: "2026-01-01T12:00:00Z") { $0.totals.effort.ascentM = 0 }
    let last = try #require(try logbook.statistics.stats(StatisticsRequest()).rows.first)
    #expect(last.ascentM == 0 && last.distanceM == nil)
  }

  @Test("weeks begin on Sunday if it is asked for, and keep the number of their Thursday")
  func weeksFromSunday() throws {
    // A Saturday, the Sunday and Monday after it, and the Sunday after those.
    for day in ["02", "03", "04", "10"] { try logbook.insert(start: "2026-05-\(day)T12:00:00Z") }
    var request = StatisticsRequest()
    func counts() throws -> [String] {
      try logbook.statistics.stats(request).rows.map { "\($0.period): \($0.activities)" }
    }
    #expect(try counts() == ["2026-W19: 2", "2026-W18: 2"])
    request.weekStart = .sunday
    #expect(try counts() == ["2026-W20: 1", "2026-W19: 2", "2026-W18: 1"])
  }

  @Test(
    "a page of statistics ends before a period, and a name that is none is refused",
    arguments: [
      (StatisticsPeriod.day, "2026-02-28", "2026-02-29"), (.week, "2020-W53", "2026-W54"),
      (.week, "2026-W01", "2026-W1"), (.month, "2026-12", "2026-13"), (.year, "2026", "26"),
      (.week, "2024-W10", "2024-10"), (.day, "1903-12-31", "1903-02-29"), (.week, "1903-W53", "1904-W53"),
      (.month, "1903-12", "1903-00"), (.year, "1903", "903"),
    ])
  func periodNames(period: StatisticsPeriod, name: String, wrong: String) throws {
    let number = try #require(period.number(named: name))
    #expect(period.text(number) == name)
    var request = StatisticsRequest()
    (request.by, request.beforePeriod) = (period, wrong)
    #expect(throws: Refusal(.badRequest, "before_period is a \(period) as rows name it, not '\(wrong)'")) {
      try logbook.statistics.stats(request)
    }
  }

  @Test("an activity by hand is added and edited")
  func byHand() throws {
    var request = AddRequest()
    (request.sport, request.elapsedTimeS, request.name) = ("swimming", 1800, "")
    request.start = try #require(WallTime("2026-05-03T07:30:00.250Z"))
    request.values.distanceM = 1500
    let added = try logbook.changes.add(request)
    #expect(added.start == request.start && added.elapsedTimeS == 1800 && added.name == nil)
    #expect(added.totals.distanceM == 1500 && added.source?.known == .hand)
    var edit = EditRequest()
    (edit.id, edit.elapsedTimeS, edit.name, edit.ifVersion) = (1, 1900, "Lake", 1)
    edit.start = WallTime("2026-05-02T07:30:00Z")
    let edited = try logbook.changes.edit(edit)
    #expect(edited.version == 2 && edited.elapsedTimeS == 1900 && edited.name == "Lake" && edited.start == edit.start)
    #expect(edited.totals.distanceM == 1500)
    #expect(throws: Refusal(.changed, "activity 1 has the version 2, not 1")) { try logbook.changes.edit(edit) }
    (edit.ifVersion, edit.name) = (nil, "")
    #expect(try logbook.changes.edit(edit).name == nil)
    #expect(try logbook.changes.edit(edit).version == 3, "nothing changes")
  }

  @Test("what was recorded cannot be edited, and what is being recorded only by name")
  func recorded() throws {
    try logbook.insert(start: "2026-05-03T07:30:00Z") { $0.state = .recording }
    var edit = EditRequest()
    (edit.id, edit.name) = (1, "Home")
    #expect(try logbook.changes.edit(edit).name == "Home")
    edit.start = logbook.now
    #expect(logbook.code { try logbook.changes.edit(edit) } == .busy)
    #expect(logbook.code { try logbook.changes.delete(DeleteRequest(id: 1), at: logbook.now) } == .busy)
    try logbook.change(1) { $0.state = .interrupted }
    #expect(try logbook.changes.edit(edit).start == logbook.now)
    edit.elapsedTimeS = 5
    #expect(logbook.code { try logbook.changes.edit(edit) } == .badRequest)
    #expect(try logbook.catalogue.interruptedID() == 1 && logbook.catalogue.recordingID() == nil)
  }

  @Test("duplicates have the same file, or the same time and a similar sport")
  func duplicates() throws {
    try logbook.insert(start: "2026-05-03T07:30:00Z") { ($0.endMS, $0.sourceHash) = (3_600_000, [1, 2]) }
    var other = StoredActivity()
    (other.startUTCMS, other.sport, other.endMS) = (
      logbook.milliseconds("2026-05-03T07:30:00Z") + 900, "road_cycling", 3_601_900
    )
    #expect(try logbook.catalogue.duplicate(of: other) == 1)
    other.endMS = 3_602_001
    #expect(try logbook.catalogue.duplicate(of: other) == nil)
    (other.endMS, other.sport) = (3_600_000, "running")
    #expect(try logbook.catalogue.duplicate(of: other) == nil)
    other.sourceHash = [1, 2]
    #expect(try logbook.catalogue.duplicate(of: other) == 1)
    try logbook.change(1) { $0.deletedUTCMS = 1 }
    #expect(try logbook.catalogue.duplicate(of: other) == nil)
  }

  @Test("a purge removes what was deleted long ago, unless another activity shows its seconds")
  func purge() throws {
    for _ in 0..<4 { try logbook.insert(start: "2026-05-03T07:30:00Z") }
    let database = logbook.file.database
    for second in 0..<450 { try database.execute("INSERT INTO second VALUES((2 << 32) | \(second), x'00')") }
    try database.execute("INSERT INTO stream(activity, n, sensor, kind, fields) VALUES(2, 0, '', '', '[]')")
    try database.execute("INSERT INTO event(activity, at_ms, n, kind) VALUES(2, 0, 1, 'x')")
    // The second half of activity 1 is activity 3.
    try logbook.change(3) { $0.origin = 1 }
    for id in [1, 2] { _ = try logbook.changes.delete(DeleteRequest(id: id), at: logbook.now) }
    func purge(after days: Int) throws -> [Int64] {
      let work = try PurgeWork(before: logbook.now - .seconds((30 - days) * 86_400), in: database)
      while try work.step() {}
      return work.removed
    }
    #expect(try purge(after: 30) == [] && purge(after: 31) == [2])
    for table in ["second", "stream", "event"] {
      #expect(try database.integer("SELECT count(*) FROM \(table)") == 0, "\(table)")
    }
    _ = try logbook.changes.delete(DeleteRequest(id: 3), at: logbook.now)
    // Activity 4 is joined to it.
    try logbook.change(4) { $0.joinedInto = 3 }
    #expect(try purge(after: 31).sorted() == [1, 3, 4])
  }
}

/// A logbook in a folder of its own.
struct FilledLogbook {
  let folder: TemporaryFolder
  let file: LogbookFile
  let catalogue: ActivityCatalogue
  let changes: ActivityChanges
  let statistics: ActivityStatistics
  let now = WallTime(seconds: 1_795_000_000)

  init() throws {
    folder = try TemporaryFolder()
    file = try LogbookFile(folder.file("logbook.db"))
    catalogue = try ActivityCatalogue(file.database)
    changes = ActivityChanges(catalogue)
    statistics = try ActivityStatistics(file.database)
  }

  func milliseconds(_ text: String) -> Int64 { WallTime(text)?.milliseconds ?? 0 }

  @discardableResult
  func insert(start: String?, plus: Int64 = 0, _ change: (inout StoredActivity) -> Void = { _ in }) throws -> Int64 {
    var row = StoredActivity()
    row.uuid = .uniqueID()
    row.startUTCMS = start.map { milliseconds($0) + plus }
    row.sortMS = try row.startUTCMS ?? catalogue.sortMSOfUnknownDate()
    change(&row)
    return try catalogue.table.insert(row)
  }

  func change(_ id: Int64, _ change: (inout StoredActivity) -> Void) throws {
    var row = try catalogue.find(id)
    change(&row)
    try catalogue.table.replace(row)
  }

  /// The code of the refusal, if it is one.
  func code(_ body: () throws -> some Any) -> ErrorCode? {
    do {
      _ = try body()
      return nil
    } catch {
      return (error as? Refusal)?.code
    }
  }
}
