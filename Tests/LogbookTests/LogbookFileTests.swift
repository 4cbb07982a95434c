// The database file: its settings, and files that cannot be used.

import Linux
import SQLite
import TestSupport
import Testing

@testable import Logbook

@Suite struct LogbookFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("log book?.db") }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func addSecond(_ file: LogbookFile, _ second: Int = 1) throws {
    try file.database.execute("INSERT INTO second VALUES((1 << 32) | \(second), x'00')")
  }

  @Test("the settings are those that lose nothing")
  func settings() throws {
    let file = try LogbookFile(path)
    let expected = [
      "page_size": 4096, "synchronous": 2, "wal_autocheckpoint": 64, "secure_delete": 0, "foreign_keys": 1,
      "trusted_schema": 0, "user_version": Schema.version,
    ]
    for (name, value) in expected { #expect(try file.database.integer("PRAGMA \(name)") == value, "\(name)") }
    #expect(try file.database.prepare("PRAGMA journal_mode").firstText() == "wal")
    try addSecond(file)
    #expect(!Files.exists(path + "-shm"))
    #expect(file.event == nil && Files.exists(path) && !Files.isOpenToEveryone(path))
  }

  @Test("what was committed is there after reopening, and the log's file stays")
  func reopened() throws {
    do { try addSecond(try LogbookFile(path)) }
    #expect(Files.exists(path + "-wal"))
    let file = try LogbookFile(path)
    #expect(try file.database.integer("SELECT count(*) FROM second") == 1 && file.event == nil)
  }

  @Test("a file of version 1 is brought up to date, and its totals are computed again")
  func version1() throws {
    do {
      let old = try Database(path, .create)
      try old.execute(Schema.migrations[0])
      try old.execute(
        """
        INSERT INTO activity(uuid, state, source, sport, sort_ms) VALUES
          (x'01', 'complete', 'fit', 'cycling', 1), (x'02', 'recording', 'recorded', 'cycling', 2),
          (x'03', 'interrupted', 'recorded', 'cycling', 3), (x'04', 'importing', 'fit', 'cycling', 4);
        PRAGMA user_version=1;
        """)
    }
    let file = try LogbookFile(path)
    #expect(file.event == nil)
    #expect(try file.database.integer("PRAGMA user_version") == Schema.version)
    #expect(try ActivityTable.staleTotals(in: file.database) == [1, 3])
  }

  @Test("a file of a newer release is moved aside unchanged")
  func newer() throws {
    for number in 1...2 {
      do {
        let file = try LogbookFile(path)
        try addSecond(file)
        try file.database.execute("PRAGMA user_version=\(Schema.version + 1)")
      }
      let file = try LogbookFile(path)
      #expect(file.event == .movedNewer("\(path).newer-\(number)"))
      #expect(try file.database.integer("SELECT count(*) FROM second") == 0)
    }
    #expect(MovedLogbooks.newer(than: path) == "\(path).newer-2")
    #expect(try Files.read("\(path).newer-1-wal").isEmpty, "its log is part of it")
    let old = try Database("\(path).newer-1", .open)
    #expect(try old.integer("SELECT count(*) FROM second") == 1)
  }

  @Test(
    "a damaged file is moved aside, whatever is wrong with it", arguments: ["text", "head", "schema", "table", "empty"])
  func damaged(kind: String) throws {
    do {
      let file = try LogbookFile(path)
      for second in 1...500 { try addSecond(file, second) }
      if kind == "table" { try file.database.execute("DROP TABLE second") }
      try file.database.checkpoint()
    }
    var bytes = try Files.read(path)
    switch kind {
    case "text":
      bytes = Array(
        "this is not a database, although it is longer than its head of 100 bytes would have to be, is it? No.".utf8)
    case "head": bytes[20] = 77
    case "schema": for index in 100..<4096 { bytes[index] = 0x5a }
    case "empty": bytes = []
    default: break
    }
    try Files.replace(path, with: bytes, mode: 0o600)
    if kind == "empty" { try Files.remove(path + "-wal") }
    let file = try LogbookFile(path)
    // An empty file is a new database.
    #expect(file.event == (kind == "empty" ? nil : .movedDamaged("\(path).damaged-1")))
    try addSecond(file)
    #expect(try file.database.integer("SELECT count(*) FROM second") == 1)
  }

  @Test("a folder that cannot be used is an error, and nothing is moved")
  func unusable() throws {
    let missing = folder.file("missing") + "/logbook.db"
    #expect(throws: LogbookFile.Failure.self) { try LogbookFile(missing) }
  }
}

extension Statement {
  fileprivate func firstText() throws -> String? { try step() ? text(0) : nil }
}
