// A logbook of some activities whose files are damaged at random, and what must be left of it.

import Linux
import LogbookFiles
import SQLite
import TestSupport
import Testing

@testable import Logbook

struct StoredSecond: Hashable {
  let activity: Int64
  let second: Int64
}

struct DamagedLogbook {
  /// The undamaged files.
  struct Original {
    var files: [String: [UInt8]] = [:]
    var seconds: [StoredSecond: [UInt8]] = [:]
    /// By second: each set of pages from which it can be read.
    var pages: [StoredSecond: Set<Set<Place>>] = [:]
    /// The state and the end of each activity.
    var activities: [Int64: String] = [:]
    /// What may be lost without being noticed: the last two commits.
    var last: Set<StoredSecond> = []
  }

  struct Place: Hashable {
    let file: String
    let page: Int
  }

  static let original: Original = {
    do { return try makeOriginal() } catch { preconditionFailure("\(error)") }
  }()

  private static let main = "logbook.db"
  private static let log = "logbook.db-wal"

  private let folder: TemporaryFolder
  private let changed: Set<Place>
  var path: String { folder.file(Self.main) }
  var copyPath: String { folder.file("copy") }

  /// Changes one to 200 bytes.
  init(seed: UInt64) throws {
    folder = try TemporaryFolder()
    var random = SplitMix(state: seed)
    var files = Self.original.files
    var changed: Set<Place> = []
    let count = seed % 4 == 0 ? Int.random(in: 1...4, using: &random) : Int.random(in: 1...200, using: &random)
    let names = files.keys.sorted()
    for _ in 0..<count {
      let name = names[Int.random(in: 0..<names.count, using: &random)]
      let length = files[name]?.count ?? 1
      // The beginning of the file has a share of its own.
      let range = Int.random(in: 0..<8, using: &random) == 0 ? 0..<min(length, 8192) : 0..<length
      let place = Int.random(in: range, using: &random)
      files[name]?[place] ^= UInt8.random(in: 1...255, using: &random)
      changed.insert(Self.place(name, place))
    }
    self.changed = changed
    for (name, bytes) in files { try Files.replace(folder.file(name), with: bytes, mode: 0o600) }
  }

  /// Seconds whose pages are as they were.
  var untouched: Set<StoredSecond> {
    Set(
      Self.original.pages.filter { second, sets in
        !Self.original.last.contains(second) && sets.contains { $0.isDisjoint(with: changed) }
      }.keys)
  }

  private static func place(_ file: String, _ offset: Int) -> Place {
    Place(file: file, page: file == log ? (offset - 32) / 4120 : offset / 4096)
  }

  static func seconds(in database: Database) throws -> [StoredSecond: [UInt8]] {
    let rows = try database.prepare("SELECT activity, sec, samples FROM second")
    var seconds: [StoredSecond: [UInt8]] = [:]
    while try rows.step() {
      seconds[StoredSecond(activity: rows.integer(0), second: rows.integer(1))] = rows.blob(2)
    }
    return seconds
  }

  static func activities(in database: Database) throws -> [Int64: String] {
    let rows = try database.prepare("SELECT id, end_ms || ' ' || source || ' ' || coalesce(spans, '') FROM activity")
    var activities: [Int64: String] = [:]
    while try rows.step() { activities[rows.integer(0)] = rows.text(1) }
    return activities
  }
}

// MARK: The original

extension DamagedLogbook {
  private static let lengths = [60, 160, 40, 110, 12, 110]

  private static func makeOriginal() throws -> Original {
    let folder = try TemporaryFolder()
    let path = folder.file(main)
    var original = Original()
    let file = try LogbookFile(path)
    for (number, length) in lengths.enumerated() {
      let id = try record(length, number: number, in: file.database, oneByOne: number == lengths.count - 1)
      if number == 2 {
        // Its pages are unused from now on, and their content stays.
        for table in ["second", "stream", "event", "lap"] {
          try file.database.execute("DELETE FROM \(table) WHERE activity = \(id)")
        }
        try file.database.execute("DELETE FROM activity WHERE id = \(id)")
      }
      if number == 3 {
        try file.database.execute(
          """
          INSERT INTO route(uuid, name, source_hash) VALUES(randomblob(16), 'Loop', x'01');
          WITH RECURSIVE series(value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM series WHERE value < 200)
            INSERT INTO route_point SELECT 1, value, 47.0 + value / 1000.0, 8.5, 400.5, value * 9.5 FROM series;
          """)
      }
    }
    original.seconds = try seconds(in: file.database)
    original.activities = try activities(in: file.database)
    // Read while the database is open, which is what a crash leaves.
    original.files = [main: try Files.read(path), log: try Files.read(path + "-wal")]
    let newest = original.seconds.keys.max { ($0.activity, $0.second) < ($1.activity, $1.second) }
    original.last = Set(
      original.seconds.keys.filter { $0.activity == newest?.activity && $0.second + 2 > newest?.second ?? 0 })
    original.pages = find(original)
    return original
  }

