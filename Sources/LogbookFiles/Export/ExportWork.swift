// An activity as a file, made while the client reads it.

import ActivityFiles
import Logbook
package import LogbookWire
package import SQLite
package import Time
package import Wire

/// Call `step` until it returns false; then `leftOut` is complete and `next` makes the file.
package final class ExportWork: SlicedWork {
  /// Such as `2026-05-03-12.gpx`.
  package let name: String
  private let source: any ExportPieces
  private var buffer: [UInt8] = []
  private var isComplete = false

  /// What the format does not have.
  package var leftOut: [String] { source.leftOut }

  /// `start` dates an activity whose date is unknown.
  package init(_ id: Int64, format: ExportFormat, start: WallTime?, in database: Database) throws(Refusal) {
    let found: StoredActivity?
    do throws(SQLiteError) { found = try ActivityTable(database).find(id) } catch { throw Refusal(storage: error) }
    guard let row = found, row.state != .importing else { throw .noSuchActivity(Int(id)) }
    let known = row.startUTCMS.map { WallTime(milliseconds: $0) } ?? start
    if known == nil, format.needsDate {
      throw Refusal(
        .dateUnknown, "the date of this activity is unknown, and \(format.words) files need one: give start")
    }
    let date = known.map { String(WallTime(seconds: $0.seconds + Int64(row.utcOffsetS ?? 0)).isoText.prefix(10)) }
    name = "\(date ?? "activity")-\(id).\(format.rawValue)"
    if let format = ActivityFormat(rawValue: format.rawValue) {
      // Files count in whole seconds.
      let start = known.map { WallTime(seconds: $0.nanoseconds >= 500_000_000 ? $0.seconds + 1 : $0.seconds) }
      source = try ItemExport(row, format, start: start, in: database)
    } else {
      source = try RecordExport(row, start: known, in: database)
    }
  }

  package func step() throws(Refusal) -> Bool { try source.prepare() }

  /// The next piece, which may be empty; nil at the end.
  package func next(atMost count: Int) throws(Refusal) -> [UInt8]? {
    if buffer.isEmpty, !isComplete { isComplete = try !source.write(into: &buffer) }
    guard !buffer.isEmpty else { return isComplete ? nil : [] }
    let piece = Array(buffer.prefix(count))
    buffer.removeFirst(piece.count)
    return piece
  }
}

/// Makes a file in slices.
protocol ExportPieces: AnyObject {
  var leftOut: [String] { get }
  /// Returns whether there is more to do before the file can be written.
  func prepare() throws(Refusal) -> Bool
  /// Appends some of the file. Returns whether there is more.
  func write(into buffer: inout [UInt8]) throws(Refusal) -> Bool
}

extension ExportFormat {
  fileprivate var needsDate: Bool {
    switch self {
    case .fit, .gpx, .tcx: true
    case .csv, .ndjson: false
    }
  }

  fileprivate var words: String { rawValue.uppercased() }
}

extension WallTime {
  /// Since 1970.
  init(milliseconds: Int64) {
    let seconds = milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
    self.init(seconds: seconds, nanoseconds: Int32(milliseconds - seconds * 1000) * 1_000_000)
  }
}
