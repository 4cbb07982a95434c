// GPX, TCX and CSV files, against those in Vectors. With CYCLOMETER_EXPORTS, a folder, this keeps
// files for other decoders.

import ActivityFiles
import ActivityVectors
import Earth
import Foundation
import Testing
import Time

@Suite struct TextWriterTests {
  static let written: [ActivityFormat] = [.gpx, .tcx, .csv]

  private func text(_ items: [ActivityItem], _ format: ActivityFormat) throws -> String {
    String(decoding: try write(items, format), as: UTF8.self)
  }

  @Test("a ride is written as in the vectors", arguments: written)
  func ride(format: ActivityFormat) throws {
    let bytes = try write(Vector.ride("ride.json"), format)
    let name = "ride.\(format.rawValue)"
    try keepExport(bytes, name)
    #expect(bytes == (try Vector.bytes(name)))
  }

  @Test("a FIT file becomes the same files", arguments: written)
  func conversion(format: ActivityFormat) throws {
    let fit = try read(writeFIT(Vector.ride("ride.json")), with: FITReader()).items
    var outline = ActivityOutline()
    for item in fit { outline.add(item) }
    var arrangement = ActivityArrangement(outline)
    var arranged: [ActivityItem] = []
    for item in fit { arrangement.add(item) { arranged.append($0) } }
    arrangement.finish { arranged.append($0) }
    let bytes = try write(arranged, format)
    try keepExport(bytes, "converted.\(format.rawValue)")
    #expect(bytes.count > 5000)
  }

  private func header(laps: [ActivityLap] = []) -> ActivityHeader {
    var header = ActivityHeader(start: WallTime(seconds: 1_777_824_900))
    header.laps = laps.isEmpty ? [lap(0, 100)] : laps
    return header
  }

  private func lap(_ start: Int, _ elapsed: Double) -> ActivityLap {
    ActivityLap(index: 0, trigger: .manual, summary: ActivitySummary(start: start, elapsed: elapsed))
  }

  private func point(_ t: Int, _ values: FieldValues<PointField> = [:], hasPosition: Bool = true) -> ActivityItem {
    var point = ActivityPoint(t: t)
    point.values = values
    if hasPosition { point.position = Coordinate(latitude: 47 + Double(t) / 10_000, longitude: -0.5) }
    return .point(point)
  }

  @Test("values that a format forbids are left out, and there is no negative zero")
  func forbiddenValues() throws {
    let items = [
      .header(header()), point(0, [.heartRate: 0, .cadence: 300, .power: -4, .grade: -0.0001, .airTemperature: -0.01]),
      point(1, [.heartRate: 254.6, .power: 1e9, .altitude: 1e300, .distance: -0.001]),
    ]
    let gpx = try text(items, .gpx)
    #expect(!gpx.contains("hr>") && !gpx.contains("cad>") && !gpx.contains("-0<") && !gpx.contains("ele"))
    #expect(gpx.contains("<power>0</power>") && gpx.contains("<gpxtpx:atemp>0</gpxtpx:atemp>"))
    let tcx = try text(items, .tcx)
    #expect(!tcx.contains("<HeartRateBpm><Value>0") && !tcx.contains("<Cadence>"))
    let csv = try text(items, .csv)
    #expect(!csv.contains(",-0,") && csv.contains("0,2026-05-03T16:15:00Z,47.0000000,-0.5000000,"))
  }

  @Test("texts are escaped, and what XML forbids is dropped")
  func escaping() throws {
    var header = header()
    header.name = "A & B <\"c\">\u{1}\u{0}\u{b} ö 🚲"
    header.recorder.name = "\"<x>\""
    header.hasBarometer = true
    let gpx = try text([.header(header), point(0)], .gpx)
    #expect(gpx.contains("<name>A &amp; B &lt;&quot;c&quot;&gt; ö 🚲</name>"))
    #expect(gpx.contains("creator=\"&quot;&lt;x&gt;&quot; with barometer\""))
    #expect(try text([.header(header), point(0)], .tcx).contains("<Notes>A &amp; B &lt;"))
  }

