// The date of a recording: the clock may be set before it, within it, after it, or never.

import Logbook
import Recording
import TestSupport
import Testing

@Suite struct ClockTests {
  private let folder: TemporaryFolder
  /// UTC minus boot time: 2026-05-03T07:30:00Z at boot.
  private static let offset: Int64 = 1_777_793_400_000

  init() throws { folder = try TemporaryFolder() }

  private func start(boot: UInt8 = 1, at start: Int64 = 1_000_000) throws -> ScriptedRide {
    try ScriptedRide(in: folder.path, boot: boot, at: start)
  }

  private func dates(_ ride: ScriptedRide) throws -> [String] {
    try ride.texts(
      "SELECT coalesce(start_utc_ms - \(Self.offset), 'unknown') || ' ' || coalesce(utc_source, '') FROM activity")
  }

  @Test("a ride that begins before the clock is set is dated when it is, and its seconds stay where they are")
  func setWithin() throws {
    let ride = try start()
    ride.rideOn("r1", from: 0, seconds: 5)
    #expect(try dates(ride) == ["unknown "])
    ride.utcOffsetMS = Self.offset
    ride.rideOn("r1", from: 5000, seconds: 5)
    #expect(try dates(ride) == ["1000000 rtc"])
    #expect(try ride.seconds() == Array(0..<10))
    #expect(try ride.times(of: "pedals") == (0..<10).map { $0 * 1000 + 300 })
    #expect(ride.news.contains(.changed(1)))
    #expect(try ride.number("SELECT utc_offset_s FROM activity") == 7200)
  }

  @Test("a ride that ended before the clock is set is dated as soon as it is")
  func setAfterwards() throws {
    let ride = try start()
    ride.rideOn("r1", from: 0, seconds: 5)
    ride.end("r1", 5000)
    ride.pass(60_000)
    ride.utcOffsetMS = Self.offset
    // Between rides the daemon sends what the sensors measure.
    ride.send("strap", "heart_rate", #""bpm":100"#)
    ride.pass(1000)
    #expect(try ride.states() == ["r1 complete"])
    #expect(try dates(ride) == ["1000000 rtc"])
  }

  @Test("a clock that steps within a ride makes no jump, and the better source dates the ride")
  func step() throws {
    let ride = try start()
    ride.utcOffsetMS = Self.offset - 3_600_000
    ride.rideOn("r1", from: 0, seconds: 5)
    #expect(try dates(ride) == ["\(1_000_000 - 3_600_000) rtc"])
    ride.synchronize()
    ride.utcOffsetMS = Self.offset
    ride.rideOn("r1", from: 5000, seconds: 5)
    #expect(try dates(ride) == ["1000000 ntp"])
    #expect(try ride.seconds() == Array(0..<10))
    #expect(try ride.events("clock") == [#"5000 {"moved_ms":3600000}"#])
  }

  @Test("a clock that drifts by less than a fifth of a second did not step")
  func drift() throws {
    let ride = try start()
    ride.utcOffsetMS = Self.offset
    for second in 0..<10 {
      ride.rideOn("r1", from: Int64(second) * 1000, seconds: 1)
      ride.utcOffsetMS = Self.offset + Int64(second % 3) * 90
    }
    #expect(try ride.number("SELECT count(*) FROM clock") == 1)
    #expect(try dates(ride) == ["1000000 rtc"])
  }

  @Test("a later boot does not date the rides of an earlier one")
  func otherBoot() throws {
    do {
      let ride = try start()
      ride.rideOn("r1", from: 0, seconds: 5)
      ride.end("r1", 5000)
    }
    let ride = try start(boot: 2, at: 50_000)
    ride.utcOffsetMS = Self.offset
    ride.rideOn("r2", from: 0, seconds: 5)
    #expect(try dates(ride) == ["unknown ", "50000 rtc"])
  }

  @Test("after a reboot within a ride without a known time, the second part follows the first")
  func rebootWithoutTime() throws {
    do {
      let ride = try start()
      ride.rideOn("r1", from: 0, seconds: 5)
    }
    let ride = try start(boot: 2, at: 30_000)
    ride.rideOn("r1", from: 5000, seconds: 5)
    ride.recorder.finish()
    #expect(try ride.texts("SELECT n || ' ' || boot_s || ' ' || at_s FROM part ORDER BY n") == ["1 1000 0", "2 30 6"])
    #expect(try ride.states() == ["r1 recording"])
  }

  @Test("after a reboot within a ride with a known time, the second part is where it was")
  func rebootWithTime() throws {
    do {
      let ride = try start()
      ride.utcOffsetMS = Self.offset
      ride.rideOn("r1", from: 0, seconds: 5)
    }
    let ride = try start(boot: 2, at: 30_000)
    // 65 seconds after the ride began.
    ride.utcOffsetMS = Self.offset + 1_000_000 + 65_000 - 30_000
    ride.rideOn("r1", from: 5000, seconds: 5)
    ride.end("r1", 10_000)
    #expect(try ride.texts("SELECT n || ' ' || boot_s || ' ' || at_s FROM part ORDER BY n") == ["1 1000 0", "2 30 65"])
    #expect(try ride.states() == ["r1 complete"])
    #expect(try ride.seconds() == Array(0..<5) + Array(65...70))
    #expect(try dates(ride) == ["1000000 rtc"])
  }
}
