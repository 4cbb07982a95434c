// Row 17 of docs/field-failures.md: a crowded start line while a sensor is missing. Adverts that
// match no sensor cost little time and no memory.

import DBus
import EventLoop
import Foundation
import Linux
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(30)), .serialized)
struct FieldFailureFloodTests {
  @Test("2,000 signals per second cost little more than the bus needs to deliver them, and no lasting memory")
  func costOf2000SignalsPerSecond() throws {
    let (loop, bus, folder) = (try EventLoop(), try PrivateBus(), try TemporaryFolder())
    let fake = FakeBlueZ(loop: loop) { Bus(loop: loop, address: bus.address) }
    fake.start()
    let adapter = fake.addAdapter()
    try Files.createDirectory(folder.file("state"), mode: 0o700)
    let roster = #"{"version":1,"sensors":[{"id":"lost-1","address":"C0:00:00:00:00:01","name":"Lost","plugins":[]}]}"#
    try Files.replace(folder.file("state/roster.json"), with: Array(roster.utf8), mode: 0o600)
    let daemon = try RealDaemon([], in: folder, environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address.description])
    #expect(try loop.run(until: .now + .seconds(20)) { adapter.isScanning })

    func flood(for span: Duration) throws {
      adapter.flood(signalsPerSecond: 2000, for: span)
      _ = try loop.run(until: loop.now + span + .seconds(1)) { false }
    }
    try flood(for: .seconds(1))
    let busNumber = try #require(bus.daemon)
    let (before, busBefore) = (try Cost(daemon.number), try Cost(busNumber))
    try flood(for: .seconds(5))
    let (after, busAfter) = (try Cost(daemon.number), try Cost(busNumber))
    #expect(isSanitized || after.ownKilobytes <= before.ownKilobytes + 64)
    // Measured in a debug build: 2.3 times the processor time of the bus, on a slow and on a fast
    // machine.
    #expect(isSanitized || after.ticks - before.ticks <= 5 * (busAfter.ticks - busBefore.ticks))
    #expect(adapter.isScanning)
    #expect(daemon.stop() == 0)
  }

  /// A process's use of memory and processor time, from /proc.
  private struct Cost {
    let ownKilobytes: Int
    /// Of processor time, 10 ms each.
    let ticks: Int

    init(_ process: pid_t, sourceLocation: SourceLocation = #_sourceLocation) throws {
      let status = String(decoding: try Files.read("/proc/\(process)/status"), as: UTF8.self)
      let line = try #require(
        status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }, sourceLocation: sourceLocation)
      ownKilobytes = try #require(
        line.split(separator: " ").compactMap { Int($0) }.first, sourceLocation: sourceLocation)
      // After the name in parentheses, fields 12 and 13 are the ticks in user mode and in the kernel.
      let stat = String(decoding: try Files.read("/proc/\(process)/stat"), as: UTF8.self)
      let numbers = try #require(stat.split(separator: ")").last, sourceLocation: sourceLocation).split(separator: " ")
      ticks =
        try #require(Int(numbers[11]), sourceLocation: sourceLocation)
        + (try #require(Int(numbers[12]), sourceLocation: sourceLocation))
    }
  }
}