  /// Seconds of different sizes, some of them longer than a page.
  private static func record(_ length: Int, number: Int, in database: Database, oneByOne: Bool) throws -> Int64 {
    var row = StoredActivity()
    row.uuid = (0..<16).map { UInt8(number * 16 + $0) }
    row.name = "Ride \(number)"
    row.state = oneByOne ? .recording : .complete
    row.sortMS = Int64(number) * 1_000_000
    row.endMS = Int64(length) * 1000 - 500
    let table = try ActivityTable(database)
    let tables = try RecordingTables(database)
    let id = try table.insert(row)
    var assembler = SecondAssembler()
    var sample = SampleLine()
    var batch = RecordingBatch()
    for second in 0..<length {
      for line in lines(second, number) {
        let bytes = Array(line.utf8)
        let isSample = sample.parse(bytes.span)
        try #require(isSample)
        _ = assembler.add(sample, of: bytes.span, at: sample.milliseconds, now: sample.milliseconds)
      }
      assembler.complete()
      while let row = assembler.nextRow() { batch.rows.append(.init(second: row.second, bytes: row.bytes)) }
      guard oneByOne || second == length - 1 else { continue }
      batch.streams = assembler.streams.enumerated().map { RecordingBatch.Stream($0, $1) }
      if second == length - 1 {
        batch.events.append(.init(atMS: 5000, kind: "pause", data: nil))
        batch.laps.append(.init(number: 1, startMS: 0, endMS: row.endMS, cause: nil, totals: nil))
      }
      try database.transaction { () throws(SQLiteError) in try tables.add(batch, to: id) }
      batch = RecordingBatch()
    }
    return id
  }

  private static func lines(_ second: Int, _ number: Int) -> [String] {
    let long = second % 40 == 7 ? (0..<700).map { "\(400 + ($0 * 37 + number) % 511)" }.joined(separator: ",") : "512"
    return [
      """
      {"class":"sample","sensor":"strap","kind":"heart_rate","seq":\(second + 1),"t":\(second).25,"bpm":\(120 + second % 60),\
      "rr_ms":[\(long)]}
      """,
      """
      {"class":"sample","sensor":"pedals","kind":"power","seq":\(second * 3 + 9),"t":\(second).5,\
      "power_w":\(200 + (second * 7 + number * 31) % 97),"cadence_rpm":\(80 + second % 13)}
      """,
    ]
  }

  /// Where each second is.
  private static func find(_ original: Original) -> [StoredSecond: Set<Set<Place>>] {
    let (file, frames) = (original.files[main] ?? [], original.files[log] ?? [])
    var versions: [(place: Place, bytes: [UInt8])] = []
    /// By the number of the page.
    var newest: [Int: Int] = [:]
    for page in 0..<file.count / 4096 {
      newest[page + 1] = versions.count
      versions.append((Place(file: main, page: page), Array(file[page * 4096..<(page + 1) * 4096])))
    }
    let oldest = newest
    for frame in 0..<(frames.count - 32) / 4120 {
      let start = 32 + frame * 4120
      newest[Int(frames.span.bigEndian(at: start, count: 4) ?? 0)] = versions.count
      versions.append((Place(file: log, page: frame), Array(frames[start + 24..<start + 4120])))
    }
    var pages: [StoredSecond: Set<Set<Place>>] = [:]
    for (place, bytes) in versions {
      var continued: Set<Place> = []
      let page = DamagedPage(bytes, number: place == Place(file: main, page: 0) ? 1 : 2) { number in
        guard let index = (place.file == main ? oldest : newest)[Int(number)] else { return nil }
        continued.insert(versions[index].place)
        return versions[index].bytes
      }
      for cell in page.cells().cells {
        guard let row = SalvagedSecond(cell) else { continue }
        let second = StoredSecond(activity: row.activity, second: row.second)
        let isLong = row.samples.count > 900
        if original.seconds[second] == row.samples {
          pages[second, default: []].insert(isLong ? continued.union([place]) : [place])
        }
      }
    }
    return pages
  }
}

private struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(state: UInt64) { self.state = state }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }
}
