// What a boot of the computer recorded, so that it can be dated when its clock is known. Edited
// activities are dated like the recording that they begin with.

package import SQLite

package struct BootActivity: Equatable, Sendable {
  package private(set) var id: Int64
  package private(set) var isRecording: Bool
  package private(set) var utcSource: String?
  package private(set) var startUTCMS: Int64?
  /// The boot time of the activity's zero.
  package private(set) var zeroBootMS: Int64

  /// Those that began in this boot, and those of an unknown date that went on in it.
  package static func all(of boot: [UInt8], in database: Database) throws(SQLiteError) -> [BootActivity] {
    let query = try database.prepare(
      """
      WITH shown(id, recording, shift) AS (
        SELECT a.id, a.id, 0 FROM part p JOIN activity a ON a.id = p.activity WHERE p.boot = ?1 AND a.spans IS NULL
        UNION SELECT id, json_extract(spans, '$[0][0]'), json_extract(spans, '$[0][1]') - json_extract(spans, '$[0][3]')
          FROM activity WHERE spans IS NOT NULL AND json_valid(spans))
      SELECT a.id, a.state, a.utc_source, a.start_utc_ms, (p.boot_s - p.at_s) * 1000 + shown.shift FROM shown
      JOIN part p ON p.activity = shown.recording JOIN activity a ON a.id = shown.id
      WHERE p.boot = ?1 AND (p.n = 1 OR a.start_utc_ms IS NULL) ORDER BY a.id
      """)
    try query.bind(1, boot.span)
    var activities: [BootActivity] = []
    while try query.step() {
      activities.append(
        BootActivity(
          id: query.integer(0), isRecording: query.text(1) == StoredActivity.State.recording.rawValue,
          utcSource: query.text(2), startUTCMS: query.optionalInteger(3), zeroBootMS: query.integer(4)))
    }
    return activities
  }
}
