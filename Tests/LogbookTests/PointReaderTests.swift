// Points of stored samples.

import ActivityFiles
import Earth
import SQLite
import Testing

@testable import Logbook

@Suite struct PointReaderTests {
  private let logbook: TestLogbook

  init() throws { logbook = try TestLogbook() }

  private func points(
    _ spans: [ActivitySpan], fromMS: Int64 = 0, toMS: Int64 = .max, limit: Int = 1000,
    damaged: (Int64) -> Void = { _ in }
  ) throws -> [ActivityPoint] {
    let reader = try PointReader(spans, in: logbook.database, fromMS: fromMS, toMS: toMS)
    var points: [ActivityPoint] = []
    while try reader.read(limit, damaged: damaged, { points.append($0) }) {}
    return points
  }

  private func points(of lines: [String], events: [RecordingBatch.Event] = []) throws -> [ActivityPoint] {
    try points([whole(try logbook.record(lines, events: events))])
  }

  private func whole(_ id: Int64) -> ActivitySpan { ActivitySpan(activity: id, fromMS: 0, toMS: nil, atMS: 0) }

  private static func point(
    _ t: Int, _ values: FieldValues<PointField>, _ more: (inout ActivityPoint) -> Void = { _ in }
  )
    -> ActivityPoint
  {
    var point = ActivityPoint(t: t)
    point.values = values
    more(&point)
    return point
  }

