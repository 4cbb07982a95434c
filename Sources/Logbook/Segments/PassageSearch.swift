// Searches the efforts of one activity on one segment, in slices: the passages first, and then what
// power and heart rate were in each of them.

import ActivityFiles
import LogbookWire
import SQLite
import Segments
import Wire

final class PassageSearch: SlicedWork {
  private static let rowsPerStep = 60
  /// A page of `efforts` does not divide those of an activity, and has to fit into a line.
  private static let mostEfforts = 200

  private let database: Database
  private let activity: StoredActivity
  private let segment: Int64
  private let line: SegmentLine
  /// When the activity was near the segment, in seconds.
  private var times: ArraySlice<Range<Int64>>
  private var reader: PointReader?
  private var finder: EffortFinder
  private var passages: [EffortFinder.Passage] = []
  private var tally = TotalsTally()
  private var isSearching = true
  /// Complete when `step` has returned false.
  private(set) var efforts: [StoredEffort] = []

  init(
    _ segment: Int64, _ line: SegmentLine, in activity: StoredActivity, _ tables: EffortTables
  ) throws(SQLiteError) {
    (self.segment, self.line, self.activity) = (segment, line, activity)
    database = tables.database
    finder = EffortFinder(line)
    times = try tables.times(of: activity.id, in: line.box)[...]
  }

  func step() throws(Refusal) -> Bool {
    try Refusal.storage { () throws(SQLiteError) in
      if isSearching { try search() } else { try summarize() }
    }
    return isSearching || efforts.count < passages.count
  }

  private func search() throws(SQLiteError) {
    if let reader {
      if try reader.readRide(Self.rowsPerStep, add) { return }
      self.reader = nil
      add(finder.finish())
    } else if let time = times.popFirst(), passages.count < Self.mostEfforts {
      // The positions before and after can lie outside of the box.
      let margin = EffortFinder.longestGapMS
      finder = EffortFinder(line)
      reader = try read(fromMS: time.lowerBound * 1000 - margin, toMS: time.upperBound * 1000 + margin)
    } else {
      isSearching = false
    }
  }

  private func add(_ point: ActivityPoint, _ ride: RideSecond) {
    guard let position = point.position else { return }
    add(finder.add(position, atMS: ride.positionMS ?? Int64(point.t) * 1000))
  }

  private func add(_ passage: EffortFinder.Passage?) {
    if let passage, passages.count < Self.mostEfforts { passages.append(passage) }
  }

  private func summarize() throws(SQLiteError) {
    let passage = passages[efforts.count]
    if let reader {
      if try reader.readRide(Self.rowsPerStep, { point, ride in tally.add(point, ride) }) { return }
      self.reader = nil
      let totals = tally.effort
      efforts.append(
        StoredEffort(
          segment: segment, activity: activity.id, startMS: passage.startMS, endMS: passage.endMS,
          powerW: totals.powerAvgW, bpm: totals.bpmAvg))
    } else {
      var conditions = TotalsTally.Conditions()
      conditions.longestStep = activity.longestStep
      tally = TotalsTally(conditions)
      reader = try read(fromMS: passage.startMS, toMS: passage.endMS)
    }
  }

  private func read(fromMS: Int64, toMS: Int64) throws(SQLiteError) -> PointReader {
    try PointReader(activity.shownSpans, in: database, fromMS: max(0, fromMS), toMS: toMS)
  }
}
