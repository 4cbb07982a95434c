// `cyclo ride`, and what `cyclo watch` makes of a ride: each metric once, the rest behind keys.

import JSON
import Linux
import TestSupport
import Testing
import Time
import Wire

@testable import cyclo

struct RideViewTests {
  private static let plain = Style(isColoured: false)

  private static func record(_ kind: String, _ fields: String, sensor: String = "ride") -> String {
    #"{"class":"sample","sensor":"\#(sensor)","kind":"\#(kind)","seq":1,"t":1,"age_ms":0,\#(fields)}"#
  }

  private static let ride = [
    record(
      "ride",
      #""ride_time_s":3723,"moving_time_s":3500,"distance_m":24320,"paused":true,"lap":3,"ascent_m":312,"work_j":640000,"#
        + #""energy_kcal":612,"coasting_time_s":410,"cars_passed":14"#),
    record(
      "averages",
      #""speed_avg_mps":6.95,"speed_max_mps":14.2,"power_avg_w":182,"power_max_w":640,"normalized_power_w":204,"#
        + #""bpm_avg":141,"bpm_max":172,"cadence_avg_rpm":83,"cadence_max_rpm":112"#),
    record(
      "lap_averages",
      #""lap_time_s":740,"moving_time_s":718,"distance_m":4100,"speed_avg_mps":5.7,"power_avg_w":190,"bpm_avg":146"#),
    record("zones", #""zone":3,"zone_times_s":[300,900,1500,600,200]"#),
    record("power_zones", #""zone":4,"zone_times_s":[500,900,1100,600,250,100,50]"#),
    record(
      "training",
      #""intensity_factor":0.78,"training_stress_score":63,"variability_index":1.12,"w_prime_balance_pct":72,"#
        + #""best_5s_w":610,"best_1min_w":402,"best_5min_w":288,"best_20min_w":231,"vam_m_per_h":640"#),
  ]

  @Test("the ride is one screen")
  func summary() throws {
    let samples = try Self.ride.map { try sample($0) }
    let lines = try #require(RideSummary(samples, Self.plain)).lines(columns: 80)
    try Snapshot.expect(lines, "ride-80")
    #expect(lines.count < 24 && lines.allSatisfy { $0.columns <= 80 })
    let narrow = try #require(RideSummary(samples, Self.plain)).lines(columns: 48)
    #expect(narrow.allSatisfy { $0.columns <= 48 })
    #expect(RideSummary([], Self.plain) == nil)
  }

  @Test("cyclo ride shows it, as the samples with --json")
  func verb() throws {
    let records = #"{"records":[\#(Self.ride.joined(separator: ","))]}"#
    let daemon = try StandInDaemon(["poll": [[.reply(records)], [.reply(records)], [.reply(Fixture.records())]]])
    defer { daemon.stop() }
    let shown = try cyclo("ride", socket: daemon.controlSocket)
    #expect(shown.status == 0 && shown.output.hasPrefix("Ride: paused\n") && shown.output.contains("24.32 km"))
    #expect(daemon.requests.first?["params"] == ["sensors": ["ride"]])
    #expect(try cyclo("ride", "--json", socket: daemon.controlSocket).lines == Self.ride)
    let none = try cyclo("ride", socket: daemon.controlSocket)
    #expect(none.output == "" && none.complaint.hasPrefix("No ride yet"))
  }

  private static func lap(_ number: Int, _ more: String = "") -> String {
    #"{"lap":\#(number),"lap_time_s":605,"moving_time_s":600,"distance_m":5000,"speed_avg_mps":8.333\#(more)}"#
  }

  @Test("cyclo ride shows the finished laps, and with --json prints them last")
  func laps() throws {
    let records = #"{"records":[\#(Self.ride.joined(separator: ","))]}"#
    let list = #"{"laps":[\#(Self.lap(1)),\#(Self.lap(2, #","power_avg_w":213,"bpm_avg":140"#))]}"#
    let daemon = try StandInDaemon(["poll": [[.reply(records)]], "laps": [[.reply(list)]]])
    defer { daemon.stop() }
    let shown = try cyclo("ride", socket: daemon.controlSocket).lines
    let heading = try #require(shown.firstIndex { $0.hasPrefix(" LAP ") })
    func words(_ row: Int) -> [String] { shown[heading + row].split(separator: " ").map(String.init) }
    #expect(words(0) == ["LAP", "TIME", "DISTANCE", "SPEED", "POWER", "HEART", "RATE"])
    #expect(words(1) == ["1", "10:05", "min", "5.00", "km", "30.0", "km/h"])
    #expect(words(2) == ["2", "10:05", "min", "5.00", "km", "30.0", "km/h", "213", "W", "140", "bpm"])
    let json = try cyclo("ride", "--json", socket: daemon.controlSocket).lines
    #expect(json.dropLast() == Self.ride[...] && json.last?.hasPrefix(#"{"laps":[{"lap":1,"#) == true)
  }

  @Test("a narrow table of laps and a long one say what they leave out")
  func manyLaps() throws {
    let laps = try (1...23).map { number in
      try #require(LapRecord(try JSONValue.parse(Self.lap(number, #","power_avg_w":213"#))))
    }
    let lines = LapTable(laps, Self.plain).lines(columns: 40).map { $0.text(columns: 40, style: Self.plain) }
    #expect(lines.count == 1 + 20 + 2)
    #expect(lines[0].split(separator: " ") == ["LAP", "TIME", "DISTANCE", "SPEED"])
    #expect(lines[1].hasPrefix("   4 "))
    #expect(lines.suffix(2) == ["Not shown: 3 earlier laps", "Not shown for lack of width: power"])
  }

  /// Six sensors, and a ride that is made of them.
  private func dashboard() throws -> Dashboard {
    var dashboard = try MinuteOfRiding.dashboard(Self.plain)
    let derived =
      [
        Self.record("speed", #""speed_mps":7,"source":"wheel-0c11""#),
        Self.record("power", #""power_w":250,"source":"assioma-33fe""#),
        Self.record("cadence", #""cadence_rpm":85,"source":"assioma-33fe""#),
        Self.record("position", #""latitude_deg":47,"longitude_deg":8"#), Self.record("hrv", #""rmssd_ms":31"#),
      ] + Self.ride
    for record in derived { dashboard.take(try message(record), at: MinuteOfRiding.end) }
    return dashboard
  }

  @Test("each metric is shown once, named after its source")
  func once() throws {
    let dashboard = try dashboard()
    let shown = dashboard.shownReadings(at: MinuteOfRiding.end)
    for kind in ["speed", "power", "heart_rate", "cadence"] {
      #expect(shown.count { $0.sample.kind == kind } == 1, "\(kind)")
    }
    let lines = LiveView(dashboard: dashboard, now: MinuteOfRiding.end).texts(80, 24)
    try Snapshot.expect(lines, "live-ride-80")
    let text = lines.joined(separator: "\n")
    #expect(text.contains("Wheel") && text.contains("Assioma DUO") && !text.contains("Speed    ride"))
    #expect(!text.contains("latitude") && !text.contains("RMSSD"))
  }

  @Test("every size of a screen says which key helps", arguments: [(80, 24), (80, 40), (40, 20), (60, 12), (200, 50)])
  func help(columns: Int, rows: Int) throws {
    let dashboard = try dashboard()
    func lines(_ hint: String) -> [String] {
      LiveView(dashboard: dashboard, now: MinuteOfRiding.end, hint: hint).texts(columns, rows)
    }
    let shown = lines(LivePage.hint)
    #expect(shown.count { $0.contains("h help") } == 1)
    #expect(shown.count == rows && shown.allSatisfy { $0.count <= columns })
    // What needs attention has its place all the same.
    #expect(shown.last?.contains("Polar H10 stale") == lines("").last?.contains("Polar H10 stale"))
  }

  @Test("where the ride has no current value the sensor's own is shown")
  func fallback() throws {
    let dashboard = try dashboard()
    let later = MinuteOfRiding.end + .seconds(30)
    #expect(dashboard.shownReadings(at: later).first { $0.sample.kind == "power" }?.sample.sensor == "assioma-33fe")
  }

  @Test("the four that a rider looks at have their places before their first values")
  func places() throws {
    var dashboard = Dashboard(style: Self.plain)
    dashboard.connected()
    let sensors = MinuteOfRiding.sensors.joined(separator: ",")
    dashboard.take(status: try statusReply(#"{"adapters":[],"sensors":[\#(sensors)]}"#))
    let before = dashboard.shownReadings(at: MinuteOfRiding.end).map(\.sample.kind)
    #expect(before == ["speed", "power", "heart_rate", "cadence"])
    let screen = LiveView(dashboard: dashboard, now: MinuteOfRiding.end).texts(80, 24)
    #expect(screen.contains { $0.contains("no value yet") })
    #expect(!screen.contains { $0.contains("was ") })
  }

  @Test("an event moves nothing")
  func events() throws {
    var dashboard = try dashboard()
    let before = LiveView(dashboard: dashboard, now: MinuteOfRiding.end).texts(80, 24)
    let event = #"{"class":"event","event":"radar_approach","sensor":"varia-rtl515-0a11","level":1}"#
    dashboard.take(try message(event), at: MinuteOfRiding.end)
    let after = LiveView(dashboard: dashboard, now: MinuteOfRiding.end).texts(80, 24)
    #expect(before.dropLast() == after.dropLast())
    #expect(after.last?.hasPrefix("radar approach") == true, "\(after.last ?? "")")
  }
}

@Suite(.timeLimit(.minutes(30)))
struct LiveKeyTests {
  @Test("keys show all values, the help, and the way back")
  func keys() throws {
    let daemon = try StandInDaemon([
      "subscribe": [[.reply(), .line(Fixture.heartRate(142, seq: 7))]], "status": [[.reply(Fixture.status)]],
    ])
    defer { daemon.stop() }
    let screen = try Screen(["watch"], socket: daemon.controlSocket)
    try screen.wait(forText: "h help")
    try screen.press("h")
    try screen.wait(forText: "switch between metric and imperial")
    try screen.press("h")
    try screen.wait(for: "the values") { $0.contains("Heart rate") && !$0.contains("switch between") }
    try screen.press("a")
    try screen.wait(forText: "sensor contact detected")
    try screen.press("Down")
    try screen.press("Escape")
    try screen.wait(for: "the values") { !$0.contains("sensor contact") }
    try screen.press("q")
    #expect(screen.exitStatus() == 0)
  }
}

extension LiveView {
  fileprivate func texts(_ columns: Int, _ rows: Int) -> [String] {
    lines(Terminal.Size(columns: columns, rows: rows)).map { $0.text(style: dashboard.style) }
  }
}
