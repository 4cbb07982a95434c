// Whether a database of unknown origin is a logbook: its schema must be, word for word, the one that
// the migrations make. So nothing else that a database can contain, such as views and triggers,
// comes into play.

package import SQLite

package enum SchemaCheck {
  package enum Verdict: Equatable, Sendable {
    case usable
    /// Of a later release.
    case newer(Int64)
    case different
  }

  package static func verdict(on database: Database) throws(SQLiteError) -> Verdict {
    guard let version = try database.integer("PRAGMA user_version"), version >= 1 else { return .different }
    if version > Schema.version { return .newer(version) }
    let reference = try Database(":memory:", .create)
    for migration in Schema.migrations.prefix(Int(version)) { try reference.execute(migration) }
    return try schema(of: database) == schema(of: reference) ? .usable : .different
  }

  private static func schema(of database: Database) throws(SQLiteError) -> [String] {
    let rows = try database.prepare(
      """
      SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name LIMIT 1000
      """)
    var texts: [String] = []
    while try rows.step() { texts.append((0..<4).map { rows.text(Int32($0)) ?? "" }.joined(separator: "\n")) }
    return texts
  }
}
