// Clients that read slowly. Every record still reaches every subscriber once and in order, and lost
// samples are counted.

import EventLoop
import JSON
import Linux
import Radio
import TestSupport
import Testing
import Wire

@testable import DaemonCore
@testable import Serving

@Suite struct FullQueueTests {
  private static let subscription = #"{"id":1,"method":"subscribe","params":{"kinds":["heart_rate"],"snapshot":false}}"#

  /// Publishes more than a socket and a queue hold. Only `reading` reads meanwhile.
  private func flood(_ daemon: TestDaemon, reading: TestClient, _ count: Int = 3000) throws {
    for _ in 1...count {
      daemon.radio.link?.notify([0x00, 0x48])
      try daemon.run(for: .milliseconds(1))
      try reading.receive()
    }
  }

  /// Every sample is new, and every gap between two of them matches a reported loss.
  private func expectNothingUnsaid(
    _ records: [JSONValue], from first: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var last = first
    var said = 0
    for record in records {
      if record["class"] == "lag" { said += record["dropped"]?.integer ?? 0 }
      guard record["class"] == "sample", let number = record["seq"]?.integer else { continue }
      if let last {
        #expect(number == last + said + 1, sourceLocation: sourceLocation)
        said = 0
      }
      last = number
    }
  }

  private func makeLate() throws -> (TestDaemon, reading: TestClient, late: TestClient) {
    let daemon = try TestDaemon()
    let reading = try daemon.pairStrap()
    let late = try daemon.connect("metrics.sock")
    late.send(Self.subscription)
    try daemon.run(for: .milliseconds(10))
    try flood(daemon, reading: reading)
    return (daemon, reading, late)
  }

  @Test("records published while a slow client catches up arrive once")
  func catchesUp() throws {
    let (daemon, _, late) = try makeLate()
    for _ in 1...20 {
      try late.receive()
      daemon.radio.link?.notify([0x00, 0x49])
      try daemon.run(for: .milliseconds(1))
    }
    try late.receive()
    #expect(late.records.contains { $0["class"] == "lag" })
    #expect(late.records.last?["bpm"] == 73)
    expectNothingUnsaid(late.records)
  }

  @Test("changes by a slow client reach every other subscriber")
  func deferredReplies() throws {
    let daemon = try TestDaemon()
    let reading = try daemon.pairStrap()
    let asking = try daemon.connect()
    asking.send(#"{"id":1,"method":"subscribe","params":{"max_hz":1}}"#)
    let asked = Array(repeating: #"{"id":2,"method":"status"}"#, count: 800)
    let changed = (1...60).map {
      #"{"id":3,"method":"set","params":{"sensor":"polar-h10-0001","key":"priority","value":\#($0)}}"#
    }
    asking.send((asked + changed).joined(separator: "\n"))
    for _ in 1...3000 {
      // Within a loop iteration: the daemon notices free space when it delivers to this client.
      daemon.loop.schedule(after: .milliseconds(1)) {
        _ = try? asking.receive(bytes: 4096)
        daemon.radio.link?.notify([0x00, 0x48])
      }
      try daemon.run(for: .milliseconds(1))
      try reading.receive()
    }
    #expect(asking.records.count { $0["id"] == 3 && $0["class"] == "reply" } == 60)
    let changes = reading.records.filter { $0["class"] == "sensor" && $0["change"] == "changed" }
    #expect(changes.compactMap { $0["sensor"]?["settings"]?["priority"]?.integer } == Array(1...60))
  }

  @Test("a client is dropped a minute after it last read something")
  func oneMinute() throws {
    let (daemon, reading, late) = try makeLate()
    try daemon.run(for: .seconds(50))
    try late.receive()
    try flood(daemon, reading: reading)
    #expect(daemon.daemon.server?.clientCount == 2)
    try daemon.run(for: .seconds(55))
    #expect(daemon.daemon.server?.clientCount == 2)
    try daemon.run(for: .seconds(6))
    #expect(daemon.daemon.server?.clientCount == 1)
  }

  /// Records other than samples are never dropped, so the queue needs a limit.
  @Test("a client with a megabyte unread is dropped, and others lose nothing")
  func fullQueue() throws {
    let daemon = try TestDaemon()
    let reading = try daemon.pairStrap()
    let stopped = try daemon.connect("metrics.sock")
    stopped.send(Self.subscription)
    try daemon.run(for: .milliseconds(10))
    let adapter = RadioAdapter(
      name: String(repeating: "a", count: 1000), address: "00:11:22:33:44:55", state: .on)
    var told = 0
    while daemon.daemon.server?.clientCount == 2, told < 3000 {
      told += 1
      daemon.radio.delegate?.radioChanged(adapter)
      try daemon.run(for: .milliseconds(1))
      try reading.receive()
    }
    #expect(daemon.daemon.server?.clientCount == 1)
    #expect(told * 1100 > OutputQueue.ceiling, "not before it left so much")
    #expect(reading.records.count { $0["class"] == "adapter" } == told)
  }

  @Test("a client that sends too long a line gets all earlier replies and the reason", arguments: [600, 1000, 1500])
  func lineTooLong(requests: Int) throws {
    let daemon = try TestDaemon()
    let client = try daemon.connect()
    let burst = (1...requests).map { #"{"id":\#($0),"method":"status"}"# }
    client.send((burst + [String(repeating: "x", count: 70_000)]).joined(separator: "\n"))
    for _ in 1...500 {
      try daemon.run(for: .milliseconds(1))
      try client.receive(bytes: 2000)
    }
    #expect(client.records.dropFirst().dropLast().compactMap { $0["id"]?.integer } == Array(1...requests))
    #expect(client.records.last?["code"] == "line_too_long")
    #expect(client.unfinished.isEmpty)
    try daemon.run(for: .seconds(2))
    #expect(daemon.daemon.server?.clientCount == 0)
  }

  @Test("one line has room for a full roster")
  func fullRoster() throws {
    let folder = try TemporaryFolder()
    let name = String(repeating: "ü", count: 80)
    let entries = (1...Roster.capacity).map { number in
      let address = "00:00:00:00:00:" + (number < 16 ? "0" : "") + String(number, radix: 16)
      return """
        {"id":"sensor-with-a-name-that-is-as-long-as-they-get-\(number)","address":"\(address)","name":"\(name)",\
        "plugins":["cycling_power","cycling_speed_cadence","fitness_machine","battery","device_information"],\
        "role":"front","circumference_mm":2105.123,"wheel_size":"measured","priority":-100,\
        "target_pressure_pa":800000,"lowest_pressure_pa":750000,"highest_pressure_pa":850000,\
        "highest_temperature_c":70.5}
        """
    }
    let text = #"{"version":1,"sensors":[\#(entries.joined(separator: ","))]}"#
    try Files.replace(folder.file("roster.json"), with: Array(text.utf8), mode: 0o600)
    let daemon = try TestDaemon(in: folder)
    let client = try daemon.connect()
    client.send(#"{"id":1,"method":"status"}"#)
    client.send(#"{"id":2,"method":"sensors"}"#)
    client.send(#"{"id":3,"method":"pair","params":{"address":"00:00:00:00:01:00"}}"#)
    try daemon.run(for: .milliseconds(10))
    #expect(try client.reply(1)?["result"]?["sensors"]?.items?.count == Roster.capacity)
    #expect(try client.reply(2)?["result"]?["sensors"]?.items?.count == Roster.capacity)
    #expect(try client.reply(3)?["limit"] == "sensors")
  }
}
