// A logbook whose activities are edited, with totals that are computed at once.

import LogbookWire
import SQLite
import Time
import Wire

@testable import Logbook

struct EditedLogbook {
  let logbook: TestLogbook
  let catalogue: ActivityCatalogue
  let editor: ActivityEditor
  let changes: ActivityChanges
  let details: ActivityDetails
  let now = WallTime(seconds: 1_795_000_000)

  init() throws {
    logbook = try TestLogbook()
    catalogue = try ActivityCatalogue(logbook.database)
    editor = try ActivityEditor(catalogue)
    changes = ActivityChanges(catalogue)
    details = try ActivityDetails(logbook.database)
  }

  /// What the daemon sends in so many seconds at 5 m/s, with a lap each 100 s.
  static func ride(_ seconds: Int) -> [String] {
    (0..<seconds).flatMap { second -> [String] in
      let t = Double(second) + 0.25
      let ridden = second + 1
      return [
        line(
          "ride", "position", t, #""latitude_deg":\#(47 + Double(second) / 10000),"longitude_deg":8"#, seq: second),
        line("ride", "heart_rate", t, #""bpm":\#(100 + second / 10)"#, seq: second),
        line("ride", "power", t, #""power_w":\#(200 + second % 50)"#, seq: second),
        line(
          "ride", "ride", t,
          #""ride_time_s":\#(ridden),"moving_time_s":\#(ridden),"distance_m":\#(ridden * 5),"ascent_m":\#(ridden / 10),"paused":false,"lap":\#(second / 100 + 1)"#,
          seq: second),
      ]
    }
  }

  /// The same as the points of a file.
  static func file(_ seconds: Int) -> [String] {
    (0..<seconds).map { second in
      line(
        "file", "point", Double(second),
        #""latitude_deg":\#(47 + Double(second) / 10000),"longitude_deg":8,"bpm":\#(100 + second / 10),"speed_mps":5,"distance_m":\#(second * 5 + 5)"#,
        seq: second)
    }
  }

  /// Adds such an activity that begins at this time on 3 May 2026, or of an unknown date.
  func add(_ source: ActivitySource, _ seconds: Int, at time: String?, sport: String = "cycling") throws -> Int64 {
    let lines = source == .recorded ? Self.ride(seconds) : Self.file(seconds)
    let laps = (0..<(seconds - 1) / 100).map { index in
      RecordingBatch.Lap(
        number: index + 1, startMS: Int64(index) * 100_000, endMS: Int64(index + 1) * 100_000, cause: "manual",
        totals: nil)
    }
    let start = time.flatMap { WallTime("2026-05-03T\($0)Z") }?.milliseconds
    let sort = try start ?? catalogue.sortMSOfUnknownDate()
    let id = try logbook.record(lines, laps: laps) { row in
      (row.source, row.sport, row.startUTCMS, row.sortMS) = (source, sport, start, sort)
      (row.startMS, row.name) = (source == .recorded ? 250 : 0, "Round the lake")
    }
    try compute(id)
    return id
  }

  func compute(_ id: Int64) throws {
    let work = try TotalsWork(id, in: logbook.database)
    while try work.step() {}
  }

  @discardableResult
  func crop(_ id: Int64, from: Double? = nil, to: Double? = nil) throws -> ActivityEdit {
    var request = CropRequest()
    (request.id, request.fromS, request.toS) = (Int(id), from, to)
    return try finish(try editor.crop(request))
  }

  /// Returns the id of the second part.
  func split(_ id: Int64, at second: Double) throws -> Int64 {
    var request = SplitRequest()
    (request.id, request.atS) = (Int(id), second)
    return try finish(try editor.split(request)).added[0]
  }

  @discardableResult
  func join(_ ids: Int64...) throws -> ActivityEdit {
    try finish(try editor.join(JoinRequest(ids: ids.map { Int($0) })))
  }

  @discardableResult
  func revert(_ id: Int64) throws -> ActivityEdit { try finish(try editor.revert(RevertRequest(id: Int(id)))) }

  private func finish(_ edit: ActivityEdit) throws -> ActivityEdit {
    for id in edit.changed { try compute(id) }
    return edit
  }

  func find(_ id: Int64) throws -> StoredActivity { try logbook.find(id) }

  func listed() throws -> [Int] { try catalogue.list(ListRequest()).activities.map(\.id) }

  func laps(_ id: Int64) throws -> [ActivityLapRecord] { try details.laps(LapsRequest(id: Int(id))).laps }

  func track(_ id: Int64) throws -> [TrackPiece] {
    var request = TrackRequest()
    (request.id, request.points) = (Int(id), 4000)
    let work = try TrackWork(request, in: logbook.database)
    while try work.step() {}
    return work.document.pieces
  }

  func series(_ id: Int64, _ field: String) throws -> SeriesDocument {
    var request = SeriesRequest()
    (request.id, request.fields, request.points) = (Int(id), [field], 4000)
    let work = try SeriesWork(request, in: logbook.database)
    while try work.step() {}
    return work.document
  }

  func purge() throws -> [Int64] {
    let work = try PurgeWork(before: now - .seconds(-1), in: logbook.database)
    while try work.step() {}
    return work.removed
  }

  func delete(_ id: Int64) throws { _ = try changes.delete(DeleteRequest(id: Int(id)), at: now) }

  /// All that was recorded.
  func seconds() throws -> [String] {
    let rows = try logbook.database.prepare("SELECT activity, sec, hex(samples) FROM second ORDER BY 1, 2")
    var texts: [String] = []
    while try rows.step() { texts.append("\(rows.integer(0)) \(rows.integer(1)) \(rows.text(2) ?? "")") }
    return texts
  }
}
