// The ride in the daemon: what it publishes, when it begins and ends, and what survives a restart.

import EventLoop
import Foundation
import JSON
import Linux
import Metrics
import ProgramKit
import TestSupport
import Testing
import Time

@testable import DaemonCore
@testable import Ride

@Suite struct RideTests {
  @Test("nothing is derived before the bike moves, and then it is derived once per second")
  func derivedOncePerSecond() throws {
    let bike = try RollingBike()
    try bike.pair()
    try bike.roll(seconds: 20, turns: 0)
    #expect(try bike.client.all("sample").contains { $0["kind"] == "speed" })
    #expect(try !bike.client.all("sample").contains { $0["sensor"] == "ride" })
    try bike.roll(seconds: 30, turns: 3)
    let ride = try bike.derived("ride")
    #expect((28...31).contains(ride.count))
    #expect(ride.map { $0["seq"]?.integer } == ride.indices.map { $0 + 1 })
    let speed = try #require(try bike.derived("speed").last)
    #expect(speed["source"]?.text == "wheel-0001")
    // Three revolutions per second, in metres.
    #expect(abs((speed["speed_mps"]?.number ?? 0) - 3 * 2.105) < 0.1)
    #expect(try abs(bike.last("ride", "distance_m") - 30 * 3 * 2.105) < 20)
  }

  @Test("the rider can start laps, pause, resume and start a new ride")
  func actions() throws {
    let bike = try RollingBike()
    try bike.pair()
    try bike.roll(seconds: 20, turns: 3)
    try bike.ride("lap")
    #expect(try bike.last("ride", "lap") == 2)
    try bike.roll(seconds: 10, turns: 3)
    let lapSpeed = try bike.last("lap_averages", "speed_avg_mps")
    #expect(abs(lapSpeed - 3 * 2.105) < 0.7)
    try bike.ride("pause")
    let moved = try bike.last("ride", "moving_time_s")
    try bike.roll(seconds: 10, turns: 3)
    #expect(try bike.last("ride", "moving_time_s") == moved)
    #expect(try bike.derived("ride").last?["paused"] == true)
    try bike.ride("resume")
    try bike.roll(seconds: 10, turns: 3)
    #expect(try bike.derived("ride").last?["paused"] == false)
    #expect(try bike.last("ride", "moving_time_s") > moved + 7)
    try bike.ride("new")
    #expect(try bike.last("ride", "distance_m") == 0)
    #expect(try bike.last("ride", "lap") == 1)
    try bike.ride("fly")
    #expect(try bike.client.all("error").last?["code"] == "bad_request")
  }

