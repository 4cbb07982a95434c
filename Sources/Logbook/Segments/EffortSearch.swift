// Brings the efforts up to date, in slices: first of activities that are new or show something else
// than before, then of segments that are new. An activity that was not near a segment costs no more
// than a look at its boxes. What a stop interrupts is searched again after the next start.

import ActivityFiles
import Earth
package import SQLite
import Segments
package import Wire

package final class EffortSearch: SlicedWork {
  private enum Phase {
    case activities
    /// All segments, in an activity.
    case activity(StoredActivity, after: Int64)
    case segments
    /// All activities, for a segment.
    case segment(StoredSegment, SegmentLine, before: Int64)
    case finished
  }

  /// How many activities a step looks for, by their ids.
  private static let idsPerStep: Int64 = 50
  /// Efforts are written together, because a commit costs more than all of them.
  private static let effortsPerCommit = 50

  private let book: SegmentBook
  private let table: ActivityTable
  private let tables: EffortTables
  private let obsolete: Statement
  private let nextSegment: Statement
  private let unsearched: Statement
  private let near: Statement
  private let isSearched: Statement
  private var phase = Phase.activities
  private var scan: TrackScan?
  private var passages: PassageSearch?
  private var found: [StoredEffort] = []
  /// Activities from this id on were looked at.
  private var before: Int64
  /// How often an activity was read.
  package private(set) var readings = 0
  /// The segments that may have other efforts now.
  package private(set) var segments: Set<Int64> = []

  package init(in database: Database) throws(Refusal) {
    do throws(SQLiteError) {
      book = try SegmentBook(database)
      table = try ActivityTable(database)
      tables = try EffortTables(database)
      obsolete = try database.prepare(
        """
        SELECT id FROM activity LEFT JOIN effort_search ON effort_search.activity = id
        WHERE id < ?1 AND id >= ?1 - \(Self.idsPerStep) AND state NOT IN ('recording', 'importing')
        AND (ifnull(segment, -1) < 0 OR effort_search.spans IS NOT activity.spans OR effort_search.end_ms != activity.end_ms)
        ORDER BY id DESC LIMIT 1
        """)
      nextSegment = try database.prepare(StoredSegment.selection + " WHERE id > ?1 ORDER BY id LIMIT 1")
      unsearched = try database.prepare(StoredSegment.selection + " WHERE searched = 0 ORDER BY id LIMIT 1")
      near = try database.prepare(
        """
        SELECT activity FROM track_box WHERE activity < ?1 AND activity >= ?1 - \(Self.idsPerStep)
        AND south <= ?4 AND north >= ?2 AND west <= ?5 AND east >= ?3
        AND (SELECT segment FROM effort_search WHERE effort_search.activity = track_box.activity) < ?6
        ORDER BY activity DESC LIMIT 1
        """)
      isSearched = try database.prepare("UPDATE segment SET searched = 1 WHERE id = ?1")
      before = try Self.end(of: database)
    } catch {
      throw Refusal(storage: error)
    }
  }

  /// Higher than the id of any activity.
  private static func end(of database: Database) throws(SQLiteError) -> Int64 {
    (try database.integer("SELECT max(id) FROM activity") ?? 0) + 1
  }

  package func step() throws(Refusal) -> Bool {
    if let scan {
      if try scan.step() { return true }
      segments.formUnion(scan.segments)
      (self.scan, phase) = (nil, .activity(scan.activity, after: 0))
      return true
    }
    if let passages {
      if try passages.step() { return true }
      found += passages.efforts
      self.passages = nil
      if found.count < Self.effortsPerCommit { return true }
    }
    try Refusal.storage { () throws(SQLiteError) in try advance() }
    if case .finished = phase { return false }
    return true
  }

  private func advance() throws(SQLiteError) {
    if found.count >= Self.effortsPerCommit { return try store() }
    switch phase {
    case .activities: try findActivity()
    case .activity(let activity, let after): try search(activity, after: after)
    case .segments: try findSegment()
    case .segment(let segment, let line, let before): try search(segment, line, before: before)
    case .finished: break
    }
  }

  private func store() throws(SQLiteError) {
    try tables.store(found)
    for effort in found { segments.insert(effort.segment) }
    found = []
  }
}

// MARK: Activities

extension EffortSearch {
  private func findActivity() throws(SQLiteError) {
    try obsolete.bind(1, before)
    guard try obsolete.step() else {
      before -= Self.idsPerStep
      if before <= 1 { phase = .segments }
      return
    }
    before = obsolete.integer(0)
    obsolete.reset()
    guard let activity = try table.find(before) else { return }
    readings += 1
    scan = try TrackScan(activity, tables)
  }

  private func search(_ activity: StoredActivity, after last: Int64) throws(SQLiteError) {
    try nextSegment.bind(1, last)
    guard try nextSegment.step() else {
      try store()
      try tables.markSearched(activity, upTo: last)
      phase = .activities
      return
    }
    let segment = StoredSegment(nextSegment)
    nextSegment.reset()
    phase = .activity(activity, after: segment.id)
    guard try !tables.times(of: activity.id, in: segment.box).isEmpty, let line = try book.line(of: segment.id) else {
      return
    }
    readings += 1
    passages = try PassageSearch(segment.id, line, in: activity, tables)
  }
}

// MARK: Segments

extension EffortSearch {
  private func findSegment() throws(SQLiteError) {
    guard try unsearched.step() else { return phase = .finished }
    let segment = StoredSegment(unsearched)
    unsearched.reset()
    guard let line = try book.line(of: segment.id) else { return try finish(segment) }
    phase = .segment(segment, line, before: try Self.end(of: table.database))
  }

  private func search(_ segment: StoredSegment, _ line: SegmentLine, before: Int64) throws(SQLiteError) {
    try near.bind(1, before)
    for (index, degrees) in [segment.box.south, segment.box.west, segment.box.north, segment.box.east].enumerated() {
      try near.bind(Int32(index + 2), degrees)
    }
    try near.bind(6, segment.id)
    guard try near.step() else {
      phase = .segment(segment, line, before: before - Self.idsPerStep)
      if before <= 1 { try finish(segment) }
      return
    }
    let id = near.integer(0)
    near.reset()
    phase = .segment(segment, line, before: id)
    guard let activity = try table.find(id) else { return }
    readings += 1
    passages = try PassageSearch(segment.id, line, in: activity, tables)
  }

  private func finish(_ segment: StoredSegment) throws(SQLiteError) {
    try store()
    try isSearched.bind(1, segment.id)
    try isSearched.step()
    phase = .segments
  }
}
