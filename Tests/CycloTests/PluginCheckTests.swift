// `cyclo plugin check`: the problems of a sensor's file, what a file does, and what it makes of a capture.

import Foundation
import JSON
import Testing

@Suite struct PluginCheckTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardized
  private static let file = root.appending(path: "Config/sensors.d/glucose_monitor.sensor").path
  private static let captures = root.appending(path: "Tests/DeclaredSensorsTests/Captures")
  private static let capture = captures.appending(path: "glucose_monitor-steady.capture").path
  private static let expected = captures.appending(path: "glucose_monitor-steady.expected").path

  private static let strap = """
    [Sensor]
    Format = 1
    Id = Strap
    Title = A strap
    Service = 180g

    [Packet measurement]
    Notify = 180d 2a37
    bpm = u9
    """

  /// Writes a file for one test and returns its path.
  private static func written<Result>(
    _ text: String, as name: String = "strap.sensor", _ body: (String) throws -> Result
  ) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "cyclo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: name).path
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return try body(path)
  }

  @Test("check prints all problems with file and line, and its status is 1")
  func problems() throws {
    try Self.written(Self.strap) { path in
      let outcome = try cyclo("plugin", "check", path)
      #expect(outcome.status == 1)
      #expect(outcome.complaint == "")
      #expect(outcome.lines.map { $0.prefix { $0 != " " } } == [3, 5, 9].map { "\(path):\($0):" })
      #expect(outcome.lines[1].hasSuffix(#":5: Service: "180g" is not a UUID, which has 4, 8 or 32 hex digits"#))
      let object = try JSONValue.parse(try cyclo("plugin", "check", "--json", path).output)
      #expect(object["problems"]?.items?.compactMap { $0["line"]?.integer } == [3, 5, 9])
    }
  }

  @Test("check names an id that a built-in plugin has")
  func idOfBuiltIn() throws {
    let text = Self.strap.replacing("Strap", with: "heart_rate").replacing("180g", with: "180d")
      .replacing("u9", with: "u8")
    try Self.written(text) { path in
      let outcome = try cyclo("plugin", "check", path)
      #expect(outcome.status == 1)
      #expect(outcome.output == "\(path):3: Id = heart_rate: a built-in plugin has this id\n")
    }
  }

  @Test("check decodes a capture with the file, and a refusal names the line of the file")
  func capture() throws {
    let outcome = try cyclo("plugin", "check", Self.file, Self.capture)
    #expect(outcome.status == 0)
    #expect(outcome.complaint == "")
    #expect(
      outcome.output == """
        glucose_monitor: Continuous glucose monitor, format 1, no errors
          recognizes  a device with service 181f
          receives    181f 2aa7 (notify), 181f 2aa8 (read)
          publishes   glucose, facts calibration trend quality end_to_end_check
          writes      nothing
            2.000000  cgm  fact     calibration no, trend no, quality no, end_to_end_check yes
            3.000000  cgm  glucose  70.0 mg/dl  glucose 3.9 mmol/l, minutes since start 3
            5.000000  cgm  glucose  80.0 mg/dl  glucose 4.4 mmol/l, trend -1.5 mg/dl min, minutes since start 10
            7.000000  cgm  glucose  50.0 mg/dl  glucose 2.8 mmol/l, minutes since start 14, warning hypo falling_fast
           11.000000  cgm  refused  2aa7: bad_length at byte 0  (glucose_monitor.sensor:13)
           13.000000  cgm  glucose  60.0 mg/dl  glucose 3.3 mmol/l, trend 2.1 mg/dl min, quality 100 %, \
        minutes since start 16, status general_fault, warning hyper
        7 packets: 6 read, 1 refused; 4 samples, 4 facts

        """)
  }

  @Test("check --json prints the records of decode, the line of a refusal, and counts")
  func json() throws {
    let lines = try cyclo("plugin", "check", "--json", Self.file, Self.capture).lines
    let expected = try String(contentsOfFile: Self.expected, encoding: .utf8).split(separator: "\n").map(String.init)
    #expect(lines.count == expected.count + 2)
    let place = #","file":"\#(Self.file)","line":13}"#
    #expect(lines.dropFirst().dropLast().map { $0.replacing(place, with: "}") } == expected)
    #expect(lines.contains { $0.hasSuffix(place) })
    #expect(
      lines.last
        == #"{"class":"counts","packets":7,"read":6,"refused":1,"samples":4,"facts":4,"events":0,"answers":0}"#)
    let file = try JSONValue.parse(lines[0])
    #expect(file["id"]?.text == "glucose_monitor")
    #expect(file["facts"]?.texts == ["calibration", "trend", "quality", "end_to_end_check"])
  }

  @Test("--expected accepts the expected records, and shows the first difference side by side")
  func expectation() throws {
    let outcome = try cyclo("plugin", "check", Self.file, Self.capture, "--expected", Self.expected)
    #expect(outcome.status == 0)
    #expect(outcome.lines.last == "as expected in \(Self.expected)")
    let text = try String(contentsOfFile: Self.expected, encoding: .utf8)
    try Self.written(text.replacing(#""glucose_mg_per_dl":80"#, with: #""glucose_mg_per_dl":81"#), as: "e") { path in
      let outcome = try cyclo("plugin", "check", Self.file, Self.capture, "--expected", path)
      #expect(outcome.status == 1)
      #expect(
        outcome.lines.suffix(3) == [
          "\(path):6: the first difference", "FIELD              EXPECTED  DECODED", "glucose_mg_per_dl  81        80",
        ])
    }
    try Self.written(text + "{\"class\":\"fact\"}\n", as: "e") { path in
      let outcome = try cyclo("plugin", "check", Self.file, Self.capture, "--expected", path)
      #expect(outcome.status == 1)
      #expect(outcome.lines.suffix(3).first == "\(path):10: the first difference")
    }
  }

  private static let lamp = """
    [Sensor]
    Format = 1
    Id = lamp
    Title = A lamp
    Announced = ffe0 LAMP
    [Packet status]
    Notify = ffe0 ffe1
    level = u8
    [Sample lamp]
    level_ml = level
    [Command light]
    Summary = Set the brightness
    Value = percent, 0 to 100
    Write = ffe0 ffe2: 10 u8(value * 2) xor
    [Command off]
    Summary = Switch it off
    Write = ffe0 ffe2: 00
    [Command mode]
    Summary = Choose how it shines
    Value = words modes
    Write = ffe0 ffe2: u8(value)
    [Words modes]
    1 = low
    3 = high
    """

  @Test(
    "check --command prints the bytes that a command writes, or why it does not take the value",
    arguments: [
      (["light", "50"], 0, "ffe0 ffe2: 106474\n"), (["light", "0.5"], 0, "ffe0 ffe2: 100111\n"),
      (["off"], 0, "ffe0 ffe2: 00\n"), (["light", "101"], 1, ""), (["light", "0.3"], 1, ""), (["light"], 2, ""),
      (["light", "x"], 2, ""), (["off", "1"], 2, ""), (["on"], 1, ""), (["mode", "high"], 0, "ffe0 ffe2: 03\n"),
      (["mode", "1"], 0, "ffe0 ffe2: 01\n"), (["mode", "2"], 1, ""), (["mode", "middle"], 2, ""),
    ])
  func command(_ words: [String], _ status: Int32, _ output: String) throws {
    try Self.written(Self.lamp) { path in
      let arguments = ["plugin", "check", path] + words.dropFirst() + ["--command", words[0]]
      let outcome = try RunningCyclo(arguments).finish()
      #expect(outcome.status == status)
      #expect(outcome.output == output)
    }
    let json = try Self.written(Self.lamp) { try cyclo("plugin", "check", "--json", $0, "--command", "off").output }
    let write = #"{"class":"write","command":"off","service":"ffe0","characteristic":"ffe2","bytes":"00"}"#
    #expect(json == write + "\n")
  }

  @Test("check reports a device of the capture that the file does not recognize")
  func unrecognized() throws {
    try Self.written(Self.lamp) { path in
      for (device, line) in [
        ("name=LAMP-1 services=ffe0", nil),
        (
          "name=lamp services=ffe0",
          #"one is not recognized by this file: its line in the capture has services=ffe0 and name="lamp""#
        ),
        ("", "one is not recognized by this file: its line in the capture has no services= and no name="),
      ] {
        let capture = "#cyclometer-capture 1\ndevice one \(device)\n1.000000 one notify ffe1 07\n"
        try Self.written(capture, as: "c") { capture in
          let outcome = try cyclo("plugin", "check", path, capture)
          #expect(outcome.status == 0)
          #expect(outcome.lines.contains { $0.hasSuffix("lamp     level 7 ml") })
          #expect(outcome.lines.first { $0.contains("recognized by") } == line)
          let json = try cyclo("plugin", "check", "--json", path, capture)
          #expect(json.output.contains(#"{"class":"unrecognized","sensor":"one","#) == (line != nil))
        }
      }
    }
  }

  @Test("check prints warnings of a file without problems")
  func warnings() throws {
    let text = Self.lamp + "\n[Start]\nWrite = ffe0 ffe2: 01\n"
    let why = "[Packet status] never arrives, because [Start] names all that is subscribed to and read"
    try Self.written(text) { path in
      let outcome = try cyclo("plugin", "check", path)
      #expect(outcome.status == 0)
      #expect(outcome.lines.last == "\(path):25: warning: \(why); add Subscribe = status")
      #expect(!outcome.output.contains("receives"))
      let object = try JSONValue.parse(try cyclo("plugin", "check", "--json", path).output)
      #expect(object["warnings"]?.items?.map { $0["line"]?.integer } == [25])
    }
  }

  @Test("--expected accepts what check --json printed")
  func ownOutput() throws {
    let own = try cyclo("plugin", "check", "--json", Self.file, Self.capture).output
    try Self.written(own, as: "e") { path in
      let outcome = try cyclo("plugin", "check", Self.file, Self.capture, "--expected", path)
      #expect(outcome.status == 0)
      #expect(outcome.lines.last == "as expected in \(path)")
    }
    let changed = own.replacing(#""glucose_mg_per_dl":80"#, with: #""glucose_mg_per_dl":81"#)
    try Self.written(changed, as: "e") { path in
      let outcome = try cyclo("plugin", "check", Self.file, Self.capture, "--expected", path)
      #expect(outcome.status == 1)
      #expect(outcome.lines.suffix(3).first == "\(path):7: the first difference")
    }
  }

  @Test("check lists every write that a file can make")
  func writes() throws {
    let file = Self.root.appending(path: "Config/sensors.d/tacx_trainer.sensor").path
    let outcome = try cyclo("plugin", "check", file)
    #expect(outcome.status == 0)
    let writes = try JSONValue.parse(try cyclo("plugin", "check", "--json", file).output)["writes"]?.items ?? []
    #expect(!writes.isEmpty)
    for write in writes {
      let place =
        "\(write["service"]?.text ?? "") \(write["characteristic"]?.text ?? ""): \(write["bytes"]?.text ?? "")"
      #expect(outcome.lines.contains { $0.hasSuffix(place) })
    }
  }

  @Test(
    "a wrong command line is status 2",
    arguments: [["check"], ["check", "a", "b", "c"], ["check", "FILE", "--expected", "e"], ["sing"]])
  func usage(_ words: [String]) throws {
    let words = words.map { $0 == "FILE" ? Self.file : $0 }
    #expect(try RunningCyclo(["plugin"] + words).finish().status == 2)
  }

  @Test("an unreadable file or capture is status 1")
  func unreadable() throws {
    #expect(try cyclo("plugin", "check", "/nowhere/x.sensor").status == 1)
    #expect(try cyclo("plugin", "check", Self.file, "/nowhere/x.capture").status == 1)
    let outcome = try cyclo("plugin", "check", Self.file, Self.file)
    #expect(outcome.status == 1)
    #expect(outcome.complaint.contains("is not a capture"))
  }
}
