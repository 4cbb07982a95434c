// The pure parts: numbers with units, ages, tables, names, and what a record is as a line.

import JSON
import Linux
import SampleLines
import SensorKit
import Testing
import Time
import Vocabulary
import Wire

@testable import cyclo

struct WordingTests {
  @Test(
    "a number has the unit of its field",
    arguments: [
      ("bpm", 142, "142 bpm"), ("bpm_avg", 103.2, "103.2 bpm"), ("speed_mps", 8.3333, "30.0 km/h"),
      ("power_w", -3, "-3 W"), ("power_w", 0, "0 W"),
      ("cadence_rpm", 87.5, "87.5 rpm"), ("distance_m", 12.34, "12.3 m"), ("distance_m", 12_345, "12.35 km"),
      ("pressure_gauge_pa", 620_000, "6.20 bar"), ("temperature_c", -0.04, "0.0 °C"),
      ("energy_expended_j", 48_000, "48 kJ"),
      ("battery_pct", 80, "80 %"), ("resistance_level", 4, "4"), ("level", 2.5, "2.50"), ("wheel_revs", 12, "12 turns"),
      ("seen_by_nobody", 1e30, "1e+30"),
    ])
  func numberHasUnitOfField(field: String, number: Double, text: String) {
    #expect(Quantity.text(field, number) == text)
  }

  @Test(
    "a unit that cyclo does not know by name is composed of symbols and prefixes",
    arguments: [
      ("drink_ml", 7, "7 ml"), ("vo2_ml_per_min", 12.5, "12.5 ml/min"), ("pm10_ug_per_m3", 3, "3 µg/m³"),
      ("x_mps2", 9.81, "9.8 m/s²"), ("energy_kwh", 2, "2 kWh"), ("charge_mah", 900, "900 mAh"),
      ("air_bar", 7, "7 bar"), ("clock_mhz", 16, "16 MHz"), ("speed_km_per_h", 20, "20 km/h"),
      ("odometer_km", 1234, "1234 km"), ("turns_per_h", 3, "3 /h"), ("pace_s_per_km", 300, "5:00 min/km"),
      ("illuminance_lx", 5, "5 lx"), ("battery_kb", 5, "5"), ("pressure_gauge_pa_variant_a", 5, "5"),
      ("drag_factor", 5, "5"), ("side_a", 5, "5"), ("per", 5, "5"), ("distance_per_", 5, "5"), ("firmware_hw", 5, "5"),
    ])
  func composedUnit(field: String, number: Double, text: String) {
    #expect(Quantity.text(field, number) == text)
  }

  @Test(
    "a label is the field without its unit",
    arguments: [
      ("sensor_contact", "sensor contact"), ("rr_ms", "rr"), ("bpm", "bpm"), ("rssi_dbm", "signal"),
      ("wheel_revs", "wheel revs"), ("a", "a"), ("vo2_ml_per_min", "vo2"), ("ml", "ml"),
    ])
  func labelFieldWithoutUnit(field: String, label: String) {
    #expect(Quantity.label(field) == label)
  }

  @Test(
    "ages are short",
    arguments: [
      (0, "0.0 s"), (0.44, "0.4 s"), (9.4, "9.4 s"), (12, "12 s"), (119, "119 s"), (180, "3 min"), (7200, "2 h"),
      (7500, "2 h 5 min"), (345_600, "4 days"), (-1, "0.0 s"), (1e300, "years"),
    ])
  func agesShort(seconds: Double, text: String) {
    #expect(spanText(seconds) == text)
  }

  @Test("empty columns are omitted")
  func emptyColumnsOmitted() {
    var table = Table(heading: ["A", "B", "C"])
    table.rows.append([Cell("one"), Cell(""), Cell("x", .good)])
    table.rows.append([Cell("two more")])
    #expect(table.lines(style: Style(isColoured: false)) == ["A         C", "one       x", "two more"])
    let coloured = table.lines(style: Style(isColoured: true))
    #expect(coloured[1] == "one       \u{1B}[32mx\u{1B}[0m")
  }

