// Totals that are computed from stored seconds, against straightforward computations.

import ActivityFiles
import LogbookWire
import Metrics
import SQLite
import TestSupport
import Testing
import Wire

@testable import Logbook

@Suite struct TotalsWorkTests {
  private let logbook: TestLogbook

  init() throws { logbook = try TestLogbook() }

  private func compute(_ id: Int64) throws -> StoredActivity {
    let work = try TotalsWork(id, in: logbook.database)
    while try work.step() {}
    #expect(try !work.step())
    return try logbook.find(id)
  }

  /// Files have a point a second, with power that comes and goes.
  private struct Point {
    var bpm: Double
    var watts: Double?
    var speed: Double
    var metres: Double
    var altitude: Double
  }

  private static func points(_ count: Int, seed: UInt64) -> [Point] {
    var random = SeededRandom(seed)
    var metres = 0.0
    return (0..<count).map { (second: Int) -> Point in
      let part = second % 300
      let height = Double((second / 300) % 2 == 0 ? part : 300 - part)
      let isStanding = second % 100 >= 90
      let speed = isStanding ? 0 : Double(Int.random(in: 30...120, using: &random)) / 10
      metres += speed
      return Point(
        bpm: Double(Int.random(in: 90...180, using: &random)),
        watts: second % 70 == 0 || isStanding ? nil : Double(Int.random(in: 0...400, using: &random)), speed: speed,
        metres: (metres * 10).rounded() / 10,
        altitude: 500 + height)
    }
  }

