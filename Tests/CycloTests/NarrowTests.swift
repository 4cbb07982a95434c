// Text that fits: its width on a terminal, tables on narrow ones, and colours that are legible on dark and on light.

import JSON
import Sensors
import Testing
import Wire

@testable import cyclo

struct NarrowTests {
  @Test(
    "COLUMNS and the terminal decide the width",
    arguments: [("", 0), ("abc", 3), ("Gürtel", 6), ("心拍", 4), ("e\u{301}", 1), ("❤️", 2), ("🚲", 2), ("▁█", 2)])
  func columnsAndTerminalDecideWidth(text: String, columns: Int) {
    #expect(text.columns == columns)
  }

  @Test("cut text ends with an ellipsis")
  func cutTextEndsWithEllipsis() {
    #expect("heart rate".fitted(to: 10, .plain) == "heart rate")
    #expect("heart rate".fitted(to: 9, .plain) == "heart ra…")
    #expect("heart rate".fitted(to: 7, .plain) == "heart…")
    #expect("heart rate".fitted(to: 1, .plain) == "…")
    #expect("heart rate".fitted(to: 0, .plain) == "")
    #expect("heart rate".fitted(to: 9, Style(isColoured: false, isUnicode: false)) == "heart ra~")
  }

  private var table: Table {
    var table = Table(heading: ["SENSOR", "STATE", "AGE"])
    table.rows.append([Cell("polar-h10-1a2b"), Cell("stale: nothing comes from it, next try in 4.0 s"), Cell("12 s")])
    table.rows.append([Cell("wheel-1"), Cell("streaming", .good), Cell("0.2 s")])
    return table
  }

