// Writes what is recorded. One transaction contains a whole batch, and when it returns the batch is
// on the device.

import LogbookWire
package import SQLite

package final class RecordingTables {
  private let database: Database
  private let row: Statement
  private let stream: Statement
  private let lap: Statement
  private let event: Statement
  private let part: Statement
  private let summary: Statement
  private let state: Statement
  private let rider: Statement

  package init(_ database: Database) throws(SQLiteError) {
    self.database = database
    row = try database.prepare("INSERT OR REPLACE INTO second(id, samples) VALUES((?1 << 32) | ?2, ?3)")
    stream = try database.prepare(
      """
      INSERT INTO stream(activity, n, sensor, kind, fields, name, facts) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT(activity, n) DO UPDATE SET fields = excluded.fields, name = coalesce(excluded.name, name),
        facts = coalesce(excluded.facts, facts)
      """)
    lap = try database.prepare(
      """
      INSERT OR REPLACE INTO lap(activity, n, start_ms, end_ms, cause, totals, detail)
      VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    event = try database.prepare(EventRows.insertion)
    part = try database.prepare(
      "INSERT OR REPLACE INTO part(activity, n, boot, boot_s, at_s) VALUES(?1, ?2, ?3, ?4, ?5)")
    summary = try database.prepare(
      """
      UPDATE activity SET end_ms = ?2, sport = coalesce(?3, sport), totals = ?4, detail = coalesce(?5, detail),
        ride_s = ?6, moving_s = ?7, distance_m = ?8, ascent_m = ?9, work_j = ?10, energy_kcal = ?11, stress = ?12
      WHERE id = ?1
      """)
    // Apart from the summary, because indices depend on it: SQLite writes them also if it stays the same.
    state = try database.prepare(
      "UPDATE activity SET state = ?2, version = version + 1 WHERE id = ?1 AND state != ?2")
    rider = try database.prepare(
      "UPDATE activity SET rider = coalesce(?2, rider), bike = coalesce(bike, ?3) WHERE id = ?1")
  }

  /// Within a transaction.
  package func add(_ batch: RecordingBatch, to activity: Int64) throws(SQLiteError) {
    for added in batch.parts {
      try part.bind(1, activity)
      try part.bind(2, added.number)
      try part.bind(3, added.boot.span)
      try part.bind(4, added.bootS)
      try part.bind(5, added.atS)
      try part.step()
    }
    for added in batch.streams { try add(added, to: activity) }
    for added in batch.rows {
      try row.bind(1, activity)
      try row.bind(2, added.second)
      try row.bind(3, added.bytes.span)
      try row.step()
    }
    for added in batch.laps { try add(added, to: activity) }
    for added in batch.events {
      try event.bind(1, activity)
      try event.bind(2, added.atMS)
      try event.bind(3, added.kind)
      try event.bind(4, added.data)
      try event.step()
    }
    if let summary = batch.summary { try store(summary, of: activity) }
    guard batch.rider != nil || batch.bike != nil else { return }
    try rider.bind(1, activity)
    try rider.bind(2, batch.rider)
    try rider.bind(3, batch.bike)
    try rider.step()
  }

  private func add(_ added: RecordingBatch.Stream, to activity: Int64) throws(SQLiteError) {
    try stream.bind(1, activity)
    try stream.bind(2, added.number)
    try stream.bind(3, String(decoding: added.sensor, as: UTF8.self))
    try stream.bind(4, String(decoding: added.kind, as: UTF8.self))
    try stream.bind(5, FieldNames.text(added.fieldNames))
    try stream.bind(6, added.name)
    try stream.bind(7, added.facts)
    try stream.step()
  }

  private func add(_ added: RecordingBatch.Lap, to activity: Int64) throws(SQLiteError) {
    try lap.bind(1, activity)
    try lap.bind(2, added.number)
    try lap.bind(3, added.startMS)
    try lap.bind(4, added.endMS)
    try lap.bind(5, added.cause)
    try lap.bind(6, added.totals)
    try lap.bind(7, added.detail)
    try lap.step()
  }

  private func store(_ stored: RecordingBatch.Summary, of activity: Int64) throws(SQLiteError) {
    let effort = stored.totals.effort
    try summary.bind(1, activity)
    try summary.bind(2, stored.endMS)
    try summary.bind(3, stored.sport)
    try summary.bind(4, stored.totals.text)
    try summary.bind(5, stored.detail)
    try summary.bind(6, stored.totals.rideTimeS)
    try summary.bind(7, effort.movingTimeS)
    try summary.bind(8, effort.distanceM)
    try summary.bind(9, effort.ascentM)
    try summary.bind(10, effort.workJ)
    try summary.bind(11, effort.energyKcal)
    try summary.bind(12, stored.totals.trainingStressScore)
    try summary.step()
    try state.bind(1, activity)
    try state.bind(2, stored.state.rawValue)
    try state.step()
  }
}
