// Computes the totals of an activity again from its seconds and stores them, in slices: after an edit,
// an import or a crash, and at the end of a recording, whose power curve and gaps the daemon does not
// compute. A recording that was not edited has the daemon's own totals.

import ActivityFiles
import JSON
import LogbookWire
package import SQLite
package import Wire

package final class TotalsWork: SlicedWork {
  /// A step of these takes about two milliseconds.
  private static let rowsPerStep = 60

  private let table: ActivityTable
  private let reader: PointReader
  private let activity: StoredActivity
  private let rider: StoredRider
  private let isOwnRecording: Bool
  private var isStored = false
  private var ride = RideTotals()
  private var tally: TotalsTally
  private var curve = PowerCurve()
  private var gaps: GapFinder
  private var laps: LapTally
  /// Where the second and further parts of an edited activity begin.
  private var parts: ArraySlice<Int64>
  private var lastMS: Int64 = 0
  /// The last charge by sensor, whose name is JSON text.
  private var batteries: [[UInt8]: Double] = [:]

  package init(_ id: Int64, in database: Database) throws(Refusal) {
    do throws(SQLiteError) {
      table = try ActivityTable(database)
      activity = try table.find(id) ?? StoredActivity()
      let stored = StoredSpans(activity, in: database)
      parts = activity.shownSpans.dropFirst().map(\.atMS)[...]
      reader = try PointReader(activity.shownSpans, in: database)
      isOwnRecording = activity.source == .recorded && activity.spans == nil
      rider = try StoredRider(of: activity, in: database)
      var conditions = TotalsTally.Conditions()
      conditions.rider = rider
      let isRecorded = activity.source == .recorded
      conditions.longestStep = activity.longestStep
      conditions.hasBarometer = activity.hasBarometer
      tally = TotalsTally(conditions)
      gaps = GapFinder(
        longest: isRecorded ? 3 : 10, causes: try stored.gapCauses(), otherwise: isRecorded ? .interrupted : nil)
      laps = LapTally(
        conditions, startMS: activity.startMS, activity.spans == nil ? [] : try stored.boundaries())
    } catch {
      throw Refusal(storage: error)
    }
    guard activity.id == id else { throw .noSuchActivity(Int(id)) }
  }

  package func step() throws(Refusal) -> Bool {
    guard !isStored else { return false }
    do throws(SQLiteError) {
      if activity.source == .hand {
        isStored = true
        try table.database.transaction(storeByHand)
        return false
      }
      let hasMore = try reader.readRide(
        Self.rowsPerStep, damaged: { gaps.addDamage(atMS: $0) },
        sample: { atMS, sample, stream in
          lastMS = max(lastMS, atMS)
          if isOwnRecording { ride.record(sample, of: stream) }
          if let charge = stream.value(of: "battery_pct", in: sample)?.number {
            batteries[stream.sensor] = charge
          }
        }, add)
      if hasMore { return true }
      isStored = true
      gaps.finish()
      try table.database.transaction(store)
      return false
    } catch {
      throw Refusal(storage: error)
    }
  }

  private func add(_ point: ActivityPoint, _ second: RideSecond) {
    while let next = parts.first, next.isReached(by: point) {
      tally.beginPart()
      laps.beginPart()
      parts.removeFirst()
    }
    gaps.add(point, second.state)
    let ridden = tally.add(point, second)
    if let watts = point[.power] {
      for _ in 0..<ridden { curve.add(watts) }
    }
    if activity.spans != nil { laps.add(point, second) }
  }
}

extension StoredActivity {
  /// For how many seconds its values hold.
  var longestStep: Int { source == .recorded ? 1 : 10 }

  /// Whether its altitudes are better than those of a receiver.
  var hasBarometer: Bool {
    source == .recorded || detail.flatMap { try? JSONValue.parse($0) }?["file"]?["barometer"]?.bool ?? false
  }
}

// MARK: Storing

extension TotalsWork {
  private func store() throws(SQLiteError) {
    // Requests may have changed the row meanwhile. If they changed what it shows, this is obsolete.
    guard var row = try table.find(activity.id), row.spans == activity.spans else { return }
    var detail = StoredDetail(text: row.detail)
    (detail.derived.gaps, detail.derived.isShortened) = (gaps.gaps, gaps.isShortened)
    detail.derived.powerCurve = curve.best
    detail.derived.zones = tally.zones
    detail.derived.laps = []
    detail.derived.batteries = batteryList
    if isOwnRecording {
      try storeRecording(in: &row, &detail)
    } else if row.spans != nil {
      if row.source != .recorded, detail.derived.unedited == nil { detail.derived.unedited = row.totals }
      laps.finish()
      detail.derived.laps = laps.laps
      row.totals = tally.totals
      row.totals.laps = laps.laps.count
    } else {
      // What the file says about itself counts.
      row.totals = (detail.derived.unedited ?? row.totals).completed(from: tally.totals)
      detail.derived.unedited = nil
    }
    row.totals.setTrainingLoad(rider)
    row.detail = detail.text
    try table.replace(row)
    try table.didStoreTotals(of: row.id)
  }

  /// It has no seconds: its numbers are the rider's own.
  private func storeByHand() throws(SQLiteError) {
    guard var row = try table.find(activity.id) else { return }
    row.totals.setTrainingLoad(rider)
    try table.replace(row)
    try table.didStoreTotals(of: row.id)
  }

  private var batteryList: [StoredBattery] {
    batteries.compactMap { name, charge in
      guard let sensor = (try? JSONValue.parse(name.span))?.text else { return nil }
      var battery = StoredBattery()
      (battery.sensor, battery.chargePct) = (sensor, charge)
      return battery
    }.sorted { $0.sensor < $1.sensor }
  }

  private func storeRecording(in row: inout StoredActivity, _ detail: inout StoredDetail) throws(SQLiteError) {
    row.totals = ride.totals
    row.endMS = max(row.endMS, lastMS)
    detail.derived.zones = ride.zones(of: rider)
    let own = ride.bestPowers
    detail.derived.powerCurve = curve.best.map { best in own.first { $0.durationS == best.durationS } ?? best }
    guard row.state != .recording, let number = ride.lapNumber else { return }
    try storeLastLap(number, row)
  }

  /// The last lap ends with the activity, also if the recorder could not say so.
  private func storeLastLap(_ number: Int, _ row: StoredActivity) throws(SQLiteError) {
    let before = try StoredSpans.laps(of: row.id, after: number - 2, limit: 2, in: table.database)
    guard before.last?.number != number || before.last?.cause == nil else { return }
    let start = before.last.map { $0.number == number ? $0.startMS : $0.endMS } ?? row.startMS
    var batch = RecordingBatch()
    batch.laps = [
      RecordingBatch.Lap(
        number: number, startMS: start, endMS: max(start, row.endMS), cause: LapTrigger.end.rawValue,
        totals: ride.lap.text)
    ]
    try RecordingTables(table.database).add(batch, to: row.id)
  }
}

extension StoredTotals {
  /// Numbers that are not known are those of `other`.
  package func completed(from other: StoredTotals) -> StoredTotals {
    // Both are JSON objects without null, so the first one's members replace the other's.
    guard let own = (try? JSONValue.parse(text))?.members, let others = (try? JSONValue.parse(other.text))?.members
    else { return self }
    return StoredTotals(.object(others + own)) ?? self
  }
}
