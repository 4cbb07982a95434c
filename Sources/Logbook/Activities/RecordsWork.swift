// Answers `records`, in slices: the best of each sport, and the streaks. Of equal activities the
// oldest holds the record.

import JSON
package import LogbookWire
package import SQLite
package import Time
import Training
package import Wire

package final class RecordsWork: SlicedWork {
  private static let columns = [
    "sport", "start_utc_ms + start_ms", ActivityColumns.localStart, "utc_offset_s", ActivityColumns.movingTime,
    "distance_m", "ascent_m", ActivityColumns.averageSpeed, ActivityColumns.powerCurve,
  ]

  private let now: WallTime
  private let weekStart: WeekStart
  private let scan: ActivityScan
  private var sports: [String: SportRecords] = [:]
  private var powers: [String: [Int: PowerBest]] = [:]
  private var days: Set<Int64> = []
  /// Of the newest activity that has one.
  private var offsetMS: Int64?
  /// Complete when `step` has returned false.
  package private(set) var reply = RecordsReply()

  package init(_ request: RecordsRequest, now: WallTime, in database: Database) throws(Refusal) {
    self.now = now
    weekStart = request.weekStart ?? .monday
    scan = try Refusal.storage { () throws(SQLiteError) in
      try ActivityScan(
        Self.columns.joined(separator: ", "), from: request.from, to: request.to, sport: request.sport,
        // Power curves lie on pages of their own.
        rowsPerStep: 40, in: database)
    }
  }

  package func step() throws(Refusal) -> Bool {
    let hasMore = try Refusal.storage { () throws(SQLiteError) in try scan.read(add) }
    if !hasMore { finish() }
    return hasMore
  }

  private func add(_ row: Statement) {
    let sport = row.text(2) ?? ""
    var best = ActivityBest()
    (best.activity, best.start) = (Int(row.integer(1)), row.optionalInteger(3).map(WallTime.init(milliseconds:)))
    best.utcOffsetS = row.optionalInteger(5).map(Int.init)
    if let local = row.optionalInteger(4) {
      days.insert(local.day)
      if offsetMS == nil { offsetMS = row.optionalInteger(5).map { $0 * 1000 } }
    }
    let moving = row.number(6) ?? 0
    var records = sports[sport] ?? SportRecords()
    records.sport = sport
    records.activities += 1
    records.longest.improve(\.movingTimeS, moving, best)
    records.farthest.improve(\.distanceM, row.number(7), best)
    records.mostAscent.improve(\.ascentM, row.number(8), best)
    if moving >= Self.leastFastS { records.fastest.improve(\.speedAvgMps, row.number(9), best) }
    sports[sport] = records
    if let curve = row.text(10) { add(curve, of: sport, best) }
  }

  /// The average speed of a shorter activity does not count, in seconds.
  private static let leastFastS = 600.0

  private func add(_ curve: String, of sport: String, _ best: ActivityBest) {
    for item in (try? JSONValue.parse(curve))?.items ?? [] {
      guard let point = BestPower(item), point.powerW > 0 else { continue }
      let old = powers[sport]?[point.durationS]
      if let old, old.powerW > point.powerW { continue }
      var power = PowerBest()
      (power.durationS, power.powerW) = (point.durationS, point.powerW)
      (power.activity, power.start, power.utcOffsetS) = (best.activity, best.start, best.utcOffsetS)
      powers[sport, default: [:]][point.durationS] = power
    }
  }

  private func finish() {
    for (sport, best) in powers { sports[sport]?.bestPowers = best.values.sorted { $0.durationS < $1.durationS } }
    let sorted = sports.values.sorted { ($1.activities, $0.sport) < ($0.activities, $1.sport) }
    let count = ReplyPage.countThatFits(sorted) { 900 + 125 * $0.bestPowers.count }
    reply.sports = Array(sorted.prefix(count))
    reply.hasMore = count < sorted.count
    let today = (now.milliseconds + (offsetMS ?? 0)).day
    func week(_ day: Int64) -> Int64 { StatisticsPeriod.week.number(ofDay: day, weeksFrom: weekStart) }
    guard let inDays = Streaks(days, now: today), let inWeeks = Streaks(days.map(week), now: week(today))
    else { return }
    var streaks = StreaksRecord()
    streaks.days = StreakRecord(inDays) { $0...$0 }
    streaks.weeks = StreakRecord(inWeeks) { StatisticsPeriod.days(ofWeek: $0, from: weekStart) }
    reply.streaks = streaks
  }
}

extension StreakRecord {
  fileprivate init(_ streaks: Streaks, days: (Int64) -> ClosedRange<Int64>) {
    self.init()
    (current, longest) = (streaks.current?.count ?? 0, streaks.longest.count)
    from = StatisticsPeriod.day.text(days(streaks.longest.lowerBound).lowerBound)
    to = StatisticsPeriod.day.text(days(streaks.longest.upperBound).upperBound)
  }
}

extension ActivityBest? {
  /// 0 is not a record.
  fileprivate mutating func improve(
    _ number: WritableKeyPath<ActivityBest, Double?>, _ value: Double?, _ activity: ActivityBest
  ) {
    guard let value, value > 0, value >= self?[keyPath: number] ?? 0 else { return }
    var best = activity
    best[keyPath: number] = value
    self = best
  }
}
