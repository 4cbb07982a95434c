// Rides from their first sample to the rows of the logbook.

import JSON
import Logbook
import LogbookWire
import Recording
import TestSupport
import Testing

@Suite struct RecorderTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func start(boot: UInt8 = 1, at start: Int64 = 1_000_000) throws -> ScriptedRide {
    try ScriptedRide(in: folder.path, boot: boot, at: start)
  }

  // MARK: Begin and end

  @Test("a ride is recorded from its first sample to its end, with the daemon's last numbers")
  func whole() throws {
    let ride = try start()
    ride.rideOn("r1", from: 0, seconds: 20)
    #expect(try ride.states() == ["r1 recording"] && ride.recorder.recordingID == 1)
    ride.end("r1", 20_123)
    #expect(try ride.states() == ["r1 complete"] && ride.recorder.recordingID == nil)
    #expect(ride.news.contains(.ended(1, isComplete: true)))
    #expect(try ride.number("SELECT count(*) FROM second") == 21)
    let totals = try ride.texts("SELECT totals FROM activity")[0]
    #expect(totals.contains(#""ride_time_s":20.123"#) && totals.contains(#""power_avg_w":201,"#))
  }

  @Test("a recorder that starts late begins where the ride began")
  func late() throws {
    let ride = try start()
    ride.ride("r1", 62_000)
    ride.pass(1000)
    #expect(try ride.texts("SELECT boot_s || ' ' || at_s FROM part") == ["938 0"])
    #expect(try ride.seconds() == [62])
  }

  @Test("a ride that begins right after the end of another closes that one", arguments: [false, true])
  func endThenNew(isNewAtOnce: Bool) throws {
    let ride = try start()
    ride.rideOn("r1", from: 0, seconds: 5)
    ride.ride("r1", 5000, #""ended":true,"paused":false"#)
    if !isNewAtOnce { ride.pass(300) }
    ride.rideOn("r2", from: 0, seconds: 5)
    #expect(try ride.states() == ["r1 complete", "r2 recording"])
    #expect(try ride.texts("SELECT totals FROM activity")[0].contains(#""ride_time_s":5,"#))
  }

  @Test("another ride without an end closes the one before")
  func new() throws {
    let ride = try start()
    ride.rideOn("r1", from: 0, seconds: 5)
    ride.rideOn("r2", from: 0, seconds: 5)
    #expect(try ride.states() == ["r1 complete", "r2 recording"])
  }

  @Test("a ride that goes on after hours is the same activity, and one with another id is another")
  func rideGap() throws {
    let ride = try start()
    ride.rideOn("r1", from: 0, seconds: 5)
    ride.pass(7_200_000)
    ride.rideOn("r1", from: 5000, seconds: 5)
    #expect(try ride.states() == ["r1 recording"])
    #expect(try ride.seconds() == Array(0..<5) + Array(7205..<7210))
    ride.pass(11_000_000)
    ride.rideOn("r2", from: 0, seconds: 2)
    #expect(try ride.states() == ["r1 complete", "r2 recording"])
  }

  @Test("a ride that was taken for ended and goes on is the same activity")
  func reopened() throws {
    let ride = try start()
    ride.rideOn("r1", from: 0, seconds: 5)
    ride.end("r1", 5000)
    ride.pass(10_000)
    ride.rideOn("r1", from: 5000, seconds: 5)
    #expect(try ride.states() == ["r1 recording"] && ride.recorder.recordingID == 1)
  }

  @Test("pauses are events, and laps are rows with the numbers of the lap")
  func pausesAndLaps() throws {
    let ride = try start()
    ride.rideOn("r1", from: 0, seconds: 5)
    ride.rideOn("r1", from: 5000, seconds: 5, lap: 2)
    ride.ride("r1", 10_000, lap: 2, lapMS: 5000, #""paused":true,"pause":"by_hand""#)
    ride.pass(3000)
    ride.ride("r1", 10_000, lap: 2, lapMS: 5000)
    ride.pass(500)
    ride.ride("r1", 10_500, lap: 2, lapMS: 5500, #""ended":true,"paused":false"#)
    ride.pass(1500)
    #expect(
      try ride.texts("SELECT kind FROM event WHERE kind IN ('pause', 'resume') ORDER BY at_ms, n") == [
        "pause", "resume",
      ])
    let laps = try ride.texts("SELECT n || ' ' || start_ms || ' ' || end_ms || ' ' || cause FROM lap ORDER BY n")
    #expect(laps == ["1 0 5000 manual", "2 5000 13500 end"])
    #expect(try ride.texts("SELECT totals FROM lap ORDER BY n")[0].contains(#""lap_time_s":4,"#))
  }

  @Test("a pause by the daemon is automatic, and one by the rider is not")
  func automatic() throws {
    let ride = try start()
    ride.rideOn("r1", from: 0, seconds: 2)
    for reason in ["standing", "by_hand"] {
      ride.ride("r1", 2000, #""paused":true,"pause":"\#(reason)""#)
      ride.pass(1000)
      ride.ride("r1", 2000)
      ride.pass(1000)
    }
    #expect(
      try ride.events("pause") == [#"2000 {"pause":"standing","automatic":true}"#, #"4000 {"pause":"by_hand"}"#])
  }

  @Test("signals are recorded only if that is switched on", arguments: [false, true])
  func signals(isOn: Bool) throws {
    let ride = try ScriptedRide(in: folder.path, settings: RecorderSettings(recordSignals: isOn))
    ride.ride("r1", 0)
    ride.send("strap", "ecg", #""ecg_uv":[1,2,3]"#)
    ride.recorder.finish()
    #expect(try ride.number("SELECT count(*) FROM stream WHERE kind = '\"ecg\"'") == (isOn ? 1 : 0))
  }

  @Test("the charge of a battery that was known before the ride is kept with the facts of its sensor")
  func battery() throws {
    let ride = try start()
    ride.rideOn("r1", from: 0, seconds: 2)
    let sensor: JSONValue = ["id": "pedals", "name": "Pedals", "battery_pct": 87, "facts": ["model": "X"]]
    ride.recorder.record(sensors: ["sensors": [sensor]])
    ride.rideOn("r1", from: 2000, seconds: 2)
    #expect(
      try ride.texts("SELECT facts FROM stream WHERE sensor = '\"pedals\"'") == [#"{"model":"X","battery_pct":87}"#])
    let shown = try ActivityDetails(ride.file.database).show(1).sensors.first { $0.sensor == "pedals" }
    #expect(shown?.batteryPct == 87 && shown?.facts == ["model": "X"])
  }

  // MARK: Restarts

  @Test("the recording goes on after a restart of the recorder, within the second and without doubles")
  func restart() throws {
    do {
      let ride = try start()
      ride.rideOn("r1", from: 0, seconds: 5)
      ride.send("pedals", "power", #""power_w":1"#)
      ride.recorder.finish()
    }
    let ride = try start(at: 1_005_400)
    #expect(ride.recorder.interruptedID == 1 && ride.recorder.recordingID == nil)
    ride.ride("r1", 5400)
    #expect(ride.recorder.interruptedID == nil && ride.recorder.recordingID == 1)
    // The snapshot repeats what is stored.
    ride.send("pedals", "power", #""power_w":1"#, late: 400, isRepeated: true)
    ride.send("pedals", "power", #""power_w":2"#)
    ride.pass(600)
    ride.rideOn("r1", from: 6000, seconds: 4)
    #expect(try ride.states() == ["r1 recording"])
    #expect(try ride.seconds() == Array(0..<10))
    #expect(
      try ride.times(of: "pedals")
        == [300, 1300, 2300, 3300, 4300, 5000, 5400, 6300, 7300, 8300, 9300])
    #expect(try ride.events("restart") == [#"5400 {"from_ms":5000}"#])
  }

  @Test("a crash takes only what was not committed, and the gap is marked until the recording goes on")
  func crash() throws {
    do {
      let ride = try start()
      ride.rideOn("r1", from: 0, seconds: 5)
      ride.send("pedals", "power", #""power_w":1"#)
    }
    let ride = try start(at: 1_007_600)
    // The ride's last sample, from a moment before the recorder was back.
    ride.send(
      "ride", "ride", #""ride_id":"r1","paused":false,"ride_time_s":7,"lap":1,"lap_time_s":7"#, late: 600,
      isRepeated: true)
    ride.pass(400)
    ride.rideOn("r1", from: 8000, seconds: 2)
    #expect(try ride.times(of: "pedals") == [300, 1300, 2300, 3300, 4300, 8300, 9300])
    #expect(try ride.events("restart") == [#"7600 {"from_ms":4300}"#])
  }

  @Test("after a crash another ride interrupts the first one")
  func interrupted() throws {
    do {
      let ride = try start()
      ride.rideOn("r1", from: 0, seconds: 5)
    }
    let ride = try start(at: 2_000_000)
    ride.rideOn("r2", from: 0, seconds: 5)
    #expect(try ride.states() == ["r1 interrupted", "r2 recording"])
    #expect(ride.news.contains(.event(.recordingInterrupted, activity: 1, message: nil)))
  }

  @Test("a restart of the daemon continues the recording, and its numbers begin at 1")
  func daemonRestart() throws {
    let ride = try start()
    ride.rideOn("r1", from: 0, seconds: 5)
    ride.restartDaemon()
    ride.pass(2000)
    ride.rideOn("r1", from: 5000, seconds: 3)
    #expect(try ride.states() == ["r1 recording"])
    #expect(try ride.times(of: "pedals") == [300, 1300, 2300, 3300, 4300, 7300, 8300, 9300])
    #expect(try ride.events("restart").count == 1 && ride.events("hole").isEmpty)
  }

  // MARK: Samples

  @Test("late samples are stored in their own second, and those that are too late are dropped")
  func lateSamples() throws {
    let ride = try start()
    ride.rideOn("r1", from: 0, seconds: 10)
    for late in [1200, 3400, 7000] as [Int64] { ride.send("strap", "heart_rate", #""bpm":140"#, late: late) }
    ride.pass(1000)
    ride.rideOn("r1", from: 11_000, seconds: 2)
    #expect(try ride.times(of: "strap") == [6600, 8800])
    #expect(try ride.seconds() == Array(0..<10) + [11, 12])
  }

  @Test("a sample that claims to be from the future is ignored")
  func future() throws {
    let ride = try start()
    ride.rideOn("r1", from: 0, seconds: 2)
    ride.send("strap", "heart_rate", #""bpm":140"#, late: -6000)
    ride.rideOn("r1", from: 2000, seconds: 2)
    #expect(try ride.times(of: "strap").isEmpty && ride.seconds() == [0, 1, 2, 3])
  }

  @Test("missing numbers are an event of their sensor and kind")
  func holes() throws {
    let ride = try start()
    ride.rideOn("r1", from: 0, seconds: 3)
    ride.send("pedals", "power", #""power_w":1"#, lost: 4)
    ride.recorder.lagged(dropped: 4, now: ride.time)
    ride.pass(1000)
    #expect(try ride.events("hole") == [#"3000 {"sensor":"pedals","kind":"power","lost":4}"#])
    #expect(try ride.events("lag") == [#"3000 {"dropped":4}"#])
  }

  @Test("what is not a sample changes nothing", arguments: ["", "{", #"{"class":"sample"}"#, "[1]", "\u{0}"])
  func nonsense(line: String) throws {
    let ride = try start()
    ride.rideOn("r1", from: 0, seconds: 1)
    ride.recorder.handle(sampleLine: Array(line.utf8).span, now: ride.time)
    ride.rideOn("r1", from: 1000, seconds: 1)
    #expect(try ride.seconds() == [0, 1])
  }

  // MARK: Commits

  @Test("each second is committed at most a second after its first sample")
  func commits() throws {
    let ride = try start()
    ride.ride("r1", 0)
    #expect(try ride.number("SELECT count(*) FROM second") == 0)
    ride.pass(1000)
    #expect(try ride.number("SELECT count(*) FROM second") == 1)
  }

  @Test("whenever samples come, what is a second old is stored", arguments: 0..<4)
  func commitTiming(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let ride = try start()
    let zero = ride.now
    ride.ride("r1", 0)
    /// When the first sample of each second came.
    var arrivals: [Int64: Int64] = [0: ride.now]
    for _ in 0..<150 {
      ride.pass(Int64([1, 40, 250, 900, 2500][random.below(5)]) + Int64(random.below(100)))
      let stored = Set(try ride.seconds())
      for (second, at) in arrivals where at + 1000 <= ride.now {
        #expect(stored.contains(second), "second \(second) of \(at), at \(ride.now)")
      }
      if random.below(3) == 0 { ride.ride("r1", ride.now - zero) } else { ride.send("strap", "hrv", #""rmssd_ms":40"#) }
      let second = (ride.now - zero) / 1000
      arrivals[second] = arrivals[second] ?? ride.now
    }
  }
}
