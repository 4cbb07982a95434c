// The activities of the logbook: pages of them, single ones, and how many there are. Statements are
// prepared once. A page reads the index `activity_shown` and the rows of the page, nothing else.

package import LogbookWire
package import SQLite
import Time
package import Wire

package final class ActivityCatalogue {
  let table: ActivityTable
  private let shownPage: Statement
  private let deletedPage: Statement
  private let shownCount: Statement
  private let recording: Statement
  private let lastRecorded: Statement
  private let similar: Statement
  private let sameFile: Statement
  private let newest: Statement

  /// As in the index `activity_shown`.
  static let isShown = "joined_into IS NULL AND deleted_utc_ms IS NULL AND state != 'importing'"
  /// Of the parameters that `bind(_:_:)` sets.
  static let isWithin = """
    sort_ms >= ?1 AND sort_ms < ?2 AND (?3 IS NULL OR start_utc_ms + start_ms >= ?3)
    AND (?4 IS NULL OR start_utc_ms + start_ms < ?4) AND (?5 IS NULL OR sport = ?5)
    """

  package init(_ database: Database) throws(SQLiteError) {
    table = try ActivityTable(database)
    shownPage = try Self.page(Self.isShown, in: database)
    deletedPage = try Self.page("deleted_utc_ms IS NOT NULL", in: database)
    shownCount = try database.prepare("SELECT count(*) FROM activity WHERE \(Self.isShown)")
    recording = try database.prepare("SELECT id FROM activity WHERE state = 'recording' ORDER BY id DESC LIMIT 1")
    lastRecorded = try database.prepare(
      """
      SELECT id, state FROM activity WHERE source = 'recorded' AND origin IS NULL AND \(Self.isShown)
      ORDER BY id DESC LIMIT 1
      """)
    similar = try database.prepare(
      ActivityTable.summarySelection + """
         WHERE sort_ms > ?1 - 2000 AND sort_ms < ?1 + 2000 AND abs(start_utc_ms + start_ms - ?1) < 1000
        AND abs(end_ms - start_ms - ?2) <= 2000 AND id != ?3 AND deleted_utc_ms IS NULL AND state != 'importing'
        ORDER BY id
        """)
    sameFile = try database.prepare(
      """
      SELECT id FROM activity WHERE source_hash = ?1 AND id != ?2 AND deleted_utc_ms IS NULL
      AND state != 'importing' ORDER BY id LIMIT 1
      """)
    newest = try database.prepare("SELECT max(sort_ms) FROM activity")
  }

  private static func page(_ condition: String, in database: Database) throws(SQLiteError) -> Statement {
    try database.prepare(
      ActivityTable.summarySelection + """
         WHERE \(condition) AND \(isWithin) AND (sort_ms, id) < (?6, ?7) AND (?8 IS NULL OR instr(search, ?8) > 0)
        ORDER BY sort_ms DESC, id DESC LIMIT ?9
        """)
  }

  // MARK: Reading

  package func list(_ request: ListRequest) throws(Refusal) -> ActivitiesReply {
    var last: StoredActivity?
    if let before = request.before { last = try find(Int64(before)) }
    let limit = request.limit ?? RequestLimits.defaultPage
    let page = request.deleted ? deletedPage : shownPage
    var reply = ActivitiesReply()
    do throws(SQLiteError) {
      try Self.bind(page, from: request.from, to: request.to, sport: request.sport)
      try page.bind(6, last?.sortMS ?? .max)
      try page.bind(7, last?.id ?? .max)
      try page.bind(8, request.text.flatMap { $0.isEmpty ? nil : SearchText.fold($0) })
      try page.bind(9, limit + 1)
      while try page.step() { reply.activities.append(ActivityTable.row(page).record) }
    } catch {
      throw Refusal(storage: error)
    }
    let count = min(limit, ReplyPage.countThatFits(reply.activities, mostBytes: \.mostBytes))
    reply.hasMore = count < reply.activities.count
    reply.activities.removeLast(reply.activities.count - count)
    return reply
  }

  /// The parameters 1 to 5.
  static func bind(
    _ statement: Statement, from: WallTime?, to: WallTime?, sport: String?
  ) throws(SQLiteError) {
    // The list is sorted by the zero, which is up to a second before the start.
    try statement.bind(1, from.map { $0.milliseconds - 1000 } ?? .min)
    try statement.bind(2, to?.milliseconds ?? .max)
    try statement.bind(3, from?.milliseconds)
    try statement.bind(4, to?.milliseconds)
    try statement.bind(5, sport)
  }

  package func record(_ id: Int64) throws(Refusal) -> ActivityRecord { try find(id).record }

  /// Refuses an id that is unknown, or that of an import that goes on.
  package func find(_ id: Int64) throws(Refusal) -> StoredActivity {
    do throws(SQLiteError) {
      if let row = try table.find(id), row.state != .importing { return row }
    } catch {
      throw Refusal(storage: error)
    }
    throw .noSuchActivity(Int(id))
  }

  // MARK: For `status`

  /// How many activities `list` has.
  package func count() throws(Refusal) -> Int { try Int(first(shownCount) ?? 0) }

  /// The activity that is being recorded.
  package func recordingID() throws(Refusal) -> Int64? { try first(recording) }

  package func recordingRecord() throws(Refusal) -> ActivityRecord? {
    guard let id = try recordingID() else { return nil }
    return try record(id)
  }

  /// The last recorded activity, if it was interrupted.
  package func interruptedID() throws(Refusal) -> Int64? {
    do throws(SQLiteError) {
      defer { lastRecorded.reset() }
      guard try lastRecorded.step(), lastRecorded.text(1) == StoredActivity.State.interrupted.rawValue else {
        return nil
      }
      return lastRecorded.integer(0)
    } catch {
      throw Refusal(storage: error)
    }
  }

  private func first(_ statement: Statement) throws(Refusal) -> Int64? {
    do throws(SQLiteError) {
      defer { statement.reset() }
      return try statement.step() ? statement.optionalInteger(0) : nil
    } catch {
      throw Refusal(storage: error)
    }
  }

  // MARK: For imports

  /// An activity that is the same: from the same file, or of the same time and a similar sport. A
  /// deleted one does not count.
  package func duplicate(of activity: StoredActivity) throws(Refusal) -> Int64? {
    do throws(SQLiteError) {
      if let hash = activity.sourceHash {
        try sameFile.bind(1, hash.span)
        try sameFile.bind(2, activity.id)
        defer { sameFile.reset() }
        if try sameFile.step() { return sameFile.integer(0) }
      }
      guard let start = activity.start else { return nil }
      try similar.bind(1, start.milliseconds)
      try similar.bind(2, activity.elapsedMS)
      try similar.bind(3, activity.id)
      let family = SportFamily(activity.sport)
      return try table.all(similar).first { SportFamily($0.sport) == family }?.id
    } catch {
      throw Refusal(storage: error)
    }
  }

  /// Where the list shows an activity of an unknown date that is added now: first.
  package func sortMSOfUnknownDate() throws(Refusal) -> Int64 { (try first(newest) ?? 0) + 1 }
}

extension ActivityRecord {
  /// Its numbers take less.
  fileprivate var mostBytes: Int { 1100 + ReplyPage.mostBytes(of: name, note, bike, sport) }
}
