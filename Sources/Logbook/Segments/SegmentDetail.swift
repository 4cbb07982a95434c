// Answers `segment`, in slices: the line, and the best and the last effort with their times on the
// way. The text of a `SegmentDocument` is made while the client reads it.

import Earth
import JSON
import LogbookWire
package import SQLite
import Segments
package import Wire

/// Call `step` until it returns false, then `next`.
package final class SegmentDetail: SlicedWork {
  /// In their order.
  private enum Phase: Int, Comparable {
    case positions, efforts, times, head, points, ended

    static func < (a: Phase, b: Phase) -> Bool { a.rawValue < b.rawValue }
  }

  private static let portion = 500

  private let segment: StoredSegment
  private let book: SegmentBook
  private let database: Database
  private let rows: EffortRows
  private var phase = Phase.positions
  private var positions: [Coordinate] = []
  private var nextPosition: Int64 = 0
  private var line: SegmentLine?
  private var best: EffortRows.Row?
  private var last: EffortRows.Row?
  /// Efforts whose times are not read yet.
  private var left: [StoredEffort] = []
  private var reading: EffortTiming?
  private var times: [(effort: StoredEffort, times: EffortTimes)] = []
  private var head: SegmentRecord
  private var writer = JSONWriter()
  private var written = 0

  package init(of id: Int, in book: SegmentBook, _ database: Database) throws(Refusal) {
    (self.book, self.database) = (book, database)
    let found = try book.find(id)
    segment = found
    rows = try Refusal.storage { () throws(SQLiteError) in try EffortRows(of: found.id, in: database) }
    head = found.record
    head.efforts = 0
  }

  package func step() throws(Refusal) -> Bool {
    switch phase {
    case .positions: try Refusal.storage { () throws(SQLiteError) in try readPositions() }
    case .efforts: try Refusal.storage { () throws(SQLiteError) in try readEfforts() }
    case .times: try readTimes()
    case .head, .points, .ended: break
    }
    return phase < .head
  }

  private func readPositions() throws(SQLiteError) {
    let more = try book.positions(of: segment.id, from: &nextPosition, atMost: Self.portion)
    positions += more
    guard more.isEmpty else { return }
    line = SegmentLine(positions)
    phase = .efforts
  }

  // MARK: Efforts

  private func readEfforts() throws(SQLiteError) {
    if try rows.read(compare) { return }
    left = [best?.effort, last == best ? nil : last?.effort].compactMap(\.self)
    head.bestTimeS = best.map { Double($0.effort.timeMS) / 1000 }
    phase = .times
  }

  private func compare(_ row: EffortRows.Row) {
    head.efforts = (head.efforts ?? 0) + 1
    if row.effort.timeMS < best?.effort.timeMS ?? .max { best = row }
    if last.map({ $0.order < row.order }) ?? true { last = row }
  }

  private func readTimes() throws(Refusal) {
    if let reading {
      if try reading.step() { return }
      if let found = reading.times { times.append((reading.effort, found)) }
      self.reading = nil
    } else if let effort = left.popLast(), let line {
      reading = try EffortTiming(effort, on: line, in: database)
    } else {
      phase = .head
    }
  }

  private func detail(_ row: EffortRows.Row) -> EffortDetailRecord {
    var record = EffortDetailRecord()
    record.effort = row.record(lengthM: segment.distanceM)
    guard let places = times.first(where: { $0.effort == row.effort })?.times.places else { return record }
    record.distancesM = places.map { ($0.distanceM * 10).rounded() / 10 }
    record.timesS = places.map { ($0.seconds * 100).rounded() / 100 }
    return record
  }

  // MARK: Text

  /// The next piece; nil at the end.
  package func next(atMost count: Int) -> [UInt8]? {
    if writer.bytes.isEmpty, phase != .ended { write() }
    guard !writer.bytes.isEmpty else { return nil }
    let piece = Array(writer.bytes.prefix(count))
    writer.bytes.removeFirst(piece.count)
    return piece
  }

  /// Each part has some bytes.
  private func write() {
    if phase == .head {
      writer.beginObject()
      writer.member("segment")
      head.write(into: &writer)
      writer.member("points")
      writer.beginArray()
      return phase = .points
    }
    let end = min(positions.count, written + Self.portion)
    for position in positions[written..<end] {
      var point = TrackPoint()
      (point.latitudeDeg, point.longitudeDeg) = (position.latitude, position.longitude)
      point.write(into: &writer)
    }
    written = end
    if end == positions.count { writeEfforts() }
  }

  private func writeEfforts() {
    writer.endArray()
    for (name, row) in [("best", best), ("last", last)] {
      guard let row else { continue }
      writer.member(name)
      detail(row).write(into: &writer)
    }
    writer.endObject()
    phase = .ended
  }
}

extension EffortRows.Row {
  /// In time.
  var order: (Int64, Int64, Int64) { (sortMS, effort.activity, effort.startMS) }
}
