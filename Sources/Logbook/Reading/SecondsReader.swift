// Reads the samples that an activity shows, in the order of time and in slices: between two slices
// the caller may commit, and no query stays open, which would keep the write-ahead log growing.

package import SQLite

package final class SecondsReader {
  package struct Moment: Equatable, Sendable {
    /// In the time of the activity that is shown.
    package var atMS: Int64
    /// Whose recording it is, and its stream.
    package var activity: Int64
    package var stream: Int
  }

  private let database: Database
  private let rows: Statement
  private let streamRows: Statement
  private let lastSecond: Statement
  private var spans: ArraySlice<ActivitySpan>
  private var span: ActivitySpan?
  /// The streams of the activity that is being read.
  package private(set) var streams: [RecordedStream] = []
  /// What was stored when the reading began: a recording goes on, with streams that are not known here.
  private var endSecond: Int64 = .max
  private var decoder = SecondDecoder(streams: [])
  private var nextSecond: Int64 = 0
  private var row: [UInt8] = []
  private let fromMS: Int64
  private let toMS: Int64

  /// Seconds before and after the range are read if the differences need them, but not emitted.
  package init(
    _ spans: [ActivitySpan], in database: Database, fromMS: Int64 = 0, toMS: Int64 = .max
  ) throws(SQLiteError) {
    self.database = database
    self.spans = spans[...]
    (self.fromMS, self.toMS) = (fromMS, toMS)
    rows = try database.prepare(
      "SELECT sec, samples FROM second WHERE id >= (?1 << 32) + max(?2, 0) AND \(SecondRows.areBeforeNext) ORDER BY id LIMIT ?3"
    )
    streamRows = try database.prepare("SELECT n, sensor, kind, fields FROM stream WHERE activity = ?1 ORDER BY n")
    lastSecond = try database.prepare(SecondRows.last)
  }

  /// The activity whose seconds are being read.
  package var activity: Int64? { span?.activity }
  /// What to add to its times for those of the activity that is shown.
  package var shiftMS: Int64 { span.map { $0.atMS - $0.fromMS } ?? 0 }

  /// Begins the next span if the one before was read to its end. Returns how many are left after it.
  package func beginSpan() throws(SQLiteError) -> Int {
    _ = try currentSpan()
    return spans.count
  }

  /// Reads up to `limit` rows. `damaged` is called with the time of each row that cannot be read.
  /// Returns false after the last one.
  package func read(
    _ limit: Int, damaged: (Int64) -> Void = { _ in }, _ body: (Moment, borrowing SecondDecoder.Sample) -> Void
  ) throws(SQLiteError) -> Bool {
    guard let span = try currentSpan() else { return false }
    try rows.bind(1, span.activity)
    try rows.bind(2, nextSecond)
    try rows.bind(3, limit)
    let shift = shiftMS
    let start = max(span.fromMS, fromMS.subtractingClamped(shift))
    let end = min(span.toMS ?? .max, toMS.subtractingClamped(shift))
    var count = 0
    defer { rows.reset() }
    while try rows.step() {
      let second = rows.integer(0)
      count += 1
      nextSecond = second + 1
      if second > endSecond || second * 1000 >= end {
        count = 0
        break
      }
      rows.blob(1, into: &row)
      let outcome = decoder.decode(row.span, of: second) { sample in
        let own = second * 1000 + Int64(sample.milliseconds)
        guard own >= start, own < end else { return }
        body(Moment(atMS: own + shift, activity: span.activity, stream: sample.stream), sample)
      }
      // Before the start, only differences are of interest.
      if outcome != .read, second * 1000 + 999 >= start { damaged(second * 1000 + shift) }
    }
    if count < limit { self.span = nil }
    return self.span != nil || !spans.isEmpty
  }

  /// Streams of the next span when it begins.
  private func currentSpan() throws(SQLiteError) -> ActivitySpan? {
    if let span { return span }
    guard let next = spans.popFirst() else { return nil }
    span = next
    streams = try streams(of: next.activity)
    decoder = SecondDecoder(streams: streams)
    try lastSecond.bind(1, next.activity)
    endSecond = try lastSecond.step() ? lastSecond.optionalInteger(0) ?? .min : .min
    lastSecond.reset()
    // A key second is within the interval before.
    let wanted = max(next.fromMS, fromMS.subtractingClamped(next.atMS - next.fromMS)) / 1000
    nextSecond = wanted - wanted % SecondFormat.keyInterval - SecondFormat.keyInterval
    return next
  }

  private func streams(of activity: Int64) throws(SQLiteError) -> [RecordedStream] {
    try Self.streams(streamRows, of: activity)
  }

  private static func streams(_ statement: Statement, of activity: Int64) throws(SQLiteError) -> [RecordedStream] {
    try statement.bind(1, activity)
    var streams: [RecordedStream] = []
    while try statement.step() {
      // A missing stream keeps its place.
      while streams.count < Int(statement.integer(0)) { streams.append(RecordedStream(sensor: [], kind: [])) }
      streams.append(
        RecordedStream(
          sensor: Array((statement.text(1) ?? "").utf8), kind: Array((statement.text(2) ?? "").utf8),
          fieldNames: FieldNames.names(Array((statement.text(3) ?? "").utf8))))
    }
    return streams
  }

  /// The streams of a recording, for one that goes on.
  package static func streams(of activity: Int64, in database: Database) throws(SQLiteError) -> [RecordedStream] {
    try streams(
      database.prepare("SELECT n, sensor, kind, fields FROM stream WHERE activity = ?1 ORDER BY n"), of: activity)
  }
}

extension Int64 {
  /// Without a trap at the ends.
  fileprivate func subtractingClamped(_ other: Int64) -> Int64 {
    let (result, overflow) = subtractingReportingOverflow(other)
    return overflow ? (self < 0 ? .min : .max) : result
  }
}
