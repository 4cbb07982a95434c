// The settings of the ride: read, changed, cleared and refused, saved, and applied to the ride.

import EventLoop
import JSON
import Linux
import Metrics
import TestSupport
import Testing

@testable import DaemonCore

@Suite struct RideSettingsTests {
  private func ask(_ test: TestDaemon, _ client: TestClient, _ params: String = "{}") throws -> JSONValue? {
    client.send(#"{"id":9,"method":"ride_settings","params":\#(params)}"#)
    try test.run(for: .milliseconds(10))
    return try client.reply(9)
  }

  private static let defaults: JSONValue = [
    "auto_pause": true, "auto_pause_speed_mps": 1.111111, "auto_pause_delay_s": 3, "lap_distance_m": 0, "overrides": [],
  ]

  @Test("without parameters it answers the settings in effect")
  func reading() throws {
    let test = try TestDaemon()
    #expect(try ask(test, try test.connect())?["result"] == Self.defaults)
  }

  @Test("what is set overrides the configuration until it is cleared, also after a restart")
  func changing() throws {
    let folder = try TemporaryFolder()
    let changed: JSONValue = [
      "auto_pause": false, "auto_pause_speed_mps": 2, "auto_pause_delay_s": 3, "lap_distance_m": 5000,
      "overrides": ["auto_pause", "auto_pause_speed_mps", "lap_distance_m"],
    ]
    do {
      let test = try TestDaemon(in: folder)
      let change = #"{"auto_pause":false,"auto_pause_speed_mps":2,"lap_distance_m":5000,"of_a_later_release":1}"#
      #expect(try ask(test, try test.connect(), change)?["result"] == changed)
      test.daemon.stop()
    }
    let test = try TestDaemon(in: folder)
    let client = try test.connect()
    #expect(try ask(test, client)?["result"] == changed)
    var configuration = DaemonConfiguration()
    configuration.gpsd = nil
    configuration.ride.autoPauseSpeedMps = 1.5
    configuration.ride.autoPauseDelayS = 10
    test.daemon.apply(configuration)
    let reloaded = try ask(test, client)?["result"]
    #expect(reloaded?["auto_pause_speed_mps"] == 2 && reloaded?["auto_pause_delay_s"] == 10)
    let clearing = #"{"auto_pause":null,"auto_pause_speed_mps":"","lap_distance_m":""}"#
    let cleared = try ask(test, client, clearing)?["result"]
    #expect(cleared?["auto_pause"] == true && cleared?["auto_pause_speed_mps"] == 1.5 && cleared?["overrides"] == [])
  }

  @Test(
    "an invalid setting is refused as a whole, with a message",
    arguments: [
      (#"{"auto_pause":1}"#, "auto_pause is true or false"),
      (
        #"{"auto_pause_speed_mps":0}"#,
        "auto_pause_speed_mps is a number from 0.14 to 5.56 m/s (below this speed the bike counts as standing)"
      ),
      (
        #"{"auto_pause":false,"auto_pause_delay_s":61}"#,
        "auto_pause_delay_s is a number from 0 to 60 s (for how long it has to stand before the ride pauses)"
      ),
      (
        #"{"lap_distance_m":5}"#,
        "lap_distance_m is 0, or a number from 100 to 1000000 m (a new lap begins after this distance; 0 for no laps by distance)"
      ),
      (
        #"{"lap_distance_m":true}"#,
        "lap_distance_m is 0, or a number from 100 to 1000000 m (a new lap begins after this distance; 0 for no laps by distance)"
      ),
    ])
  func refusals(params: String, message: String) throws {
    let test = try TestDaemon()
    let client = try test.connect()
    let answer = try ask(test, client, params)
    #expect(answer?["code"] == "bad_request" && answer?["message"]?.text == message)
    #expect(try ask(test, client)?["result"] == Self.defaults)
  }

  @Test("without auto pause a ride that stands is not paused, and laps follow the new distance")
  func applied() throws {
    let bike = try RollingBike()
    try bike.pair()
    try bike.roll(seconds: 10, turns: 4)
    #expect(try ask(bike.test, bike.client, #"{"auto_pause":false,"lap_distance_m":100}"#)?["class"] == "reply")
    try bike.roll(seconds: 20, turns: 0)
    let standing = try #require(try bike.derived("ride").last)
    #expect(standing["paused"] == false && standing["pause"] == nil)
    #expect(try bike.last("ride", "moving_time_s") > 25)
    try bike.roll(seconds: 20, turns: 4)
    #expect(try bike.last("ride", "lap") > 1)
    #expect(try ask(bike.test, bike.client, #"{"auto_pause":""}"#)?["class"] == "reply")
    try bike.roll(seconds: 10, turns: 0)
    #expect(try bike.derived("ride").last?["pause"] == "standing")
  }

  @Test("a damaged file is set aside, and the ride follows the configuration")
  func damaged() throws {
    let folder = try TemporaryFolder()
    let content = Array(#"{"version":1,"auto_pause_delay_s":99}"#.utf8)
    try Files.replace(folder.file("ride-settings.json"), with: content, mode: 0o600)
    let test = try TestDaemon(in: folder)
    #expect(try ask(test, try test.connect())?["result"] == Self.defaults)
    #expect(test.logged.lines.contains { $0.contains("ride-settings.json is damaged") })
  }

  @Test("an export has what was set here, and an import replaces it")
  func exported() throws {
    let test = try TestDaemon()
    let client = try test.connect()
    _ = try ask(test, client, #"{"auto_pause":false}"#)
    client.send(#"{"id":1,"method":"export"}"#)
    try test.run(for: .milliseconds(10))
    #expect(try client.reply(1)?["result"]?["ride_settings"] == ["auto_pause": false])
    client.send(#"{"id":2,"method":"import","params":{"version":1,"ride_settings":{"lap_distance_m":1000}}}"#)
    client.send(#"{"id":3,"method":"import","params":{"version":1,"ride_settings":{"lap_distance_m":1}}}"#)
    let settings = try ask(test, client)?["result"]
    #expect(settings?["overrides"] == ["lap_distance_m"] && settings?["lap_distance_m"] == 1000)
    #expect(try client.reply(3)?["message"]?.text?.hasPrefix("ride_settings: lap_distance_m is 0, or") == true)
  }
}
