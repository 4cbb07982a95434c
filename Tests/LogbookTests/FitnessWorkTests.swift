// Fitness of each day and the records of the logbook, against plain computations.

import Linux
import LogbookWire
import SQLite
import TestSupport
import Testing
import Time
import Wire

@testable import Logbook

@Suite struct FitnessWorkTests {
  private let logbook: FilledLogbook

  init() throws { logbook = try FilledLogbook() }

  private static let day: Int64 = 86_400_000

  /// Adds an activity that many days after 2026-05-01.
  private func add(_ days: Int64, load: Double?, sport: String = "cycling", offset: Int? = 0) throws {
    try logbook.insert(start: "2026-05-01T12:00:00Z", plus: days * Self.day) {
      ($0.totals.trainingLoad, $0.sport, $0.utcOffsetS) = (load, sport, offset)
    }
  }

  private func fitness(now: String, _ change: (inout FitnessRequest) -> Void = { _ in }) throws -> FitnessReply {
    var request = FitnessRequest()
    change(&request)
    let work = try FitnessWork(request, now: try #require(WallTime(now)), in: logbook.file.database)
    while try work.step() {}
    return work.reply
  }

  private func records(now: String, _ change: (inout RecordsRequest) -> Void = { _ in }) throws -> RecordsReply {
    var request = RecordsRequest()
    change(&request)
    let work = try RecordsWork(request, now: try #require(WallTime(now)), in: logbook.file.database)
    while try work.step() {}
    return work.reply
  }

  @Test("every day has a row, the newest first, and the loads of a day add up in all sports")
  func days() throws {
    try add(0, load: 80)
    try add(0, load: 20, sport: "running")
    try add(2, load: nil)
    let reply = try fitness(now: "2026-05-04T08:00:00Z")
    #expect(reply.rows.map(\.day) == ["2026-05-04", "2026-05-03", "2026-05-02", "2026-05-01"])
    #expect(reply.rows.map(\.trainingLoad) == [0, 0, 0, 100])
    #expect(reply.activities == 3 && reply.withoutLoad == 1 && !reply.hasMore)
    // 100 (1 - e^(-1/42)) and 100 (1 - e^(-1/7)).
    let first = try #require(reply.rows.last)
    #expect(abs(first.fitness - 2.352_831) < 1e-5 && abs(first.fatigue - 13.312_210) < 1e-5 && first.form == 0)
    #expect(abs(reply.rows[2].form - (2.352_831 - 13.312_210)) < 1e-5)
  }

  @Test("from and to choose rows, and the loads before them count")
  func range() throws {
    for day in 0..<100 { try add(Int64(day), load: 100) }
    let whole = try fitness(now: "2026-08-08T23:00:00Z")
    let part = try fitness(now: "2027-01-01T00:00:00Z") {
      $0.from = WallTime("2026-07-01T00:00:00.000Z")
      $0.to = WallTime("2026-07-11T00:00:00.000Z")
    }
    #expect(part.rows.map(\.day).first == "2026-07-10" && part.rows.map(\.day).last == "2026-07-01")
    #expect(part.rows == Array(whole.rows.filter { "2026-07-01"..."2026-07-10" ~= $0.day }))
    #expect(part.activities == 10)
  }

  @Test("rows end where the line is full, and a logbook without activities has none")
  func limits() throws {
    #expect(try fitness(now: "2026-05-04T08:00:00Z").rows.isEmpty)
    try logbook.insert(start: nil) { $0.totals.trainingLoad = 50 }
    #expect(try fitness(now: "2026-05-04T08:00:00Z").rows.isEmpty)
    try add(0, load: 1234.567891)
    let reply = try fitness(now: "2029-01-01T08:00:00Z") { $0.from = WallTime("2000-01-01T00:00:00.000Z") }
    #expect(reply.hasMore && reply.rows.count == 500 && reply.activities == 0)
    #expect(try fitness(now: "2026-04-01T00:00:00Z").rows.isEmpty)
  }

  @Test("a day is that of the rider's clock, and so is today")
  func localDays() throws {
    try add(0, load: 10, offset: 46_800)
    let reply = try fitness(now: "2026-05-02T11:30:00Z")
    #expect(reply.rows.map(\.day) == ["2026-05-03", "2026-05-02"])
    // An activity whose zone is unknown does not say where the rider is.
    try add(1, load: 10, offset: nil)
    #expect(try fitness(now: "2026-05-02T11:30:00Z").rows.first?.day == "2026-05-03")
    #expect(try records(now: "2026-05-04T11:30:00Z").streaks?.days.current == 0)
  }

  @Test("statistics add up the loads, and count the activities without one")
  func statistics() throws {
    for load in [10.5, 20, nil] { try add(0, load: load) }
    try add(1, load: nil)
    var request = StatisticsRequest()
    request.by = .day
    let rows = try logbook.statistics.stats(request).rows
    #expect(rows.map(\.period) == ["2026-05-02", "2026-05-01"])
    #expect(rows.map(\.trainingLoad) == [nil, 30.5] && rows.map(\.withoutLoad) == [1, 1])
  }

  @Test("a record belongs to the best activity of its sport, and of equal ones to the oldest")
  func best() throws {
    func add(_ day: Int64, _ sport: String, _ metres: Double, _ seconds: Double, ascent: Double?, curve: String) throws
    {
      try logbook.insert(start: "2026-05-01T12:00:00Z", plus: day * Self.day) {
        $0.sport = sport
        ($0.totals.effort.distanceM, $0.totals.effort.movingTimeS) = (metres, seconds)
        ($0.totals.effort.ascentM, $0.totals.effort.speedAvgMps) = (ascent, metres / seconds)
        $0.detail = #"{"power_curve":[\#(curve)]}"#
      }
    }
    func power(_ seconds: Int, _ watts: Double) -> String { #"{"duration_s":\#(seconds),"power_w":\#(watts)}"# }
    try add(0, "cycling", 40_000, 5000, ascent: nil, curve: power(1, 700) + "," + power(5, 600))
    try add(1, "cycling", 40_000, 8000, ascent: 0, curve: power(5, 650))
    try add(2, "cycling", 9000, 599, ascent: 0, curve: "true")
    try add(3, "running", 10_000, 3000, ascent: 100, curve: "")
    try logbook.change(4) { $0.totals.effort.speedAvgMps = nil }
    // Damaged details do not spoil the rest.
    try logbook.change(4) { $0.detail = "{" }
    let reply = try records(now: "2026-05-09T08:00:00Z")
    #expect(reply.sports.map(\.sport) == ["cycling", "running"] && reply.sports.map(\.activities) == [3, 1])
    let cycling = try #require(reply.sports.first)
    #expect(cycling.longest?.activity == 2 && cycling.longest?.movingTimeS == 8000)
    #expect(cycling.farthest?.activity == 1 && cycling.farthest?.distanceM == 40_000)
    #expect(cycling.farthest?.start == WallTime("2026-05-01T12:00:00.000Z"))
    #expect(cycling.fastest?.activity == 1 && cycling.fastest?.speedAvgMps == 8 && cycling.mostAscent == nil)
    #expect(cycling.bestPowers.map(\.durationS) == [1, 5] && cycling.bestPowers.map(\.powerW) == [700, 650])
    #expect(cycling.bestPowers.map(\.activity) == [1, 2])
    #expect(abs(try #require(reply.sports.last?.fastest?.speedAvgMps) - 10 / 3) < 1e-9)
    #expect(reply.sports.last?.mostAscent?.ascentM == 100 && reply.sports.last?.bestPowers == [])
    #expect(try records(now: "2026-05-09T08:00:00Z") { $0.sport = "running" }.sports.map(\.sport) == ["running"])
  }

  @Test("streaks are of days and of weeks from Monday to Sunday")
  func streaks() throws {
    #expect(try records(now: "2026-05-09T08:00:00Z").streaks == nil)
    // Friday 1 to Sunday 3 May, and Tuesday 12.
    for day in [0, 1, 2, 11] as [Int64] { try add(day, load: nil) }
    let streaks = try #require(try records(now: "2026-05-13T08:00:00Z").streaks)
    #expect(streaks.days.longest == 3 && streaks.days.current == 1)
    #expect(streaks.days.from == "2026-05-01" && streaks.days.to == "2026-05-03")
    #expect(streaks.weeks.longest == 1 && streaks.weeks.current == 1)
    #expect(streaks.weeks.from == "2026-05-11" && streaks.weeks.to == "2026-05-17")
    #expect(try records(now: "2026-05-14T08:00:00Z").streaks?.days.current == 0)
  }

  @Test("streaks are of weeks from Sunday to Saturday if it is asked for")
  func weeksFromSunday() throws {
    // Saturday 2, Sunday 3 and Sunday 10 May: three weeks in a row, or two.
    for day in [1, 2, 9] as [Int64] { try add(day, load: nil) }
    #expect(try records(now: "2026-05-10T20:00:00Z").streaks?.weeks.longest == 2)
    let weeks = try #require(try records(now: "2026-05-10T20:00:00Z") { $0.weekStart = .sunday }.streaks).weeks
    #expect(weeks.longest == 3 && weeks.current == 3 && weeks.from == "2026-04-26" && weeks.to == "2026-05-16")
  }

  @Test("fitness of a sport counts its activities only, and a record has the zone of its activity")
  func oneSport() throws {
    try add(0, load: 80, offset: 7200)
    try add(0, load: 20, sport: "running", offset: nil)
    let rows = try fitness(now: "2026-05-01T20:00:00Z") { $0.sport = "running" }.rows
    #expect(rows.map(\.trainingLoad) == [20])
    try logbook.change(1) { $0.totals.effort.distanceM = 9000 }
    try logbook.change(2) { $0.totals.effort.distanceM = 5000 }
    let offsets = try records(now: "2026-05-02T08:00:00Z").sports.map { ($0.sport, $0.farthest?.utcOffsetS) }
    #expect(offsets.first { $0.0 == "cycling" }?.1 == 7200 && offsets.contains { $0.0 == "running" && $0.1 == nil })
  }

  @Test("a thousand activities are read in several slices, and all of them count")
  func many() throws {
    try logbook.file.database.transaction { () throws(SQLiteError) in
      for number in 0..<1000 as Range<Int64> {
        var row = StoredActivity()
        (row.uuid, row.startUTCMS, row.sortMS) = (.uniqueID(), number * Self.day, number * Self.day)
        row.totals.trainingLoad = 50
        _ = try logbook.catalogue.table.insert(row)
      }
    }
    let work = try FitnessWork(FitnessRequest(), now: WallTime(seconds: 999 * 86_400), in: logbook.file.database)
    var steps = 1
    while try work.step() { steps += 1 }
    #expect(steps == 6 && work.reply.activities == 180)
    #expect(abs(try #require(work.reply.rows.first).fitness - 50) < 1e-6)
  }
}
