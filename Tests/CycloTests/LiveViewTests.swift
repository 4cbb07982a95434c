// The live view as lines of a terminal: sizes, colours, characters, units; and that nothing which is over looks current.

import Foundation
import JSON
import Linux
import Testing
import Time
import Wire

@testable import cyclo

struct LiveViewTests {
  private func lines(
    _ dashboard: Dashboard, columns: Int = 80, rows: Int = 24, at now: MonotonicTime = MinuteOfRiding.end
  ) -> [String] {
    LiveView(dashboard: dashboard, now: now).lines(Terminal.Size(columns: columns, rows: rows))
      .map { $0.text(style: dashboard.style) }
  }

  private static let plain = Style(isColoured: false)

  @Test(
    "the live view shows a ride",
    arguments: [
      ("live-80", 80, 24, plain), ("live-40", 40, 24, plain), ("live-120", 120, 40, plain),
      ("live-40-tall", 40, 60, plain),
      ("live-80-coloured", 80, 24, Style(isColoured: true, hasManyColours: true)),
      ("live-40-coloured", 40, 24, Style(isColoured: true, hasManyColours: true)),
      ("live-80-ascii", 80, 40, Style(isColoured: false, isUnicode: false)),
      ("live-40-ascii", 40, 24, Style(isColoured: false, isUnicode: false)),
      ("live-80-imperial", 80, 40, Style(isColoured: false, units: .imperial)),
    ])
  func liveViewShowsRide(name: String, columns: Int, rows: Int, style: Style) throws {
    let lines = lines(try MinuteOfRiding.dashboard(style), columns: columns, rows: rows)
    #expect(lines.count == rows)
    try Snapshot.expect(lines, name)
  }

