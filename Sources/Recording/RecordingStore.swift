// Commits what is recorded, and knows how the storage is. When it is full, the reserve is freed; when
// it fails, what is recorded waits in memory and is tried again.

import JSON
import Linux
import Logbook
import LogbookWire
import SQLite
import Time

final class RecordingStore {
  /// What a commit did beside storing.
  struct Outcome {
    /// Activities whose date became known or changed.
    var dated: [Int64] = []
    var isStored = false
  }

  struct Report {
    let event: LogbookEvent
    let message: String?
  }

  static let retryInterval = Duration.seconds(10)
  private static let reminder = Duration.seconds(60)
  /// Below that, the rider is warned.
  static let lowSpace: Int64 = 64 << 20
  /// What an hour of a ride takes.
  private static let bytesPerHour = 512.0 * 1024

  private let database: Database
  private let activities: ActivityTable
  private let tables: RecordingTables
  private let newest: Statement
  private let folder: String
  private let clock: () -> MonotonicTime
  private let reserve: Reserve
  private var times = CommitTimes()
  private var reportedSlow = false

  private(set) var state = StorageState.ok
  private(set) var message: String?
  private(set) var lastCommit: MonotonicTime?
  /// While the storage fails.
  private(set) var retry: MonotonicTime?
  private var nextReminder: MonotonicTime?
  /// Whether the file contradicts itself, so that a retry cannot succeed.
  private(set) var isDamaged = false
  private var reports: [Report] = []

  init(_ file: LogbookFile, reserve: Reserve, clock: @escaping () -> MonotonicTime) throws(SQLiteError) {
    database = file.database
    activities = try ActivityTable(database)
    tables = try RecordingTables(database)
    newest = try database.prepare("SELECT max(sort_ms) FROM activity")
    folder = Files.parent(of: file.path)
    (self.reserve, self.clock) = (reserve, clock)
  }

  var p99: Double? { times.p99 }
  /// Whether a commit may be tried.
  func isReady(at now: MonotonicTime) -> Bool { retry.map { now >= $0 } ?? true }

  /// Stores the batches of all of them in one transaction.
  func commit(_ recordings: [OpenRecording], _ book: ClockBook, at now: MonotonicTime) -> Outcome {
    do throws(SQLiteError) {
      return try commitOnce(recordings, book, at: now)
    } catch {
      guard error.code.isFull, reserve.free() else { return fail(error, at: now) }
    }
    note(.low, "the storage is full: the reserve is used", event: .storageLow)
    do throws(SQLiteError) {
      return try commitOnce(recordings, book, at: now)
    } catch {
      return fail(error, at: now)
    }
  }

  private func commitOnce(
    _ recordings: [OpenRecording], _ book: ClockBook, at now: MonotonicTime
  ) throws(SQLiteError) -> Outcome {
    let start = clock()
    var ids: [Int64] = []
    var outcome = Outcome()
    if retry != nil { for recording in recordings { recording.reportLost() } }
    try database.transaction { () throws(SQLiteError) in
      var hasBegun = false
      for recording in recordings {
        hasBegun = hasBegun || recording.id == nil
        let id: Int64
        if let known = recording.id { id = known } else { id = try insert(recording) }
        try tables.add(recording.batch, to: id)
        ids.append(id)
      }
      outcome.dated = try book.store(in: database)
      if hasBegun { outcome.dated += try book.date(in: database) }
    }
    let end = clock()
    for (recording, id) in zip(recordings, ids) { recording.didStore(id) }
    book.didStore()
    outcome.isStored = true
    lastCommit = end
    noteTime(end - start)
    if retry != nil { recover() }
    return outcome
  }

  /// The settings at the end of an activity that is stored.
  func add(rider: JSONValue, bike: JSONValue, to id: Int64) throws(SQLiteError) {
    guard let row = try activities.find(id) else { return }
    var settings = RiderSettings(text: row.rider)
    settings.add(rider: rider, bike: bike)
    var batch = RecordingBatch()
    (batch.rider, batch.bike) = (settings.text, RiderSettings.currentBike(bike))
    try database.transaction { () throws(SQLiteError) in try tables.add(batch, to: id) }
  }

  private func insert(_ recording: OpenRecording) throws(SQLiteError) -> Int64 {
    let last = try newest.step() ? newest.integer(0) : 0
    newest.reset()
    return try activities.insert(recording.newRow(sortMS: last + 1))
  }

  private func noteTime(_ time: Duration) {
    times.add(time)
    if times.isSlow == reportedSlow { return }
    reportedSlow = times.isSlow
    if reportedSlow {
      reports.append(
        Report(event: .slowStorage, message: "the storage is slow: a commit takes \(Int(times.p99 ?? 0)) ms"))
    }
  }
}

// MARK: Trouble

extension RecordingStore {
  private func fail(_ error: SQLiteError, at now: MonotonicTime) -> Outcome {
    retry = now + Self.retryInterval
    isDamaged = isDamaged || error.code.isDamage
    (state, message) = (.failed, error.code.isFull ? "the storage is full" : "the storage failed: \(error)")
    if nextReminder.map({ now >= $0 }) ?? true {
      reports.append(Report(event: .storageFailed, message: message))
      nextReminder = now + Self.reminder
    }
    return Outcome()
  }

  private func recover() {
    (retry, nextReminder) = (nil, nil)
    if reserve.isFilled {
      (state, message) = (.ok, nil)
    } else {
      (state, message) = (.low, "the reserve is used")
    }
    reports.append(Report(event: .storageOK, message: message))
  }

  private func note(_ state: StorageState, _ message: String?, event: LogbookEvent) {
    (self.state, self.message) = (state, message)
    reports.append(Report(event: event, message: message))
  }

  /// Looks whether there is room. A storage that fails stays so until a commit succeeds.
  func look() {
    guard retry == nil, let space = try? Files.space(at: folder) else { return }
    if space < Self.lowSpace || !reserve.isFilled && !reserve.isFilling && space < Self.lowSpace + Int64(Reserve.size) {
      guard state != .low else { return }
      let hours = Int(hoursLeft ?? 0)
      note(.low, hours == 1 ? "1 hour is left" : "\(hours) hours are left", event: .storageLow)
    } else if state == .low, reserve.isFilled {
      note(.ok, nil, event: .storageOK)
    }
  }

  /// How long a ride could be, with the reserve.
  var hoursLeft: Double? {
    guard let space = try? Files.space(at: folder) else { return nil }
    return Double(space + (reserve.isFilled ? Int64(Reserve.size) : 0)) / Self.bytesPerHour
  }

  /// Whether a portion of the reserve can be written without taking what a ride needs.
  var canFillReserve: Bool {
    guard !reserve.isFilled, retry == nil, let space = try? Files.space(at: folder) else { return false }
    return reserve.isFilling || space > Self.lowSpace + Int64(Reserve.size)
  }

  func takeReports() -> [Report] {
    defer { reports.removeAll(keepingCapacity: true) }
    return reports
  }
}
