// Events and the filters of a subscription.

import Metrics
import SensorKit
import TestSupport
import Testing
import Wire

@testable import DaemonCore

@Suite struct EventFilterTests {
  /// A wheel and a bike that has it: the bike is recognised while the wheel rolls.
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
    "an event passes the filters of its kind and of its sensor",
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
      event: "radar_clear", batch.entry(0), of: batch, owner: "ride", at: MonotonicTime(nanoseconds: 1))
    try test.run(for: .milliseconds(10))
    #expect(try client.all("event").isEmpty == !passes)
  }

  @Test(
    "the first word of an event's name decides its kind",
    arguments: [
      ("radar_approach", "radar"), ("tire_leak", "tire_pressure"), ("battery_low", "battery"),
      ("wheel_measured", "wheel"), ("bike_changed", "bike"), ("gps_gap_joined", "position"), ("lap", "ride"),
    ] as [(Word, String)])
  func kinds(event: Word, kind: String) {
    #expect(RideMetrics.kind(ofEvent: event).name.description == kind)
  }
}
