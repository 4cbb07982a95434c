// `plugins`: the plugins in their order, and the files that were left out.

import JSON
import Linux
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import DaemonCore

@Suite struct PluginsTests {
  private let folder: TemporaryFolder
  private let daemon: TestDaemon
  private let client: TestClient

  init() throws {
    folder = try TemporaryFolder()
    daemon = try TestDaemon(sensors: folder.path)
    client = try daemon.connect("metrics.sock")
  }

  private func write(_ name: String, _ text: String) throws {
    try Files.replace(folder.file(name), with: Array(text.utf8), mode: 0o644)
  }

  private func ask(_ parameters: String = "{}") throws -> PluginsReply? {
    daemon.daemon.readFiles()
    client.send(#"{"id":1,"method":"plugins","params":\#(parameters)}"#)
    try daemon.run(for: .milliseconds(5))
    return try client.reply(1)?["result"].flatMap { PluginsReply($0) }
  }

  private static func light(_ id: String, more: String = "") -> String {
    """
    [Sensor]
    Format = 1
    Id = \(id)
    Title = Light
    Version = 3
    Author = Somebody
    Source = its manual
    Service = a000
    Announced = a100 LT
    StaleAfter = 10
    \(more)
    [Packet battery]
    Notify = a000 a001
    percent = u8
    [Sample battery]
    battery_pct = percent
    [Packet state]
    Advert = company 0a0b name=LT*
    level = u8
    [Sample light]
    level = level
    [Command light]
    Summary = Set the light
    Value = percent, 0 to 100
    Write = a000 a002: u8(value)
    [Start]
    Subscribe = battery
    Write = a000 a001: 01
    Write = a000 a003: 01
    """
  }

  @Test("a plugin of a file has all that the file says")
  func file() throws {
    try write("light.sensor", Self.light("light", more: "Replaces = moxy"))
    let reply = try #require(try ask())
    let ids = reply.plugins.map(\.id)
    #expect(ids.first == "heart_rate" && ids.contains("light") && !ids.contains("moxy") && ids.last != "light")
    let plugin = try #require(reply.plugins.first { $0.id == "light" })
    #expect(plugin.file == folder.file("light.sensor"))
    #expect((plugin.version, plugin.author, plugin.source) == ("3", "Somebody", "its manual"))
    #expect(plugin.replaces == "moxy" && plugin.services == ["a000"] && plugin.staleAfterMS == 10_000)
    #expect(plugin.announced.map(\.service) == ["a100"] && plugin.announced.map(\.name) == ["LT"])
    #expect(plugin.adverts.map(\.company) == [0x0a0b] && plugin.adverts.map(\.name) == ["LT*"])
    let uses = plugin.characteristics.map { "\($0.characteristic) \($0.uses.map(\.text).joined())" }
    #expect(uses.sorted() == ["a001 subscribewrite", "a002 write", "a003 write"])
    #expect(plugin.kinds.sorted() == ["battery", "light"])
    #expect(plugin.commands.map(\.name) == ["light"] && plugin.commands[0].summary == "Set the light")
  }

  @Test("a plugin of a file has all that the file publishes and writes, with the occasions")
  func publishedAndWritten() throws {
    let more = """
      KeepAlive = 2.5 a000 a003: 02 xor
      [Stop]
      Write = a000 a002: 00
      """
    let text = Self.light("light").replacing(
      "[Command light]", with: "[Fact]\nlevel = level\n[Event glare]\nlevel = level\n[Command light]")
    try write("light.sensor", text + "\n" + more)
    let plugin = try #require(try ask(#"{"plugin":"light"}"#)?.plugins.first)
    #expect(plugin.facts == ["level"] && plugin.events == ["glare"] && plugin.answers.isEmpty)
    let writes = plugin.writes.map { write in
      let detail = write.command ?? write.everyS.map { "\($0)" } ?? ""
      return "\(write.when?.text ?? "") \(detail): \(write.service) \(write.characteristic) \(write.bytes)"
    }
    #expect(
      writes == [
        "command light: a000 a002 u8(value)", "connected : a000 a001 01", "connected : a000 a003 01",
        "keep_alive 2.5: a000 a003 02 xor", "disconnecting : a000 a002 00",
      ])
    #expect(plugin.moreWrites == 0 && plugin.programUser == nil && plugin.programWrites.isEmpty)
  }

