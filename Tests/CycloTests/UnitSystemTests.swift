// Which units a person gets, and who says so; and what values are in them.

import Foundation
import TestSupport
import Testing
import Text

@testable import cyclo

struct UnitSystemTests {
  @Test(
    "the environment decides the units",
    arguments: [
      ([:], UnitSystem.metric), (["LANG": "en_US.UTF-8"], .imperial), (["LANG": "en_GB.UTF-8"], .metric),
      (["LANG": "de_DE@euro"], .metric), (["LC_ALL": "C", "LANG": "en_US"], .metric),
      (["LC_MEASUREMENT": "de_DE.UTF-8", "LANG": "en_US.UTF-8"], .metric), (["LANG": "my_MM"], .imperial),
      (["CYCLOMETER_UNITS": "imperial"], .imperial), (["CYCLOMETER_UNITS": "metric", "LANG": "en_US"], .metric),
      (["CYCLOMETER_UNITS": "locale", "LANG": "en_US"], .imperial),
      (["CYCLOMETER_UNITS": "", "LANG": "en_US"], .imperial),
    ])
  func environmentDecidesUnits(variables: [String: String], units: UnitSystem) throws {
    let locale = UserLocale { variables[$0] }
    #expect(try UnitSystem.chosen(option: nil, locale: locale) { variables[$0] } == units)
    #expect(try UnitSystem.chosen(option: "imperial", locale: locale) { variables[$0] } == .imperial)
  }

  @Test(
    "the locale decides whether text is UTF-8",
    arguments: [
      ("en_US.UTF-8", true), ("de_DE.utf8", true), ("C.UTF-8", true), ("C", false), ("", false), ("de_DE@euro", false),
      ("en_US.ISO-8859-1", false),
    ])
  func localeDecidesWhetherTextUTF8(name: String, isUnicode: Bool) {
    #expect(UserLocale { $0 == "LC_ALL" ? name : nil }.isUnicode == isUnicode)
  }

  private static let speed =
    #"{"class":"sample","sensor":"wheel-1","kind":"speed","seq":1,"t":1,"age_ms":0,"speed_mps":8.3333}"#

  /// With the file, the variable and the option that are given: what `get speed` prints.
  private func get(
    _ arguments: String..., file: String? = nil, environment: [String: String] = [:]
  ) throws -> Outcome {
    let daemon = try StandInDaemon(["poll": [[.reply(Fixture.records(Self.speed))]]])
    defer { daemon.stop() }
    let folder = try TemporaryFolder()
    var environment = environment
    if let file {
      environment["XDG_CONFIG_HOME"] = folder.path
      try FileManager.default.createDirectory(atPath: folder.file("cyclometer"), withIntermediateDirectories: true)
      try Data(file.utf8).write(to: URL(filePath: folder.file("cyclometer/cyclo.conf")))
    }
    let words = ["get", "speed"] + arguments
    return try RunningCyclo(words, socket: daemon.controlSocket, environment: environment).finish()
  }

  @Test("units come from the option, the variable, the file, the locale, in this order")
  func unitsComeFromOptionVariable() throws {
    let file = "# how I like it\n\n  units = imperial\n"
    #expect(try get().output == "30.0 km/h, 0.0 s ago, wheel-1\n")
    #expect(try get(environment: ["LANG": "en_US.UTF-8"]).output == "18.6 mph, 0.0 s ago, wheel-1\n")
    #expect(try get(file: file).output == "18.6 mph, 0.0 s ago, wheel-1\n")
    #expect(
      try get(file: file, environment: ["CYCLOMETER_UNITS": "metric"]).output == "30.0 km/h, 0.0 s ago, wheel-1\n")
    #expect(try get("--units", "imperial", environment: ["CYCLOMETER_UNITS": "metric"]).output.hasPrefix("18.6 mph"))
    #expect(try get("--units=locale", file: file, environment: ["LANG": "de_DE"]).output.hasPrefix("30.0 km/h"))
    #expect(try get("--json", file: file).output == Self.speed + "\n")
  }

  @Test("an invalid unit system is reported with its place")
  func invalidUnitSystemReported() throws {
    let variable = try get(environment: ["CYCLOMETER_UNITS": "furlongs"])
    #expect(variable.status == 2)
    #expect(
      variable.complaint.hasPrefix("cyclo: CYCLOMETER_UNITS: 'furlongs' is not one of metric, imperial, locale\n"))
    let file = try get(file: "units = metric\nspeed = fast\n")
    #expect(file.status == 2)
    #expect(file.complaint.contains("cyclo.conf, line 2: 'speed = fast' is not a setting"))
    #expect(try get("--units", "leagues").status == 2)
    // Programs are given SI, whatever the file says.
    #expect(try get("--json", file: "nonsense").status == 0)
  }

  @Test(
    "values in imperial units",
    arguments: [
      ("speed_mps", 10, "22.4 mph"), ("pressure_gauge_pa", 620_000, "89.9 psi"), ("pressure_pa", 101_325, "29.92 inHg"),
      ("temperature_c", -40, "-40.0 °F"), ("distance_m", 20, "66 ft"), ("distance_m", 12_345, "7.67 mi"),
      ("stride_length_m", 1.05, "3.4 ft"), ("elevation_m", 2962, "9718 ft"),
      ("wheel_circumference_m", 2.105, "2105 mm"),
      ("power_w", 200, "200 W"), ("circumference_mm", 2105, "2105 mm"), ("pace_s_per_km", 125, "3:21 min/mi"),
    ])
  func imperial(field: String, number: Double, text: String) {
    #expect(Quantity.text(field, number, Style(isColoured: false, units: .imperial)) == text)
  }

  @Test(
    "values in metric units",
    arguments: [
      ("pressure_pa", 101_325, "1013 hPa"), ("elevation_m", 2962, "2962.0 m"),
      ("pace_s_per_500m", 124.6, "2:05 /500 m"),
      ("pace_s_per_km", 125, "2:05 min/km"), ("pace_avg_s_per_km", 1999.6, "33:20 min/km"),
      ("elapsed_s", 3723, "1:02:03 h"), ("longest_gap_s", 59.94, "59.9 s"), ("thb_g_per_dl", 12.16, "12.2 g/dl"),
      ("wind_resistance_kg_per_m", 2.5, "2.5 kg/m"), ("cadence_per_min", 170, "170 /min"), ("milli_g", -980, "-0.98 g"),
      ("resistance_level_min", 1, "1"), ("microvolts", -120, "-120 µV"), ("a", 1, "1"), ("_", 1, "1"), ("", 1, "1"),
    ])
  func metric(field: String, number: Double, text: String) {
    #expect(Quantity.text(field, number) == text)
  }

  @Test("without UTF-8 units are written in ASCII")
  func withoutUTF8UnitsWritten() {
    let style = Style(isColoured: false, isUnicode: false)
    #expect(Quantity.text("temperature_c", 21, style) == "21.0 C")
    #expect(Quantity.text("angle_deg", 9, style) == "9 deg")
    #expect(Quantity.text("radon_ug_per_m3", 9, style) == "9 ug/m3")
    #expect(printable("Gürtel ❤️", isUnicode: false) == "G?rtel ?")
    #expect(printable("Gürtel\u{1B}", isUnicode: true) == "Gürtel\u{FFFD}")
  }
}
