// The answers to `series`, `track` and `show`.

import JSON
import LogbookWire
import SQLite
import Testing
import Wire

@testable import Logbook

@Suite struct CurvesTests {
  private let logbook: TestLogbook

  init() throws { logbook = try TestLogbook() }

  private func series(_ id: Int64, _ change: (inout SeriesRequest) -> Void = { _ in }) throws -> SeriesDocument {
    var request = SeriesRequest()
    request.id = Int(id)
    change(&request)
    let work = try SeriesWork(request, in: logbook.database)
    while try work.step() {}
    return work.document
  }

  private func track(_ id: Int64, _ change: (inout TrackRequest) -> Void = { _ in }) throws -> TrackDocument {
    var request = TrackRequest()
    request.id = Int(id)
    change(&request)
    let work = try TrackWork(request, in: logbook.database)
    while try work.step() {}
    return work.document
  }

  /// 100 seconds, without anything from 40 to 59.
  private func recorded() throws -> Int64 {
    let seconds = (0..<100).filter { !(40..<60).contains($0) }
    return try logbook.record(seconds.flatMap(Self.second))
  }

  private static func second(_ second: Int) -> [String] {
    let t = Double(second)
    let (north, farther) = (47 + t / 1000, 48 + t / 1000)
    return [
      line("strap", "heart_rate", t + 0.1, "\"bpm\":\(second)", seq: second),
      line("ride", "heart_rate", t + 0.1, "\"bpm\":\(100 + second)", seq: second),
      line("ride", "speed", t + 0.2, "\"speed_mps\":\(4 + second % 2 * 2)", seq: second),
      line(
        "ride", "position", t + 0.3, "\"latitude_deg\":\(north),\"longitude_deg\":8,\"altitude_m\":500", seq: second),
      line(
        "gps", "position", t + 0.3, "\"latitude_deg\":\(farther),\"longitude_deg\":8,\"speed_mps\":1", seq: second),
      line("gps", "speed", t + 0.3, "\"speed_mps\":2", seq: second),
    ]
  }

  @Test("a series has minimum, mean and maximum per point, and a piece per gap")
  func believed() throws {
    let document = try series(try recorded()) {
      $0.points = 10
      $0.fields = ["bpm", "speed_mps"]
    }
    #expect(document.stepS == 10 && document.pieces.map(\.startS) == [0, 60])
    let first = try #require(document.pieces.first)
    #expect(first.fields.map(\.field) == ["bpm", "speed_mps"])
    #expect(first.fields[0].minima.map(\.value) == [100, 110, 120, 130])
    #expect(first.fields[0].means.map(\.value) == [104.5, 114.5, 124.5, 134.5])
    #expect(first.fields[1].maxima.map(\.value) == [6, 6, 6, 6] && first.fields[1].means[0].value == 5)
    #expect(document.pieces[1].fields[0].maxima.map(\.value) == [169, 179, 189, 199])
  }

  @Test("a range limits the series, and without fields it has all that the activity has")
  func range() throws {
    let document = try series(try recorded()) { ($0.fromS, $0.toS) = (10, 15) }
    #expect(document.stepS == 1 && document.pieces.map(\.startS) == [10])
    #expect(document.pieces[0].fields.map(\.field) == ["altitude_m", "speed_mps", "bpm"])
    #expect(document.pieces[0].fields[2].means.map(\.value) == [110, 111, 112, 113, 114])
  }

  @Test("a sensor's own fields; those of two kinds are named with the kind")
  func sensor() throws {
    let id = try recorded()
    let strap = try series(id) { ($0.sensor, $0.points, $0.toS) = ("strap", 4, 40) }
    #expect(strap.pieces.map { $0.fields.map(\.field) } == [["bpm"]])
    #expect(strap.pieces[0].fields[0].means.map(\.value) == [4.5, 14.5, 24.5, 34.5])
    let gps = try series(id) { ($0.sensor, $0.toS) = ("gps", 2) }
    #expect(
      gps.pieces[0].fields.map(\.field) == ["latitude_deg", "longitude_deg", "position.speed_mps", "speed.speed_mps"])
    #expect(gps.pieces[0].fields[2].means[0].value == 1 && gps.pieces[0].fields[3].means[0].value == 2)
  }

  @Test(
    "refusals name what there is",
    arguments: [
      ("a field", ["watts"], nil, "this activity has no field watts; there are altitude_m, speed_mps, bpm"),
      ("a sensor", nil, "x", "this activity has no sensor x; it has strap, ride, gps"),
      ("a sensor's field", ["power_w"], "strap", "this activity has no field power_w; there are bpm"),
    ] as [(String, [String]?, String?, String)])
  func refused(name: String, fields: [String]?, sensor: String?, message: String) throws {
    let id = try recorded()
    do {
      _ = try series(id) { ($0.fields, $0.sensor) = (fields, sensor) }
      Issue.record("not refused: \(name)")
    } catch let refusal as Refusal {
      #expect(refusal.code == .badRequest && refusal.message.contains(message), "\(refusal.message)")
    }
    #expect(throws: Refusal.self) { try series(99) }
    #expect(throws: Refusal.self) { try track(99) }
  }

  @Test("a track has pieces between gaps, each with its last position")
  func positions() throws {
    let id = try recorded()
    let document = try track(id) { $0.points = 10 }
    #expect(document.pieces.map { $0.points.compactMap(\.atS) } == [[0, 10, 20, 30, 39], [60, 70, 80, 90, 99]])
    #expect(document.pieces[0].points[1].latitudeDeg == 47.01 && document.pieces[0].points[1].altitudeM == 500)
    let raw = try track(id) { ($0.sensor, $0.fromS, $0.toS) = ("gps", 20, 22) }
    #expect(raw.pieces.map { $0.points.map(\.latitudeDeg) } == [[48.02, 48.021]])
    #expect(raw.pieces[0].points[0].atS == 20.3)
    #expect(try track(id) { $0.sensor = "strap" }.pieces.isEmpty)
  }

  @Test("show has at most 200 events, and says that there are more")
  func events() throws {
    let events = (0..<250).map {
      RecordingBatch.Event(atMS: Int64($0) * 100, kind: "state", data: #"{"sensor":"strap","state":"stale"}"#)
    }
    let id = try logbook.record([line("strap", "heart_rate", 30, #""bpm":1"#)], events: events)
    let detail = try ActivityDetails(logbook.database).show(Int(id))
    #expect(detail.events.count == 200 && detail.isShortened && detail.activity.id == Int(id))
    #expect(detail.events[3].atS == 0.3 && detail.events[3].event == "state" && detail.events[3].sensor == "strap")
    #expect(detail.events[3].details == [JSONValue.Member("state", "stale")])
    #expect(detail.sensors.map(\.sensor) == ["strap"] && detail.sensors[0].kinds == ["heart_rate"])
  }

  @Test("laps come in pages")
  func laps() throws {
    let laps = (1...150).map {
      RecordingBatch.Lap(
        number: $0, startMS: Int64($0) * 1000, endMS: Int64($0) * 1000 + 1000, cause: "distance", totals: nil)
    }
    let id = Int(try logbook.record([], laps: laps))
    let details = try ActivityDetails(logbook.database)
    let first = try details.laps(LapsRequest(id: id))
    #expect(first.laps.map(\.lap) == Array(1...100) && first.hasMore)
    let second = try details.laps(LapsRequest(id: id, after: 100))
    #expect(second.laps.map(\.lap) == Array(101...150) && !second.hasMore && second.laps[0].lapTimeS == 1)
    #expect(throws: Refusal.self) { try details.laps(LapsRequest(id: 99)) }
  }
}