  @Test(
    "a tire is judged by the user's pressures",
    arguments: [
      (500_000, #""target_pressure_pa":500000"#, "on target: 5.00 bar"),
      (450_000, #""target_pressure_pa":500000"#, "0.50 bar too low: should be 5.00 bar"),
      (450_000, #""target_pressure_pa":500000,"lowest_pressure_pa":460000"#, "too low: at least 4.60 bar"),
      (520_000, #""target_pressure_pa":500000,"highest_pressure_pa":510000"#, "too high: at most 5.10 bar"),
      (520_000, #""highest_temperature_c":60"#, nil),
    ])
  func tireJudgedByUsersPressures(pascal: Int, settings: String, words: String?) throws {
    let record = #"{"class":"sample","sensor":"cap","kind":"tire_pressure","pressure_gauge_pa":\#(pascal)}"#
    let sample = try sample(record)
    let cap = SensorRecord(try JSONValue.parse(#"{"id":"cap","name":"Cap","settings":{\#(settings)}}"#))
    #expect(warning(of: sample, cap, Self.plain)?.text == words)
  }

  @Test(
    "the live view says what the rider can fix",
    arguments: [
      ("heart_rate", #""bpm":0,"sensor_contact":"not_detected""#, "the strap does not touch the skin: moisten it"),
      ("heart_rate", #""bpm":64,"sensor_contact":"detected""#, nil),
      ("speed", #""wheel_revs":12"#, "no speed: the wheel size is unknown"),
      ("speed", #""speed_mps":8.5,"wheel_revs":12"#, nil),
    ])
  func liveViewSaysWhatRider(kind: String, fields: String, words: String?) throws {
    let sample = try sample(#"{"class":"sample","sensor":"x","kind":"\#(kind)",\#(fields)}"#)
    #expect(warning(of: sample, nil, Self.plain)?.text == words)
  }

  @Test("a change of units also converts earlier values")
  func changeOfUnitsAlsoConverts() throws {
    var dashboard = try MinuteOfRiding.dashboard(Self.plain)
    let metric = lines(dashboard, rows: 40)
    let imperial = lines(try MinuteOfRiding.dashboard(Style(isColoured: false, units: .imperial)), rows: 40)
    #expect(imperial != metric)
    dashboard.show(in: .imperial)
    #expect(lines(dashboard, rows: 40) == imperial)
    dashboard.show(in: .metric)
    #expect(lines(dashboard, rows: 40) == metric)
  }

  @Test("a value that is not a number is shown as text")
  func valueThatNotNumberShown() throws {
    var dashboard = Dashboard(style: Self.plain)
    dashboard.connected()
    let sensor = MinuteOfRiding.sensor("kickr-44aa", "KICKR", ["trainer_status"])
    dashboard.take(
      status: try statusReply(#"{"adapters":[{"adapter":"hci0","state":"on"}],"sensors":[\#(sensor)]}"#))
    let record =
      #"{"class":"sample","sensor":"kickr-44aa","kind":"trainer_status","seq":1,"t":1,"age_ms":0,"event":"started"}"#
    dashboard.take(try message(record), at: MinuteOfRiding.end)
    let shown = lines(dashboard)
    #expect(shown.contains { $0.contains("event started") }, "\(shown)")
  }

  @Test("a single value is as large as fits")
  func singleValueAsLarge() throws {
    let style = Self.plain
    try Snapshot.expect(lines(try MinuteOfRiding.dashboard(style, kinds: ["power"])), "live-power")
    try Snapshot.expect(lines(try MinuteOfRiding.dashboard(style, kinds: ["radar"])), "live-radar")
  }

  @Test("without the daemon nothing looks current")
  func withoutDaemonNothingLooksCurrent() throws {
    var dashboard = try MinuteOfRiding.dashboard(Self.plain)
    dashboard.disconnected()
    let lines = lines(dashboard, rows: 40)
    try Snapshot.expect(lines, "live-no-daemon")
    #expect(!lines.contains { $0.contains("▀") || $0.contains("►") || $0.contains("streaming") })
    #expect(lines.count { $0.contains("▄▄▄▄▄▄ ▄▄▄▄▄▄  was") } == 3)
  }

  /// Of every size of terminal: a value whose sensor is lost is never shown as a number that stands alone.
  @Test("the value of a lost sensor is never shown as current")
  func valueOfLostSensorNever() throws {
    let dashboard = try MinuteOfRiding.dashboard(Self.plain, kinds: ["heart_rate"])
    for (columns, rows) in [(200, 60), (80, 24), (40, 24), (40, 8), (30, 6), (20, 4)] {
      let lines = lines(dashboard, columns: columns, rows: rows)
      let text = lines.joined(separator: "\n")
      #expect(text.contains("was"), "\(columns)x\(rows): \(text)")
      // Of the three sizes of digits; a spark line may stay.
      #expect(!text.contains("▀") && !lines.contains { $0.hasPrefix("██") }, "\(columns)x\(rows): \(text)")
    }
    let wide = lines(dashboard).joined(separator: "\n")
    #expect(wide.contains("was 151 bpm") && wide.contains("20 s ago"))
    #expect(wide.contains("stale: no data"))
  }

  @Test("the road is drawn only while the radar streams")
  func roadDrawnOnlyWhileRadar() throws {
    var dashboard = try MinuteOfRiding.dashboard(Self.plain, kinds: ["radar"], until: 45)
    var now = MinuteOfRiding.begin + .seconds(45)
    #expect(lines(dashboard, at: now).first == "Radar  clear" + String(repeating: " ", count: 56) + "Varia RTL515")
    let lost = #"{"class":"state","sensor":"varia-rtl515-0a11","state":"stale","reason":"silent"}"#
    dashboard.take(try message(lost), at: now)
    now = now + .seconds(12)
    let blind = lines(dashboard, at: now)
    #expect(blind.first == "Radar  blind for 12 s: stale: no data")
    #expect(!blind.contains { $0.contains("clear") || $0.contains("─") })
    #expect(blind.contains { $0.contains("?   ?   ?") })
  }

  /// Nothing is drawn outside, and nothing traps, on whatever terminal.
  @Test("the live view fits every size of terminal")
  func liveViewFitsEverySize() throws {
    for style in [Self.plain, Style(isColoured: false, isUnicode: false)] {
      let dashboard = try MinuteOfRiding.dashboard(style)
      for columns in [0, 1, 2, 3, 7, 12, 19, 25, 39, 53, 80, 131, 300] {
        for rows in [0, 1, 2, 3, 5, 9, 24, 70] {
          let lines = lines(dashboard, columns: columns, rows: rows)
          #expect(lines.count == rows)
          #expect(lines.allSatisfy { $0.columns <= columns }, "\(columns)x\(rows)")
        }
      }
    }
  }

  /// Whatever a daemon sends.
  @Test("no number breaks the layout")
  func noNumberBreaksLayout() throws {
    let ends = ["1e308", "-1e308", "1e15", "0.000001", "-0", "9007199254740993"]
    for kind in ["heart_rate", "speed", "tire_pressure", "radar", "ecg", "environment", "trainer", "of_a_later_daemon"]
    {
      var dashboard = try MinuteOfRiding.dashboard(Self.plain, until: 0)
      for (index, number) in (ends + ends.reversed()).enumerated() {
        let fields =
          #""bpm":\#(number),"speed_mps":\#(number),"pressure_gauge_pa":\#(number),"microvolts":[\#(number),1],"#
          + #""clear":false,"targets":[{"id":\#(number),"distance_m":\#(number),"level":\#(number)},3],"#
          + #""temperature_c":\#(number),"elapsed_s":\#(number),"resistance_level":\#(number),"x":\#(number)"#
        let record =
          #"{"class":"sample","sensor":"wheel-0c11","kind":"\#(kind)","seq":1,"t":1,"age_ms":\#(number),\#(fields)}"#
        dashboard.take(try message(record), at: MinuteOfRiding.begin + .seconds(index))
        for columns in [0, 30, 80] { #expect(lines(dashboard, columns: columns, rows: 30).count == 30) }
      }
    }
  }

  @Test("in ASCII mode the view has only ASCII")
  func inASCIIModeView() throws {
    let style = Style(isColoured: true, isUnicode: false)
    for columns in [40, 80, 200] {
      let lines = lines(try MinuteOfRiding.dashboard(style), columns: columns, rows: 50)
      #expect(lines.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
    }
  }

  @Test("problems are shown at the top")
  func problemsShownAtTop() throws {
    var dashboard = try MinuteOfRiding.dashboard(Self.plain, kinds: ["speed"])
    dashboard.take(.adapter(AdapterRecord(adapter: "hci0", state: .blocked)), at: MinuteOfRiding.end)
    dashboard.take(.lag(LagRecord(dropped: 37)), at: MinuteOfRiding.end)
    let now = lines(dashboard)
    #expect(now[0] == "hci0 is blocked: run 'cyclo doctor'.")
    #expect(now.last == "37 samples lost: this program reads too slowly")
    #expect(!lines(dashboard, at: MinuteOfRiding.end + .seconds(11)).contains { $0.contains("37 samples") })
  }

  @Test("without a sensor the view says what to do")
  func withoutSensorViewSaysWhat() throws {
    var dashboard = Dashboard(style: Self.plain)
    dashboard.connected()
    dashboard.take(status: StatusReply())
    #expect(lines(dashboard).first == "No sensor is paired. 'cyclo pair' adds one.")
  }

  @Test("without Bluetooth the view says why and points to doctor")
  func withoutBluetoothViewSaysWhy() throws {
    var dashboard = Dashboard(style: Self.plain)
    dashboard.connected()
    let status =
      #"{"adapters":[],"sensors":[],"bluetooth":{"reason":"bus_gone","message":"no D-Bus at unix:path=/nonexistent: "#
      + #"start it with systemctl start dbus"}}"#
    dashboard.take(status: try statusReply(status))
    #expect(
      lines(dashboard).prefix(4) == [
        "Bluetooth cannot be used: no D-Bus at unix:path=/nonexistent: start it with",
        "systemctl start dbus; run 'cyclo doctor'.", "", "No sensor is paired.",
      ])
    // What an adapter says is newer.
    dashboard.take(.adapter(AdapterRecord(adapter: "hci0", state: .on)), at: MinuteOfRiding.end)
    #expect(lines(dashboard).first == "No sensor is paired. 'cyclo pair' adds one.")
  }

  /// Each is there; what a rider looks at first is large while any is.
  @Test("if not all values can be large, the first ones are")
  func ifNotAllValues() throws {
    var dashboard = try MinuteOfRiding.dashboard(Self.plain)
    let rest = [
      ("muscle_oxygen", #""smo2_pct":61.5"#), ("body_temperature", #""core_temperature_c":37.9"#),
      ("oxygen", #""spo2_pct":97"#), ("environment", #""temperature_c":18.5"#),
      ("trainer", #""speed_mps":8.5"#),
    ]
    for (kind, fields) in rest {
      let record = #"{"class":"sample","sensor":"x-\#(kind)","kind":"\#(kind)","seq":1,"t":1,"age_ms":0,\#(fields)}"#
      dashboard.take(try message(record), at: MinuteOfRiding.end)
    }
    let lines = lines(dashboard)
    try Snapshot.expect(lines, "live-80-twelve")
    for kind in ["Heart rate", "Power", "Speed", "Cadence"] {
      let row = try #require(lines.firstIndex { $0.contains(kind) })
      // A value that is not a number is shown as dashes.
      #expect(lines[row + 3].contains("▀▀▀"))
      #expect(lines[row + 2].contains("█") || lines[row + 2].contains("▄▄▄ ▄▄▄"))
    }
    for kind in ["Muscle oxygen", "Body temperature", "Oxygen", "Trainer", "Front tire", "Rear tire", "Radar"] {
      #expect(lines.contains { $0.contains(kind) }, "\(kind)")
    }
    #expect(!lines.contains { $0.contains("no room") })
    #expect(lines.count { $0.isEmpty } < 6)
  }

  @Test("a battery level is shown with its sensor unless it was requested as a value")
  func batteryLevelShownWithSensor() throws {
    let record = try message(
      #"{"class":"sample","sensor":"wheel-0c11","kind":"battery","seq":1,"t":1,"age_ms":0,"battery_pct":41}"#)
    var dashboard = try MinuteOfRiding.dashboard(Self.plain)
    dashboard.take(record, at: MinuteOfRiding.end)
    #expect(dashboard.sensor("wheel-0c11")?.batteryPct == 41)
    #expect(!dashboard.readings.contains { $0.sample.kind == "battery" })
    let shown = lines(dashboard, rows: 40)
    #expect(shown.contains { $0.contains("Wheel streaming, battery 41 %") }, "\(shown)")
    var asked = try MinuteOfRiding.dashboard(Self.plain, kinds: ["battery"])
    asked.take(record, at: MinuteOfRiding.end)
    #expect(asked.readings.map(\.sample.kind) == ["battery"])
  }

  @Test("a new sensor is shown unless others were chosen")
  func newSensorShownUnlessOthers() throws {
    let spare = MinuteOfRiding.sensor("strap-0007", "Spare strap", ["heart_rate"])
    let added = try message(#"{"class":"sensor","change":"added","sensor":\#(spare)}"#)
    var dashboard = try MinuteOfRiding.dashboard(Self.plain)
    dashboard.take(added, at: MinuteOfRiding.end)
    #expect(dashboard.sensors.last?.id == "strap-0007")
    let shown = lines(dashboard, rows: 40)
    #expect(shown.contains { $0.contains("Spare strap streaming") }, "\(shown)")
    var chosen = Dashboard(style: Self.plain, sensors: ["wheel-0c11"])
    chosen.take(added, at: MinuteOfRiding.end)
    #expect(chosen.sensors.isEmpty)
  }

  @Test("a removed sensor disappears")
  func removedSensorDisappears() throws {
    var dashboard = try MinuteOfRiding.dashboard(Self.plain)
    let removed = #"{"class":"sensor","change":"removed","sensor":\#(MinuteOfRiding.sensors[0])}"#
    dashboard.take(try message(removed), at: MinuteOfRiding.end)
    #expect(!lines(dashboard).contains { $0.contains("Heart rate") || $0.contains("Polar") })
  }
}
