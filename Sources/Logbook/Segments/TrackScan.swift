// Stores boxes around the positions of an activity, each of five minutes, so that a search for
// efforts reads only the minutes in which the activity was near the segment. In slices.

import ActivityFiles
import Earth
import SQLite
import Wire

final class TrackScan: SlicedWork {
  /// Of a box.
  static let seconds: Int64 = 300
  /// A step of these takes about two milliseconds.
  private static let rowsPerStep = 60

  let activity: StoredActivity
  private let tables: EffortTables
  private let reader: PointReader
  private var boxes: [(fromS: Int64, box: PositionBox)] = []
  /// Segments whose efforts in the activity are gone. Complete when `step` has returned false.
  private(set) var segments: Set<Int64> = []

  init(_ activity: StoredActivity, _ tables: EffortTables) throws(SQLiteError) {
    (self.activity, self.tables) = (activity, tables)
    reader = try PointReader(activity.shownSpans, in: tables.database)
  }

  func step() throws(Refusal) -> Bool {
    try Refusal.storage { () throws(SQLiteError) in
      if try reader.readRide(Self.rowsPerStep, add) { return true }
      segments = try tables.store(boxes, of: activity)
      return false
    }
  }

  private func add(_ point: ActivityPoint, _ ride: RideSecond) {
    guard let position = point.position else { return }
    let second = Int64(point.t)
    let fromS = second - second % Self.seconds
    if boxes.last?.fromS == fromS {
      boxes[boxes.count - 1].box.add(position)
    } else {
      boxes.append((fromS, PositionBox(position)))
    }
  }
}
