// Writes efforts and how far the search for them got, and reads what a search needs.

import Earth
import SQLite

struct StoredEffort: Equatable, Sendable {
  var segment: Int64
  var activity: Int64
  /// In the time of the activity.
  var startMS: Int64
  var endMS: Int64
  /// Nil without a power meter.
  var powerW: Double?
  /// Nil without a strap.
  var bpm: Double?
}

final class EffortTables {
  let database: Database
  private let effort: Statement
  private let box: Statement
  private let boxes: Statement
  private let begin: Statement
  private let end: Statement
  private let known: Statement
  private let forgetting: Statement
  private let segments: Statement

  private static let isOfActivity = "activity = ?1 AND spans IS ?2 AND end_ms = ?3"

  init(_ database: Database) throws(SQLiteError) {
    self.database = database
    // The segment may be gone by now, and the activity may have been edited or removed.
    effort = try database.prepare(
      """
      INSERT OR REPLACE INTO effort(segment, activity, start_ms, end_ms, power_w, bpm)
      SELECT segment.id, effort_search.activity, ?3, ?4, ?5, ?6 FROM segment, effort_search
      WHERE segment.id = ?1 AND effort_search.activity = ?2
      """)
    box = try database.prepare("INSERT INTO track_box VALUES(?1, ?2, ?3, ?4, ?5, ?6)")
    boxes = try database.prepare(
      "SELECT from_s, south, west, north, east FROM track_box WHERE activity = ?1 ORDER BY from_s")
    begin = try database.prepare("INSERT INTO effort_search SELECT id, ?2, ?3, -1 FROM activity WHERE id = ?1")
    end = try database.prepare("UPDATE effort_search SET segment = ?4 WHERE \(Self.isOfActivity)")
    known = try database.prepare("SELECT 1 FROM effort_search WHERE \(Self.isOfActivity)")
    // With its boxes and efforts.
    forgetting = try database.prepare("DELETE FROM effort_search WHERE activity = ?1")
    segments = try database.prepare("SELECT DISTINCT segment FROM effort WHERE activity = ?1")
  }

  /// In one transaction.
  func store(_ efforts: [StoredEffort]) throws(SQLiteError) {
    guard !efforts.isEmpty else { return }
    try database.transaction { () throws(SQLiteError) in
      for item in efforts {
        try effort.bind(1, item.segment)
        try effort.bind(2, item.activity)
        try effort.bind(3, item.startMS)
        try effort.bind(4, item.endMS)
        try effort.bind(5, item.powerW)
        try effort.bind(6, item.bpm)
        try effort.step()
      }
    }
  }

  /// What the activity shows now. Its efforts are to be searched from the first segment on. Returns the
  /// segments that had efforts in it.
  func store(
    _ boxes: [(fromS: Int64, box: PositionBox)], of activity: StoredActivity
  ) throws(SQLiteError) -> Set<Int64> {
    var segments: Set<Int64> = []
    try database.transaction { () throws(SQLiteError) in
      try self.segments.bind(1, activity.id)
      while try self.segments.step() { segments.insert(self.segments.integer(0)) }
      try forgetting.bind(1, activity.id)
      try forgetting.step()
      try bind(activity, to: begin)
      try begin.step()
      guard database.changes == 1 else { return }
      for (fromS, place) in boxes {
        try box.bind(1, activity.id)
        try box.bind(2, fromS)
        try box.bind(3, place.south)
        try box.bind(4, place.west)
        try box.bind(5, place.north)
        try box.bind(6, place.east)
        try box.step()
      }
    }
    return segments
  }

  /// All segments up to this one were searched in the activity.
  func markSearched(_ activity: StoredActivity, upTo segment: Int64) throws(SQLiteError) {
    try bind(activity, to: end)
    try end.bind(4, segment)
    try end.step()
  }

  /// Whether the boxes are those of what the activity shows.
  func isKnown(_ activity: StoredActivity) throws(SQLiteError) -> Bool {
    try bind(activity, to: known)
    defer { known.reset() }
    return try known.step()
  }

  private func bind(_ activity: StoredActivity, to statement: Statement) throws(SQLiteError) {
    try statement.bind(1, activity.id)
    try statement.bind(2, activity.spans.map(ActivitySpan.text))
    try statement.bind(3, activity.endMS)
  }

  /// The times in which an activity was in the box, in seconds.
  func times(of activity: Int64, in box: PositionBox) throws(SQLiteError) -> [Range<Int64>] {
    try boxes.bind(1, activity)
    var times: [Range<Int64>] = []
    var wasInside = false
    while try boxes.step() {
      let from = boxes.integer(0)
      let isInside = box.meets(boxes.box(1))
      if isInside {
        // Minutes without positions do not divide a stay.
        let begin = wasInside ? times.removeLast().lowerBound : from
        times.append(begin..<from + TrackScan.seconds)
      }
      wasInside = isInside
    }
    return times
  }
}

extension Statement {
  /// From this column on.
  func box(_ column: Int32) -> PositionBox {
    PositionBox(
      south: number(column) ?? 0, west: number(column + 1) ?? 0, north: number(column + 2) ?? 0,
      east: number(column + 3) ?? 0)
  }
}
