// `cyclo plugin`: the plugins of the daemon, and the files that it left out.

import JSON
import Testing
import Troubleshooting
import Wire

@testable import cyclo

@Suite struct PluginTests {
  private static let light =
    #"{"id":"light","title":"Light","file":"/etc/l.sensor","source":"its manual","services":["a000"],"#
    + #""adverts":[{"company":2571,"name":"LT*"}],"#
    + #""characteristics":[{"service":"a000","characteristic":"a001","uses":["subscribe"],"required":true},"#
    + #"{"service":"a000","characteristic":"a002","uses":["write"]}],"kinds":["light"],"stale_after_ms":10000,"#
    + #""commands":[{"name":"light","summary":"Set the light"}]}"#
  private static let all =
    #"{"plugins":[{"id":"battery","title":"Battery","kinds":["battery"]},\#(light)],"omitted":["#
    + #"{"file":"/etc/off.sensor","switched_off":true},"#
    + #"{"file":"/etc/x.sensor","problems":[{"line":3,"text":"Id = X: no"}],"more":2}]}"#

  @Test("list shows the plugins, their files, and what was left out")
  func list() throws {
    let daemon = try StandInDaemon(["plugins": [[.reply(Self.all)]]])
    defer { daemon.stop() }
    let lines = try cyclo("plugin", "list", socket: daemon.controlSocket).lines
    #expect(
      lines == [
        "PLUGIN   TITLE    KINDS    FROM", "battery  Battery  battery  built in",
        "light    Light    light    /etc/l.sensor",
        "/etc/off.sensor is empty, which switches off the file of the same name", "/etc/x.sensor was left out:",
        "  /etc/x.sensor:3: Id = X: no", "  and 2 more problems",
      ])
    #expect(try cyclo("plugin", "list", "--json", socket: daemon.controlSocket).lines == [Self.all])
  }

  @Test("show prints what a plugin recognizes, reads, writes and publishes")
  func show() throws {
    let daemon = try StandInDaemon(["plugins": [[.reply(#"{"plugins":[\#(Self.light)],"omitted":[]}"#)]]])
    defer { daemon.stop() }
    let lines = try cyclo("plugin", "show", "light", socket: daemon.controlSocket).lines
    for line in [
      "  title   Light", "  from    /etc/l.sensor", "  source  its manual", "  services  a000",
      "  adverts   company 0a0b called LT*", "  subscribes  a000 a001", "  writes      a000 a002",
      "  kinds       light", "  silent for  at most 10 s", "  light  Set the light",
    ] {
      #expect(lines.contains(line), "\(line)")
    }
    #expect(try cyclo("plugin", "show", "light", "--json", socket: daemon.controlSocket).lines == [Self.light])
  }

  @Test("show counts the writes that the daemon left out, and prints an occasion that it does not know")
  func moreWrites() throws {
    let write = #"{"when":"resting","service":"a000","characteristic":"a002","bytes":"01"}"#
    let plugin = #"{"id":"l","title":"L","file":"/etc/l.sensor","kinds":[],"writes":[\#(write)],"more_writes":7}"#
    let daemon = try StandInDaemon(["plugins": [[.reply(#"{"plugins":[\#(plugin)],"omitted":[]}"#)]]])
    defer { daemon.stop() }
    let lines = try cyclo("plugin", "show", "l", socket: daemon.controlSocket).lines
    #expect(
      lines.suffix(3) == [
        "Writes", "  resting  a000 a002: 01",
        "  and      7 more writes, which 'cyclo plugin check /etc/l.sensor' lists",
      ])
  }

  @Test("a plugin that does not exist is an error")
  func unknown() throws {
    let daemon = try StandInDaemon(["plugins": [[.reply(#"{"plugins":[],"omitted":[]}"#)]]])
    defer { daemon.stop() }
    let run = try cyclo("plugin", "show", "nothing", socket: daemon.controlSocket)
    #expect(run.output == "" && run.complaint.hasPrefix("cyclo: no plugin is called 'nothing'"))
  }

  @Test("show needs an id, and list takes none")
  func usage() throws {
    #expect(try cyclo("plugin", "show").complaint.contains("'show' needs the ID of a plugin"))
    #expect(try cyclo("plugin", "list", "x").complaint.contains("'x' is an unexpected argument"))
  }

  @Test("status names the files that are not used, and not those that are switched off")
  func status() throws {
    let status = #"{"adapters":[],"sensors":[]}"#
    let daemon = try StandInDaemon([
      "status": [[.reply(status)]], "poll": [[.reply(Fixture.records())]], "plugins": [[.reply(Self.all)]],
    ])
    defer { daemon.stop() }
    let lines = try cyclo("status", socket: daemon.controlSocket).lines
    #expect(lines.contains("A sensor file has errors and is not used: /etc/x.sensor:3; run 'cyclo plugin list'."))
  }

  @Test("doctor reports files that are not used, and sensors whose plugin is missing")
  func doctor() throws {
    var facts = try healthy()
    #expect(!facts.findings.contains { $0.check == "files" || $0.check == "plugins" })
    facts.plugins = PluginsReply(try JSONValue.parse(Self.all))
    let findings = facts.findings.filter { $0.verdict == .error }
    #expect(
      findings.map(\.found) == [
        "/etc/x.sensor is not used: line 3: Id = X: no", "its plugin heart_rate is not loaded",
      ])
    #expect(findings.first?.command == "cyclo plugin check /etc/x.sensor")
    #expect(facts.findings.contains { $0.check == "files" && $0.verdict == .ok })
  }

  @Test("get uses the daemon's limit for a kind of a file", arguments: [(4000, 0), (6000, 1)])
  func get(ageMS: Int, exitStatus: Int32) throws {
    let sample =
      #"{"class":"sample","sensor":"lamp","kind":"light","seq":1,"t":1.000000,"#
      + #""time":"2026-11-21T09:15:02.417Z","age_ms":\#(ageMS),"level":3}"#
    let lamp =
      #"{"sensors":[{"id":"lamp","name":"Lamp","address":"A0:9E:1A:00:00:01","plugins":["light"],"#
      + #""kinds":["light"],"stale_after_ms":{"light":5000},"state":"stale"}],"ride":{"stale_after_ms":{}}}"#
    let daemon = try StandInDaemon([
      "poll": [[.reply(#"{"records":[\#(sample)]}"#)]], "sensors": [[.reply(lamp)]],
    ])
    defer { daemon.stop() }
    #expect(try cyclo("get", "light", socket: daemon.controlSocket).status == exitStatus)
  }

  @Test("command lists what a file declares before the sensor was connected")
  func commands() throws {
    let lamp =
      #"{"sensors":[{"id":"lamp","name":"Lamp","address":"A0:9E:1A:00:00:01","plugins":["light"],"#
      + #""kinds":["light"],"state":"searching"}],"ride":{"stale_after_ms":{}}}"#
    let daemon = try StandInDaemon(["sensors": [[.reply(lamp)]], "plugins": [[.reply(Self.all)]]])
    defer { daemon.stop() }
    #expect(try cyclo("command", "lamp", socket: daemon.controlSocket).lines == ["light  Set the light"])
  }

  private static let lampFound =
    #"{"class":"found","id":"lamp","address":"A0:9E:1A:00:00:01","name":"Lamp","rssi_dbm":-52,"#
    + #""kinds":["light"],"plugins":["light"],"paired":false}"#

  @Test("scan lists the commands that a file declares")
  func commandsOfScan() throws {
    let daemon = try StandInDaemon([
      "scan": [[.reply(), .line(Self.lampFound), .line(Fixture.scanEnded)]], "plugins": [[.reply(Self.all)]],
    ])
    defer { daemon.stop() }
    let screen = try Screen(["scan"], socket: daemon.controlSocket, columns: 80, rows: 16)
    let text = try screen.wait(forText: "1 found")
    #expect(text.contains("A0:9E:1A:00:00:01  light; light"))
  }

  @Test("pair lists the commands that a file declares, and asks for them once")
  func commandsOfPair() throws {
    let daemon = try StandInDaemon([
      "sensors": [[.reply(#"{"sensors":[]}"#)]],
      "scan": [[.reply(), .line(Self.lampFound), .line(Self.lampFound)]], "plugins": [[.reply(Self.all)]],
    ])
    defer { daemon.stop() }
    let screen = try Screen(["pair"], socket: daemon.controlSocket, columns: 80, rows: 16)
    try screen.wait(forText: "A0:9E:1A:00:00:01; light")
    #expect(daemon.requests.count { $0["method"] == "plugins" } == 1)
  }
}
