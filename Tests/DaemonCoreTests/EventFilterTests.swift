// Events and the filters of a subscription.

import Foundation
import JSON
import Metrics
import SensorKit
import TestSupport
import Testing
import Time
import Vocabulary

@testable import DaemonCore
@testable import Serving

@Suite struct EventFilterTests {
  /// A bike with a wheel sensor, which is recognized while the wheel turns.
  private func events(_ filter: String) throws -> [String] {
    let test = try TestDaemon()
    test.radio.offers = [.wheel]
    _ = try test.pairStrap(name: "Wheel", measurement: .wheel, first: [1, 0, 0, 0, 0, 0, 0])
    try test.roll(1..<3)
    let client = try test.connect()
    client.send(#"{"id":1,"method":"subscribe","params":\#(filter)}"#)
    client.send(#"{"id":2,"method":"bike","params":{"name":"Road","sensors":["wheel-0001"],"circumference_mm":2000}}"#)
    try test.roll(3..<12)
    return try client.all("event").compactMap { $0["event"]?.text }
  }

  @Test(
    "an event must pass the filters for its kind and its sensor",
    arguments: [
      ("{}", true), (#"{"kinds":["bike"]}"#, true), (#"{"sensors":["ride"]}"#, true),
      (#"{"kinds":["heart_rate"]}"#, false), (#"{"sensors":["wheel-0001"]}"#, false),
      (#"{"kinds":["bike"],"sensors":["wheel-0001"]}"#, false), (#"{"kinds":[]}"#, false),
      (#"{"events":false}"#, false),
      (#"{"max_hz":1}"#, true), (#"{"max_hz":1,"kinds":["speed"]}"#, false),
    ])
  func filtered(filter: String, passes: Bool) throws {
    #expect(try events(filter).contains("bike_changed") == passes)
  }

  @Test(
    "an event that names a sensor belongs to that sensor",
    arguments: [
      (#"{"sensors":["polar-h10-0001"]}"#, true), (#"{"sensors":["ride"]}"#, false), (#"{"kinds":["radar"]}"#, true),
      (#"{"kinds":["radar"],"sensors":["ride"]}"#, false),
    ])
  func ofASensor(filter: String, passes: Bool) throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    let client = try test.connect()
    client.send(#"{"id":1,"method":"subscribe","params":\#(filter)}"#)
    try test.run(for: .milliseconds(10))
    var batch = Batch()
    batch.event("radar_clear")
    batch.set(Field("sensor"), "polar-h10-0001" as Word)
    test.daemon.publisher.publish(
      event: "radar_clear", batch.entry(0), of: batch, kind: .radar, owner: "ride", at: MonotonicTime(nanoseconds: 1))
    try test.run(for: .milliseconds(10))
    #expect(try client.all("event").isEmpty == !passes)
  }

  private static let kinds: [(event: Word, kind: String)] = [
    ("radar_approach", "radar"), ("radar_close", "radar"), ("radar_clear", "radar"), ("radar_lost", "radar"),
    ("tire_low", "tire_pressure"), ("tire_high", "tire_pressure"), ("tire_hot", "tire_pressure"),
    ("tire_leak", "tire_pressure"), ("battery_low", "battery"), ("battery_critical", "battery"),
    ("wheel_measured", "wheel"), ("wheel_resized", "wheel"), ("wheel_counts_double", "wheel"),
    ("wheel_counts_half", "wheel"), ("wheel_misses_turns", "wheel"), ("wheel_disagrees", "wheel"),
    ("wheel_agrees_again", "wheel"), ("wheel_stuck", "wheel"), ("wheel_turns_again", "wheel"),
    ("bike_changed", "bike"), ("gps_gap_joined", "position"), ("lap", "ride"),
  ]

  @Test("the first word of an event's name determines its kind", arguments: kinds)
  func kind(event: Word, kind: String) {
    #expect(RideKinds.kind(ofEvent: event).name.description == kind)
  }

  /// docs/protocol.md lists the first words, docs/metrics.md the events.
  @Test("every documented event has the kind listed in docs/protocol.md")
  func documented() throws {
    let docs = URL(filePath: #filePath).appending(path: "../../../docs").standardized
    let table = try String(contentsOf: docs.appending(path: "protocol.md"), encoding: .utf8)
      .matches(of: /\| `([a-z]+)_…` \| `([a-z_]+)` \|/)
      .map { (word: String($0.1), kind: String($0.2)) }
    #expect(table.count >= 6)
    for (word, kind) in table {
      let events = Self.kinds.filter { $0.event.description.hasPrefix(word + "_") }
      #expect(!events.isEmpty && events.allSatisfy { $0.kind == kind }, "\(word)")
    }
    let metrics = try String(contentsOf: docs.appending(path: "metrics.md"), encoding: .utf8)
    let rows = metrics.split(separator: "| event | when |").dropFirst().flatMap { section in
      section.split(separator: "\n\n")[0].split(separator: "\n").flatMap { row in
        row.split(separator: "|", maxSplits: 1)[0].matches(of: /`([a-z_0-9]+)`/).map { String($0.1) }
      }
    }
    let named = metrics.matches(of: /[Ee]vents? `([a-z_]+)`/).map { String($0.1) }
    let events = Set(rows + named)
    #expect(
      events.isSuperset(of: ["radar_approach", "tire_leak", "wheel_measured", "gps_gap_joined", "wheel_turns_again"]))
    for event in events {
      #expect(Self.kinds.contains { $0.event.description == event }, "\(event) is not tried above")
      #expect(table.contains { event.hasPrefix($0.word + "_") }, "docs/protocol.md has no kind for \(event)")
    }
  }
}
