// `cyclo plugin show` and `list` of files, with the daemon as it is built.

import Foundation
import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct PluginShowTests {
  private let folder: TemporaryFolder
  private let daemon: RealDaemon
  private var sensors: String { folder.file("sensors.d") }

  private static let lamp = """
    [Sensor]
    Format = 1
    Id = lamp
    Title = Lamp
    Service = a000
    [Packet state]
    Notify = a000 a001
    level = u8
    [Sample lamp]
    level_pct = level
    [Fact]
    dimmable = level > 0
    [Event dark]
    level_pct = level
    [Answer]
    level_pct = level
    [Command light]
    Summary = Set the light
    Value = percent, 0 to 100
    Write = a000 a002: u8(value) xor
    [Start]
    Subscribe = state
    Write = a000 a002: 01
    KeepAlive = 2.5 a000 a002: 02
    [Stop]
    Write = a000 a002: 00

    """
  private static let horn = """
    [Sensor]
    Format = 1
    Id = horn
    Title = Horn
    Service = a000
    [Process]
    User = cyclometer-horn
    [Packet state]
    Notify = a000 a001
    [Sample horn]
    volume_pct = number
    [Event blown]
    volume_pct = number
    [Fact]
    model = text
    [Answer]
    result = words ok
    [Start]
    Subscribe = state
    Write = a000 a002: 01
    [Command blow]
    Summary = Blow it
    Write = process

    """

  init() throws {
    folder = try TemporaryFolder()
    let sensors = folder.file("sensors.d")
    try FileManager.default.createDirectory(atPath: sensors, withIntermediateDirectories: true)
    for (name, text) in [("lamp", Self.lamp), ("horn", Self.horn)] {
      try text.write(toFile: "\(sensors)/\(name).sensor", atomically: true, encoding: .utf8)
    }
    daemon = try RealDaemon(["--simulate", "--sensors", sensors])
  }

  private func plugin(_ words: String...) throws -> Outcome {
    try RunningCyclo(["plugin"] + words, socket: daemon.controlSocket).finish()
  }

  /// The section below a heading, as names and values.
  private static func section(_ heading: String, of lines: [String]) -> [String] {
    lines.drop { $0 != heading }.dropFirst().prefix { $0.hasPrefix("  ") }
      .map { $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ") }
  }

  @Test("show has the bytes and the occasion of every write, and all that the file publishes")
  func file() throws {
    let shown = try plugin("show", "lamp")
    #expect(shown.status == 0, "\(shown.complaint)")
    #expect(
      Self.section("Writes", of: shown.lines) == [
        "command light a000 a002: u8(value) xor", "when connected a000 a002: 01", "every 2.5 s a000 a002: 02",
        "before disconnecting a000 a002: 00",
      ])
    #expect(
      Self.section("Data", of: shown.lines) == [
        "subscribes a000 a001", "kinds lamp", "events dark", "facts dimmable", "answers with level_pct",
        "silent for any time",
      ])
    #expect(!shown.output.contains("program"))
  }

  @Test("the writes of show, check and their objects are the same")
  func checkAgrees() throws {
    for name in ["lamp", "horn"] {
      let path = "\(sensors)/\(name).sensor"
      let check = try JSONValue.parse(try plugin("check", "--json", path).output)
      let show = try JSONValue.parse(try plugin("show", "--json", name).output)
      for member in ["id", "title", "kinds", "events", "facts", "answers", "program_user", "program_writes"] {
        #expect(check[member] == show[member], "\(name): \(member)")
      }
      let written = (show["writes"]?.items ?? []).map { $0.members ?? [] }
      let checked = (check["writes"]?.items ?? []).map { ($0.members ?? []).filter { $0.name != "line" } }
      #expect(!written.isEmpty && written == checked)
      let text = try plugin("check", path).lines.joined(separator: "\n")
      for row in Self.section("Writes", of: try plugin("show", name).lines) {
        #expect(text.replacing(": ", with: " ").contains(row.replacing(": ", with: " ")), "\(row)")
      }
    }
  }

  @Test("show, its object, list and check name the user of a program, and what the program may do")
  func program() throws {
    let shown = try plugin("show", "horn").lines
    #expect(shown.contains { $0.hasSuffix("  a program of user cyclometer-horn decodes its packets") })
    #expect(
      Self.section("Writes", of: shown) == [
        "when connected a000 a002: 01", "its program anything to service a000",
      ])
    #expect(Self.section("Data", of: shown).contains("answers with result"))
    let object = try JSONValue.parse(try plugin("show", "--json", "horn").output)
    #expect(object["program_user"] == "cyclometer-horn" && object["program_writes"] == ["a000"])
    let list = try plugin("list").lines
    #expect(list.first?.hasSuffix("  PROGRAM OF") == true)
    #expect(list.contains { $0.hasPrefix("horn ") && $0.hasSuffix("/horn.sensor  cyclometer-horn") })
    #expect(list.contains { $0.hasPrefix("lamp ") && $0.hasSuffix("/lamp.sensor") })
    let check = try plugin("check", "\(sensors)/horn.sensor").lines
    #expect(check.contains { $0.hasSuffix("  horn, events blown, facts model, answers with result") }, "\(check)")
  }
}
