// `ride settings`, `ride end` and `ride new SPORT`: what is sent to the daemon, and what is printed.

import JSON
import TestSupport
import Testing

struct RideSettingsVerbTests {
  private static let effective =
    #"{"auto_pause":true,"auto_pause_speed_mps":1.111111,"auto_pause_delay_s":3,"lap_distance_m":0,"overrides":["auto_pause_delay_s"]}"#

  @Test("ride settings shows each setting, its value and where it is set")
  func table() throws {
    let daemon = try StandInDaemon(["ride_settings": [[.reply(Self.effective)]]])
    defer { daemon.stop() }
    let lines = try cyclo("ride", "settings", socket: daemon.controlSocket).lines
    #expect(lines.count == 5)
    #expect(lines[1].hasPrefix("auto_pause        on        cyclometer.conf"))
    #expect(lines[2].hasPrefix("auto_pause_speed  4.0 km/h  cyclometer.conf"))
    #expect(lines[3].hasPrefix("auto_pause_delay  3.0 s     cyclo "))
    #expect(lines[4].hasPrefix("lap_distance      none      cyclometer.conf"))
    #expect(try cyclo("ride", "settings", "--json", socket: daemon.controlSocket).output == Self.effective + "\n")
  }

  @Test(
    "a setting is sent in the protocol's units",
    arguments: [
      ("auto_pause=off", #"{"auto_pause":false}"#), ("auto_pause no", #"{"auto_pause":false}"#),
      ("auto_pause_speed=4", #"{"auto_pause_speed_mps":1.111111}"#),
      ("auto-pause-speed=2m/s", #"{"auto_pause_speed_mps":2}"#), ("lap_distance=5", #"{"lap_distance_m":5000}"#),
      ("lap_distance=1mi auto_pause_delay=10s", #"{"lap_distance_m":1609.344,"auto_pause_delay_s":10}"#),
      ("lap_distance=0", #"{"lap_distance_m":0}"#), ("lap_distance=", #"{"lap_distance_m":""}"#),
    ])
  func change(words: String, sent: String) throws {
    let daemon = try StandInDaemon(["ride_settings": [[.reply(Self.effective)]]])
    defer { daemon.stop() }
    let outcome = try RunningCyclo(
      ["ride", "settings"] + words.split(separator: " ").map(String.init), socket: daemon.controlSocket
    ).finish()
    #expect(outcome.status == 0, "\(outcome.complaint)")
    #expect(daemon.requests.last?["params"] == (try JSONValue.parse(Array(sent.utf8))))
  }

  @Test(
    "an invalid setting is refused before the daemon is asked",
    arguments: [
      ("auto_pause=maybe", "auto_pause must be on or off, not 'maybe'"),
      ("auto_pause_speed=40", "auto_pause_speed must be 0.5 to 20 km/h, not '40'"),
      ("lap_distance=50m", "lap_distance must be 0, or 0.1 to 1000 km, not '50m'"),
      ("lap_distanse=5", "unknown ride setting 'lap_distanse'; known settings: auto_pause"),
    ])
  func invalid(word: String, message: String) throws {
    let outcome = try cyclo("ride", "settings", word, socket: "/nowhere")
    #expect(outcome.status == 2 && outcome.complaint.hasPrefix("cyclo: \(message)"), "\(outcome.complaint)")
  }

  @Test("ride new sends the sport")
  func sport() throws {
    let daemon = try StandInDaemon(["ride": [[.reply()]]])
    defer { daemon.stop() }
    #expect(try cyclo("ride", "new", "running", socket: daemon.controlSocket).output == "Started a new ride.\n")
    #expect(daemon.requests.last?["params"] == ["action": "new", "sport": "running"])
  }

  @Test(
    "ride end says whether there was a ride",
    arguments: [(true, "The ride has ended.\n"), (false, "There is no ride to end.\n")])
  func end(hasChanged: Bool, text: String) throws {
    let daemon = try StandInDaemon(["ride": [[.reply(#"{"changed":\#(hasChanged)}"#)]]])
    defer { daemon.stop() }
    #expect(try cyclo("ride", "end", socket: daemon.controlSocket).output == text)
  }

  @Test(
    "a word that an action does not take is a usage error",
    arguments: [["new", "swimming"], ["lap", "now"], ["end", "x"]])
  func unexpected(words: [String]) throws {
    let outcome = try RunningCyclo(["ride"] + words, socket: "/nowhere").finish()
    #expect(outcome.status == 2)
  }

  @Test("completion offers sports after new, and settings after settings")
  func completion() throws {
    #expect(try cyclo("complete", "--", "ride", "new", "r", socket: "/nowhere").lines == ["running\t", "rowing\t"])
    #expect(
      try cyclo("complete", "--", "ride", "settings", "lap", socket: "/nowhere").lines.map { $0.prefix(14) }
        == ["lap_distance=\t"])
    #expect(try cyclo("complete", "--", "ride", "lap", "", socket: "/nowhere").lines == [])
  }
}
