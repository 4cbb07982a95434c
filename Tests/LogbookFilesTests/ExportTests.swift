// Exports of every format: of files that were imported, of edited activities, of entries by hand.

import ActivityFiles
import ActivityVectors
import JSON
import Logbook
import LogbookFiles
import LogbookWire
import Testing
import Time
import Wire

@Suite struct ExportTests {
  private let logbook: FilesLogbook

  init() throws { logbook = try FilesLogbook() }

  private func addRide() throws -> Int64 {
    let reply = try logbook.import(try writeFIT(try Vector.ride("ride.json")))
    return Int64(try #require(reply.added?.first))
  }

  private func addByHand() throws -> Int64 {
    var row = StoredActivity()
    row.uuid = Array(repeating: 7, count: 16)
    row.source = .hand
    row.sport = "strength_training"
    row.startUTCMS = 1_777_777_777_000
    row.sortMS = 1_777_777_777_000
    row.endMS = 1_800_000
    row.totals.effort.energyKcal = 250
    return try ActivityTable(logbook.database).insert(row)
  }

  @Test("a FIT file comes back with all its messages and fields")
  func roundTrip() throws {
    let original = try writeFIT(try Vector.ride("ride.json"))
    let id = try #require(try logbook.import(original).added?.first)
    let export = try logbook.export(Int64(id), .fit)
    #expect(export.name == "2026-05-03-\(id).fit" && export.leftOut.isEmpty)
    let (before, after) = (try read(original, with: FITReader()), try read(export.bytes, with: FITReader()))
    #expect(after.items.count == before.items.count && after.warnings.isEmpty && after.omissions.isEmpty)
    #expect(zip(after.items, before.items).allSatisfy { $0 == $1 })
    #expect(export.bytes == original)
    for format in ExportFormat.allCases {
      try keepExport(try logbook.export(Int64(id), format).bytes, "logbook-ride.\(format.rawValue)")
    }
  }

  @Test("an export has the same bytes each time, in pieces of any size", arguments: ExportFormat.allCases)
  func repeatable(format: ExportFormat) throws {
    let id = try addRide()
    let first = try logbook.export(id, format)
    #expect(!first.bytes.isEmpty)
    for size in [1, 1000, 45_000] { #expect(try logbook.export(id, format, inPieces: size) == first) }
  }

  @Test("a load from heart rate does not become a score of power", arguments: [nil, 63.5])
  func loadOfHeartRate(score: Double?) throws {
    let id = try addRide()
    try logbook.change(id) { row in
      // As of a recording: without what a file said.
      row.detail = nil
      (row.totals.trainingStressScore, row.totals.trainingLoad) = (score, score ?? 80)
    }
    let other = try FilesLogbook()
    let added = try #require(try other.import(try logbook.export(id, .fit).bytes).added?.first)
    #expect(try other.row(Int64(added))?.totals.trainingStressScore == score)
  }

  @Test("what a format does not have is listed")
  func leftOut() throws {
    let id = try addRide()
    #expect(try logbook.export(id, .gpx).leftOut.contains("laps"))
    #expect(try logbook.export(id, .tcx).leftOut.contains("radar"))
    #expect(try logbook.export(id, .csv).leftOut.contains("sensors and their batteries"))
  }

  @Test("an edited activity is exported without what it does not show", arguments: [ExportFormat.fit, .csv, .ndjson])
  func edited(format: ExportFormat) throws {
    let id = try addRide()
    try logbook.change(id) { row in
      row.spans = [
        ActivitySpan(activity: id, fromMS: 5000, toMS: 15_000, atMS: 0),
        ActivitySpan(activity: id, fromMS: 40_000, toMS: 45_000, atMS: 10_000),
      ]
      row.endMS = 15_000
    }
    let bytes = try logbook.export(id, format).bytes
    switch format {
    case .fit:
      let items = try read(bytes, with: FITReader())
      #expect(items.points.map(\.t) == Array(0..<15))
      #expect(items.events.map(\.t) == [0, 15] && items.summaries.first?.elapsed == 15)
    case .csv:
      let seconds = bytes.text.split(separator: "\n").dropFirst().compactMap { $0.split(separator: ",").first }
      #expect(seconds.map(String.init) == (0..<15).map(String.init))
    default:
      let samples = bytes.text.split(separator: "\n").filter { $0.contains("\"class\":\"sample\"") }
      #expect(samples.count == 15 && samples.first?.contains("\"t\":5,\"time\":\"2026-05-03T16:15:00.000Z\"") ?? false)
    }
  }

  @Test("an activity that was cropped, or joined of parts, has distances of its own")
  func editedDistances() throws {
    let id = try addRide()
    let whole = try read(try logbook.export(id, .fit).bytes, with: FITReader()).points
    func distances() throws -> [Int: Double] {
      let points = try read(try logbook.export(id, .fit).bytes, with: FITReader()).points
      return Dictionary(uniqueKeysWithValues: points.compactMap { point in point[.distance].map { (point.t, $0) } })
    }
    /// Of the seconds in these ranges that have one.
    func expected(_ ranges: Range<Int>..., from first: Int) -> [Int: Double] {
      var (result, sum) = ([Int: Double](), 0.0)
      for range in ranges {
        let points = whole.filter { range.contains($0.t) && $0[.distance] != nil }
        let before = sum - (points.first?[.distance] ?? 0)
        for point in points {
          sum = before + (point[.distance] ?? 0)
          result[point.t - first] = sum
        }
      }
      return result
    }
    func expectSame(_ found: [Int: Double], _ wanted: [Int: Double]) {
      #expect(found.keys.sorted() == wanted.keys.sorted())
      // Files have centimetres.
      for (second, metres) in wanted { #expect(abs((found[second] ?? .nan) - metres) < 0.02, "\(second)") }
    }
    try logbook.crop(id, from: 10, to: 60)
    expectSame(try distances(), expected(10..<60, from: 10))
    let last = try logbook.split(id, at: 30)
    _ = try logbook.split(id, at: 20)
    try logbook.join(id, last)
    let joined = expected(10..<30, 40..<60, from: 10)
    expectSame(try distances(), joined)
    let row = try #require(try logbook.row(id))
    #expect(abs(try #require(row.totals.effort.distanceM) - (try #require(joined.values.max()))) < 0.02)
    try logbook.revert(id)
    #expect(try read(try logbook.export(id, .fit).bytes, with: FITReader()).points == whole)
  }

  @Test("NDJSON has the stored samples as records, and the events")
  func records() throws {
    let id = try addRide()
    let lines = try logbook.export(id, .ndjson).bytes.text.split(separator: "\n").map {
      try JSONValue.parse(String($0))
    }
    let samples = lines.filter { $0["class"] == "sample" }
    let points = try read(try writeFIT(try Vector.ride("ride.json")), with: FITReader()).points
    #expect(samples.count == points.count)
    for (sample, point) in zip(samples, points) {
      #expect(sample["sensor"] == "file" && sample["kind"] == "point" && sample["t"]?.integer == point.t)
      #expect(sample["bpm"]?.number == point[.heartRate] && sample["power_w"]?.number == point[.power])
    }
    #expect(lines.count { $0["class"] == "event" } == 4)
  }

  @Test("formats that need a date refuse an activity without one, unless a start is given")
  func dateUnknown() throws {
    let id = try addRide()
    try logbook.change(id) { $0.startUTCMS = nil }
    for format in ExportFormat.allCases {
      let needsDate = [.fit, .gpx, .tcx].contains(format)
      do throws(Refusal) {
        let work = try ExportWork(id, format: format, start: nil, in: logbook.database)
        #expect(!needsDate && work.name == "activity-\(id).\(format.rawValue)")
      } catch {
        #expect(needsDate && error.code == .dateUnknown, "\(error)")
      }
      let dated = try logbook.export(id, format, start: WallTime(seconds: 1_700_000_000))
      #expect(dated.name == "2023-11-15-\(id).\(format.rawValue)")
    }
  }

  @Test("an entry by hand is a FIT or TCX file of its totals, and other formats refuse it")
  func byHand() throws {
    let id = try addByHand()
    let items = try read(try logbook.export(id, .fit).bytes, with: FITReader())
    let summary = try #require(items.summaries.first)
    #expect(items.points.isEmpty && summary.elapsed == 1800 && summary[.energy] == 250)
    #expect(summary.sport == .training && summary.subSport == .strength && items.events.map(\.t) == [0, 1800])
    #expect(try !logbook.export(id, .tcx).bytes.isEmpty)
    for format in [ExportFormat.gpx, .csv] {
      #expect(throws: Refusal.self) { try logbook.export(id, format) }
    }
  }

  @Test("a resume is automatic if the daemon made the pause, and the rider's if the rider made it")
  func resumes() throws {
    let id = try addByHand()
    try logbook.change(id) { $0.source = .recorded }
    var batch = RecordingBatch()
    batch.events = [
      .init(atMS: 10_000, kind: "pause", data: #"{"pause":"standing","automatic":true}"#),
      .init(atMS: 20_000, kind: "resume"),
      .init(atMS: 30_000, kind: "pause", data: #"{"pause":"by_hand"}"#),
      .init(atMS: 40_000, kind: "resume"),
      // The daemon paused, and then the rider.
      .init(atMS: 50_000, kind: "pause", data: #"{"pause":"standing","automatic":true}"#),
      .init(atMS: 55_000, kind: "pause", data: #"{"pause":"by_hand"}"#),
      .init(atMS: 60_000, kind: "resume"),
    ]
    try RecordingTables(logbook.database).add(batch, to: id)
    let events = try read(try logbook.export(id, .fit).bytes, with: FITReader()).events
    #expect(events.map(\.t) == [0, 10, 20, 30, 40, 50, 60, 1800])
    #expect(
      events.map(\.kind) == [
        .start(automatic: false), .stop(automatic: true), .start(automatic: true), .stop(automatic: false),
        .start(automatic: false), .stop(automatic: true), .start(automatic: false), .stop(automatic: false),
      ])
  }

  @Test("a device has the charge of its battery that was known when the recording began")
  func battery() throws {
    let id = try addByHand()
    try logbook.change(id) { $0.source = .recorded }
    var batch = RecordingBatch()
    let stream = RecordedStream(sensor: Array("\"strap\"".utf8), kind: Array("\"heart_rate\"".utf8))
    batch.streams = [.init(0, stream, name: "Strap", facts: #"{"battery_pct":87}"#)]
    try RecordingTables(logbook.database).add(batch, to: id)
    let devices = try read(try logbook.export(id, .fit).bytes, with: FITReader()).items.compactMap {
      if case .device(let device) = $0 { device } else { nil }
    }
    #expect(devices.map(\.batteryPercent) == [nil, 87])
  }

  @Test("an activity that is missing, or that is being imported, is refused")
  func missing() throws {
    let id = try addByHand()
    try logbook.change(id) { $0.state = .importing }
    for missing in [id, id + 1] {
      do throws(Refusal) {
        _ = try ExportWork(missing, format: .fit, start: nil, in: logbook.database)
        Issue.record("not refused")
      } catch {
        #expect(error.code == .noSuchActivity)
      }
    }
  }
}
