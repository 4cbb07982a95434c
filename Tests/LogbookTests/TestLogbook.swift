// A logbook in a temporary folder, filled from lines as the daemon sends them.

import SQLite
import TestSupport
import Testing

@testable import Logbook

struct TestLogbook {
  private let folder: TemporaryFolder
  private let file: LogbookFile
  let table: ActivityTable
  private let tables: RecordingTables

  var database: Database { file.database }

  init() throws {
    folder = try TemporaryFolder()
    file = try LogbookFile(folder.file("logbook.db"))
    table = try ActivityTable(file.database)
    tables = try RecordingTables(file.database)
  }

  /// Adds an activity of these samples, whose `t` counts from the activity's zero.
  @discardableResult
  func record(
    _ lines: some Sequence<String>, laps: [RecordingBatch.Lap] = [], events: [RecordingBatch.Event] = [],
    _ change: (inout StoredActivity) -> Void = { _ in }
  ) throws -> Int64 {
    var assembler = SecondAssembler()
    var sample = SampleLine()
    var batch = RecordingBatch()
    var endMS: Int64 = 0
    for line in lines {
      let bytes = Array(line.utf8)
      let isSample = sample.parse(bytes.span)
      try #require(isSample, "\(line)")
      let verdict = assembler.add(
        sample, of: bytes.span, at: sample.milliseconds, now: sample.milliseconds)
      #expect(verdict == .added, "\(line)")
      endMS = max(endMS, sample.milliseconds)
      while let row = assembler.nextRow() { batch.rows.append(.init(second: row.second, bytes: row.bytes)) }
    }
    assembler.complete()
    while let row = assembler.nextRow() { batch.rows.append(.init(second: row.second, bytes: row.bytes)) }
    batch.streams = assembler.streams.enumerated().map { RecordingBatch.Stream($0, $1) }
    (batch.laps, batch.events) = (laps, events)
    var activity = StoredActivity()
    activity.uuid = (0..<16).map { _ in UInt8.random(in: 0...255) }
    activity.endMS = endMS
    change(&activity)
    return try database.transaction { () throws(SQLiteError) in
      let id = try table.insert(activity)
      try tables.add(batch, to: id)
      return id
    }
  }

  func find(_ id: Int64) throws -> StoredActivity { try #require(try table.find(id)) }

  /// Flips a bit of a stored second.
  func damage(_ id: Int64, second: Int64) throws {
    let read = try database.prepare("SELECT samples FROM second WHERE activity = ?1 AND sec = ?2")
    try read.bind(1, id)
    try read.bind(2, second)
    try #require(try read.step())
    var bytes = read.blob(0)
    read.reset()
    bytes[bytes.count / 2] ^= 0x10
    let write = try database.prepare("UPDATE second SET samples = ?1 WHERE activity = ?2 AND sec = ?3")
    try write.bind(1, bytes.span)
    try write.bind(2, id)
    try write.bind(3, second)
    try write.step()
  }
}

/// A sample's line. `members` begins with a comma unless it is empty.
func line(_ sensor: String, _ kind: String, _ t: Double, _ members: String, seq: Int = 1) -> String {
  #"{"class":"sample","sensor":"\#(sensor)","kind":"\#(kind)","seq":\#(seq),"t":\#(t)"# + ",\(members)}"
}
