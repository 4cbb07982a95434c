// What is read of a recording that goes on after the recorder, the daemon or the computer was
// restarted.

package import SQLite

package struct StoredRecording {
  package private(set) var row: StoredActivity
  package private(set) var part = RecordingBatch.Part(number: 0, boot: [], bootS: 0, atS: 0)
  package private(set) var streams: [RecordedStream] = []
  /// The last seconds, from a key second on. Read before all others, because the seconds after the
  /// last summary are in none.
  package private(set) var rows: [SecondAssembler.Row] = []
  /// The last lap.
  package private(set) var lap: RecordingBatch.Lap?
  package private(set) var pause: RideReport.Pause?

  /// Enough for a whole interval between two summaries.
  private static let recallS: Int64 = 100

  /// The ids of the recordings that did not end.
  package static func open(in database: Database) throws(SQLiteError) -> [Int64] {
    let query = try database.prepare("SELECT id FROM activity WHERE state = 'recording' ORDER BY id")
    var ids: [Int64] = []
    while try query.step() { ids.append(query.integer(0)) }
    return ids
  }

  /// The recording of a ride, if it can go on: it was neither edited nor deleted.
  package static func find(rideID: String, in database: Database) throws(SQLiteError) -> Int64? {
    let query = try database.prepare(
      """
      SELECT id FROM activity WHERE ride_id = ?1 AND source = 'recorded' AND spans IS NULL AND origin IS NULL
        AND joined_into IS NULL AND deleted_utc_ms IS NULL ORDER BY id DESC LIMIT 1
      """)
    try query.bind(1, rideID)
    defer { query.reset() }
    return try query.step() ? query.integer(0) : nil
  }

  /// Nil if it does not exist.
  package init?(_ id: Int64, in database: Database) throws(SQLiteError) {
    guard let row = try ActivityTable(database).find(id) else { return nil }
    self.row = row
    streams = try SecondsReader.streams(of: id, in: database)
    try readPart(database)
    try readRows(database)
    try readLap(database)
    try readPause(database)
  }

  private mutating func readPart(_ database: Database) throws(SQLiteError) {
    let query = try database.prepare(
      "SELECT n, boot, boot_s, at_s FROM part WHERE activity = ?1 ORDER BY n DESC LIMIT 1")
    try query.bind(1, row.id)
    defer { query.reset() }
    guard try query.step() else { return }
    part = RecordingBatch.Part(
      number: Int(query.integer(0)), boot: query.blob(1), bootS: query.integer(2), atS: query.integer(3))
  }

  private mutating func readRows(_ database: Database) throws(SQLiteError) {
    let query = try database.prepare(
      """
      SELECT sec, samples FROM second WHERE \(SecondRows.areBeforeNext)
        AND id >= max(?1 << 32, (SELECT max(id) FROM second WHERE \(SecondRows.areOfActivity)) - ?2) ORDER BY id
      """)
    try query.bind(1, row.id)
    try query.bind(2, Self.recallS)
    while try query.step() { rows.append(SecondAssembler.Row(second: query.integer(0), bytes: query.blob(1))) }
  }

  private mutating func readLap(_ database: Database) throws(SQLiteError) {
    let query = try database.prepare(
      "SELECT n, start_ms, end_ms, cause, totals, detail FROM lap WHERE activity = ?1 ORDER BY n DESC LIMIT 1")
    try query.bind(1, row.id)
    defer { query.reset() }
    guard try query.step() else { return }
    lap = RecordingBatch.Lap(
      number: Int(query.integer(0)), startMS: query.integer(1), endMS: query.integer(2), cause: query.text(3),
      totals: query.text(4), detail: query.text(5))
  }

  private mutating func readPause(_ database: Database) throws(SQLiteError) {
    let query = try database.prepare(
      """
      SELECT kind, data FROM event WHERE activity = ?1 AND kind IN ('pause', 'resume')
      ORDER BY at_ms DESC, n DESC LIMIT 1
      """)
    try query.bind(1, row.id)
    defer { query.reset() }
    guard try query.step(), query.text(0) == "pause" else { return }
    let data = Array((query.text(1) ?? "").utf8)
    pause = [RideReport.Pause.byHand, .standing].first { data.hasText($0.rawValue) } ?? .other
  }
}

extension [UInt8] {
  /// Whether the text is somewhere in it.
  fileprivate func hasText(_ text: String) -> Bool {
    let text = Array(text.utf8)
    return indices.contains { self[$0...].starts(with: text) }
  }
}