  @Test("a request that changes nothing replies changed:false")
  func changesNothing() throws {
    let bike = try RollingBike()
    try bike.pair()
    func changes(_ action: String) throws -> JSONValue? {
      bike.client.send(#"{"id":"\#(action)","method":"ride","params":{"action":"\#(action)"}}"#)
      try bike.test.run(for: .milliseconds(1))
      return try bike.client.all("reply").last { $0["id"]?.text == action }?["result"]?["changed"]
    }
    #expect(try changes("lap") == false)
    try bike.roll(seconds: 20, turns: 3)
    #expect(try changes("lap") == true)
    #expect(try changes("resume") == false)
    #expect(try changes("pause") == true)
    #expect(try changes("pause") == false)
    #expect(try changes("resume") == true)
    #expect(try changes("new") == true)
  }

  private func laps(_ bike: RollingBike) throws -> [JSONValue] {
    bike.client.send(#"{"id":"laps","method":"laps"}"#)
    try bike.test.run(for: .milliseconds(1))
    return try bike.client.all("reply").last { $0["id"]?.text == "laps" }?["result"]?["laps"]?.items ?? []
  }

  @Test("finished laps are kept with their values, also across a restart")
  func finishedLaps() throws {
    let folder = try TemporaryFolder()
    let (told, way) = try {
      let first = try RollingBike(in: folder)
      try first.pair()
      #expect(try laps(first).isEmpty)
      try first.roll(seconds: 30, turns: 3)
      let way = try first.last("lap_averages", "distance_m")
      try first.ride("lap")
      try first.roll(seconds: 20, turns: 2)
      try first.ride("lap")
      let told = try laps(first)
      first.test.daemon.stop()
      return (told, way)
    }()
    #expect(told.map { $0["lap"] } == [1, 2])
    #expect(abs((told.first?["distance_m"]?.number ?? 0) - way) < 8)
    #expect(abs((told.last?["speed_avg_mps"]?.number ?? 0) - 2 * 2.105) < 0.5)
    #expect((18...22).contains(told.last?["lap_time_s"]?.number ?? 0))
    #expect(told.last?["power_avg_w"] == nil)
    let second = try RollingBike(in: folder)
    #expect(try laps(second) == told)
    try second.ride("new")
    #expect(try laps(second).isEmpty)
  }

  @Test("only the latest 50 laps are kept, and a file without laps is accepted")
  func manyLaps() throws {
    let folder = try TemporaryFolder()
    try {
      let first = try RollingBike(in: folder)
      try first.pair()
      try first.roll(seconds: 10, turns: 3)
      for _ in 0..<60 { try first.ride("lap") }
      #expect(try laps(first).map { $0["lap"]?.integer } == Array(11...60))
      first.test.daemon.stop()
    }()
    let path = folder.file("ride.json")
    let saved = try JSONValue.parse(Array(String(contentsOfFile: path, encoding: .utf8).utf8))
    let old = JSONValue.object((saved.members ?? []).filter { $0.name != "laps" })
    try Files.replace(path, with: Array(old.encoded.utf8), mode: 0o600)
    let second = try RollingBike(in: folder)
    #expect(try laps(second).isEmpty)
    try second.ride("lap")
    #expect(try laps(second).map { $0["lap"] } == [61])
  }

  /// A bike that was ridden `way` metres and stands after a restart of its daemon.
  private func startedAnew() throws -> (bike: RollingBike, way: Double) {
    let folder = try TemporaryFolder()
    let way = try {
      let first = try RollingBike(in: folder)
      try first.pair()
      try first.roll(seconds: 60, turns: 3)
      first.test.daemon.stop()
      return try first.last("ride", "distance_m")
    }()
    let second = try RollingBike(in: folder)
    try second.test.run(for: .milliseconds(10))
    second.test.radio.advertise(name: "Wheel")
    try second.test.run(for: .milliseconds(200))
    try second.roll(seconds: 3, turns: 0)
    return (second, way)
  }

  @Test("a ride continues after the daemon restarts")
  func restart() throws {
    let (second, way) = try startedAnew()
    let kept = try second.last("ride", "distance_m")
    #expect(kept >= way && kept < way + 20)
    try second.roll(seconds: 10, turns: 3)
    #expect(try second.last("ride", "distance_m") > way + 40)
  }

  /// A killed daemon cannot save its state at the end.
  @Test("a power loss costs less than a minute of a ride")
  func powerLoss() throws {
    let folder = try TemporaryFolder()
    let bike = try RollingBike(in: folder)
    try bike.pair()
    try bike.roll(seconds: 100, turns: 3)
    let saved = try JSONValue.parse(Array(String(contentsOfFile: folder.file("ride.json"), encoding: .utf8).utf8))
    let way = try #require(saved["ride"]?["distance_m"]?.number)
    #expect(way > 60 * 3 * 2)
    let told = try bike.last("ride", "distance_m")
    #expect(way <= told)
  }

  @Test("a forgotten pause ends with its ride")
  func forgottenPause() throws {
    let bike = try RollingBike()
    try bike.ride("lap")
    try bike.pair()
    try bike.roll(seconds: 20, turns: 3)
    let lap = try bike.last("ride", "lap")
    #expect(lap == 1, "before a ride there are no laps")
    try bike.ride("pause")
    try bike.roll(seconds: 10, turns: 0)
    try bike.stand(hours: 4)
    try bike.roll(seconds: 20, turns: 3)
    let ride = try bike.derived("ride").last
    #expect(ride?["paused"] == false)
    let way = try bike.last("ride", "distance_m")
    #expect(way > 60 && way < 140)
  }

  /// A sensor that sends values in the morning saves yesterday's ride again, from before this boot.
  @Test("a moment before the boot stays correct over several restarts")
  func beforeBoot() throws {
    let now = MonotonicTime(nanoseconds: 30_000_000_000)
    var moved = MonotonicTime(nanoseconds: -9 * 3600 * 1_000_000_000)
    for _ in 1...3 {
      var writer = JSONWriter()
      Clock.Moment(moved, now: now).write(into: &writer)
      let moment = Clock.Moment(try JSONValue.parse(writer.bytes))
      moved = try #require(moment).asOfThisBoot(now)
    }
    #expect(abs((now - moved).wholeNanoseconds / 1_000_000_000 - 9 * 3600 - 30) <= 1)
  }

  /// A computer without a clock battery starts with the time of its last shutdown.
  @Test("setting the clock after the start ends yesterday's ride")
  func clockSet() throws {
    let (second, way) = try startedAnew()
    #expect(try second.last("ride", "distance_m") >= way)
    let set = WallTime.now - .seconds(-20 * 3600)
    second.test.daemon.ride.calendar = { set }
    try second.roll(seconds: 20, turns: 3)
    #expect(try second.last("ride", "distance_m") < way)
  }

  @Test("a new ride begins after hours without movement")
  func newRide() throws {
    let bike = try RollingBike()
    try bike.pair()
    try bike.roll(seconds: 60, turns: 3)
    try bike.roll(seconds: 10, turns: 0)
    let way = try bike.last("ride", "distance_m")
    let told = try bike.derived("ride").count
    try bike.stand(hours: 4)
    #expect(try bike.last("ride", "distance_m") == way)
    try bike.roll(seconds: 20, turns: 3)
    let next = try bike.last("ride", "distance_m")
    #expect(next < way / 2)
    #expect(try bike.derived("ride").count > told)
  }

  @Test("a ride saved by an earlier release is read without the missing members")
  func earlierRelease() throws {
    var ride = SavedRide()
    (ride.lap, ride.lapLead, ride.totals.distance) = (3, 12.5, 2_012.5)
    (ride.efforts.best5s, ride.training.heartRateLoad, ride.training.carsPassed) = (812, 40, 7)
    ride.clock.isBegunByHand = true
    var writer = JSONWriter()
    writer.beginObject()
    ride.writeMembers(into: &writer)
    writer.endObject()
    let saved = try JSONValue.parse(writer.bytes)
    #expect(SavedRide(saved) == ride)
    let earlier = saved.without(["lap_lead_m", "efforts", "training", "laps", "begun_by_hand"])
    ride.lapLead = 0
    (ride.efforts, ride.training) = (SavedRide.Efforts(), SavedRide.Training())
    ride.clock.isBegunByHand = false
    #expect(SavedRide(earlier) == ride)
  }

  @Test(
    "an unusable ride.json is set aside, and a new ride begins",
    arguments: ["", "{}", "nonsense", #"{"version":1}"#, #"{"version":9,"lap":1}"#])
  func damagedFile(content: String) throws {
    let folder = try TemporaryFolder()
    try content.write(toFile: folder.file("ride.json"), atomically: false, encoding: .utf8)
    let bike = try RollingBike(in: folder)
    #expect(try String(contentsOfFile: folder.file("ride.json.damaged-1"), encoding: .utf8) == content)
    #expect(bike.test.logged.lines.contains { $0.contains("ride.json") && $0.contains("a new ride begins") })
    try bike.pair()
    try bike.roll(seconds: 10, turns: 3)
    #expect(try bike.last("ride", "distance_m") > 0)
  }

  /// The ride publishes while a source is live, and until everything derived from it is published.
  @Test("the ride stops publishing when no source is live")
  func ticking() throws {
    let bike = try RollingBike()
    try bike.pair()
    try bike.roll(seconds: 30, turns: 3)
    bike.test.radio.link?.lose()
    try bike.test.run(for: .seconds(300))
    let told = try bike.derived("ride").count
    try bike.test.run(for: .seconds(600))
    #expect(try bike.derived("ride").count == told)
  }
}

extension JSONValue {
  /// Removes the members at every level.
  fileprivate func without(_ names: Set<String>) -> JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(
      members.filter { !names.contains($0.name) }.map { Member($0.name, $0.value.without(names)) })
  }
}
