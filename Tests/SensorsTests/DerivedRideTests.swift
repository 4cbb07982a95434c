// What a rider would have read of a capture.

import CaptureDecoding
import Foundation
import Testing
import Wire

@Suite struct DerivedRideTests {
  private static let rides = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../Rides")

  /// `ACCEPT_CAPTURES=1` writes what it is now: scripts/accept-captures.
  @Test func everyCheckedInRideIsReadAsIsExpectedOfIt() throws {
    let captures = try FileManager.default.contentsOfDirectory(at: Self.rides, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "capture" }
    #expect(!captures.isEmpty)
    for capture in captures {
      let (lines, problems) = CaptureDecoderTests.decode(
        try String(contentsOf: capture, encoding: .utf8), withRide: true)
      #expect(problems.isEmpty)
      let text = lines.joined(separator: "\n") + "\n"
      let expected = capture.deletingPathExtension().appendingPathExtension("expected")
      if ProcessInfo.processInfo.environment["ACCEPT_CAPTURES"] == "1" {
        try text.write(to: expected, atomically: true, encoding: .utf8)
      }
      #expect(try String(contentsOf: expected, encoding: .utf8) == text, "\(capture.lastPathComponent)")
    }
  }

  private func records(_ text: String) throws -> [JSON] {
    let (lines, problems) = CaptureDecoderTests.decode(text, withRide: true)
    #expect(problems.isEmpty)
    return try lines.map { try JSON.parse($0) }
  }

  private func hex(_ number: Int, bytes: Int) -> String {
    (0..<bytes).map { place in
      let digits = String(number >> (8 * place) & 0xff, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  /// Ten minutes at 250 W and 10 m/s: a wheel of 2 m, five turns a second.
  @Test func steadyPowerAndSpeedAreReadBack() throws {
    var text = "device wheel\ndevice pedals\nset wheel circumference_mm=2000\n"
    for second in 0...600 {
      text += "\(second) wheel notify 2a5b 01\(hex(5 * second, bytes: 4))\(hex(second * 1024 & 0xffff, bytes: 2))\n"
      text += "\(second).1 pedals notify 2a63 0000\(hex(250, bytes: 2))\n"
    }
    let ride = try records(text).filter { $0["sensor"]?.text == "ride" }
    let last = try #require(ride.last { $0["kind"]?.text == "ride" })
    #expect(abs((last["distance_m"]?.number ?? 0) - 6000) <= 20)
    #expect(abs((last["work_j"]?.number ?? 0) - 150_000) <= 1000)
    let averages = try #require(ride.last { $0["kind"]?.text == "averages" })
    #expect(averages["power_60s_w"]?.number == 250 && averages["normalized_power_w"]?.number == 250)
    #expect(ride.last { $0["kind"]?.text == "power" }?["source"]?.text == "pedals")
    // Every kind counts for itself, once a second.
    let counts = ride.filter { $0["kind"]?.text == "averages" }.compactMap { $0["seq"]?.integer }
    #expect(counts == Array(1...counts.count) && counts.count >= 600)
  }

  @Test func aRadarThatFallsSilentIsLostBeforeTheFileGoesOn() throws {
    var text = "device radar services=6a4e3200667b11e3949a0800200c9a66\n"
    for step in 0..<40 { text += "\(Double(step) / 8) radar notify 6a4e3203667b11e3949a0800200c9a66 02\n" }
    text += "60 radar notify 6a4e3203667b11e3949a0800200c9a66 02\n"
    let events = try records(text).filter { $0["class"]?.text == "event" }
    #expect(events.map { $0["event"]?.text } == ["radar_clear", "radar_lost"])
    let lost = try #require(events.last?["t"]?.number)
    #expect(lost - 39.0 / 8 <= 2 && events.last?["sensor"]?.text == "radar")
  }

  @Test func aDayOfSilenceIsNotToldSecondBySecond() throws {
    let ride = try records("device a\n0 a notify 2a63 0000fa00\n86400 a notify 2a63 0000fa00\n")
      .filter { $0["kind"]?.text == "ride" }
    #expect(ride.count < 100)
  }

  @Test func whatSensorsSaidIsTheSameWithTheRideAndWithout() throws {
    let text = "device a\n0 a notify 2a37 0048\n5 a read 2a19 64\n9 a notify 2a37 00\n"
    let without = CaptureDecoderTests.decode(text).lines
    let with = CaptureDecoderTests.decode(text, withRide: true).lines
    #expect(with.filter { !$0.contains(#""sensor":"ride""#) } == without && with.count > without.count)
  }
}
