// Current values, with the test's own clock.

import JSON
import Linux
import Testing
import Time
import Wire

@testable import CyclometerClient

@Suite struct LiveValuesTests {
  private var live = LiveValues()
  private var now = MonotonicTime(nanoseconds: 1_000_000_000_000)

  private mutating func connect() {
    live.add(
      .connected(HelloRecord(release: "0.1.0", instance: "one"), isNewInstance: false), at: now)
  }

  private mutating func add(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let bytes = Array(line.utf8)
    let record = ReceivedRecord(line: bytes.span)
    live.add(.record(try #require(record, sourceLocation: sourceLocation)), at: now)
  }

  private mutating func sample(
    _ bpm: Int, of sensor: String = "strap", kind: String = "heart_rate", age: Int = 0, source: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let end = source.map { #","source":"\#($0)""# } ?? ""
    try add(
      #"{"class":"sample","sensor":"\#(sensor)","kind":"\#(kind)","seq":1,"t":1.5,"age_ms":\#(age),"bpm":\#(bpm)\#(end)}"#,
      sourceLocation: sourceLocation
    )
  }

  private mutating func state(
    _ state: String, of sensor: String = "strap", sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try add(#"{"class":"state","sensor":"\#(sensor)","state":"\#(state)"}"#, sourceLocation: sourceLocation)
  }

  private func shows(_ sensor: String? = "strap", kind: String = "heart_rate") -> String {
    let value = live.value(kind, of: sensor, at: now)
    return "\(value.current?["bpm"]?.integer.map(String.init) ?? "-") \(value.state)"
  }

  @Test("a value is current while its sensor streams and the sample is fresh")
  mutating func freshness() throws {
    #expect(shows() == "- disconnected")
    connect()
    try sample(142, age: 4000)
    #expect(shows() == "- unknown")
    live.add(sensors: ["sensors": [["id": "strap", "state": "streaming"]]])
    #expect(shows() == "142 streaming")
    now = now + .milliseconds(1001)
    #expect(shows() == "- streaming")
    #expect(live.value("heart_rate", of: "strap", at: now).age == .milliseconds(5001))
    #expect(live.value("heart_rate", of: "strap", at: now).last?["bpm"]?.integer == 142)
    try sample(143)
    #expect(shows() == "143 streaming")
    try state("stale")
    #expect(shows() == "- stale")
    try state("streaming")
    try sample(144, age: 1 << 52)
    #expect(shows() == "- streaming")
  }

  @Test("a lost daemon makes every value stale")
  mutating func disconnect() throws {
    connect()
    try state("streaming")
    try sample(142)
    try sample(142, of: "ride")
    #expect(shows("ride") == "142 streaming")
    live.add(.disconnected(.closed), at: now)
    #expect(shows() == "- disconnected")
    #expect(shows("ride") == "- disconnected")
    connect()
    try state("streaming")
    #expect(shows() == "- streaming")
    #expect(shows("ride") == "- streaming")
    try sample(143)
    #expect(shows() == "143 streaming")
  }

  @Test("the ride has its source's state and takes precedence over sensors")
  mutating func ride() throws {
    connect()
    try state("streaming")
    try sample(1)
    #expect(shows(nil) == "1 streaming")
    try sample(2, of: "ride", source: "strap")
    #expect(shows(nil) == "2 streaming")
    try state("stale")
    #expect(shows("ride") == "- stale")
    try sample(4, of: "ride", source: "never-named")
    #expect(shows("ride") == "- unknown")
    try sample(5, of: "ride", source: "gps")
    #expect(shows("ride") == "5 streaming")
    try sample(6, of: "ride", source: "strap")
    try state("streaming", of: "belt")
    try sample(3, of: "belt")
    #expect(shows(nil) == "3 streaming")
  }

  @Test("each kind has its own stale limit")
  mutating func limits() throws {
    connect()
    try state("streaming")
    for kind in ["battery", "radar", "of_tomorrow"] { try sample(1, kind: kind) }
    now = now + .seconds(2)
    #expect(shows(kind: "radar") == "- streaming")
    #expect(shows(kind: "of_tomorrow") == "1 streaming")
    now = now + .seconds(86_400)
    #expect(shows(kind: "of_tomorrow") == "- streaming")
    #expect(shows(kind: "battery") == "1 streaming")
  }

  @Test("a removed sensor is no longer streaming")
  mutating func removal() throws {
    connect()
    try state("streaming")
    try sample(1)
    try sample(2, of: "ride", source: "strap")
    try add(#"{"class":"sensor","change":"removed","sensor":{"id":"strap"}}"#)
    #expect(shows() == "- unknown")
    // A sensor that is paired later may get the same id.
    try state("streaming")
    for sensor in ["strap", "ride"] { #expect(live.value("heart_rate", of: sensor, at: now).last == nil) }
  }
}
