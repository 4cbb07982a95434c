// Finds where on the line an effort was when, in slices.

import ActivityFiles
import SQLite
import Segments
import Wire

final class EffortTiming: SlicedWork {
  private static let rowsPerStep = 60
  /// So long before an effort, in milliseconds, its start can be recognized.
  private static let before: Int64 = 60_000

  let effort: StoredEffort
  private let reader: PointReader
  private let length: Double
  private var finder: EffortFinder
  private var found = EffortTimes()
  private var hasBegun = false

  init(_ effort: StoredEffort, on line: SegmentLine, in database: Database) throws(Refusal) {
    self.effort = effort
    length = line.length
    finder = EffortFinder(line)
    found.begin(lengthM: line.length)
    let activity = try StoredActivity.requested(Int(effort.activity), in: database)
    reader = try Refusal.storage { () throws(SQLiteError) in
      try PointReader(
        activity.shownSpans, in: database, fromMS: max(0, effort.startMS - Self.before), toMS: effort.endMS)
    }
  }

  func step() throws(Refusal) -> Bool {
    try Refusal.storage { () throws(SQLiteError) in try reader.readRide(Self.rowsPerStep, add) }
  }

  private func add(_ point: ActivityPoint, _ ride: RideSecond) {
    guard let position = point.position else { return }
    let atMS = ride.positionMS ?? Int64(point.t) * 1000
    _ = finder.add(position, atMS: atMS)
    guard let attempt = finder.attempt, attempt.startMS == effort.startMS, atMS < effort.endMS else { return }
    hasBegun = true
    found.add(alongM: attempt.alongM, seconds: Double(atMS - effort.startMS) / 1000)
  }

  /// Nil if the effort was not recognized again.
  var times: EffortTimes? {
    guard hasBegun else { return nil }
    var whole = found
    whole.end(lengthM: length, seconds: Double(effort.timeMS) / 1000)
    return whole
  }
}

extension StoredEffort {
  var timeMS: Int64 { endMS - startMS }
}
