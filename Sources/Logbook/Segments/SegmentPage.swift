// Answers `segments`, in slices: for each segment of the page its efforts are counted, and those of
// the activity of the request are compared.

import JSON
package import LogbookWire
package import SQLite
package import Wire

package final class SegmentPage: SlicedWork {
  /// Bytes of segments in a reply. Its line is longer by the id of the request.
  private static let mostBytes = 60_000

  private let database: Database
  private let activity: Int64?
  private var left: ArraySlice<StoredSegment>
  private var rows: EffortRows?
  private var current = SegmentRecord()
  private var bytes = 0
  /// Complete when `step` has returned false.
  package private(set) var reply = SegmentsReply()

  package init(
    _ request: SegmentsRequest, in database: Database, _ catalogue: ActivityCatalogue
  ) throws(Refusal) {
    self.database = database
    activity = try request.activity.map { id throws(Refusal) in try catalogue.find(Int64(id)).id }
    let limit = request.limit ?? RequestLimits.defaultPage
    var found: [StoredSegment] = []
    do throws(SQLiteError) {
      let page = try database.prepare(StoredSegment.selection + " WHERE id < ?1 ORDER BY id DESC LIMIT ?2")
      try page.bind(1, request.before.map(Int64.init) ?? .max)
      try page.bind(2, limit + 1)
      while try page.step() { found.append(StoredSegment(page)) }
    } catch {
      throw Refusal(storage: error)
    }
    left = found.prefix(limit)
    reply.hasMore = found.count > limit
  }

  /// The segment alone.
  package init(of id: Int, in book: SegmentBook, _ database: Database) throws(Refusal) {
    (self.database, activity) = (database, nil)
    left = [try book.find(id)]
  }

  package func step() throws(Refusal) -> Bool {
    try Refusal.storage { () throws(SQLiteError) in
      if let rows {
        if try rows.read(count) { return }
        finish()
      } else if let next = left.popFirst() {
        rows = try EffortRows(of: next.id, in: database)
        current = next.record
        current.efforts = 0
      }
    }
    return rows != nil || !left.isEmpty
  }

  private func count(_ row: EffortRows.Row) {
    let seconds = Double(row.effort.endMS - row.effort.startMS) / 1000
    current.efforts = (current.efforts ?? 0) + 1
    current.bestTimeS = min(current.bestTimeS ?? seconds, seconds)
    guard row.effort.activity == activity else { return }
    current.activityTimeS = min(current.activityTimeS ?? seconds, seconds)
  }

  private func finish() {
    rows = nil
    var writer = JSONWriter()
    current.write(into: &writer)
    bytes += writer.bytes.count
    if bytes <= Self.mostBytes { return reply.segments.append(current) }
    (left, reply.hasMore) = ([], true)
  }
}
