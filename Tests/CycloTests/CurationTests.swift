// What is offered, refused and left out: values of several sensors, names, commands, columns.

import JSON
import TestSupport
import Testing

@testable import cyclo

struct CurationTests {
  private static func battery(_ sensor: String, _ percent: Int, age: Int) -> String {
    #"{"class":"sample","sensor":"\#(sensor)","kind":"battery","seq":1,"t":1,"age_ms":\#(age),"battery_pct":\#(percent)}"#
  }

  @Test("get names the sensor, and refuses to choose between several")
  func several() throws {
    let daemon = try StandInDaemon([
      "poll": [
        [.reply(Fixture.records(Self.battery("radar", 58, age: 120_000)))],
        [.reply(Fixture.records(Self.battery("radar", 58, age: 120_000), Self.battery("strap", 87, age: 500)))],
      ]
    ])
    defer { daemon.stop() }
    #expect(try cyclo("get", "battery", socket: daemon.controlSocket).output == "58 %, 2 min ago, radar\n")
    let refused = try cyclo("get", "battery", socket: daemon.controlSocket)
    #expect(refused.status == 4 && refused.output == "")
    #expect(refused.complaint.hasPrefix("cyclo: 2 sensors have a battery: choose one with --sensor\n"))
    #expect(refused.complaint.contains("--sensor radar: 58 %") && refused.complaint.contains("--sensor strap: 87 %"))
  }

  @Test("get has a limit of its own for each kind", arguments: [("heart_rate", 1), ("battery", 0), ("ride", 0)])
  func maximalAge(kind: String, status: Int32) throws {
    let record =
      #"{"class":"sample","sensor":"strap","kind":"\#(kind)","seq":1,"t":1,"age_ms":9000,"bpm":98,"battery_pct":50}"#
    let daemon = try StandInDaemon(["poll": [[.reply(Fixture.records(record))]]])
    defer { daemon.stop() }
    #expect(try cyclo("get", kind, socket: daemon.controlSocket).status == status)
  }

  @Test("a sensor is found by any part of its name that no other has")
  func parts() throws {
    let daemon = try StandInDaemon(Fixture.reading)
    defer { daemon.stop() }
    for (word, status) in [("h10", 0), ("band", 0), ("sense", 0), ("lar", 4), ("polar", 4)] {
      #expect(try cyclo("show", word, socket: daemon.controlSocket).status == Int32(status), "\(word)")
    }
  }

  @Test("an argument that is not UTF-8 is refused")
  func bytes() throws {
    let daemon = try StandInDaemon(Fixture.reading)
    defer { daemon.stop() }
    let screen = try Screen(command: [
      "sh", "-c", "cyclo --socket \(daemon.controlSocket) rename polar-h10-1a2b \"$(printf 'caf\\351')\"",
    ])
    #expect(screen.exitStatus() == 2)
    #expect(!daemon.requests.contains { $0["method"] == "rename" })
  }

  @Test("commands that a sensor does not support are not offered")
  func commands() throws {
    func meter(_ more: String) -> String {
      #"{"sensors":[{"id":"pedals","name":"Pedals","address":"A0:9E:1A:00:00:03","plugins":["cycling_power"],"#
        + #""kinds":["power"],"state":"streaming"\#(more)}]}"#
    }
    let none = #","commands":[]"#
    let daemon = try StandInDaemon([
      "sensors": [[.reply(meter(none))]], "poll": [[.reply(Fixture.records())]],
      "status": [[.reply(#"{"adapters":[],"sensors":[]}"#)]],
    ])
    defer { daemon.stop() }
    let socket = daemon.controlSocket
    #expect(try cyclo("command", "pedals", socket: socket).complaint == "pedals has no commands.\n")
    let calibrate = try cyclo("calibrate", "pedals", "zero", "--yes", socket: socket)
    #expect(calibrate.status == 1 && calibrate.complaint.contains("does not support zero_offset"))
    #expect(!(try cyclo("show", "pedals", socket: socket).output.contains("zero_offset")))
    #expect(try cyclo("complete", "--", "command", "pedals", "", socket: socket).output == "")
    #expect(!daemon.requests.contains { $0["method"] == "command" })
  }

  @Test("a table that is too wide leaves out the address first, and says so")
  func columns() throws {
    let daemon = try StandInDaemon(Fixture.reading)
    defer { daemon.stop() }
    let screen = try Screen(["list"], socket: daemon.controlSocket, columns: 72)
    #expect(screen.exitStatus() == 0)
    let text = try screen.text()
    #expect(!text.contains("ADDRESS") && text.contains("BATTERY") && text.contains("80 %"))
    #expect(text.contains("Not shown for lack of width: address"))
  }

  @Test("disable reports that a sensor is already disabled")
  func already() throws {
    let disabled = Fixture.polarVerity.replacing(#""state":"stale","reason":"silent""#, with: #""state":"disabled""#)
    let daemon = try StandInDaemon([
      "sensors": [[.reply(#"{"sensors":[\#(disabled)]}"#)]], "disable": [[.reply(disabled)]],
    ])
    defer { daemon.stop() }
    #expect(try cyclo("disable", "arm", socket: daemon.controlSocket).output.contains("is already disabled"))
  }

  @Test("the cursor of the list of finds stays where the user put it")
  func cursor() {
    var choice = Choice(count: 3)
    choice.suggest(1)
    #expect(choice.selected == 1)
    choice.suggest(2)
    #expect(choice.selected == 2)
    _ = choice.press(.up)
    choice.suggest(2)
    #expect(choice.selected == 1)
  }
}