  private static func lines(_ points: [Point]) -> [String] {
    points.enumerated().map { second, point in
      let power = point.watts.map { #","power_w":\#($0)"# } ?? ""
      return line(
        "file", "point", Double(second),
        #""bpm":\#(point.bpm),"speed_mps":\#(point.speed),"distance_m":\#(point.metres),"altitude_m":\#(point.altitude)"#
          + power, seq: second)
    }
  }

  private static func best(_ watts: [Double], _ duration: Int) -> Double {
    (0...(watts.count - duration)).map { start in watts[start..<(start + duration)].reduce(0, +) }.reduce(0, max)
      / Double(duration)
  }

  private static let heartSettings = #""sex":"female","resting_bpm":50,"max_bpm":190,"threshold_bpm":170"#

  /// An hour of this heart rate, and of these watts if given.
  private static func hour(bpm: Int, watts: Int? = nil) -> [String] {
    (0...3600).map { second in
      let power = watts.map { #","power_w":\#($0)"# } ?? ""
      return line("file", "point", Double(second), #""bpm":\#(bpm),"speed_mps":8"# + power, seq: second)
    }
  }

  @Test("an hour at threshold has the training load 100, by power and by heart rate")
  func thresholdHour() throws {
    let settings = #"{"rider":{\#(Self.heartSettings),"threshold_power_w":250}}"#
    let ridden = try logbook.record(Self.hour(bpm: 120, watts: 250)) { ($0.source, $0.rider) = (.fit, settings) }
    let run = try logbook.record(Self.hour(bpm: 170)) { ($0.source, $0.rider) = (.fit, settings) }
    for id in [ridden, run] {
      let load = try #require(try compute(id).totals.trainingLoad)
      #expect(abs(load - 100) < 0.05, "\(load)")
    }
    #expect(try compute(run).totals.trainingStressScore == nil)
  }

  @Test("without thresholds there is no training load")
  func unknownLoad() throws {
    let id = try logbook.record(Self.hour(bpm: 170, watts: 250)) {
      ($0.source, $0.rider) = (.fit, #"{"rider":{"sex":"male","resting_bpm":50,"max_bpm":190}}"#)
    }
    let totals = try compute(id).totals
    #expect(totals.trainingLoad == nil && totals.heartRateLoad != nil)
  }

  @Test("what a file lacks comes from the recording before, or else from the one after")
  func settingsOfNeighbours() throws {
    func add(_ hour: Int64, _ rider: String?, _ detail: String? = nil) throws -> Int64 {
      try logbook.record(Self.hour(bpm: 170)) {
        ($0.source, $0.rider, $0.detail, $0.sortMS) = (rider == nil ? .fit : .recorded, rider, detail, hour * 3_600_000)
      }
    }
    let early = try add(1, nil)
    #expect(try compute(early).totals.trainingLoad == nil)
    _ = try add(10, #"{"start":{"rider":{\#(Self.heartSettings)}}}"#)
    let later = try add(20, nil)
    // A threshold below the heart rate: the hour is harder.
    let own = try add(21, nil, #"{"file":{"rider":{"sex":0},"zones":[{"threshold_bpm":150},{"lap":1,"max_bpm":160}]}}"#)
    // A threshold below the resting rate is not one.
    let impossible = try add(22, nil, #"{"file":{"zones":[{"threshold_bpm":60}],"rider":{"resting_bpm":70}}}"#)
    for id in [early, later] {
      #expect(abs(try #require(try compute(id).totals.trainingLoad) - 100) < 0.05)
    }
    #expect(try #require(try compute(own).totals.trainingLoad) > 130)
    #expect(try #require(try compute(impossible).totals.trainingLoad) < 110)
  }

  @Test("an entry by hand has the load of its mean heart rate")
  func loadByHand() throws {
    try logbook.record([]) { $0.rider = #"{"rider":{\#(Self.heartSettings)}}"# }
    let changes = ActivityChanges(try ActivityCatalogue(logbook.database))
    var request = AddRequest()
    (request.sport, request.elapsedTimeS, request.values.bpmAvg) = ("swimming", 1800, 170)
    let added = try changes.add(request)
    #expect(abs(try #require(added.trainingLoad) - 50) < 1e-4)
    var edit = EditRequest()
    (edit.id, edit.elapsedTimeS) = (added.id, 3600)
    #expect(abs(try #require(try changes.edit(edit).trainingLoad) - 100) < 1e-4)
    request.values.bpmAvg = nil
    #expect(try changes.add(request).trainingLoad == nil)
    // As after an update.
    try logbook.database.execute("UPDATE activity SET totals = json_remove(totals, '$.training_load')")
    #expect(abs(try #require(try compute(Int64(added.id)).totals.trainingLoad) - 100) < 1e-4)
  }

  @Test("totals, zones and power curve of an import are those of a plain computation", arguments: [1, 2] as [UInt64])
  func imported(seed: UInt64) throws {
    let points = Self.points(1500, seed: seed)
    let id = try logbook.record(Self.lines(points)) {
      $0.source = .fit
      $0.rider = #"{"rider":{"max_bpm":190,"threshold_power_w":250}}"#
      $0.detail = #"{"file":{"barometer":true}}"#
      $0.totals.effort.energyKcal = 500
    }
    let row = try compute(id)
    let moving = points.filter { $0.speed > 0 }
    let watts = moving.compactMap(\.watts)
    let effort = row.totals.effort
    #expect(effort.movingTimeS == Double(moving.count) && row.totals.rideTimeS == 1500)
    #expect(abs(try #require(effort.distanceM) - points[1499].metres) < 0.001)
    #expect(effort.energyKcal == 500)
    #expect(abs(try #require(effort.bpmAvg) - moving.map(\.bpm).reduce(0, +) / Double(moving.count)) < 1e-5)
    #expect(effort.bpmMax == moving.map(\.bpm).max() && effort.speedMaxMps == moving.map(\.speed).max())
    #expect(effort.workJ == watts.reduce(0, +) && effort.powerMaxW == watts.max())
    #expect(abs(try #require(effort.powerAvgW) - watts.reduce(0, +) / Double(watts.count)) < 1e-5)
    let means = (30...watts.count).map { watts[($0 - 30)..<$0].reduce(0, +) / 30 }
    let normalized = (means.map { $0 * $0 * $0 * $0 }.reduce(0, +) / Double(means.count)).squareRoot().squareRoot()
    #expect(abs(try #require(effort.normalizedPowerW) - normalized) < 1e-4)
    let stress = Double(watts.count) * normalized * normalized / (250 * 250 * 36)
    #expect(abs(try #require(row.totals.trainingStressScore) - stress) < 1e-4)
    // Up to 300 m and down again, twice, and up to 299 m.
    #expect(effort.ascentM == 899 && effort.descentM == 600)
    let derived = StoredDetail(text: row.detail).derived
    let floors = [95.0, 114, 133, 152, 171]
    let zones = moving.map { point in floors.filter { point.bpm >= $0 }.count }
    #expect(derived.zones.heartRateS == (0...5).map { zone in Double(zones.filter { $0 == zone }.count) })
    #expect(derived.zones.floorsBpm == floors && derived.zones.powerS.reduce(0, +) == Double(watts.count))
    #expect(derived.powerCurve.map(\.durationS) == PowerCurve.durations.filter { $0 <= watts.count })
    for best in derived.powerCurve { #expect(abs(best.powerW - Self.best(watts, best.durationS)) < 1e-5) }
    #expect(row.detail?.contains(#""file":{"barometer":true}"#) == true)
  }

  /// The lines of a ride of the daemon, with a lap each 100 s and 20 s of pause after 150 s.
  private static func ride(_ seconds: Int, from first: Int = 0) -> [String] {
    var lines: [String] = []
    for second in first..<(first + seconds) {
      let t = Double(second) + 0.25
      let isPaused = (150..<170).contains(second)
      let ridden = Double(second + 1 - max(0, min(20, second - 149)))
      lines.append(line("pedals", "battery", t, #""battery_pct":\#(90 - second / 100)"#, seq: second))
      lines.append(
        line("ride", "position", t, #""latitude_deg":\#(47 + Double(second) / 10000),"longitude_deg":8"#, seq: second))
      lines.append(line("ride", "heart_rate", t, #""bpm":\#(120 + second % 7)"#, seq: second))
      if !isPaused { lines.append(line("ride", "power", t, #""power_w":\#(200 + second % 50)"#, seq: second)) }
      let pause = isPaused ? #","pause":"by_hand""# : ""
      lines.append(
        line(
          "ride", "ride", t,
          #""ride_time_s":\#(ridden),"moving_time_s":\#(ridden),"distance_m":\#(ridden * 5),"ascent_m":\#(ridden / 4),"paused":\#(isPaused),"lap":\#(second / 100 + 1)"#
            + pause, seq: second))
      lines.append(line("ride", "averages", t, #""power_avg_w":\#(second),"bpm_avg":130"#, seq: second))
      lines.append(
        line("ride", "lap_averages", t, #""lap_time_s":\#(second % 100 + 1),"power_avg_w":201"#, seq: second))
      lines.append(line("ride", "training", t, #""best_5s_w":999"#, seq: second))
      lines.append(line("ride", "zones", t, #""zone":1,"zone_times_s":[\#(second),0]"#, seq: second))
    }
    return lines
  }

  private static let firstLaps = [
    RecordingBatch.Lap(number: 1, startMS: 0, endMS: 100_000, cause: "manual", totals: nil),
    RecordingBatch.Lap(number: 2, startMS: 100_000, endMS: 200_000, cause: "manual", totals: nil),
  ]

  @Test("an interrupted recording gets the daemon's last numbers, its last lap, and what the daemon does not compute")
  func interrupted() throws {
    let lines = Self.ride(250).filter { !$0.contains("\"t\":22") || !$0.contains(".25") || $0.contains("\"t\":22.") }
    let id = try logbook.record(lines, laps: Self.firstLaps) { $0.state = .interrupted }
    let row = try compute(id)
    #expect(row.totals.rideTimeS == 230 && row.totals.effort.distanceM == 1150 && row.totals.effort.ascentM == 57.5)
    #expect(row.totals.effort.powerAvgW == 249 && row.totals.laps == 3 && row.totals.hasTrack && row.endMS == 249_250)
    let derived = StoredDetail(text: row.detail).derived
    #expect(derived.powerCurve.first { $0.durationS == 5 }?.powerW == 999)
    #expect(derived.powerCurve.first { $0.durationS == 1 }?.powerW == 249)
    #expect(derived.zones.heartRateS == [249, 0])
    #expect(
      derived.gaps == [ActivityGap(fromS: 150, toS: 170, .pause), ActivityGap(fromS: 220, toS: 230, .interrupted)])
    let details = try ActivityDetails(logbook.database)
    let laps = try details.laps(LapsRequest(id: Int(id))).laps
    #expect(laps.map(\.startS) == [0, 100, 200] && laps.map(\.lapTimeS) == [100, 100, 50])
    #expect(laps.map(\.trigger) == [WireWord(.manual), WireWord(.manual), WireWord(.end)])
    #expect(try details.show(Int(id)).sensors.map(\.batteryPct) == [88])
    // The same work again changes nothing.
    let again = try compute(id)
    #expect(again == row)
  }

  @Test("a cropped recording has totals of its part, and laps at the recording's ends of laps; revert restores it")
  func cropped() throws {
    let id = try logbook.record(Self.ride(250), laps: Self.firstLaps) { $0.state = .complete }
    let whole = try compute(id)
    var edited = whole
    edited.spans = [ActivitySpan(activity: id, fromMS: 50_000, toMS: 240_000, atMS: 0)]
    edited.endMS = 190_000
    try logbook.table.replace(edited)
    let row = try compute(id)
    // 190 seconds, of which 20 are paused.
    #expect(row.totals.rideTimeS == 170 && row.totals.effort.movingTimeS == 170 && row.totals.laps == 3)
    #expect(row.totals.effort.distanceM == 169 * 5 && row.totals.effort.ascentM == 169 / 4.0)
    let watts = (50..<240).filter { !(150..<170).contains($0) }.map { Double(200 + $0 % 50) }
    #expect(row.totals.effort.workJ == watts.reduce(0, +))
    let laps = try ActivityDetails(logbook.database).laps(LapsRequest(id: Int(id))).laps
    #expect(laps.map(\.startS) == [0, 50, 150] && laps.map(\.lapTimeS) == [50, 80, 40])
    #expect(laps.compactMap(\.totals.workJ).reduce(0, +) == row.totals.effort.workJ)
    #expect(StoredDetail(text: row.detail).derived.gaps == [ActivityGap(fromS: 100, toS: 120, .pause)])
    var reverted = row
    (reverted.spans, reverted.endMS) = (nil, whole.endMS)
    try logbook.table.replace(reverted)
    let again = try compute(id)
    #expect(again == whole)
  }

  @Test("joined activities may have different streams")
  func joined() throws {
    let other = try logbook.record([
      line("file", "point", 0, #""distance_m":3,"bpm":150"#),
      line("file", "point", 1, #""distance_m":8,"bpm":150"#, seq: 2),
    ]) { $0.source = .fit }
    let id = try logbook.record(Self.ride(100)) { $0.state = .complete }
    var edited = try logbook.find(id)
    edited.spans = [
      ActivitySpan(activity: id, fromMS: 0, toMS: nil, atMS: 0),
      ActivitySpan(activity: other, fromMS: 0, toMS: nil, atMS: 200_400),
    ]
    try logbook.table.replace(edited)
    let row = try compute(id)
    #expect(row.totals.effort.distanceM == 508 && row.totals.effort.bpmMax == 150)
    let laps = try ActivityDetails(logbook.database).laps(LapsRequest(id: Int(id))).laps
    #expect(laps.map(\.trigger) == [WireWord(.split), WireWord(.end)] && laps.last?.startS == 200.4)
    #expect(laps.last?.totals.bpmAvg == 150)
  }

  @Test("damaged rows are a gap, and the rest counts")
  func damaged() throws {
    let id = try logbook.record(Self.ride(100)) { $0.state = .complete }
    try logbook.damage(id, second: 43)
    let row = try compute(id)
    // Seconds 44 to 49 are whole, but differ from the damaged one.
    #expect(StoredDetail(text: row.detail).derived.gaps == [ActivityGap(fromS: 43, toS: 50, .damaged)])
    #expect(row.totals.rideTimeS == 100)
  }

  @Test("an edited import gets its file's totals back")
  func revertedImport() throws {
    let id = try logbook.record(Self.lines(Self.points(200, seed: 3))) {
      $0.source = .fit
      $0.totals.effort.distanceM = 12345
    }
    let whole = try compute(id)
    #expect(whole.totals.effort.distanceM == 12345)
    var edited = whole
    edited.spans = [ActivitySpan(activity: id, fromMS: 0, toMS: 100_000, atMS: 0)]
    try logbook.table.replace(edited)
    #expect(try #require(compute(id).totals.effort.distanceM) < 12345)
    var reverted = try logbook.find(id)
    reverted.spans = nil
    try logbook.table.replace(reverted)
    #expect(try compute(id) == whole)
  }

  @Test("an activity that does not exist is refused, and one by hand has nothing to compute")
  func others() throws {
    #expect(throws: Refusal.self) { try TotalsWork(77, in: logbook.database) }
    let id = try logbook.record([]) { ($0.source, $0.totals.effort.distanceM) = (.hand, 1500) }
    #expect(try compute(id).totals.effort.distanceM == 1500)
  }
}
