// Answers `fitness`, in slices: the loads of all days before count, too.

package import LogbookWire
package import SQLite
package import Time
import Training
package import Wire

package final class FitnessWork: SlicedWork {
  private struct Day {
    var load = 0.0
    var activities = 0
    var withoutLoad = 0
  }

  /// Rows in a reply: a line has room for so many.
  private static let mostRows: Int64 = 500
  private static let usualRows: Int64 = 180

  private let request: FitnessRequest
  private let now: WallTime
  private let scan: ActivityScan
  private var days: [Int64: Day] = [:]
  /// Of the newest activity that has one.
  private var offsetMS: Int64?
  /// Complete when `step` has returned false.
  package private(set) var reply = FitnessReply()

  /// `now` is the end, unless the request has another one.
  package init(_ request: FitnessRequest, now: WallTime, in database: Database) throws(Refusal) {
    (self.request, self.now) = (request, now)
    scan = try Refusal.storage { () throws(SQLiteError) in
      try ActivityScan(
        "\(ActivityColumns.localStart), \(ActivityColumns.trainingLoad), utc_offset_s", sport: request.sport,
        rowsPerStep: 200, in: database)
    }
  }

  package func step() throws(Refusal) -> Bool {
    let hasMore = try Refusal.storage { () throws(SQLiteError) in try scan.read(add) }
    if !hasMore { finish() }
    return hasMore
  }

  private func add(_ row: Statement) {
    guard let start = row.optionalInteger(2) else { return }
    if offsetMS == nil { offsetMS = row.optionalInteger(4).map { $0 * 1000 } }
    var day = days[start.day] ?? Day()
    day.activities += 1
    if let load = row.number(3) { day.load += load } else { day.withoutLoad += 1 }
    days[start.day] = day
  }

  private func finish() {
    let last = request.to.map { ($0.milliseconds - 1).day } ?? (now.milliseconds + (offsetMS ?? 0)).day
    guard let earliest = days.keys.min(), earliest <= last else { return }
    let wanted = max(earliest, request.from?.milliseconds.day ?? last - Self.usualRows + 1)
    let first = max(wanted, last - Self.mostRows + 1)
    reply.hasMore = first > wanted
    var fitness = Fitness()
    for number in earliest...last {
      let day = days[number] ?? Day()
      fitness.add(day.load)
      guard number >= first else { continue }
      reply.activities += day.activities
      reply.withoutLoad += day.withoutLoad
      var row = FitnessRow()
      row.day = StatisticsPeriod.day.text(number)
      (row.trainingLoad, row.fitness, row.fatigue, row.form) =
        (day.load, fitness.fitness, fitness.fatigue, fitness.form)
      reply.rows.append(row)
    }
    reply.rows.reverse()
  }
}

extension Int64 {
  /// Of milliseconds since 1970.
  var day: Int64 { dividedDown(by: 86_400_000) }
}
