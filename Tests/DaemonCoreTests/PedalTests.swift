// Two pedals in the daemon: the ride knows their roles and plugins.

import EventLoop
import JSON
import Linux
import SensorKit
import TestSupport
import Testing
import Vocabulary

@testable import DaemonCore
@testable import Ride

@Suite struct PedalTests {
  private func ask(_ test: TestDaemon, _ method: String, _ params: String) throws -> JSONValue? {
    let client = try test.connect()
    client.send(#"{"id":9,"method":"\#(method)","params":\#(params)}"#)
    try test.run(for: .milliseconds(10))
    return try client.reply(9)
  }

  private func say(
    _ watts: Double, _ sensor: String, _ test: TestDaemon, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var packet = Batch()
    packet.sample(.power)
    packet.set(.powerW, watts)
    let source = try #require(test.daemon.ride.source(of: sensor), sourceLocation: sourceLocation)
    test.daemon.ride.handle(packet.entry(0), of: packet, from: source, at: test.loop.now)
  }

  /// A strap with a side is not one half of a pair of power meters.
  @Test(
    "a left and a right power meter add up, but a strap with a side does not",
    arguments: [("cycling_power", 200), ("heart_rate", 120)])
  func pair(plugin: String, watts: Int) throws {
    let test = try TestDaemon()
    let pedals = [("left", "cycling_power", "01"), ("right", plugin, "02")].map { role, plugin, tail in
      #"{"id":"\#(role)-pedal","address":"00:00:00:00:00:\#(tail)","name":"\#(role)","plugins":["\#(plugin)"],"role":"\#(role)"}"#
    }
    let learned = #"{"version":1,"sensors":[\#(pedals.joined(separator: ","))]}"#
    #expect(try ask(test, "import", learned)?["class"] == "reply")
    for _ in 0..<5 {
      if watts == 200 { try say(80, "right-pedal", test) }
      try say(120, "left-pedal", test)
      try test.run(for: .seconds(1))
    }
    let poll = #"{"kinds":["power"],"sensors":["ride"]}"#
    let power = try ask(test, "poll", poll)?["result"]?["records"]?.items?.first
    #expect(power?["power_w"]?.integer == watts && power?["source"] == "left-pedal")
    #expect(power?["pedal_balance_pct"]?.integer == (watts == 200 ? 60 : nil))
    // Without its role it counts as a power meter of its own.
    _ = try ask(test, "set", #"{"sensor":"right-pedal","key":"role"}"#)
    for _ in 0..<5 {
      try say(130, "left-pedal", test)
      try test.run(for: .seconds(1))
    }
    #expect(try ask(test, "poll", poll)?["result"]?["records"]?.items?.first?["power_w"]?.integer == 130)
  }

  @Test("a rider with a threshold power gets power zones and training metrics")
  func zonesOfPower() throws {
    let test = try TestDaemon()
    let meter =
      #"{"id":"left-pedal","address":"00:00:00:00:00:01","name":"left","plugins":["cycling_power"]}"#
    #expect(try ask(test, "import", #"{"version":1,"sensors":[\#(meter)]}"#)?["class"] == "reply")
    #expect(try ask(test, "rider", #"{"threshold_power_w":250,"w_prime_j":20000}"#)?["class"] == "reply")
    let client = try test.connect()
    client.send(#"{"id":1,"method":"subscribe","params":{"kinds":["power_zones","training"]}}"#)
    for _ in 0..<90 {
      try say(200, "left-pedal", test)
      try test.run(for: .seconds(1))
    }
    let samples = try client.all("sample")
    let zones = try #require(samples.last { $0["kind"] == "power_zones" })
    #expect(zones["zone"]?.integer == 3, "80 percent of the threshold")
    #expect(zones["zone_times_s"]?.items?.count == 7)
    let training = try #require(samples.last { $0["kind"] == "training" })
    #expect(training["variability_index"]?.number == 1)
    #expect(training["intensity_factor"]?.number == 0.8)
    #expect(training["w_prime_balance_j"]?.number == 20000)
  }
}