  @Test("a pause, and a minute without a position, begin a new segment")
  func segments() throws {
    let stop = ActivityItem.event(ActivityEvent(t: 2, kind: .stop(automatic: true)))
    let start = ActivityItem.event(ActivityEvent(t: 5, kind: .start(automatic: true)))
    let items = [
      .header(header()), point(0), point(2), stop, start, point(5), point(6, [.power: 1], hasPosition: false),
      point(65), point(126),
    ]
    #expect(try text(items, .gpx).components(separatedBy: "<trkseg>").count == 4)
    #expect(try text(items, .tcx).components(separatedBy: "<Track>").count == 3)
  }

  @Test("each point is in its lap, and a lap without points has no track")
  func laps() throws {
    let items = [.header(header(laps: [lap(0, 10), lap(10, 5), lap(15, 9)])), point(9), point(15), point(40)]
    let laps = try text(items, .tcx).components(separatedBy: "<Lap ").dropFirst()
    #expect(laps.map { $0.components(separatedBy: "<Trackpoint>").count - 1 } == [1, 0, 2])
    #expect(laps.map { $0.contains("<Track>") } == [true, false, true])
    let rows = try text(items, .csv).split(separator: "\n").dropFirst()
    #expect(rows.map { $0.split(separator: ",", omittingEmptySubsequences: false).suffix(2).first } == ["1", "3", "3"])
  }

  @Test("a run has its cadence where programs look for it")
  func running() throws {
    var header = header()
    header.sport = .running
    let tcx = try text([.header(header), point(0, [.cadence: 84])], .tcx)
    #expect(tcx.contains("Sport=\"Running\"") && tcx.contains("<ax:RunCadence>84</ax:RunCadence>"))
    #expect(!tcx.contains("<Cadence>"))
  }

  @Test("an indoor ride is refused as GPX with the formats that can hold it")
  func indoor() throws {
    let items = [.header(header()), point(0, [.power: 200], hasPosition: false)]
    #expect(throws: ActivityFileError(ActivityFormat.gpx.refusal(for: contents(items)) ?? "")) {
      try write(items, .gpx)
    }
    #expect(ActivityFormat.gpx.refusal(for: contents(items))?.contains("TCX or FIT") ?? false)
    #expect(ActivityFormat.tcx.refusal(for: contents(items)) == nil)
    #expect(try text(items, .tcx).contains("<ax:Watts>200"))
    #expect(try text(items, .csv).contains(",200,"))
  }

  private func contents(_ items: [ActivityItem]) -> ActivityContents {
    var contents = ActivityContents()
    for item in items { contents.add(item) }
    return contents
  }

  @Test("what a format leaves out is listed")
  func omissions() throws {
    let ride = contents(try Vector.ride("ride.json"))
    #expect(ActivityFormat.fit.omissions(for: ride).isEmpty)
    let gpx = ActivityFormat.gpx.omissions(for: ride)
    #expect(Set(gpx).isSuperset(of: ["laps", "intervals between heartbeats", "radar", "distance", "pedal balance"]))
    #expect(!gpx.contains("power") && !gpx.contains("air temperature"))
    let tcx = ActivityFormat.tcx.omissions(for: ride)
    #expect(!tcx.contains("laps") && !tcx.contains("distance") && tcx.contains("air temperature"))
    let csv = ActivityFormat.csv.omissions(for: ride)
    #expect(!csv.contains("intervals between heartbeats") && !csv.contains("muscle oxygen") && csv.contains("radar"))
    #expect(ActivityFormat.gpx.omissions(for: contents([.header(header()), point(0, [.power: 1])])).isEmpty)
  }

  @Test("an activity without a date, a second one, and none are refused", arguments: [ActivityFormat.gpx, .tcx])
  func refusals(format: ActivityFormat) throws {
    #expect(throws: ActivityFileError.self) { try write([.header(ActivityHeader()), point(0)], format) }
    #expect(throws: ActivityFileError.self) { try write([.header(header()), .header(header()), point(0)], format) }
    #expect(throws: ActivityFileError.self) { try write([], format) }
  }

  @Test(
    "dates are those of the calendar",
    arguments: [
      (951_782_400, "2000-02-29T00:00:00Z"), (1_709_251_199, "2024-02-29T23:59:59Z"),
      (946_684_799, "1999-12-31T23:59:59Z"),
      (4_107_542_400, "2100-03-01T00:00:00Z"),
    ] as [(Int64, String)])
  func dates(seconds: Int64, text expected: String) throws {
    let header = ActivityItem.header(ActivityHeader(start: WallTime(seconds: seconds)))
    #expect(try text([header, point(0)], .csv).contains("\n0,\(expected),"))
  }
}
