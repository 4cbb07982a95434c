// The wrapper of SQLite, on real files.

import Linux
import SQLite
import TestSupport
import Testing

@Suite struct SQLiteTests {
  private let folder: TemporaryFolder
  private let database: Database

  init() throws {
    folder = try TemporaryFolder()
    database = try Database(folder.file("test.db"), .create)
    try database.execute("CREATE TABLE thing(id INTEGER PRIMARY KEY, name TEXT UNIQUE, size REAL, bytes BLOB)")
  }

  private func insert(_ name: String?, _ size: Double?, _ bytes: [UInt8]) throws {
    let statement = try database.prepare("INSERT INTO thing(name, size, bytes) VALUES(?, ?, ?)")
    try statement.bind(1, name)
    try statement.bind(2, size)
    try statement.bind(3, bytes.span)
    try statement.step()
  }

  @Test("values are read as they were written, and a missing one stays missing")
  func roundTrip() throws {
    try insert("wheel ⚙︎ \u{0} end", 2.105, [0, 255, 7])
    try insert(nil, nil, [])
    let statement = try database.prepare("SELECT name, size, bytes, id FROM thing ORDER BY id")
    #expect(try statement.step())
    #expect(statement.text(0) == "wheel ⚙︎ \u{0} end" && statement.number(1) == 2.105)
    #expect(statement.blob(2) == [0, 255, 7] && statement.integer(3) == 1)
    #expect(try statement.step())
    #expect(statement.text(0) == nil && statement.number(1) == nil && statement.isNull(0))
    #expect(!statement.isNull(2) && statement.blob(2).isEmpty)
    #expect(try !statement.step())
    #expect(database.lastInsertedRow == 2)
  }

  @Test("a failed transaction leaves nothing")
  func rollBack() throws {
    #expect(throws: SQLiteError.self) {
      try database.transaction { () throws(SQLiteError) in
        try database.execute("INSERT INTO thing(name) VALUES('a')")
        try database.execute("INSERT INTO thing(name) VALUES('a')")
      }
    }
    #expect(!database.isInTransaction)
    #expect(try database.integer("SELECT count(*) FROM thing") == 0)
  }

  @Test("errors have a code that tells what to do")
  func codes() throws {
    try insert("a", nil, [])
    let twice = #expect(throws: SQLiteError.self) { try insert("a", nil, []) }
    #expect(twice?.code.isConstraint == true && twice?.description.contains("thing.name") == true)
    try Files.replace(folder.file("text"), with: Array(repeating: 65, count: 5000), mode: 0o600)
    let damage = #expect(throws: SQLiteError.self) {
      try Database(folder.file("text"), .open).execute("SELECT * FROM thing")
    }
    #expect(damage?.code.isDamage == true)
    let missing = #expect(throws: SQLiteError.self) { try Database(folder.file("missing"), .open) }
    #expect(missing?.code.isDeviceFailure == true)
  }

  @Test("no room on the device is its own code")
  func full() throws {
    try database.execute("PRAGMA max_page_count=3")
    let error = #expect(throws: SQLiteError.self) { try insert("a", nil, Array(repeating: 1, count: 100_000)) }
    #expect(error?.code.isFull == true)
    try insert("small", nil, [])
  }

  @Test("a backup is whole, also when the original changes meanwhile")
  func backup() throws {
    for number in 0..<50 { try insert("\(number)", nil, Array(repeating: UInt8(number), count: 5000)) }
    let backup = try Backup(of: database, to: folder.file("copy.db"))
    var steps = 0
    while try backup.step(pages: 5) {
      steps += 1
      if steps == 3 { try insert("late", nil, []) }
    }
    #expect(steps > 5 && backup.remaining == 0)
    let copy = try Database(folder.file("copy.db"), .readOnly)
    #expect(try copy.integer("SELECT count(*) FROM thing") == 51)
  }
}
