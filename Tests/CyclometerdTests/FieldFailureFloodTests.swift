// Row 17 of docs/field-failures.md: a crowded start line, which the daemon hears because a sensor is missing. What concerns nobody
// costs little time and no memory.

import DBus
import EventLoop
import Foundation
import Linux
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)), .serialized)
struct FieldFailureFloodTests {
  @Test func twoThousandSignalsASecondCostLittleAndKeepNothing() throws {
    let (loop, bus, folder) = (try EventLoop(), try PrivateBus(), try TemporaryFolder())
    let fake = FakeBlueZ(loop: loop) { Bus(loop: loop, address: bus.address) }
    fake.start()
    let adapter = fake.addAdapter()
    try Files.makeFolder(folder.file("state"), mode: 0o700)
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
    // 10,000 signals: a tenth of a millisecond for each, where nothing is optimised.
    #expect(isSanitized || after.processorTime - before.processorTime < .seconds(1))
    #expect(adapter.isScanning)
    #expect(daemon.stop() == 0)
  }

  /// What the kernel says that the daemon has used.
  private struct Cost {
    let ownKilobytes: Int
    let processorTime: Duration

    init(_ daemon: RealDaemon) throws {
      let status = String(decoding: try Files.read("/proc/\(daemon.number)/status"), as: UTF8.self)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
      ownKilobytes = try #require(line.split(separator: " ").compactMap { Int($0) }.first)
      // Behind the name in brackets, the 12th and 13th number are ticks of 10 ms.
      let stat = String(decoding: try Files.read("/proc/\(daemon.number)/stat"), as: UTF8.self)
      let numbers = try #require(stat.split(separator: ")").last).split(separator: " ")
      let ticks = try #require(Int(numbers[11])) + (try #require(Int(numbers[12])))
      processorTime = .milliseconds(10) * ticks
    }
  }
}
