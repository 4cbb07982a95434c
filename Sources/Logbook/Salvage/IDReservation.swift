// Keeps the ids of a damaged logbook free in the one that took its place, so that what is salvaged
// later gets its own ids again.

import Linux
import SQLite

enum IDReservation {
  private static let tables = ["activity", "route", "segment"]
  /// A larger id is damaged itself.
  private static let mostID: Int64 = 1_000_000

  /// Reads the pages where SQLite keeps the last id of each table. If they are damaged, the rows of
  /// the whole file are looked at: without the ids they had, they would be found and not be missed.
  static func reserve(_ place: String, in database: Database) throws(SQLiteError) {
    guard let file = try? DamagedFile(place) else { return }
    while file.readLog(256) {}
    let root = Int(try database.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_sequence'") ?? 0)
    var last = lastIDs(file.page(root))
    for frame in file.strays where frame.isWhole && frame.page == root {
      last.merge(lastIDs(file.page(frame))) { max($0, $1) }
    }
    if last["activity"] == nil { last["activity"] = try lastActivity(of: file) }
    let insertion = try database.prepare("INSERT INTO sqlite_sequence(name, seq) VALUES(?1, ?2)")
    for table in tables {
      guard let id = last[table] else { continue }
      try insertion.bind(1, table)
      try insertion.bind(2, id)
      try insertion.step()
    }
  }

  private static func lastIDs(_ page: DamagedPage?) -> [String: Int64] {
    var last: [String: Int64] = [:]
    for cell in page?.cells().cells ?? [] where cell.rowID != nil && cell.values.count == 2 {
      guard case .text(let bytes) = cell.values[0], case .integer(let id) = cell.values[1], 1...mostID ~= id else {
        continue
      }
      last[String(decoding: bytes, as: UTF8.self)] = id
    }
    return last
  }

  private static func lastActivity(of file: DamagedFile) throws(SQLiteError) -> Int64? {
    let reference = try Database(":memory:", .create)
    for migration in Schema.migrations { try reference.execute(migration) }
    guard let table = try SalvagedTable.all(into: reference).first(where: { $0.name == "activity" }) else { return nil }
    var last: Int64?
    for number in 0..<file.count {
      for cell in file.page(number + 1)?.cells().cells ?? [] {
        if table.fits(cell), let id = cell.rowID, id <= mostID { last = max(last ?? 0, id) }
        if let second = SalvagedSecond(cell), second.activity <= mostID { last = max(last ?? 0, second.activity) }
      }
    }
    return last
  }
}
