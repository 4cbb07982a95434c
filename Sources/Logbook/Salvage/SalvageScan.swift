// Copies what can be read of a damaged logbook into a new database: all rows of all tables, and
// seconds only if their checksum is right. It reads page by page, so that a damaged page takes only
// its own rows with it.

import Linux
package import SQLite
package import Wire

package final class SalvageScan: SlicedWork {
  private enum Phase {
    case log
    case pages(next: Int)
    /// Versions of pages that SQLite would not read.
    case strays(ArraySlice<DamagedLog.Frame>)
    /// Pages whose directory is damaged, unused and replaced ones. Their rows may be obsolete, so those
    /// that are already known are better.
    case remains(ArraySlice<Remains>)
    case activities(after: Int64, areLast: Bool)
    case finished
  }

  private enum Remains {
    case page(Int)
    case frame(DamagedLog.Frame)
    /// A page of the file that the log has a newer version of.
    case replaced(Int)
  }

  private static let portion = 16
  private static let framesPerStep = 64

  private let file: DamagedFile
  private let target: Database
  private let tables: [SalvagedTable]
  private let secondTable: SalvagedTable?
  private let known: Statement
  private var phase = Phase.log
  private var damaged: [Remains] = []
  /// Activities whose own rows are lost.
  package private(set) var made: [Int64] = []

  /// `target` is an empty logbook without foreign keys.
  package init(_ path: String, into target: Database) throws(Refusal) {
    self.target = target
    do throws(SystemError) {
      file = try DamagedFile(path)
    } catch {
      throw Refusal(.storage, "the damaged logbook cannot be read: \(error)")
    }
    do throws(SQLiteError) {
      let all = try SalvagedTable.all(into: target)
      secondTable = all.first { $0.name == SalvagedTable.second }
      tables = all.filter { $0.name != SalvagedTable.second }
      known = try target.prepare("SELECT 1 FROM activity WHERE id = ?1")
    } catch {
      throw Refusal(storage: error)
    }
  }

  /// In pages.
  package var size: Int { file.count }

  package func step() throws(Refusal) -> Bool {
    do throws(SQLiteError) {
      try target.transaction { () throws(SQLiteError) in try advance() }
    } catch {
      throw Refusal(storage: error)
    }
    if case .finished = phase { return false }
    return true
  }

  private func advance() throws(SQLiteError) {
    switch phase {
    case .log: if !file.readLog(Self.framesPerStep) { phase = .pages(next: 1) }
    case .pages(let next):
      let end = min(file.count, next + Self.portion - 1)
      if next <= end { for number in next...end { try read(page: number) } }
      phase = end < file.count ? .pages(next: end + 1) : .strays(file.strays[...])
    case .strays(let strays):
      for frame in strays.prefix(Self.portion) { try read(frame) }
      let rest = strays.dropFirst(Self.portion)
      phase = rest.isEmpty ? .activities(after: 0, areLast: false) : .strays(rest)
    case .remains(let remains):
      if let next = remains.first { try read(next) }
      phase = remains.isEmpty ? .activities(after: 0, areLast: true) : .remains(remains.dropFirst())
    case .activities(let last, let areLast):
      if let next = try addActivity(after: last) {
        phase = .activities(after: next, areLast: areLast)
      } else {
        phase = areLast ? .finished : .remains(allRemains[...])
      }
    case .finished: break
    }
  }

  /// The better ones first.
  private var allRemains: [Remains] {
    damaged + file.superseded.map(Remains.frame) + file.replaced.map(Remains.replaced)
  }

  private func read(page number: Int) throws(SQLiteError) {
    guard !file.free.contains(number), let page = file.page(number) else {
      damaged.append(.page(number))
      return
    }
    let (cells, isComplete) = page.cells()
    if !isComplete { damaged.append(.page(number)) }
    try add(cells)
  }

  private func read(_ frame: DamagedLog.Frame) throws(SQLiteError) {
    guard frame.isWhole, let page = file.page(frame) else {
      damaged.append(.frame(frame))
      return
    }
    try add(page.cells().cells)
  }

  private func read(_ remains: Remains) throws(SQLiteError) {
    let page: DamagedPage?
    let isUsed: Bool
    switch remains {
    case .page(let number): (page, isUsed) = (file.page(number), !file.free.contains(number))
    case .frame(let frame): (page, isUsed) = (file.page(frame), false)
    case .replaced(let number): (page, isUsed) = (file.replacedPage(number), false)
    }
    guard let page else { return }
    var (cells, isComplete) = page.cells()
    if !isComplete { cells = page.remains() }
    // Unused pages can hold rows of removed activities.
    try add(cells, rows: isUsed, onlyKnown: !isUsed)
  }

  private func add(_ cells: [DamagedCell], rows: Bool = true, onlyKnown: Bool = false) throws(SQLiteError) {
    var seconds: [SalvagedSecond] = []
    var secondCells: [DamagedCell] = []
    for cell in cells {
      if let second = SalvagedSecond(cell) {
        seconds.append(second)
        secondCells.append(cell)
      } else if rows {
        try tables.first { $0.fits(cell) }?.add(cell, to: target)
      }
    }
    for index in onlyKnown ? Array(seconds.indices) : SalvagedSecond.consistent(seconds) {
      if onlyKnown, try !isKnown(seconds[index].activity) { continue }
      try secondTable?.add(secondCells[index], to: target)
    }
  }

  private func isKnown(_ activity: Int64) throws(SQLiteError) -> Bool {
    try known.bind(1, activity)
    defer { known.reset() }
    return try known.step()
  }

  /// An activity whose row is lost gets a new one. Returns the next activity that has seconds.
  private func addActivity(after last: Int64) throws(SQLiteError) -> Int64? {
    let next = try target.prepare(
      "SELECT activity, samples FROM second WHERE id >= (?1 + 1) << 32 ORDER BY id LIMIT 1")
    try next.bind(1, last)
    guard try next.step() else { return nil }
    let (id, samples) = (next.integer(0), next.blob(1))
    next.reset()
    if try isKnown(id) { return id }
    let insertion = try target.prepare(
      """
      WITH start(utc) AS (SELECT utc_ms - at_boot_ms + (boot_s - at_s) * 1000 FROM part JOIN clock USING(boot)
        WHERE activity = ?1 ORDER BY n, clock.id DESC LIMIT 1)
      INSERT INTO activity(id, uuid, state, source, sport, start_utc_ms, sort_ms, end_ms)
        VALUES(?1, ?2, 'interrupted', 'recorded', 'cycling', (SELECT utc FROM start), coalesce((SELECT utc FROM start),
        (SELECT max(sort_ms) FROM activity WHERE id < ?1) + 1, 0), (\(SecondRows.last)) * 1000 + 999)
      """)
    try insertion.bind(1, id)
    try insertion.bind(2, Self.uuid(id, samples).span)
    try insertion.step()
    made.append(id)
    return id
  }

  /// The same each time, so that what was salvaged before an interruption is recognized.
  private static func uuid(_ id: Int64, _ samples: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    for number in 0..<4 { bytes.appendLittleEndian(CRC32.of(samples.span, and: id * 4 + Int64(number)), count: 4) }
    return bytes
  }
}