  @Test(
    "believed values are those of the ride",
    arguments: [
      (
        "heart rate", [line("strap", "heart_rate", 1.1, #""bpm":99"#), line("ride", "heart_rate", 1.1, #""bpm":120"#)],
        [.heartRate: 120]
      ),
      (
        "the last of a second",
        [line("ride", "speed", 1.1, #""speed_mps":5"#), line("ride", "speed", 1.9, #""speed_mps":6"#)],
        [.speed: 6]
      ),
      (
        "late", [line("ride", "speed", 1.9, #""speed_mps":6"#), line("ride", "speed", 1.1, #""speed_mps":5"#)],
        [.speed: 6]
      ),
      (
        "mean power", [line("ride", "power", 1.1, #""power_w":200"#), line("ride", "power", 1.6, #""power_w":300"#)],
        [.power: 250]
      ),
      (
        "left balance",
        [line("ride", "power", 1.1, #""power_w":200,"pedal_balance_pct":49.5,"pedal_balance_reference":"left""#)],
        [.power: 200, .leftBalance: 49.5]
      ),
      (
        "balance of a side",
        [line("ride", "power", 1.1, #""power_w":200,"pedal_balance_pct":49.5,"pedal_balance_reference":"unknown""#)],
        [.power: 200, .balance: 49.5]
      ),
      (
        "totals", [line("ride", "ride", 1.1, #""distance_m":10.5,"energy_kcal":3,"cars_passed":2,"paused":false"#)],
        [.distance: 10.5, .energy: 3, .vehicleCount: 2]
      ),
      ("strides", [line("ride", "cadence", 1.1, #""cadence_per_min":160"#)], [.cadence: 80]),
      (
        "grade and a barometer's height",
        [
          line("ride", "grade", 1.1, #""grade_pct":2,"elevation_m":500"#),
          line("ride", "position", 1.2, #""altitude_m":507,"accuracy_m":4"#),
        ],
        [.grade: 2, .altitude: 500, .positionAccuracy: 4]
      ),
      ("a receiver's height", [line("ride", "position", 1.2, #""altitude_m":507"#)], [.altitude: 507]),
      (
        "tires",
        [
          line("cap-1", "tire_pressure", 1.1, #""pressure_gauge_pa":310000,"wheel":"rear""#),
          line("cap-2", "tire_pressure", 1.1, #""pressure_gauge_pa":300000,"wheel":"front""#),
          line("cap-3", "tire_pressure", 1.1, #""pressure_gauge_pa":100000"#),
        ],
        [.frontTirePressure: 300, .rearTirePressure: 310]
      ),
      (
        "the first of two sensors",
        [
          line("moxy", "muscle_oxygen", 1.1, #""smo2_pct":60,"thb_g_per_dl":12"#),
          line("moxy-2", "muscle_oxygen", 1.2, #""smo2_pct":50,"thb_g_per_dl":11"#),
        ],
        [.muscleOxygen: 60, .hemoglobin: 12]
      ),
      (
        "body and weather",
        [
          line(
            "core", "body_temperature", 1.1, #""core_temperature_c":37.5,"skin_temperature_c":33,"heat_strain_index":1"#
          ),
          line("env", "environment", 1.2, #""temperature_c":21,"pressure_pa":98000"#),
          line("ride", "hrv", 1.3, #""breaths_per_min":30"#),
        ],
        [
          .coreTemperature: 37.5, .skinTemperature: 33, .heatStrainIndex: 1, .airTemperature: 21, .airPressure: 98000,
          .breathingRate: 30,
        ]
      ),
    ] as [(String, [String], FieldValues<PointField>)])
  func values(name: String, lines: [String], expected: FieldValues<PointField>) throws {
    #expect(try points(of: lines) == [Self.point(1, expected)])
  }

  @Test("lost is absent: seconds without samples have no point, and nothing is held")
  func lost() throws {
    let found = try points(of: [
      line("ride", "speed", 1.1, #""speed_mps":5"#), line("ride", "heart_rate", 1.5, #""bpm":120"#),
      line("ride", "speed", 2.1, #""speed_mps":5"#), line("wheel", "battery", 3.1, #""battery_pct":50"#),
      line("ride", "heart_rate", 7.5, #""bpm":121"#),
    ])
    #expect(
      found == [
        Self.point(1, [.speed: 5, .heartRate: 120]), Self.point(2, [.speed: 5]), Self.point(7, [.heartRate: 121]),
      ])
  }

  @Test("beats are of the strap that the ride uses, in the order of time")
  func beats() throws {
    let found = try points(of: [
      line("a", "heart_rate", 1.1, #""bpm":100,"rr_ms":[500,510.5]"#),
      line("b", "heart_rate", 1.2, #""bpm":100,"rr_ms":[900]"#),
      line("ride", "heart_rate", 1.2, #""bpm":100,"source":"a""#),
      line("a", "heart_rate", 2.9, #""bpm":100,"rr_ms":[530]"#),
      line("ride", "heart_rate", 2.9, #""bpm":100,"source":"a""#),
      line("a", "heart_rate", 2.2, #""rr_ms":[520]"#),
      line("b", "heart_rate", 4.2, #""bpm":100,"rr_ms":[900]"#),
      line("ride", "heart_rate", 4.2, #""bpm":100,"source":"b""#),
    ])
    #expect(found.map(\.beatIntervals) == [[500, 510.5], [520, 530], [900]])
    let alone = try points(of: [line("a", "heart_rate", 1.1, #""rr_ms":[500]"#)])
    #expect(alone.map(\.beatIntervals) == [[500]])
  }

  @Test("a radar that is lost is silent, and never a clear road")
  func radar() throws {
    var lines = (1...12).map { line("ride", "speed", Double($0) + 0.2, #""speed_mps":5"#) }
    lines += [
      line("radar", "radar", 2.1, #""clear":true,"targets":[]"#),
      line("radar", "radar", 3.1, #""clear":true,"targets":[]"#),
      line(
        "radar", "radar", 3.9, #""targets":[{"id":1,"distance_m":60,"approach_speed_mps":10},{"id":2,"distance_m":30}]"#
      ),
      line("radar", "radar", 7.1, #""clear":true,"targets":[]"#),
      line("radar", "radar", 9.9, #""clear":true,"targets":[]"#),
    ]
    lines.sort { Self.time($0) < Self.time($1) }
    let events = [
      RecordingBatch.Event(atMS: 9950, kind: "state", data: #"{"sensor":"radar","state":"searching"}"#),
      RecordingBatch.Event(atMS: 9960, kind: "state", data: #"{"sensor":"strap","state":"streaming"}"#),
    ]
    let clear = RadarReading.vehicles([])
    let cars = RadarReading.vehicles([
      RadarVehicle(distance: 30, approachSpeed: 0), RadarVehicle(distance: 60, approachSpeed: 10),
    ])
    // In second 4 the radar may only be a little late; in 10 its state is known.
    let expected: [RadarReading?] = [
      nil, clear, cars, nil, .silent, .silent, clear, .silent, clear, .silent, .silent, .silent,
    ]
    #expect(try points(of: lines, events: events).map(\.radar) == expected)
    // Without the event, second 10 is open.
    #expect(try points(of: lines).map(\.radar)[9] == nil)
  }

  private static func time(_ line: String) -> Double {
    Double(line.split(separator: "\"t\":")[1].prefix { $0 != "," }) ?? 0
  }

  @Test("an imported activity has the fields of points")
  func imported() throws {
    let found = try points(of: [
      line(
        "file", "point", 0,
        #""bpm":120,"power_w":0,"latitude_deg":47.5,"longitude_deg":8,"rr_ms":[500,501],"vehicles":[]"#),
      line("file", "point", 1, #""vehicles":[30,5,60,10.5],"tire_front_kpa":300"#, seq: 2),
      line("file", "point", 9, #""vehicles":null"#, seq: 3),
    ])
    #expect(
      found == [
        Self.point(0, [.heartRate: 120, .power: 0]) {
          $0.position = Coordinate(latitude: 47.5, longitude: 8)
          $0.beatIntervals = [500, 501]
          $0.radar = .vehicles([])
        },
        Self.point(1, [.frontTirePressure: 300]) {
          $0.radar = .vehicles([
            RadarVehicle(distance: 30, approachSpeed: 5), RadarVehicle(distance: 60, approachSpeed: 10.5),
          ])
        },
        Self.point(9, [:]) { $0.radar = .silent },
      ])
    for field in PointField.allCases { #expect(PointField(seriesName: field.seriesName) == field) }
    #expect(PointField.heartRate.seriesName == "bpm" && PointField(seriesName: "x") == nil)
  }
}
