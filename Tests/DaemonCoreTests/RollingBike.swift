// A bike in the daemon's virtual time, with one wheel sensor.

import EventLoop
import JSON
import Radio
import TestSupport
import Testing

@testable import DaemonCore

/// A bike with a wheel sensor.
final class RollingBike {
  let test: TestDaemon
  let client: TestClient
  private var turns: UInt32 = 0
  private var ticks: UInt16 = 0

  init(in folder: TemporaryFolder? = nil) throws {
    test = try TestDaemon(in: folder)
    test.radio.offers = [.wheel]
    client = try test.connect()
    client.send(#"{"id":1,"method":"subscribe"}"#)
  }

  func pair() throws {
    client.send(#"{"id":2,"method":"pair","params":{"address":"\#(DeviceAddress.strap)"}}"#)
    try test.run(for: .milliseconds(10))
    test.radio.advertise(name: "Wheel")
    try test.run(for: .milliseconds(200))
    try roll(seconds: 2, turns: 0)
    client.send(
      #"{"id":3,"method":"set","params":{"sensor":"wheel-0001","key":"circumference_mm","value":2105}}"#)
  }

  /// Rides with `perSecond` revolutions per second.
  func roll(seconds: Int, turns perSecond: UInt32) throws {
    for _ in 0..<seconds {
      turns &+= perSecond
      ticks &+= 1024
      let bytes: [UInt8] =
        [1] + (0..<4).map { UInt8(truncatingIfNeeded: turns >> ($0 * 8)) }
        + [UInt8(truncatingIfNeeded: ticks), UInt8(truncatingIfNeeded: ticks >> 8)]
      test.radio.link?.notify(bytes, from: .wheel)
      try test.run(for: .seconds(1))
      try client.receive()
    }
  }

  /// The bike stands, and its sensor reports that once a minute.
  func stand(hours: Int) throws {
    for _ in 0..<(hours * 60) {
      try test.run(for: .seconds(59))
      try roll(seconds: 1, turns: 0)
    }
  }

  func ride(_ action: String) throws {
    client.send(#"{"id":"\#(action)","method":"ride","params":{"action":"\#(action)"}}"#)
    try test.run(for: .milliseconds(1))
  }

  func derived(_ kind: String) throws -> [JSONValue] {
    try client.all("sample").filter { $0["sensor"] == "ride" && $0["kind"]?.text == kind }
  }

  func last(_ kind: String, _ field: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Double {
    let number = try derived(kind).last?[field]?.number
    return try #require(number, sourceLocation: sourceLocation)
  }
}
