// The part of an activity that a curve or a track shows, and how long one of its points is.

import LogbookWire
import SQLite
import Wire

struct CurveRange: Equatable {
  let fromMS: Int64
  let toMS: Int64

  init(_ activity: StoredActivity, fromS: Double?, toS: Double?, in database: Database) throws(SQLiteError) {
    let end = try Self.endMS(activity, in: database)
    let wanted = toS.map { Int64($0 * 1000) } ?? end
    fromMS = Int64((fromS ?? 0) * 1000)
    toMS = max(fromMS, min(wanted, end))
  }

  /// In whole seconds, because there is one point of the ride per second.
  func stepS(points: Int) -> Double { max(1, (Double(toMS - fromMS) / 1000 / Double(max(1, points))).rounded(.up)) }

  /// The end of what is shown. A recording may go on.
  private static func endMS(_ activity: StoredActivity, in database: Database) throws(SQLiteError) -> Int64 {
    guard let last = activity.shownSpans.last else { return 0 }
    let rows = try database.prepare(SecondRows.last)
    try rows.bind(1, last.activity)
    let stored = try rows.step() ? rows.optionalInteger(0) : nil
    rows.reset()
    let end = min(last.toMS ?? .max, ((stored ?? -1) + 1) * 1000)
    return max(0, end - last.fromMS) + last.atMS
  }
}

extension StoredActivity {
  /// The activity of a request.
  static func requested(_ id: Int, in database: Database) throws(Refusal) -> StoredActivity {
    let found = try Refusal.storage { () throws(SQLiteError) in try ActivityTable(database).find(Int64(id)) }
    guard let found, found.state != .importing else { throw .noSuchActivity(id) }
    return found
  }
}

extension Refusal {
  /// Refuses a request if the database fails.
  static func storage<Result>(_ body: () throws(SQLiteError) -> Result) throws(Refusal) -> Result {
    do throws(SQLiteError) {
      return try body()
    } catch {
      throw Refusal(storage: error)
    }
  }
}
