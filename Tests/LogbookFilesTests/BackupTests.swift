// Backups, and merging them into another logbook.

import ActivityVectors
import Linux
import Logbook
import LogbookFiles
import LogbookWire
import SQLite
import TestSupport
import Testing
import Time
import Wire

@Suite struct BackupTests {
  private let logbook: FilesLogbook
  private let other: FilesLogbook

  init() throws {
    logbook = try FilesLogbook()
    other = try FilesLogbook()
  }

  private func backup() throws -> [UInt8] {
    let path = logbook.folder.file("backup")
    var bytes: [UInt8] = []
    do {
      let work = try BackupWork(of: logbook.database, to: path, now: WallTime(seconds: 1_777_777_777))
      #expect(work.name == "logbook-2026-05-03.db")
      while try work.step() {}
      while let piece = try work.next(atMost: 45_000) { bytes += piece }
    }
    #expect(!Files.exists(path))
    return bytes
  }

  private func fill() throws -> [Int64] {
    let fit = try logbook.import(try writeFIT(try Vector.ride("ride.json"))).added ?? []
    let second = try logbook.import(try writeFIT(try Vector.ride("minimal.json"))).added ?? []
    let ids = (fit + second).map(Int64.init)
    try logbook.change(ids[1]) { row in
      row.spans = [
        ActivitySpan(activity: ids[1], fromMS: 0, toMS: 2000, atMS: 0),
        ActivitySpan(activity: ids[0], fromMS: 0, toMS: 9000, atMS: 2000),
      ]
      row.origin = ids[0]
    }
    try logbook.database.execute(
      """
      INSERT INTO route(id, uuid, name, note, source, source_hash, distance_m, ascent_m, points, cues, added_utc_ms)
        VALUES(3, x'00112233445566778899aabbccddeeff', 'Loop', 'Nice', 'gpx', x'01', 11000, 90, 2, 1, 1777777777000);
      INSERT INTO route(id, uuid, name) VALUES(4, x'20112233445566778899aabbccddeeff', 'not complete');
      INSERT INTO route_point VALUES(3, 0, 47, 8, NULL, 0); INSERT INTO route_point VALUES(3, 1, 47.1, 8, 400.5, 11000);
      INSERT INTO cue VALUES(3, 0, 500, 'left', 'Turn', NULL);
      INSERT INTO segment VALUES(9, x'10112233445566778899aabbccddeeff', 'Hill', 900.5, 40, 47, 8, 47.1, 8.1, 1);
      INSERT INTO segment_point VALUES(9, 0, 47, 8); INSERT INTO segment_point VALUES(9, 1, 47.1, 8.1);
      INSERT INTO effort_search VALUES(\(ids[0]), NULL, 1, 9);
      INSERT INTO effort VALUES(9, \(ids[0]), 1000, 5000, NULL, NULL);
      INSERT INTO part VALUES(\(ids[0]), 0, x'aa', 100, 0);
      INSERT INTO clock(boot, at_boot_ms, utc_ms, source) VALUES(x'aa', 5, 1777777777000, 'ntp');
      """)
    return ids
  }

  @Test("a backup brings everything into another logbook, once")
  func merge() throws {
    let ids = try fill()
    let bytes = try backup()
    // So that the ids differ.
    try other.import(try Vector.bytes("malformed/header-12.fit"))
    let reply = try other.import(bytes)
    let added = (reply.added ?? []).map(Int64.init)
    #expect(added.count == 2 && reply.routes.count == 1 && added.first != ids.first)
    for (new, old) in zip(added, ids) {
      for format in ExportFormat.allCases where format != .gpx || old == ids[0] {
        #expect(try other.export(new, format).bytes == logbook.export(old, format).bytes, "\(format)")
      }
    }
    let routes = try [logbook, other].map { try RouteBook($0.database) }
    var (route, copy) = (try routes[0].find(3), try routes[1].find(1))
    #expect(copy.id == 1 && copy.points == 2 && copy.note == "Nice")
    (route.id, copy.id) = (0, 0)
    #expect(route == copy)
    #expect(try logbook.export(route: 3, .gpx) == other.export(route: 1, .gpx))
    let split = try #require(try other.row(added[1]))
    #expect(split.origin == added[0] && split.spans?.map(\.activity) == [added[1], added[0]])
    #expect(try other.database.integer("SELECT count(*) FROM segment WHERE searched = 0 AND ascent_m = 40") == 1)
    #expect(try other.database.integer("SELECT count(*) FROM segment_point WHERE latitude = 47.1") == 1)
    #expect(try other.database.integer("SELECT count(*) FROM effort") == 0)
    let rows = try other.rowCount()
    let again = try other.import(bytes)
    #expect(again.added == [] && again.warnings == ["everything in this backup is in the logbook already"])
    #expect(try other.rowCount() == rows)
    #expect(try other.database.integer("SELECT count(*) FROM clock") == 1)
  }

