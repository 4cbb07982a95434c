// How a row becomes the record that clients receive.

package import LogbookWire
package import Time
import Wire

extension StoredActivity {
  package var record: ActivityRecord {
    var record = ActivityRecord()
    record.id = Int(id)
    record.version = version
    record.state = WireWord(shownState)
    record.source = WireWord(source)
    record.sport = sport
    (record.name, record.note, record.bike) = (name, note, bike)
    record.start = start
    record.utcOffsetS = utcOffsetS
    record.elapsedTimeS = Double(elapsedMS) / 1000
    record.rideTimeS = totals.rideTimeS
    record.totals = totals.effort
    record.carsPassed = totals.carsPassed
    record.intensityFactor = totals.intensityFactor
    record.trainingStressScore = totals.trainingStressScore
    record.heartRateLoad = totals.heartRateLoad
    record.trainingLoad = totals.trainingLoad
    record.laps = totals.laps
    record.hasTrack = totals.hasTrack
    record.isEdited = spans != nil
    record.deleted = deletedUTCMS.map(WallTime.init(milliseconds:))
    return record
  }

  /// UTC of the first moment; nil while the date is unknown.
  package var start: WallTime? { startUTCMS.map { WallTime(milliseconds: $0 + startMS) } }

  package var elapsedMS: Int64 { max(0, endMS - startMS) }

  private var shownState: ActivityState {
    switch state {
    case .recording: .recording
    case .complete, .importing: .complete
    case .interrupted: .interrupted
    }
  }
}

extension WallTime {
  package init(milliseconds: Int64) {
    let seconds = milliseconds.dividedDown(by: 1000)
    self.init(seconds: seconds, nanoseconds: Int32((milliseconds - seconds * 1000) * 1_000_000))
  }

  package var milliseconds: Int64 { seconds * 1000 + Int64(nanoseconds) / 1_000_000 }
}

extension Int64 {
  /// The quotient, rounded down.
  func dividedDown(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
