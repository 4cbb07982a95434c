// Answers `efforts`, in slices. The efforts in an activity stay on one page, because the next page
// begins after an activity.

package import LogbookWire
import SQLite
import Time
package import Wire

package final class EffortPage: SlicedWork {
  private let segment: StoredSegment
  private let rows: EffortRows
  private let limit: Int
  private let before: (sortMS: Int64, activity: Int64)
  private var found: [EffortRows.Row] = []

  package init(_ request: EffortsRequest, in book: SegmentBook, _ catalogue: ActivityCatalogue) throws(Refusal) {
    segment = try book.find(request.segment)
    limit = request.limit ?? RequestLimits.defaultPage
    if let before = request.before {
      let activity = try catalogue.find(Int64(before))
      self.before = (activity.sortMS, activity.id)
    } else {
      before = (.max, .max)
    }
    let id = segment.id
    rows = try Refusal.storage { () throws(SQLiteError) in
      try EffortRows(of: id, in: catalogue.table.database)
    }
  }

  package func step() throws(Refusal) -> Bool {
    try Refusal.storage { () throws(SQLiteError) in
      try rows.read { row in
        if (row.sortMS, row.effort.activity) < before { found.append(row) }
      }
    }
  }

  /// Call it when `step` has returned false.
  package var reply: EffortsReply {
    let sorted = found.sorted { $0.order > $1.order }
    var reply = EffortsReply()
    reply.efforts = sorted.prefix(count(sorted)).map { $0.record(lengthM: segment.distanceM) }
    reply.hasMore = reply.efforts.count < sorted.count
    return reply
  }

  /// Of whole activities.
  private func count(_ rows: [EffortRows.Row]) -> Int {
    var count = 0
    while count < rows.count {
      let activity = rows[count].effort.activity
      let next = rows[count...].firstIndex { $0.effort.activity != activity } ?? rows.count
      if count > 0, next > limit { break }
      count = next
    }
    return count
  }
}

extension EffortRows.Row {
  func record(lengthM: Double) -> EffortRecord {
    var record = EffortRecord()
    (record.segment, record.activity) = (Int(effort.segment), Int(effort.activity))
    record.startS = Double(effort.startMS) / 1000
    record.start = startUTCMS.map { WallTime(milliseconds: $0 + effort.startMS) }
    record.utcOffsetS = utcOffsetS
    record.timeS = Double(effort.endMS - effort.startMS) / 1000
    if record.timeS > 0 { record.speedAvgMps = lengthM / record.timeS }
    (record.powerAvgW, record.bpmAvg) = (effort.powerW, effort.bpm)
    return record
  }
}
