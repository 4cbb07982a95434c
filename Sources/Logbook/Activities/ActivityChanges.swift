// Changes of what an activity is called and of whether it is in the list. What it shows of its
// recording is changed by `ActivityEditor`.

package import LogbookWire
import SQLite
package import Time
package import Wire

package final class ActivityChanges {
  private let catalogue: ActivityCatalogue

  package init(_ catalogue: ActivityCatalogue) { self.catalogue = catalogue }

  package func add(_ request: AddRequest) throws(Refusal) -> ActivityRecord {
    var row = StoredActivity()
    row.uuid = .uniqueID()
    row.source = .hand
    row.sport = request.sport
    row.setStart(request.start)
    row.utcOffsetS = request.utcOffsetS
    row.setElapsed(request.elapsedTimeS)
    row.totals.set(request.values)
    (row.name, row.note, row.bike) = (request.name.text, request.note.text, request.bike.text)
    do throws(SQLiteError) {
      row.totals.setTrainingLoad(try StoredRider(of: row, in: catalogue.table.database))
      row.id = try catalogue.table.insert(row)
    } catch {
      throw Refusal(storage: error)
    }
    return row.record
  }

  package func edit(_ request: EditRequest) throws(Refusal) -> ActivityRecord {
    let old = try catalogue.find(Int64(request.id), version: request.ifVersion)
    try old.requireShown()
    let hasHandValues = request.elapsedTimeS != nil || !request.values.isEmpty
    if hasHandValues, old.source != .hand {
      throw Refusal(.badRequest, "activity \(old.id) was not added by hand: its numbers cannot be changed")
    }
    if request.start != nil || request.utcOffsetS != nil, old.state == .recording {
      throw Refusal(.busy, "activity \(old.id) is being recorded: its date cannot be changed")
    }
    var row = old
    if let name = request.name { row.name = name.isEmpty ? nil : name }
    if let note = request.note { row.note = note.isEmpty ? nil : note }
    if let bike = request.bike { row.bike = bike.isEmpty ? nil : bike }
    if let sport = request.sport { row.sport = sport }
    if let start = request.start { row.setStart(start) }
    if let offset = request.utcOffsetS { row.utcOffsetS = offset }
    if let elapsed = request.elapsedTimeS { row.setElapsed(elapsed) }
    row.totals.set(request.values)
    guard row != old else { return old.record }
    if hasHandValues {
      try Refusal.storage { () throws(SQLiteError) in
        row.totals.setTrainingLoad(try StoredRider(of: row, in: catalogue.table.database))
      }
    }
    return try replace(row)
  }

  package func delete(_ request: DeleteRequest, at now: WallTime) throws(Refusal) -> ActivityRecord {
    var row = try catalogue.find(Int64(request.id), version: request.ifVersion)
    try row.requireShown()
    if row.state == .recording { throw Refusal(.busy, "activity \(row.id) is being recorded") }
    row.deletedUTCMS = now.milliseconds
    return try replace(row)
  }

  /// Refuses what may be purged already.
  package func restore(_ request: RestoreRequest, at now: WallTime) throws(Refusal) -> ActivityRecord {
    var row = try catalogue.find(Int64(request.id))
    guard let deleted = row.deletedUTCMS else { throw Refusal(.badRequest, "activity \(row.id) is not deleted") }
    if deleted < (now - PurgeWork.period).milliseconds {
      throw Refusal(.badRequest, "activity \(row.id) was deleted too long ago")
    }
    row.deletedUTCMS = nil
    return try replace(row)
  }

  private func replace(_ row: StoredActivity) throws(Refusal) -> ActivityRecord {
    var row = row
    row.version += 1
    do throws(SQLiteError) {
      try catalogue.table.replace(row)
    } catch {
      throw Refusal(storage: error)
    }
    return row.record
  }
}

extension ActivityCatalogue {
  /// Refuses another version than that one.
  func find(_ id: Int64, version: Int?) throws(Refusal) -> StoredActivity {
    let row = try find(id)
    if let version, version != row.version {
      throw Refusal(.changed, "activity \(id) has the version \(row.version), not \(version)")
    }
    return row
  }
}

extension StoredActivity {
  /// Refuses changes of one that no list shows.
  func requireShown() throws(Refusal) {
    if let joinedInto {
      throw Refusal(.badRequest, "activity \(id) is a part of activity \(joinedInto): revert that one first")
    }
    if deletedUTCMS != nil { throw Refusal(.badRequest, "activity \(id) is deleted: restore it first") }
  }

  fileprivate mutating func setStart(_ start: WallTime) {
    let zero = start.milliseconds - startMS
    (startUTCMS, sortMS, utcSource) = (zero, zero, "user")
  }

  /// Of one that was added by hand, which has no pauses.
  fileprivate mutating func setElapsed(_ seconds: Double) {
    endMS = startMS + Int64((seconds * 1000).rounded())
    totals.rideTimeS = seconds
    totals.effort.movingTimeS = seconds
  }
}

extension StoredTotals {
  fileprivate mutating func set(_ values: HandValues) {
    if let distance = values.distanceM { effort.distanceM = distance }
    if let ascent = values.ascentM { effort.ascentM = ascent }
    if let energy = values.energyKcal { effort.energyKcal = energy }
    if let bpm = values.bpmAvg { effort.bpmAvg = bpm }
  }
}

extension String? {
  /// An empty text is none.
  fileprivate var text: String? { self == "" ? nil : self }
}

extension [UInt8] {
  /// For the column `uuid`.
  package static func uniqueID() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}