  @Test("edits of a backup can be reverted after the merge")
  func edits() throws {
    let first = try #require(
      try logbook.import(try writeFIT(try Vector.ride("ride.json"))).added?.first.map(Int64.init))
    let other = try #require(
      try logbook.import(try writeFIT(try Vector.ride("minimal.json"))).added?.first.map(Int64.init))
    let whole = try logbook.export(first, .fit).bytes
    let second = try logbook.split(first, at: 20)
    try logbook.crop(second, from: 5)
    let ids =
      try #require(try logbook.row(first)).startUTCMS ?? 0 < (try logbook.row(other))?.startUTCMS ?? 0
      ? [second, other] : [other, second]
    try logbook.join(ids[0], ids[1])
    try self.other.import(try Vector.bytes("malformed/header-12.fit"))
    let added = (try self.other.import(try backup()).added ?? []).map(Int64.init)
    #expect(added.count == 3 && added[0] != first)
    let here = Dictionary(uniqueKeysWithValues: zip([first, other, second], added))
    for (old, new) in here {
      let (row, copy) = (try #require(try logbook.row(old)), try #require(try self.other.row(new)))
      #expect(copy.joinedInto == row.joinedInto.flatMap { here[$0] } && copy.origin == row.origin.flatMap { here[$0] })
      for (spans, copied) in [(row.spans, copy.spans), (row.baseSpans, copy.baseSpans)] {
        #expect(copied?.map(\.activity) == spans?.compactMap { here[$0.activity] })
        #expect(copied?.map(\.atMS) == spans?.map(\.atMS) && copied?.map(\.toMS) == spans?.map(\.toMS))
      }
    }
    try self.other.revert(try #require(here[ids[0]]))
    try self.other.revert(added[0])
    #expect(try self.other.export(added[0], .fit).bytes == whole)
    #expect(try self.other.row(added[2]) == nil && self.other.row(added[1])?.joinedInto == nil)
  }

  @Test("what was joined to an activity that is here already is shown by itself")
  func joinedElsewhere() throws {
    let file = try writeFIT(try Vector.ride("ride.json"))
    let first = try #require(try logbook.import(file).added?.first.map(Int64.init))
    try other.import(try backup())
    let added = try #require(try logbook.import(try writeFIT(try Vector.ride("minimal.json"))).added?.first)
    try logbook.join(first, Int64(added))
    let new = try #require(try other.import(try backup()).added)
    #expect(new.count == 1)
    let rows = try ActivityCatalogue(other.database).list(ListRequest()).activities
    #expect(rows.count == 2 && rows.contains { $0.id == new[0] })
  }

  @Test("a cancelled merge leaves nothing, at any step")
  func cancelled() throws {
    _ = try fill()
    let bytes = try backup()
    for steps in 0..<40 {
      let work = try other.begin(bytes)
      var hasMore = true
      for _ in 0..<steps where hasMore { hasMore = try work.step() }
      guard hasMore else { return }
      work.cancel()
      do throws(Refusal) { while try work.step() {} } catch { #expect(error.code == .cancelled) }
      #expect(try other.rowCount() == 0, "after \(steps) steps")
    }
  }

  @Test(
    "a database that is not a logbook of a known release is refused",
    arguments: [
      ("a view", "CREATE VIEW extra AS SELECT 1"),
      ("a trigger", "CREATE TRIGGER extra AFTER INSERT ON lap BEGIN DELETE FROM lap; END"),
      ("a table with another column", "ALTER TABLE lap ADD COLUMN extra"),
      ("a table that is a view", "DROP TABLE lap; CREATE VIEW lap AS SELECT 1 AS n"),
      ("a newer release", "PRAGMA user_version = 99"), ("no version", "PRAGMA user_version = 0"),
    ])
  func foreign(name: String, sql: String) throws {
    _ = try fill()
    try logbook.database.execute(sql)
    try expectBadFile(try backup(), name)
  }

  @Test(
    "impossible values are refused",
    arguments: [
      ("a stream", "UPDATE stream SET n = 1000000000000"),
      ("a second", "UPDATE second SET id = (activity << 32) | 4000000000 WHERE sec = 3"),
      ("a name of a field", "UPDATE stream SET fields = '[\"\\x\"]'"),
      ("an id", "UPDATE activity SET uuid = x'00' WHERE id = 1"),
      ("a long second", "UPDATE second SET samples = zeroblob(3000000) WHERE sec = 3"),
      ("a longer second", "UPDATE second SET samples = zeroblob(9000000) WHERE sec = 3"),
      ("a time", "UPDATE event SET at_ms = -1 - at_ms"),
    ])
  func impossible(name: String, sql: String) throws {
    _ = try fill()
    try logbook.database.execute(sql)
    try expectBadFile(try backup(), name)
  }

  @Test("totals that cannot be true are left out, so that sums stay finite")
  func impossibleTotals() throws {
    for number in 1...2 as ClosedRange<UInt8> {
      var row = StoredActivity()
      row.uuid = [UInt8](repeating: number, count: 16)
      (row.source, row.startUTCMS, row.sortMS) = (.fit, 1_777_777_777_000, 1_777_777_777_000)
      row.totals.effort.distanceM = 1.7e308
      row.totals.effort.ascentM = -5
      row.totals.effort.speedMaxMps = 12.5
      row.totals.trainingLoad = 1.7e308
      row.totals.hasTrack = true
      row.detail = #"{"unedited":{"distance_m":1.7e308,"ascent_m":40},"file":{}}"#
      _ = try ActivityTable(logbook.database).insert(row)
    }
    let added = try #require(try other.import(try backup()).added)
    #expect(added.count == 2)
    let row = try #require(try other.row(Int64(added[0])))
    let effort = row.totals.effort
    #expect(effort.distanceM == nil && effort.ascentM == nil && effort.speedMaxMps == 12.5 && row.totals.hasTrack)
    let unedited = StoredDetail(text: row.detail).derived.unedited
    #expect(unedited?.effort.ascentM == 40 && unedited?.effort.distanceM == nil)
    let stats = try ActivityStatistics(other.database).stats(StatisticsRequest()).rows
    #expect(stats.map(\.activities) == [2] && stats.first?.distanceM == nil && stats.first?.trainingLoad == nil)
    let fitness = try FitnessWork(FitnessRequest(), now: WallTime(seconds: 1_777_777_777), in: other.database)
    while try fitness.step() {}
    #expect(fitness.reply.rows.first?.trainingLoad == 0 && fitness.reply.withoutLoad == 2)
  }

  @Test("totals that an older release did not compute, or an edit made stale, are marked to be computed")
  func staleTotals() throws {
    _ = try fill()
    try other.import(try Vector.bytes("malformed/header-12.fit"))
    for (id, load) in [(1, nil), (2, 50.0)] as [(Int64, Double?)] {
      try logbook.change(id) { $0.totals.trainingLoad = load }
    }
    try logbook.database.execute("DELETE FROM stale_totals")
    let added = (try other.import(try backup()).added ?? []).map(Int64.init)
    #expect(try ActivityTable.staleTotals(in: other.database) == [added[0]])
    let third = try FilesLogbook()
    try logbook.database.execute("INSERT INTO stale_totals(activity) VALUES(2)")
    let all = (try third.import(try backup()).added ?? []).map(Int64.init)
    #expect(try ActivityTable.staleTotals(in: third.database) == all)
  }

  private func expectBadFile(_ bytes: [UInt8], _ name: String) throws {
    let work = try other.begin(bytes)
    do throws(Refusal) {
      while try work.step() {}
      Issue.record("\(name) was accepted")
    } catch {
      #expect(error.code == .badFile, "\(name): \(error)")
    }
    #expect(try other.rowCount() == 0, "\(name)")
  }

  @Test("damaged pages never do harm", arguments: 0..<40)
  func damaged(seed: Int) throws {
    _ = try fill()
    var bytes = try backup()
    var random = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 | 1
    for _ in 0..<(seed % 8 + 1) * 20 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let place = 100 + Int(random >> 33) % (bytes.count - 100)
      bytes[place] = UInt8(truncatingIfNeeded: random >> 20)
    }
    let work = try other.begin(bytes)
    do throws(Refusal) {
      while try work.step() {}
      for id in work.reply.added ?? [] {
        _ = try? other.export(Int64(id), .ndjson, start: WallTime(seconds: 1_700_000_000))
      }
    } catch {
      #expect(error.code == .badFile, "\(error)")
      #expect((try? other.rowCount()) == 0)
    }
  }
}
