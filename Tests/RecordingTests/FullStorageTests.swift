// A storage that is full at any commit of a ride: the reserve is used, then the last minute waits in
// memory, and when there is room again everything goes on.

import Linux
import Logbook
import LogbookWire
import Recording
import SQLite
import TestSupport
import Testing

@Suite(.enabled(if: SmallDisk.isAvailable, "needs the privilege to mount a file system"))
struct FullStorageTests {
  private let disk: SmallDisk
  private var ride: ScriptedRide
  private static let reserve = "logbook.db.reserve"

  init() throws {
    disk = try SmallDisk(bytes: 12 << 20)
    ride = try ScriptedRide(in: disk.path)
  }

  private var hasReserve: Bool { Files.exists("\(disk.path)/\(Self.reserve)") }

  private func removeReserve() throws { try disk.remove(Self.reserve) }

  /// The next commit needs a block, and there is none.
  private func fill() throws {
    try ride.file.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try disk.fill()
  }

  private func events() -> [LogbookEvent] {
    ride.news.compactMap { if case .event(let event, _, _) = $0 { event } else { nil } }
  }

  private func expectSound() throws {
    #expect(try ride.texts("PRAGMA integrity_check") == ["ok"])
  }

  /// Rides on for whole seconds after the ones before.
  private func rideOn(_ seconds: Range<Int64>) {
    ride.rideOn("r1", from: seconds.lowerBound * 1000, seconds: Int64(seconds.count))
  }

  @Test(
    "full at a commit: the reserve keeps the ride going, and not a second is lost", arguments: 0..<12 as Range<Int64>)
  func reserve(second: Int64) throws {
    rideOn(0..<second)
    try fill()
    rideOn(second..<20)
    #expect(
      !hasReserve && ride.recorder.storage == .low
        && ride.recorder.storageMessage == "the storage is full: the reserve is used")
    #expect(events().contains(.storageLow) && !events().contains(.storageFailed))
    ride.end("r1", 20_000)
    #expect(try ride.seconds() == Array(0...20) && ride.states() == ["r1 complete"])
    try expectSound()
  }

  @Test(
    "full without a reserve: the seconds wait in memory, and are stored when there is room",
    arguments: 0..<12 as Range<Int64>)
  func short(second: Int64) throws {
    try removeReserve()
    rideOn(0..<second)
    try fill()
    rideOn(second..<(second + 20))
    #expect(ride.recorder.storage == .failed && ride.recorder.storageMessage == "the storage is full")
    #expect(events().contains(.storageFailed))
    #expect(try ride.seconds() == Array(0..<second))
    try disk.empty()
    rideOn((second + 20)..<(second + 32))
    #expect(ride.recorder.storage == .low && events().contains(.storageOK))
    ride.end("r1", (second + 32) * 1000)
    #expect(try ride.seconds() == Array(0...(second + 32)))
    #expect(try ride.events("hole").isEmpty && ride.states() == ["r1 complete"])
    try expectSound()
  }

  @Test(
    "full for long: the last minute is kept, and the hole before it is marked", arguments: [0, 7, 58, 65] as [Int64])
  func long(second: Int64) throws {
    try removeReserve()
    rideOn(0..<second)
    try fill()
    rideOn(second..<(second + 200))
    try disk.empty()
    rideOn((second + 200)..<(second + 215))
    ride.end("r1", (second + 215) * 1000)
    let seconds = try ride.seconds()
    #expect(seconds.starts(with: 0..<second))
    #expect(seconds.suffix(75).elementsEqual((second + 141)...(second + 215)))
    let missing = Set(0...(second + 215)).subtracting(seconds)
    let holes = try ride.texts(
      """
      SELECT (data ->> 'from_ms') || ' ' || (data ->> 'to_ms') FROM event
      WHERE kind = 'hole' AND data ->> 'reason' = 'storage'
      """)
    #expect(holes == ["\((missing.min() ?? 0) * 1000) \(((missing.max() ?? 0) + 1) * 1000)"])
    // Every stored second can be read.
    #expect(try ride.times(of: "pedals").count == seconds.count - 1)
    #expect(events().count { $0 == .storageFailed } == 4)
    #expect(events().contains(.hole))
    try expectSound()
  }

  @Test("full at the end of a ride: the ride is complete when there is room, and the next one as well")
  func end() throws {
    try removeReserve()
    rideOn(0..<5)
    try fill()
    ride.end("r1", 5000)
    ride.rideOn("r2", from: 0, seconds: 5)
    #expect(try ride.states() == ["r1 recording"])
    try disk.empty()
    ride.rideOn("r2", from: 5000, seconds: 10)
    #expect(try ride.states() == ["r1 complete", "r2 recording"])
    #expect(try ride.seconds(of: 1) == Array(0...5) && ride.seconds(of: 2) == Array(0..<15))
    try expectSound()
  }

  @Test("a recorder that is stopped while the storage is full loses only what never had room")
  mutating func restart() throws {
    try removeReserve()
    rideOn(0..<5)
    try fill()
    rideOn(5..<8)
    ride.recorder.finish()
    let now = ride.now
    // Closes the file, as the end of the program does.
    let elsewhere = try TemporaryFolder()
    ride = try ScriptedRide(in: elsewhere.path, hasReserve: false)
    try disk.empty()
    let next = try ScriptedRide(in: disk.path, at: now, hasReserve: false)
    next.rideOn("r1", from: 8000, seconds: 3)
    #expect(try next.states() == ["r1 recording"])
    #expect(try next.seconds() == Array(0..<5) + Array(8..<11))
    #expect(try next.events("restart") == [#"8000 {"from_ms":4300}"#])
  }
}
