// Writes what is recorded. One transaction contains a whole batch, and when it returns the batch is
// on the device.

package import SQLite

package final class RecordingTables {
  private let database: Database
  private let row: Statement
  private let stream: Statement
  private let lap: Statement
  private let event: Statement

  package init(_ database: Database) throws(SQLiteError) {
    self.database = database
    row = try database.prepare("INSERT OR REPLACE INTO second(activity, sec, samples) VALUES(?1, ?2, ?3)")
    stream = try database.prepare(
      """
      INSERT INTO stream(activity, n, sensor, kind, fields) VALUES(?1, ?2, ?3, ?4, ?5)
      ON CONFLICT(activity, n) DO UPDATE SET fields = excluded.fields
      """)
    lap = try database.prepare(
      """
      INSERT OR REPLACE INTO lap(activity, n, start_ms, end_ms, cause, totals, detail)
      VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    event = try database.prepare("INSERT INTO event(activity, at_ms, kind, data) VALUES(?1, ?2, ?3, ?4)")
  }

  /// Within a transaction.
  package func add(_ batch: RecordingBatch, to activity: Int64) throws(SQLiteError) {
    for added in batch.streams {
      try stream.bind(1, activity)
      try stream.bind(2, added.number)
      try stream.bind(3, String(decoding: added.sensor, as: UTF8.self))
      try stream.bind(4, String(decoding: added.kind, as: UTF8.self))
      try stream.bind(5, FieldNames.text(added.fieldNames))
      try stream.step()
    }
    for added in batch.rows {
      try row.bind(1, activity)
      try row.bind(2, added.second)
      try row.bind(3, added.bytes.span)
      try row.step()
    }
    for added in batch.laps {
      try lap.bind(1, activity)
      try lap.bind(2, added.number)
      try lap.bind(3, added.startMS)
      try lap.bind(4, added.endMS)
      try lap.bind(5, added.cause)
      try lap.bind(6, added.totals)
      try lap.bind(7, added.detail)
      try lap.step()
    }
    for added in batch.events {
      try event.bind(1, activity)
      try event.bind(2, added.atMS)
      try event.bind(3, added.kind)
      try event.bind(4, added.data)
      try event.step()
    }
  }
}
