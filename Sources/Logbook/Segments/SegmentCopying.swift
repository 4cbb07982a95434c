// Makes a segment of the positions of a part of an activity, in slices.

import ActivityFiles
import Earth
package import LogbookWire
import Metrics
package import SQLite
import Segments
package import Wire

package struct NewSegment {
  package var name = ""
  var positions: [Coordinate] = []
  var ascentM: Double?
}

package final class SegmentCopying: SlicedWork {
  private static let rowsPerStep = 60
  /// Positions that are nearer to the one before add nothing to the line, in metres.
  private static let leastStep = 5.0

  /// The activity that the segment is a part of.
  package let activity: StoredActivity
  private let reader: PointReader
  private let threshold: Double
  private var climb = Climb()
  private var hasAltitude = false
  private var skipped: Coordinate?
  private var last: (position: Coordinate, atMS: Int64)?
  private var longestGapMS: Int64 = 0
  private var line = NewSegment()

  package init(_ request: SegmentAddRequest, in database: Database) throws(Refusal) {
    let activity = try StoredActivity.requested(request.activity, in: database)
    self.activity = activity
    threshold = activity.hasBarometer ? 2 : 10
    line.name = request.name
    reader = try Refusal.storage { () throws(SQLiteError) in
      let range = try CurveRange(activity, fromS: request.fromS, toS: request.toS, in: database)
      return try PointReader(activity.shownSpans, in: database, fromMS: range.fromMS, toMS: range.toMS)
    }
  }

  package func step() throws(Refusal) -> Bool {
    try Refusal.storage { () throws(SQLiteError) in try reader.readRide(Self.rowsPerStep, add) }
  }

  /// Call it when `step` has returned false.
  package func segment() throws(Refusal) -> NewSegment {
    var segment = line
    if let skipped { segment.positions.append(skipped) }
    segment.ascentM = hasAltitude ? climb.ascentM : nil
    guard longestGapMS <= EffortFinder.longestGapMS else {
      throw Refusal(.badRequest, "positions of \(longestGapMS / 1000) s are missing in this part")
    }
    return segment
  }

  private func add(_ point: ActivityPoint, _ ride: RideSecond) {
    if let altitude = point.altitude(in: ride) {
      hasAltitude = true
      climb.add(altitude, threshold: threshold)
    }
    guard let position = point.position else { return }
    let atMS = ride.positionMS ?? Int64(point.t) * 1000
    if let last, last.position.distance(to: position) > SegmentLine.tolerance {
      longestGapMS = max(longestGapMS, atMS - last.atMS)
    }
    last = (position, atMS)
    let isFar = line.positions.last.map { $0.distance(to: position) >= Self.leastStep } ?? true
    if isFar { line.positions.append(position) }
    skipped = isFar ? nil : position
  }
}

extension ActivityPoint {
  /// Unless the ride is paused.
  fileprivate func altitude(in ride: RideSecond) -> Double? {
    ride.state == .moving || ride.state == .unknown ? self[.altitude] : nil
  }
}
