// The ride in the daemon: what it publishes, when it begins and ends, and what survives a restart.

import EventLoop
import Foundation
import Linux
import Metrics
import SensorKit
import TestSupport
import Testing
import Wire

@testable import DaemonCore

@Suite struct RideTests {
  /// A bike with a wheel sensor.
  private final class Bike {
    let test: TestDaemon
    let client: TestClient
    private var turns: UInt32 = 0
    private var ticks: UInt16 = 0

    init(in folder: TemporaryFolder? = nil) throws {
      test = try TestDaemon(in: folder)
      test.radio.offers = [.wheel]
      client = try test.connect()
      client.send(#"{"id":1,"method":"subscribe"}"#)
    }

    func pair() throws {
      client.send(#"{"id":2,"method":"pair","params":{"address":"\#(DeviceAddress.strap)"}}"#)
      try test.run(for: .milliseconds(10))
      test.radio.hear(name: "Wheel")
      try test.run(for: .milliseconds(200))
      try roll(seconds: 2, turns: 0)
      client.send(
        #"{"id":3,"method":"set","params":{"sensor":"wheel-0001","key":"circumference_mm","value":2105}}"#)
    }

    /// Rides with `perSecond` revolutions per second.
    func roll(seconds: Int, turns perSecond: UInt32) throws {
      for _ in 0..<seconds {
        turns &+= perSecond
        ticks &+= 1024
        let bytes: [UInt8] =
          [1] + (0..<4).map { UInt8(truncatingIfNeeded: turns >> ($0 * 8)) }
          + [UInt8(truncatingIfNeeded: ticks), UInt8(truncatingIfNeeded: ticks >> 8)]
        test.radio.link?.notify(bytes, from: .wheel)
        try test.run(for: .seconds(1))
        try client.receive()
      }
    }

    /// The bike stands, and its sensor reports that once a minute.
    func stand(hours: Int) throws {
      for _ in 0..<(hours * 60) {
        try test.run(for: .seconds(59))
        try roll(seconds: 1, turns: 0)
      }
    }

    func ride(_ action: String) throws {
      client.send(#"{"id":"\#(action)","method":"ride","params":{"action":"\#(action)"}}"#)
      try test.run(for: .milliseconds(1))
    }

    func derived(_ kind: String) throws -> [JSON] {
      try client.all("sample").filter { $0["sensor"] == "ride" && $0["kind"]?.text == kind }
    }

    func last(_ kind: String, _ field: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Double {
      let number = try derived(kind).last?[field]?.number
      return try #require(number, sourceLocation: sourceLocation)
    }
  }

  @Test(
    "ride end closes the ride: its last sample says so, also in a snapshot, and nothing counts until the bike has stood"
  )
  func rideEnd() throws {
    let bike = try Bike()
    try bike.pair()
    try bike.roll(seconds: 20, turns: 4)
    bike.client.send(#"{"id":7,"method":"ride","params":{"action":"end"}}"#)
    try bike.test.run(for: .milliseconds(10))
    #expect(try bike.client.reply(7)?["result"] == ["changed": true])
    let rides = try bike.client.all("sample").filter { $0["kind"] == "ride" }
    let last = try #require(rides.last)
    #expect(last["ended"] == true && last["ride_id"] == rides.first?["ride_id"] && last["sport"] == "cycling")
    try bike.roll(seconds: 10, turns: 4)
    #expect(try bike.client.all("sample").filter { $0["kind"] == "ride" }.count == rides.count)
    let late = try bike.test.connect("metrics.sock")
    late.send(#"{"id":1,"method":"subscribe","params":{"kinds":["ride"]}}"#)
    try bike.test.run(for: .milliseconds(10))
    #expect(try late.all("sample").last?["ended"] == true)
    #expect(try late.all("snapshot_ended").count == 1)
    try bike.roll(seconds: 10, turns: 0)
    try bike.roll(seconds: 5, turns: 4)
    let next = try #require(try bike.client.all("sample").last { $0["kind"] == "ride" })
    #expect(next["ended"] == nil && next["ride_id"] != last["ride_id"])
  }

  @Test("ride new takes a sport, and refuses others and other actions with one")
  func sports() throws {
    let bike = try Bike()
    try bike.pair()
    for (id, params) in [
      (7, #"{"action":"new","sport":"rowing"}"#), (8, #"{"action":"new","sport":"chess"}"#),
      (9, #"{"action":"lap","sport":"rowing"}"#),
    ] { bike.client.send(#"{"id":\#(id),"method":"ride","params":\#(params)}"#) }
    try bike.roll(seconds: 3, turns: 4)
    #expect(try bike.client.reply(7)?["result"] == ["changed": true])
    #expect(try bike.client.reply(8)?["code"] == "bad_request" && bike.client.reply(9)?["code"] == "bad_request")
    #expect(try bike.client.all("sample").last { $0["kind"] == "ride" }?["sport"] == "rowing")
  }

  @Test(
    "a snapshot has the state of every sensor before the samples, so that a lost sensor is not taken for a live one")
  func snapshotStates() throws {
    let bike = try Bike()
    try bike.pair()
    try bike.roll(seconds: 3, turns: 4)
    bike.test.radio.accepts = false
    bike.test.radio.link?.lose()
    try bike.test.run(for: .seconds(1))
    let late = try bike.test.connect("metrics.sock")
    late.send(#"{"id":1,"method":"subscribe","params":{"kinds":["speed"]}}"#)
    try bike.test.run(for: .milliseconds(10))
    let state = try #require(try late.all("state").first)
    #expect(state["sensor"] == "wheel-0001" && state["state"] != "streaming")
    #expect(try !late.all("sample").isEmpty)
  }

  @Test func nothingIsDerivedBeforeTheBikeMovesAndThenOnceASecond() throws {
    let bike = try Bike()
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
    let bike = try Bike()
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
    let bike = try Bike()
    try bike.pair()
    func changes(_ action: String) throws -> JSON? {
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

  private func laps(_ bike: Bike) throws -> [JSON] {
    bike.client.send(#"{"id":"laps","method":"laps"}"#)
    try bike.test.run(for: .milliseconds(1))
    return try bike.client.all("reply").last { $0["id"]?.text == "laps" }?["result"]?["laps"]?.items ?? []
  }

  @Test("finished laps are kept with their values, also across a restart")
  func finishedLaps() throws {
    let folder = try TemporaryFolder()
    let (told, way) = try {
      let first = try Bike(in: folder)
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
    let second = try Bike(in: folder)
    #expect(try laps(second) == told)
    try second.ride("new")
    #expect(try laps(second).isEmpty)
  }

  @Test("only the latest 50 laps are kept, and a file without laps is accepted")
  func manyLaps() throws {
    let folder = try TemporaryFolder()
    try {
      let first = try Bike(in: folder)
      try first.pair()
      try first.roll(seconds: 10, turns: 3)
      for _ in 0..<60 { try first.ride("lap") }
      #expect(try laps(first).map { $0["lap"]?.integer } == Array(11...60))
      first.test.daemon.stop()
    }()
    let path = folder.file("ride.json")
    let saved = try JSON.parse(Array(String(contentsOfFile: path, encoding: .utf8).utf8))
    let old = JSON.object((saved.members ?? []).filter { $0.name != "laps" })
    try Files.replace(path, with: Array(old.encoded.utf8), mode: 0o600)
    let second = try Bike(in: folder)
    #expect(try laps(second).isEmpty)
    try second.ride("lap")
    #expect(try laps(second).map { $0["lap"] } == [61])
  }

  /// A bike that was ridden `way` metres and stands after a restart of its daemon.
  private func startedAnew() throws -> (bike: Bike, way: Double) {
    let folder = try TemporaryFolder()
    let way = try {
      let first = try Bike(in: folder)
      try first.pair()
      try first.roll(seconds: 60, turns: 3)
      first.test.daemon.stop()
      return try first.last("ride", "distance_m")
    }()
    let second = try Bike(in: folder)
    try second.test.run(for: .milliseconds(10))
    second.test.radio.hear(name: "Wheel")
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
    let bike = try Bike(in: folder)
    try bike.pair()
    try bike.roll(seconds: 100, turns: 3)
    let saved = try JSON.parse(Array(String(contentsOfFile: folder.file("ride.json"), encoding: .utf8).utf8))
    let way = try #require(saved["ride"]?["distance_m"]?.number)
    #expect(way > 60 * 3 * 2)
    let told = try bike.last("ride", "distance_m")
    #expect(way <= told)
  }

  @Test("a forgotten pause ends with its ride")
  func forgottenPause() throws {
    let bike = try Bike()
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
    let now = BootTime(nanoseconds: 30_000_000_000)
    var moved = BootTime(nanoseconds: -9 * 3600 * 1_000_000_000)
    for _ in 1...3 {
      var writer = JSONWriter()
      Clock.Moment(moved, now: now).write(into: &writer)
      let moment = Clock.Moment(try JSON.parse(writer.bytes))
      moved = try #require(moment).asOfThisBoot(now)
    }
    #expect(abs((now - moved).wholeNanoseconds / 1_000_000_000 - 9 * 3600 - 30) <= 1)
  }

  /// A computer without a clock battery starts with the time of its last shutdown.
  @Test("setting the clock after the start ends yesterday's ride")
  func clockSet() throws {
    let (second, way) = try startedAnew()
    #expect(try second.last("ride", "distance_m") >= way)
    let set = Linux.WallTime(nanoseconds: Linux.WallTime.now.nanoseconds + 20 * 3600 * 1_000_000_000)
    second.test.daemon.ride.calendar = { set }
    try second.roll(seconds: 20, turns: 3)
    #expect(try second.last("ride", "distance_m") < way)
  }

  @Test("a new ride begins after hours without movement")
  func newRide() throws {
    let bike = try Bike()
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
    let saved = try JSON.parse(writer.bytes)
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
    let bike = try Bike(in: folder)
    #expect(try String(contentsOfFile: folder.file("ride.json.damaged-1"), encoding: .utf8) == content)
    #expect(bike.test.logged.lines.contains { $0.contains("ride.json") && $0.contains("a new ride begins") })
    try bike.pair()
    try bike.roll(seconds: 10, turns: 3)
    #expect(try bike.last("ride", "distance_m") > 0)
  }

  /// The ride publishes while a source is live, and until everything derived from it is published.
  @Test("the ride stops publishing when no source is live")
  func ticking() throws {
    let bike = try Bike()
    try bike.pair()
    try bike.roll(seconds: 30, turns: 3)
    bike.test.radio.link?.lose()
    try bike.test.run(for: .seconds(300))
    let told = try bike.derived("ride").count
    try bike.test.run(for: .seconds(600))
    #expect(try bike.derived("ride").count == told)
  }
}

extension JSON {
  /// Removes the members at every level.
  fileprivate func without(_ names: Set<String>) -> JSON {
    guard case .object(let members) = self else { return self }
    return .object(
      members.filter { !names.contains($0.name) }.map { Member($0.name, $0.value.without(names)) })
  }
}
