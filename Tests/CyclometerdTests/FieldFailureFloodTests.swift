// Row 17 of docs/field-failures.md: a crowded start line while a sensor is missing. Adverts that
// match no sensor cost little time and no memory.

import DBus
import EventLoop
import Foundation
import Linux
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(10)), .serialized)
struct FieldFailureFloodTests {
  @Test("2,000 signals per second cost under 20 % CPU and no lasting memory")
  func at2000SignalsPerSecondCostUnder() throws {
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
    let before = try Cost(daemon)
    try flood(for: .seconds(5))
    let after = try Cost(daemon)
    #expect(isSanitized || after.ownKilobytes <= before.ownKilobytes + 64)
    // 10,000 signals at 0.1 ms each, in a debug build.
    #expect(isSanitized || after.processorTime - before.processorTime < .seconds(1))
    #expect(adapter.isScanning)
    #expect(daemon.stop() == 0)
  }

  /// The daemon's use of memory and processor time, from /proc.
  private struct Cost {
    let ownKilobytes: Int
    let processorTime: Duration

    init(_ daemon: RealDaemon, sourceLocation: SourceLocation = #_sourceLocation) throws {
      let status = String(decoding: try Files.read("/proc/\(daemon.number)/status"), as: UTF8.self)
      let line = try #require(
        status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }, sourceLocation: sourceLocation)
      ownKilobytes = try #require(
        line.split(separator: " ").compactMap { Int($0) }.first, sourceLocation: sourceLocation)
      // After the name in parentheses, fields 12 and 13 are ticks of 10 ms.
      let stat = String(decoding: try Files.read("/proc/\(daemon.number)/stat"), as: UTF8.self)
      let numbers = try #require(stat.split(separator: ")").last, sourceLocation: sourceLocation).split(separator: " ")
      let ticks =
        try #require(Int(numbers[11]), sourceLocation: sourceLocation)
        + (try #require(Int(numbers[12]), sourceLocation: sourceLocation))
      processorTime = .milliseconds(10) * ticks
    }
  }
}