  @Test(
    "a record is a line",
    arguments: [
      (#"{"class":"adapter","adapter":"hci0","state":"blocked"}"#, "hci0          adapter     blocked"),
      (#"{"class":"lag","dropped":37}"#, "              lag         37 samples lost: this program reads too slowly"),
      (
        #"{"class":"event","event":"radar_approach","level":2,"sensor":"varia"}"#,
        "varia         event       radar_approach  level 2"
      ),
      (#"{"class":"sensor","change":"added","sensor":{"id":"varia"}}"#, "varia         sensor      added"),
      (
        #"{"class":"sample","sensor":"varia","kind":"radar","clear":false,"targets":[{"id":1,"distance_m":40}]}"#,
        "varia         radar       1 car, 40 m  no. 1: 40 m"
      ),
    ])
  func recordLine(record: String, line: String) throws {
    var view = WatchView(style: Style(isColoured: false))
    let shown = view.line(try message(record), received: WallTime(seconds: 0))
    // Whatever the widths of the columns.
    func words(_ text: String) -> [Substring] { text.split(separator: " ") }
    #expect(shown.map { words(String($0.dropFirst(14))) } == words(line))
  }

  @Test("the answer of a sensor is printed by its members")
  func answerOfSensorPrinted() {
    let lines = decoded { batch in
      batch.answer()
      batch.set(Field("request_opcode"), 12)
      batch.set(Field("result"), "success" as Word)
      batch.set(Field("offset_raw"), -46)
    }
    #expect(lines == "    3.000000  pedals  answer  request opcode 12, result success, offset raw -46\n")
  }

  @Test("decode and watch write the same values of a sample")
  func decodeAndWatchWriteThe() throws {
    let fill = { (batch: inout Batch) in
      batch.sample(SampleKind("acceleration"))
      // A tenth above what its six decimals say, and to be rounded twice all the same.
      batch.set(Field("speed_mps"), 8.33333349)
      batch.set(Field("level_pct"), 0.0499999999)
      batch.set(Field("is_worn"), true)
      batch.set(Field("note"), text: Array("a\u{202E}b".utf8).span)
      batch.beginNumbers(Field("milli_g"), inGroupsOf: 3)
      for number in [1.0, 2, 1000, 4, 5, 6] { batch.append(number) }
      batch.beginNumbers(Field("rr_ms"))
      batch.beginWords(Field("flags"))
      batch.append("first" as Word)
      batch.append("second" as Word)
      batch.beginObjects(Field("parts"))
      batch.nextObject()
      batch.set(Field("distance_m"), 1234)
      batch.set(Field("side"), "left" as Word)
      batch.endObjects()
    }
    var batch = Batch()
    fill(&batch)
    var encoded = EncodedSample()
    let header = SampleHeader(sensor: "pedals", sequence: 1, time: MonotonicTime(seconds: 3))
    encoded.encode(SampleKind("acceleration"), batch.entry(0), of: batch, header)
    let sample = Sample(try #require(SampleRecord(try JSONValue.parse(encoded.line))))
    let line = "    3.000000  pedals  acceleration  \(sample.headline)  \(sample.details)\n"
    #expect(decoded(fill) == line)
    #expect(sample.details.contains("level 0.1 %, is worn yes, note a\u{FFFD}b, flags first second"), "\(line)")
  }

  /// The lines of `decode` for samples of the sensor `pedals` after 3 s.
  private func decoded(_ fill: (inout Batch) -> Void) -> String {
    var batch = Batch()
    fill(&batch)
    let text = DecodedText(.plain)
    let header = SampleHeader(sensor: "pedals", sequence: 1, time: MonotonicTime(seconds: 3))
    for index in batch.entryIndices {
      let entry = batch.entry(index)
      if case .sample(let kind) = entry.kind { text.sample(kind, header, entry, of: batch) }
      if entry.kind == .answer { text.answer(sensor: header.sensor, time: header.time, entry, of: batch) }
    }
    return String(decoding: text.bytes, as: UTF8.self)
  }

  @Test(
    "a sample fits a line of the terminal",
    arguments: [
      (200, "polar-h10-1a2b    heart_rate        142 bpm       rr 421.9 423.8 ms, sensor contact detected"),
      (80, "polar-h10-1a2b    heart_rate        142 bpm       rr 421.9 423.8…"),
      (50, "heart_rate 142 bpm  polar-h10-1a2b"), (36, "heart_rate 142 bpm  polar-…"), (20, "heart_rate 142 bpm"),
    ])
  func sampleFitsLineOfTerminal(columns: Int, end: String) throws {
    var view = WatchView(style: Style(isColoured: false), columns: columns)
    let record = try message(Fixture.heartRate(142, seq: 1))
    let line = view.line(record, received: WallTime(seconds: 0))
    let shown = try #require(line)
    #expect(shown.hasSuffix(end), "\(shown)")
    #expect(shown.columns == end.columns + (columns < 72 ? 9 : 14) && shown.columns <= max(columns, 27))
  }

  @Test("a record of a newer daemon prints no line")
  func recordOfNewerDaemonPrints() throws {
    var view = WatchView(style: Style(isColoured: false))
    #expect(view.line(try message(#"{"class":"of_a_later_daemon"}"#), received: .now) == nil)
    #expect(view.line(try message(#"{"nothing":1}"#), received: .now) == nil)
  }
}
