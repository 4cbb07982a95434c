// The laps of an edited activity, each with totals of its own.

import ActivityFiles
import LogbookWire
import Wire

struct LapTally {
  private(set) var laps: [ActivityLapRecord] = []
  private var tally: TotalsTally
  private var boundaries: ArraySlice<StoredSpans.Boundary>
  private var startMS: Int64

  init(_ conditions: TotalsTally.Conditions, startMS: Int64, _ boundaries: [StoredSpans.Boundary]) {
    tally = TotalsTally(conditions)
    self.startMS = startMS
    self.boundaries = boundaries[...]
  }

  mutating func add(_ point: ActivityPoint, _ ride: RideSecond) {
    while let next = boundaries.first, next.atMS.isReached(by: point) {
      finish(at: next.atMS, next.trigger)
      boundaries.removeFirst()
    }
    tally.add(point, ride)
  }

  mutating func beginPart() { tally.beginPart() }

  /// The last lap ends with the activity.
  mutating func finish() { finish(at: nil, .end) }

  private mutating func finish(at endMS: Int64?, _ trigger: LapTrigger) {
    var lap = ActivityLapRecord()
    lap.lap = laps.count + 1
    lap.startS = Double(startMS) / 1000
    lap.lapTimeS = tally.totals.rideTimeS
    lap.trigger = WireWord(trigger)
    lap.totals = tally.effort
    laps.append(lap)
    tally.beginLap()
    startMS = endMS ?? startMS
  }
}

extension Int64 {
  /// Whether a point belongs to what begins at this time, in milliseconds. Points are whole seconds, so
  /// it is the nearest one.
  func isReached(by point: ActivityPoint) -> Bool { Int64(point.t) * 1000 + 500 >= self }
}
