// Crop, split, join and revert: what is shown, what is counted, and that nothing recorded is lost.

import LogbookWire
import SQLite
import Testing
import Time
import Wire

@testable import Logbook

@Suite struct ActivityEditorTests {
  private let logbook: EditedLogbook

  init() throws { logbook = try EditedLogbook() }

  /// Apart from its version.
  private func expectSame(_ row: StoredActivity, _ other: StoredActivity, _ comment: Comment? = nil) {
    var row = row
    row.version = other.version
    #expect(row == other, comment)
  }

  private func expectRefused(
    _ code: ErrorCode, _ part: String, _ body: () throws -> some Any, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    do {
      _ = try body()
      Issue.record("it was not refused", sourceLocation: sourceLocation)
    } catch {
      let refusal = error as? Refusal
      let isExpected = refusal?.code == code && refusal?.message.contains(part) == true
      #expect(isExpected, "\(error)", sourceLocation: sourceLocation)
    }
  }

  // MARK: Crop

  struct Crop: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let source: ActivitySource
    var from: Double?
    var to: Double?
    /// The start, the duration, and the seconds with samples.
    let start: String
    let elapsedS: Double
    let seconds: Range<Int>
    let laps: [Double]
  }

  @Test(
    "a crop shows and counts its part, and revert restores the activity",
    arguments: [
      Crop(
        testDescription: "the end of a recording", source: .recorded, from: 60, start: "07:31:00.000Z",
        elapsedS: 189.25, seconds: 60..<250, laps: [0, 40, 140]),
      Crop(
        testDescription: "the begin of a recording", source: .recorded, to: 120, start: "07:30:00.250Z",
        elapsedS: 119.75, seconds: 0..<120, laps: [0.25, 100]),
      Crop(
        testDescription: "the middle of a recording", source: .recorded, from: 110, to: 200, start: "07:31:50.000Z",
        elapsedS: 90, seconds: 110..<200, laps: [0]),
      Crop(
        testDescription: "from within a second", source: .recorded, from: 60.5, to: 70, start: "07:31:00.500Z",
        elapsedS: 9.5, seconds: 61..<70, laps: [0.5]),
      Crop(
        testDescription: "more than there is before", source: .recorded, from: 0, to: 120.1, start: "07:30:00.250Z",
        elapsedS: 119.85, seconds: 0..<120, laps: [0.25, 100]),
      Crop(
        testDescription: "the end of a file", source: .fit, from: 60, start: "07:31:00.000Z", elapsedS: 189,
        seconds: 60..<250, laps: [0, 40, 140]),
      Crop(
        testDescription: "the middle of a file", source: .gpx, from: 5, to: 100, start: "07:30:05.000Z", elapsedS: 95,
        seconds: 5..<100, laps: [0]),
    ])
  func crop(_ crop: Crop) throws {
    let id = try logbook.add(crop.source, 250, at: "07:30:00")
    let (whole, seconds) = (try logbook.find(id), try logbook.seconds())
    let edit = try logbook.crop(id, from: crop.from, to: crop.to)
    #expect(edit == ActivityEdit(changed: [id]))
    let row = try logbook.find(id)
    #expect(row.record.isEdited && row.version == 2 && row.record.elapsedTimeS == crop.elapsedS)
    #expect(row.start == WallTime("2026-05-03T\(crop.start)") && row.sortMS == row.startUTCMS)
    // Between the first point and the last one; before the first there is one more if it is shown.
    let metres = Double(crop.seconds.count - (crop.seconds.lowerBound == 0 ? 0 : 1)) * 5
    #expect(row.totals.effort.distanceM == metres)
    #expect(row.totals.effort.bpmMax == Double(100 + (crop.seconds.upperBound - 1) / 10))
    #expect(row.totals.effort.movingTimeS == Double(crop.seconds.count) && row.totals.laps == crop.laps.count)
    #expect(try logbook.laps(id).map(\.startS) == crop.laps)
    let track = try #require(try logbook.track(id).first?.points)
    #expect(track.count == crop.seconds.count)
    #expect(track.first?.latitudeDeg == 47 + Double(crop.seconds.lowerBound) / 10000)
    #expect(track.last.flatMap(\.distanceM) == metres)
    let series = try #require(try logbook.series(id, "bpm").pieces.first)
    #expect(series.fields[0].means.compactMap(\.value) == crop.seconds.map { Double(100 + $0 / 10) })
    #expect(try logbook.seconds() == seconds)
    #expect(try logbook.revert(id) == ActivityEdit(changed: [id]))
    expectSame(try logbook.find(id), whole)
  }

  @Test("a crop of a crop is reverted at once, also after its start was set")
  func nestedCrop() throws {
    let id = try logbook.add(.recorded, 250, at: "07:30:00")
    let whole = try logbook.find(id)
    try logbook.crop(id, from: 60.7)
    try logbook.crop(id, from: 9, to: 100)
    #expect(
      try logbook.find(id).spans == [ActivitySpan(activity: id, fromMS: 69_000, toMS: 160_000, atMS: 0)])
    var edit = EditRequest()
    (edit.id, edit.start) = (Int(id), WallTime("2026-05-04T10:01:09Z"))
    _ = try logbook.changes.edit(edit)
    try logbook.revert(id)
    let row = try logbook.find(id)
    #expect(row.start == WallTime("2026-05-04T10:00:00.250Z") && row.endMS == whole.endMS && row.baseSpans == nil)
  }

  // MARK: Split

  @Test("a split makes two activities of one, and revert one of them", arguments: [ActivitySource.recorded, .tcx])
  func split(source: ActivitySource) throws {
    let id = try logbook.add(source, 250, at: "07:30:00")
    let (whole, seconds) = (try logbook.find(id), try logbook.seconds())
    let second = try logbook.split(id, at: 150)
    let parts = [try logbook.find(id), try logbook.find(second)]
    #expect(parts[1].origin == id && parts[1].version == 1 && parts[1].name == "Round the lake")
    #expect(parts[1].start == WallTime("2026-05-03T07:32:30Z") && parts[0].endMS == 150_000)
    #expect(parts.map(\.totals.effort.distanceM) == [750, 495] && parts.map(\.totals.rideTimeS) == [150, 100])
    #expect(try logbook.laps(id).count == 2 && logbook.laps(second).map(\.startS) == [0, 50])
    #expect(try logbook.track(second).first?.points.first?.latitudeDeg == 47.015)
    #expect(try logbook.listed() == [Int(second), Int(id)])
    expectRefused(.badRequest, "activity \(second) is not edited, but a part of activity \(id)") {
      try logbook.revert(second)
    }
    #expect(try logbook.revert(id) == ActivityEdit(changed: [id], removed: [second]))
    expectSame(try logbook.find(id), whole)
    #expect(try logbook.seconds() == seconds && logbook.listed() == [Int(id)])
  }

  @Test("a part that is cropped is reverted to the part")
  func croppedPart() throws {
    let id = try logbook.add(.recorded, 250, at: "07:30:00")
    let second = try logbook.split(id, at: 150.5)
    let part = try logbook.find(second)
    try logbook.crop(second, from: 20, to: 40)
    #expect(try logbook.find(second).totals.rideTimeS == 20)
    try logbook.revert(second)
    expectSame(try logbook.find(second), part)
  }

  // MARK: Join

  @Test("joined activities are shown as the first one, with the time between them")
  func join() throws {
    let later = try logbook.add(.fit, 50, at: "07:35:00")
    let first = try logbook.add(.recorded, 150, at: "07:30:00")
    let before = [try logbook.find(first), try logbook.find(later)]
    let edit = try logbook.join(later, first)
    #expect(edit == ActivityEdit(changed: [first], removed: [later]))
    let row = try logbook.find(first)
    #expect(row.endMS == 349_000 && row.startMS == 250 && row.totals.rideTimeS == 200)
    #expect(row.totals.effort.distanceM == 1000 && row.totals.effort.bpmMax == 114)
    #expect(try logbook.listed() == [Int(first)] && logbook.find(later).joinedInto == first)
    let laps = try logbook.laps(first)
    #expect(laps.map(\.startS) == [0.25, 100, 300] && laps.map(\.trigger?.known) == [.manual, .split, .end])
    #expect(laps.compactMap(\.totals.distanceM) == [500, 250, 250])
    let track = try logbook.track(first)
    #expect(track.map(\.points.count) == [150, 50] && track.last?.points.first?.distanceM == 755)
    #expect(try logbook.series(first, "distance_m").pieces.map(\.startS) == [0, 300])
    // Only what is shown can be changed.
    for body in [{ try logbook.crop(later, to: 5) }, { try logbook.revert(later) }] {
      expectRefused(.badRequest, "activity \(later) is a part of activity \(first)", body)
    }
    #expect(try logbook.revert(first) == ActivityEdit(changed: [first], added: [later]))
    expectSame(try logbook.find(first), before[0])
    expectSame(try logbook.find(later), before[1])
  }

  @Test("activities of an unknown date are joined in their order, a second apart")
  func undated() throws {
    let first = try logbook.add(.recorded, 100, at: nil)
    let last = try logbook.add(.recorded, 100, at: nil)
    let part = try logbook.split(first, at: 60)
    let middle = try logbook.split(first, at: 30)
    #expect(try logbook.join(last, part, middle, first).removed == [middle, part, last])
    let row = try logbook.find(first)
    #expect(
      row.spans == [
        ActivitySpan(activity: first, fromMS: 250, toMS: 30_000, atMS: 250),
        ActivitySpan(activity: first, fromMS: 30_000, toMS: 60_000, atMS: 31_000),
        ActivitySpan(activity: first, fromMS: 60_000, toMS: nil, atMS: 62_000),
        ActivitySpan(activity: last, fromMS: 0, toMS: nil, atMS: 102_000),
      ])
    #expect(row.startUTCMS == nil && row.totals.rideTimeS == 200)
  }

  @Test("a crop that ends between joined activities ends with the first one")
  func cropInGap() throws {
    let first = try logbook.add(.recorded, 100, at: "07:30:00")
    let later = try logbook.add(.recorded, 100, at: "07:40:00")
    try logbook.join(first, later)
    try logbook.crop(first, to: 300)
    #expect(try logbook.find(first).record.elapsedTimeS == 99)
    #expect(try logbook.find(first).totals.effort.distanceM == 500)
    expectRefused(.badRequest, "has nothing outside these times") { try logbook.crop(first, to: 99.5) }
  }

  @Test("joining all that a split made restores the totals; without the middle, they lack it")
  func rejoined() throws {
    let id = try logbook.add(.recorded, 300, at: "07:30:00")
    let totals = try logbook.find(id).totals
    let last = try logbook.split(id, at: 200)
    let middle = try logbook.split(id, at: 100)
    try logbook.join(id, middle, last)
    let joined = try logbook.find(id)
    #expect(joined.spans == [ActivitySpan(activity: id, fromMS: 250, toMS: nil, atMS: 250)])
    #expect(joined.totals.effort.distanceM == totals.effort.distanceM && joined.totals.rideTimeS == 300)
    #expect(try logbook.revert(id).removed == [])
    let end = try logbook.split(id, at: 200)
    let rest = try logbook.split(id, at: 100)
    try logbook.delete(rest)
    try logbook.join(id, end)
    let row = try logbook.find(id)
    #expect(row.totals.effort.distanceM == 995 && row.totals.rideTimeS == 200 && row.totals.effort.ascentM == 20)
    #expect(row.record.elapsedTimeS == 299)
    #expect(StoredDetail(text: row.detail).derived.gaps == [ActivityGap(fromS: 100, toS: 200, .interrupted)])
  }

  @Test("crop, split, join and revert in a row lead back", arguments: [ActivitySource.recorded, .fit])
  func chain(source: ActivitySource) throws {
    let id = try logbook.add(source, 250, at: "07:30:00")
    let other = try logbook.add(source, 50, at: "07:50:00")
    let rows = [try logbook.find(id), try logbook.find(other)]
    let seconds = try logbook.seconds()
    try logbook.crop(id, from: 20, to: 220)
    let second = try logbook.split(id, at: 100)
    try logbook.join(second, other)
    #expect(try logbook.find(second).totals.effort.distanceM == 745 && logbook.listed() == [Int(second), Int(id)])
    #expect(try logbook.revert(second).added == [other])
    try logbook.join(id, second, other)
    #expect(try logbook.find(id).totals.effort.distanceM == 1245 && logbook.listed() == [Int(id)])
    try logbook.crop(id, from: 150)
    let third = try logbook.split(id, at: 40)
    try logbook.delete(third)
    let edit = try logbook.revert(id)
    #expect(edit.changed == [id] && edit.added == [other] && edit.removed == [])
    expectSame(try logbook.find(id), rows[0])
    expectSame(try logbook.find(other), rows[1])
    #expect(try logbook.seconds() == seconds && logbook.listed() == [Int(other), Int(id)])
    #expect(try logbook.logbook.database.integer("SELECT count(*) FROM activity") == 2)
  }

  @Test("what was joined to a part comes back when the part goes away")
  func joinedToPart() throws {
    let id = try logbook.add(.recorded, 100, at: "07:30:00")
    let other = try logbook.add(.recorded, 50, at: "07:40:00")
    let second = try logbook.split(id, at: 50)
    try logbook.join(second, other)
    try logbook.join(id, second)
    let edit = try logbook.revert(id)
    #expect(edit.added == [other] && edit.removed == [] && edit.changed == [id])
    #expect(try logbook.listed() == [Int(other), Int(id)])
  }

  // MARK: Refusals

  @Test("what cannot be edited is refused with the reason, and nothing changes")
  func refusals() throws {
    let id = try logbook.add(.recorded, 250, at: "07:30:00")
    let same = try logbook.add(.fit, 250, at: "07:31:00")
    let run = try logbook.add(.fit, 50, at: "09:00:00", sport: "running")
    let whole = try logbook.find(id)
    expectRefused(.badRequest, "nothing between these times: it lasts 249 s") { try logbook.crop(id, from: 250) }
    expectRefused(.badRequest, "nothing outside these times") { try logbook.crop(id, from: 0.1, to: 900) }
    for at in [0.2, 0.25, 249.25, 900] {
      expectRefused(.badRequest, "nothing before or after this time") { try logbook.split(id, at: at) }
    }
    expectRefused(.badRequest, "activity \(id) is not edited") { try logbook.revert(id) }
    expectRefused(.noSuchActivity, "there is no activity 77") { try logbook.revert(77) }
    expectRefused(.badRequest, "overlap in time") { try logbook.join(id, same) }
    expectRefused(.badRequest, "different sports") { try logbook.join(id, run) }
    expectRefused(.badRequest, "given twice") { try logbook.join(id, id) }
    expectRefused(.badRequest, "one activity") { try logbook.join(id) }
    var request = CropRequest()
    (request.id, request.ifVersion, request.fromS) = (Int(id), 2, 10)
    expectRefused(.changed, "has the version 1, not 2") { try logbook.editor.crop(request) }
    #expect(try logbook.find(id) == whole)
    try logbook.delete(id)
    expectRefused(.badRequest, "is deleted: restore it first") { try logbook.crop(id, from: 10) }
    expectRefused(.badRequest, "is deleted") { try logbook.join(id, same) }
  }

  @Test("an activity that is being recorded, and one that was added by hand, is refused")
  func unsuitable() throws {
    let id = try logbook.logbook.record(EditedLogbook.ride(50)) { $0.state = .recording }
    expectRefused(.busy, "is being recorded") { try logbook.crop(id, from: 10) }
    let hand = try logbook.logbook.record([]) { ($0.source, $0.endMS) = (.hand, 900_000) }
    expectRefused(.badRequest, "was added by hand") { try logbook.split(hand, at: 10) }
  }

  @Test("a crop or a split in a time without samples is refused")
  func nothingRecorded() throws {
    let lines = EditedLogbook.ride(100).filter { !$0.contains("\"t\":3") && !$0.contains("\"t\":4") }
    let id = try logbook.logbook.record(lines)
    expectRefused(.badRequest, "nothing between") { try logbook.crop(id, from: 31, to: 39) }
    let other = try logbook.logbook.record([line("ride", "heart_rate", 50, #""bpm":100"#)]) { $0.endMS = 90_000 }
    expectRefused(.badRequest, "nothing before or after") { try logbook.split(other, at: 40) }
  }

  // MARK: What was recorded stays

  @Test("a purge keeps the seconds that another activity shows")
  func purge() throws {
    let id = try logbook.add(.recorded, 100, at: "07:30:00")
    let other = try logbook.add(.recorded, 50, at: "07:40:00")
    try logbook.join(id, other)
    // The second part shows seconds of both.
    let second = try logbook.split(id, at: 50)
    try logbook.delete(id)
    #expect(try logbook.purge() == [])
    try logbook.compute(second)
    #expect(try logbook.find(second).totals.rideTimeS == 100)
    // A part of a part, joined elsewhere.
    let third = try logbook.split(second, at: 20)
    let host = try logbook.add(.recorded, 10, at: "07:20:00")
    try logbook.join(host, third)
    try logbook.delete(second)
    #expect(try logbook.purge() == [])
    try logbook.delete(host)
    #expect(try Set(logbook.purge()) == [id, other, second, third, host])
    #expect(try logbook.seconds().isEmpty)
  }

  @Test("a purge removes what was joined to joined activities")
  func nestedPurge() throws {
    let ids = try ["07:00:00", "08:00:00", "09:00:00"].map { try logbook.add(.recorded, 20, at: $0) }
    let kept = try logbook.add(.recorded, 20, at: "10:00:00")
    try logbook.join(ids[1], ids[2])
    try logbook.join(ids[0], ids[1])
    try logbook.delete(ids[0])
    #expect(try logbook.purge() == ids.reversed())
    #expect(try logbook.listed() == [Int(kept)])
  }

  @Test("an activity whose base another one shows is kept until that one is gone")
  func purgedBase() throws {
    let id = try logbook.add(.recorded, 100, at: "07:30:00")
    let second = try logbook.split(id, at: 50)
    try logbook.crop(second, from: 10, to: 20)
    try logbook.delete(id)
    #expect(try logbook.purge() == [])
    try logbook.revert(second)
    #expect(try logbook.find(second).totals.rideTimeS == 50)
  }

  @Test("an edit without its totals is known after a crash")
  func stale() throws {
    let id = try logbook.add(.recorded, 100, at: "07:30:00")
    var request = SplitRequest()
    (request.id, request.atS) = (Int(id), 50)
    let edit = try logbook.editor.split(request)
    let database = logbook.logbook.database
    #expect(try ActivityTable.staleTotals(in: database) == edit.changed)
    for id in edit.changed { try logbook.compute(id) }
    #expect(try ActivityTable.staleTotals(in: database) == [])
  }

  @Test("a date that becomes known later is that of each part")
  func datedLater() throws {
    let id = try logbook.add(.recorded, 100, at: nil)
    let database = logbook.logbook.database
    try database.execute("INSERT INTO part VALUES(\(id), 1, x'aa', 5000, 0)")
    try logbook.crop(id, from: 20)
    let second = try logbook.split(id, at: 30)
    let dates = try BootActivity.all(of: [0xaa], in: database)
    #expect(dates.map(\.id) == [id, second] && dates.map(\.zeroBootMS) == [5_020_000, 5_050_000])
    #expect(try BootActivity.all(of: [0xbb], in: database) == [])
    try logbook.revert(id)
    #expect(try BootActivity.all(of: [0xaa], in: database).map(\.zeroBootMS) == [5_000_000])
  }

  @Test("an edit forgets the efforts of the activity, whose times were those before")
  func efforts() throws {
    let id = try logbook.add(.recorded, 100, at: "07:30:00")
    let database = logbook.logbook.database
    let other = try logbook.add(.recorded, 100, at: "08:30:00")
    try database.execute(
      """
      INSERT INTO segment VALUES(1, x'aa', 'Hill', 100, NULL, 47, 8, 47.1, 8.1, 1);
      INSERT INTO effort_search SELECT id, NULL, end_ms, 1 FROM activity;
      INSERT INTO effort SELECT 1, id, 0, 9000, NULL, NULL FROM activity
      """)
    try logbook.crop(id, from: 5)
    #expect(try database.integer("SELECT group_concat(activity) FROM effort") == other)
    #expect(try database.integer("SELECT group_concat(activity) FROM effort_search") == other)
  }

  @Test("rows that refer to each other in a circle do no harm")
  func circles() throws {
    let ids = [try logbook.add(.recorded, 20, at: "07:30:00"), try logbook.add(.recorded, 20, at: "08:30:00")]
    for (id, other) in zip(ids, ids.reversed()) {
      var row = try logbook.find(id)
      row.origin = other
      try logbook.logbook.table.replace(row)
    }
    expectRefused(.badRequest, "is not edited") { try logbook.revert(ids[0]) }
    #expect(try logbook.listed().count == 2)
  }
}