  @Test("a plugin whose packets a program decodes names its user, what it may publish, and where it may write")
  func ofProgram() throws {
    try write(
      "turns.sensor",
      """
      [Sensor]
      Format = 1
      Id = turns
      Title = Turns
      Service = a000
      [Process]
      User = cyclometer-turns
      [Packet page]
      Notify = a000 a001
      [Sample turns]
      turns = number
      [Event stop]
      after_s = number
      [Fact]
      model = text
      [Answer]
      result = words ok
      [Command light]
      Summary = Switch the light
      Write = process
      """)
    let plugin = try #require(try ask(#"{"plugin":"turns"}"#)?.plugins.first)
    #expect(plugin.programUser == "cyclometer-turns" && plugin.programWrites == ["a000"] && plugin.writes.isEmpty)
    #expect(plugin.kinds == ["turns"] && plugin.events == ["stop"])
    #expect(plugin.facts == ["model"] && plugin.answers == ["result"])
  }

  @Test("one plugin can be asked for")
  func one() throws {
    #expect(try ask(#"{"plugin":"battery"}"#)?.plugins.map(\.id) == ["battery"])
    #expect(try ask(#"{"plugin":"nothing"}"#)?.plugins.isEmpty == true)
  }

  @Test("files that were left out have their problems, and those that are switched off say so")
  func omitted() throws {
    try write("a.sensor", "[Sensor]\nFormat = 1\n" + String(repeating: "X = 1\n", count: 20))
    try write("b.sensor", "")
    let reply = try #require(try ask())
    #expect(reply.omitted.map(\.file) == [folder.file("a.sensor"), folder.file("b.sensor")])
    #expect(reply.omitted[0].problems.count == 8 && reply.omitted[0].more > 0 && !reply.omitted[0].isSwitchedOff)
    #expect(reply.omitted[1].isSwitchedOff && reply.omitted[1].problems.isEmpty)
  }

  @Test("the most files with the most commands fit into one line without the commands")
  func mostCommands() throws {
    let commands = (0..<31).map { "[Command adjust_the_light_\($0)]\nSummary = S\nWrite = a000 a002: 01\n" }.joined()
    for number in 100..<164 { try write("s\(number).sensor", Self.light("light_\(number)") + "\n" + commands) }
    let reply = try #require(try ask())
    let plugins = reply.plugins.filter { $0.file != nil }
    #expect(plugins.count == 64 && plugins.allSatisfy { $0.commands.isEmpty && $0.title == "Light" })
    #expect(try ask(#"{"plugin":"light_100"}"#)?.plugins.first?.commands.count == 32)
  }

  @Test("if the writes of one plugin are longer than a line, the rest is there, and the others are counted")
  func mostWrites() throws {
    let place = "a0000000000000000000000000000001 b0000000000000000000000000000001"
    let writes = String(repeating: "Write = \(place): 01\n", count: 16)
    let commands = (0..<31).map { "[Command adjust_the_light_\($0)]\nSummary = S\n\(writes)" }.joined()
    let service = "Service = a0000000000000000000000000000001"
    try write("light.sensor", Self.light("light", more: service) + "\n" + commands)
    let plugin = try #require(try ask(#"{"plugin":"light"}"#)?.plugins.first)
    #expect(plugin.commands.count == 32 && plugin.source == "its manual" && !plugin.characteristics.isEmpty)
    #expect(plugin.writes.count > 100 && plugin.moreWrites > 0)
    #expect(plugin.writes.count + plugin.moreWrites == 3 + 31 * 16)
    let listed = try #require(try ask()?.plugins.first { $0.id == "light" })
    #expect(listed.writes.isEmpty && listed.title == "Light")
  }

  @Test("however many files are left out, the reply fits into one line and counts the others")
  func manyOmitted() throws {
    for number in 100..<164 { try write("a\(number).sensor", Self.light("light_\(number)")) }
    let longest = String(repeating: "n", count: 200)
    for number in 1000..<2000 { try write("b\(number)\(longest).sensor", Self.light("other_\(number)")) }
    let reply = try #require(try ask())
    #expect(reply.plugins.count { $0.file != nil } == 64)
    #expect(reply.omitted.count > 30 && reply.omitted.count + reply.moreOmitted == 1000)
    #expect(reply.omitted.allSatisfy { $0.problems.map(\.text) == ["at most 64 files are read"] })
  }

  @Test("the most files that are read fit into one line, whole or brief")
  func fits() throws {
    for number in 100..<164 { try write("s\(number).sensor", Self.light("light_\(number)")) }
    let reply = try #require(try ask())
    #expect(reply.plugins.count { $0.file != nil } == 64)
    for number in 100..<164 {
      try write("s\(number).sensor", String(repeating: "Unknown\(number) = 1\n", count: 100))
    }
    let left = try #require(try ask())
    #expect(left.omitted.count == 64 && left.omitted.allSatisfy { $0.problems.count >= 1 && $0.more > 0 })
  }
}
