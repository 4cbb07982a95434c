// Sums of the activities of each day, week, month or year.

package import LogbookWire
package import SQLite
package import Wire

package final class ActivityStatistics {
  private let rows: Statement

  /// Rows in a reply: a line has room for so many.
  private static let mostRows = 220

  package init(_ database: Database) throws(SQLiteError) {
    rows = try database.prepare(
      """
      SELECT \(ActivityColumns.localStart), \(ActivityColumns.movingTime), distance_m, ascent_m, work_j, energy_kcal,
        stress, \(ActivityColumns.trainingLoad)
      FROM activity WHERE \(ActivityCatalogue.isShown) AND start_utc_ms IS NOT NULL AND \(ActivityCatalogue.isWithin)
      """)
  }

  /// Activities of an unknown date are in no period.
  package func stats(_ request: StatisticsRequest) throws(Refusal) -> StatisticsReply {
    let end = try request.endNumber()
    var periods: [Int64: StatisticsRow] = [:]
    do throws(SQLiteError) {
      try ActivityCatalogue.bind(rows, from: request.from, to: request.to, sport: request.sport)
      while try rows.step() {
        let number = request.by.number(ofDay: rows.integer(0).day, weeksFrom: request.weekStart ?? .monday)
        guard number < end else { continue }
        periods[number, default: StatisticsRow()].add(rows)
      }
    } catch {
      throw Refusal(storage: error)
    }
    var reply = StatisticsReply()
    let numbers = periods.keys.sorted(by: >)
    reply.hasMore = numbers.count > Self.mostRows
    for number in numbers.prefix(Self.mostRows) {
      guard var row = periods[number] else { continue }
      row.period = request.by.text(number)
      row.round()
      reply.rows.append(row)
    }
    return reply
  }
}

extension StatisticsRequest {
  /// The first period that is not wanted.
  fileprivate func endNumber() throws(Refusal) -> Int64 {
    guard let beforePeriod else { return .max }
    if let number = by.number(named: beforePeriod) { return number }
    throw Refusal(.badRequest, "before_period is a \(by.rawValue) as rows name it, not '\(beforePeriod)'")
  }
}

extension StatisticsRow {
  fileprivate mutating func add(_ row: Statement) {
    activities += 1
    movingTimeS += row.number(1) ?? 0
    // Unknown in all of them is unknown.
    if let distance = row.number(2) { distanceM = (distanceM ?? 0) + distance }
    if let ascent = row.number(3) { ascentM = (ascentM ?? 0) + ascent }
    if let work = row.number(4) { workJ = (workJ ?? 0) + work }
    if let energy = row.number(5) { energyKcal = (energyKcal ?? 0) + energy }
    if let stress = row.number(6) { trainingStressScore = (trainingStressScore ?? 0) + stress }
    if let load = row.number(7) { trainingLoad = (trainingLoad ?? 0) + load } else { withoutLoad += 1 }
  }

  /// Sums have more digits than what they are made of.
  fileprivate mutating func round() {
    movingTimeS = Self.rounded(movingTimeS)
    distanceM = distanceM.map(Self.rounded)
    ascentM = ascentM.map(Self.rounded)
    workJ = workJ.map(Self.rounded)
    energyKcal = energyKcal.map(Self.rounded)
    trainingStressScore = trainingStressScore.map(Self.rounded)
    trainingLoad = trainingLoad.map(Self.rounded)
  }

  private static func rounded(_ sum: Double) -> Double { (sum * 1000).rounded() / 1000 }
}