  @Test("a table that is too wide wraps")
  func tableThatTooWideWraps() {
    let lines = table.lines(style: .plain, columns: 50)
    #expect(
      lines == [
        "SENSOR          STATE                        AGE",
        "polar-h10-1a2b  stale: nothing comes from    12 s",
        "                it, next try in 4.0 s",
        "wheel-1         streaming                    0.2 s",
      ])
    #expect(lines.allSatisfy { $0.columns <= 50 })
  }

  @Test("the least important columns are dropped first")
  func leastImportantColumnsDroppedFirst() {
    var table = Table(heading: ["SENSOR", "NAME", "SIGNAL"], dispensable: ["SIGNAL", "NAME"])
    table.rows.append([Cell("polar-h10-1a2b", .strong), Cell("polar-h10"), Cell("-61 dBm")])
    #expect(table.lines(style: .plain, columns: 34)[1] == "polar-h10-1a2b  polar-h10  -61 dBm")
    #expect(table.lines(style: .plain, columns: 33).prefix(2) == ["SENSOR          NAME", "polar-h10-1a2b  polar-h10"])
    #expect(table.lines(style: .plain, columns: 24).dropFirst(2) == ["Not shown for lack of", "width: signal, name"])
    #expect(table.lines(style: .plain, columns: 9).contains("  signal  -61 dBm"))
  }

  /// Names and signal stay if there is room; the number of reconnects is dropped first.
  @Test("status drops the least important details first")
  func statusDropsLeastImportantDetails() throws {
    let sensor = try JSONValue.parse(
      #"{"id":"polar-h10-1a2b","name":"Polar H10","address":"A0:9E:1A:00:00:01","plugins":[],"kinds":["heart_rate"],"#
        + #""state":"streaming","battery_pct":80,"rssi_dbm":-61,"link":{"reconnects":3}}"#)
    let sample = try sample(Fixture.heartRate(142, seq: 7, age: 400))
    let table = sensorTable([try #require(SensorRecord(sensor))], [sample], .plain)
    func heading(_ columns: Int) -> [Substring] {
      table.lines(style: .plain, columns: columns)[0].split(separator: " ")
    }
    let all = ["SENSOR", "NAME", "STATE", "VALUE", "AGE", "BATTERY", "SIGNAL", "LOST"]
    #expect(heading(100).map(String.init) == all)
    #expect(heading(80).map(String.init) == all)
    #expect(table.lines(style: .plain, columns: 100)[1].hasSuffix("  3"))
    let rows = (40..<100).reversed().map { heading($0) }
    #expect(rows.allSatisfy { !$0.contains("LOST") || $0.contains("SIGNAL") })
    #expect(rows.allSatisfy { !$0.contains("SIGNAL") || $0.contains("NAME") })
    #expect(rows.contains { $0.contains("SIGNAL") && !$0.contains("LOST") })
  }

  @Test("on a very narrow terminal a row is a paragraph")
  func onVeryNarrowTerminalRow() {
    let lines = table.lines(style: .plain, columns: 30)
    #expect(
      lines == [
        "polar-h10-1a2b", "  state  stale: nothing comes", "         from it, next try in", "         4.0 s",
        "  age    12 s", "wheel-1", "  state  streaming", "  age    0.2 s",
      ])
  }

  @Test("a value moves below a name that leaves no room")
  func valueMovesBelowName() {
    let long = (name: "heart rate measurement", value: "not seen since the daemon was started again")
    let sections = [SensorText.Section(heading: "", rows: [long, (name: "heart rate", value: "142 bpm")])]
    let narrow = SensorText(style: .plain, columns: 40, plugins: builtInPlugins).lines("polar-h10-1a2b", sections)
    #expect(
      narrow == [
        "polar-h10-1a2b", "  heart rate measurement", "    not seen since the daemon was", "    started again",
        "  heart rate              142 bpm",
      ])
    let piped = SensorText(style: .plain, columns: nil, plugins: builtInPlugins).lines("polar-h10-1a2b", sections)
    #expect(piped[1] == "  heart rate measurement  not seen since the daemon was started again")
  }

  @Test(
    "status shows the link parameters of an adapter",
    arguments: [
      (#"{"interval_ms":[7.5,15]}"#, ", links start with an interval of 7.5 to 15 ms"),
      (#"{"interval_ms":[30,30],"latency":2}"#, ", links start with an interval of 30 ms, latency 2"),
      (#"{"interval_ms":[30]}"#, ""), (#"{"supervision_timeout_ms":420}"#, ", drops links after 420 ms without data"),
    ])
  func statusShowsLinkParameters(links: String, words: String) throws {
    let sensor = try #require(SensorRecord(["id": "polar-h10-1a2b"]))
    let adapter = try #require(
      AdapterRecord(try JSONValue.parse(#"{"adapter":"hci0","state":"on","links":\#(links)}"#)))
    let section = SensorText(style: .plain, columns: nil, plugins: builtInPlugins).link(sensor, adapters: [adapter])
    #expect(section.rows.map(\.name) == ["adapter"])
    #expect(section.rows.map(\.value) == ["hci0 is on" + words])
  }

  @Test("wide terminals and pipes get the same text")
  func wideTerminalsAndPipesGet() {
    #expect(table.lines(style: .plain, columns: 200) == table.lines(style: .plain))
    #expect(table.lines(style: .plain)[1].hasSuffix("next try in 4.0 s  12 s"))
  }

  /// By the formula of the Web Content Accessibility Guidelines, which ask 3 of large text.
  @Test("colours are legible on dark and light backgrounds", arguments: [Style.Colour.good, .warning, .bad, .faint])
  func coloursLegibleOnDark(colour: Style.Colour) throws {
    let number = try #require(colour.number)
    let grounds = ["black": (0, 0, 0), "white": (255, 255, 255), "dark grey": (30, 30, 30), "paper": (253, 246, 227)]
    for (name, ground) in grounds {
      let lights = [luminance(rgb(number)), luminance(ground)].sorted()
      let contrast = (lights[1] + 0.05) / (lights[0] + 0.05)
      #expect(contrast >= 3, "\(colour) on \(name): \(contrast)")
    }
  }

  private func rgb(_ number: Int) -> (Int, Int, Int) {
    if number >= 232 { return (8 + 10 * (number - 232), 8 + 10 * (number - 232), 8 + 10 * (number - 232)) }
    let steps = [0, 95, 135, 175, 215, 255]
    return (steps[(number - 16) / 36], steps[(number - 16) / 6 % 6], steps[(number - 16) % 6])
  }

  private func luminance(_ colour: (Int, Int, Int)) -> Double {
    func linear(_ value: Int) -> Double {
      let part = Double(value) / 255
      return part <= 0.03928 ? part / 12.92 : power((part + 0.055) / 1.055)
    }
    return 0.2126 * linear(colour.0) + 0.7152 * linear(colour.1) + 0.0722 * linear(colour.2)
  }

  /// To the 2.4th, as x² · x^(2/5) by Newton's method: without the C library's header.
  private func power(_ base: Double) -> Double {
    var root = base
    for _ in 0..<60 { root -= (root * root * root * root * root - base * base) / (5 * root * root * root * root) }
    return base * base * root
  }
}
