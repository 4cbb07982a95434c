// Finds the other activities that were where one was, the newest first. In steps: each compares boxes
// of five minutes, first with one box around the whole activity.

import Earth
import SQLite

final class NearbyActivities {
  enum Step {
    /// The time in which the activity was near, in seconds.
    case found(StoredActivity, Range<Int64>)
    case searching, finished
  }

  private static let activitiesPerPage = 50
  /// A step that has compared as many pairs of boxes is over.
  private static let comparisonsPerStep = 20_000

  private let id: Int64
  private let table: ActivityTable
  private let page: Statement
  private let boxes: Statement
  private var places: [PositionBox] = []
  private var whole: PositionBox?
  private var before: (sortMS: Int64, id: Int64) = (.max, .max)
  /// Of the page, the oldest first.
  private var ids: [Int64] = []

  init(to activity: Int64, in database: Database) throws(SQLiteError) {
    id = activity
    table = try ActivityTable(database)
    page = try database.prepare(
      """
      SELECT id, sort_ms FROM activity WHERE \(ActivityCatalogue.isShown) AND (sort_ms, id) < (?1, ?2)
      ORDER BY sort_ms DESC, id DESC LIMIT \(Self.activitiesPerPage)
      """)
    boxes = try database.prepare(
      """
      SELECT from_s, south, west, north, east FROM track_box
      WHERE activity = ?1 AND south <= ?4 AND north >= ?2 AND west <= ?5 AND east >= ?3 ORDER BY from_s
      """)
    let own = try database.prepare("SELECT south, west, north, east FROM track_box WHERE activity = ?1")
    try own.bind(1, activity)
    while try own.step() {
      places.append(own.box(0))
      whole = whole?.union(own.box(0)) ?? own.box(0)
    }
  }

  func step() throws(SQLiteError) -> Step {
    guard let whole else { return .finished }
    if ids.isEmpty, try !readPage() { return .finished }
    var comparisons = 0
    while comparisons < Self.comparisonsPerStep, let other = ids.popLast() {
      let (times, count) = try times(of: other, in: whole)
      comparisons += count
      if let times, let activity = try table.find(other) { return .found(activity, times) }
    }
    return .searching
  }

  /// Returns false after the last page.
  private func readPage() throws(SQLiteError) -> Bool {
    try page.bind(1, before.sortMS)
    try page.bind(2, before.id)
    var isEmpty = true
    while try page.step() {
      isEmpty = false
      before = (page.integer(1), page.integer(0))
      if before.id != id { ids.insert(before.id, at: 0) }
    }
    return !isEmpty
  }

  /// From the first time that another activity was near to the last, and how many pairs of boxes were
  /// compared.
  private func times(
    of other: Int64, in whole: PositionBox
  ) throws(SQLiteError) -> (times: Range<Int64>?, comparisons: Int) {
    try boxes.bind(1, other)
    try boxes.bind(2, whole.south)
    try boxes.bind(3, whole.west)
    try boxes.bind(4, whole.north)
    try boxes.bind(5, whole.east)
    var times: Range<Int64>?
    var comparisons = 0
    while try boxes.step() {
      let box = boxes.box(1)
      comparisons += places.count
      guard places.contains(where: box.meets) else { continue }
      let from = boxes.integer(0)
      times = (times?.lowerBound ?? from)..<from + TrackScan.seconds
    }
    return (times, comparisons)
  }
}
