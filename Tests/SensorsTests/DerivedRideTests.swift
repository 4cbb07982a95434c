// The ride that is derived from a capture.

import CaptureDecoding
import Foundation
import JSON
import Testing

@Suite struct DerivedRideTests {
  private static let rides = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../Rides")

  @Test("every checked-in ride decodes as expected")
  func checkedInRides() throws {
    let captures = try FileManager.default.contentsOfDirectory(at: Self.rides, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "capture" }
    #expect(!captures.isEmpty)
    for capture in captures {
      let (lines, problems) = CaptureDecoderTests.decode(
        try String(contentsOf: capture, encoding: .utf8), withRide: true)
      #expect(problems.isEmpty)
      let text = lines.joined(separator: "\n") + "\n"
      let expected = capture.deletingPathExtension().appendingPathExtension("expected")
      #expect(try String(contentsOf: expected, encoding: .utf8) == text, "\(capture.lastPathComponent)")
    }
  }

  private func records(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [JSONValue] {
    let (lines, problems) = CaptureDecoderTests.decode(text, withRide: true)
    #expect(problems.isEmpty, sourceLocation: sourceLocation)
    return try lines.map { try JSONValue.parse($0) }
  }

  private func hex(_ number: Int, bytes: Int) -> String {
    (0..<bytes).map { place in
      let digits = String(number >> (8 * place) & 0xff, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  /// Ten minutes at 250 W and 10 m/s: a 2 m wheel at five revolutions per second.
  @Test("steady power and speed give the expected distance, work and averages")
  func steadyRide() throws {
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
    // Each kind has its own sequence numbers, one per second.
    let counts = ride.filter { $0["kind"]?.text == "averages" }.compactMap { $0["seq"]?.integer }
    #expect(counts == Array(1...counts.count) && counts.count >= 600)
  }

  /// From the first sample on, because half of a pair is not the rider's power.
  @Test("the power of left and right pedals is added up")
  func pedalPair() throws {
    var text = "device l\ndevice r\nset l role=left\nset r role=right\n"
    for second in 0...60 {
      text += "\(second) l notify 2a63 0000\(hex(120, bytes: 2))\n"
      text += "\(second).5 r notify 2a63 0000\(hex(80, bytes: 2))\n"
    }
    let power = try records(text).filter { $0["sensor"]?.text == "ride" && $0["kind"]?.text == "power" }
    #expect(power.count >= 58 && power.allSatisfy { $0["power_w"]?.number == 200 && $0["source"]?.text == "l" })
    #expect(power.allSatisfy { $0["pedal_balance_pct"]?.number == 60 && $0["pedal_balance_reference"]?.text == "left" })
  }

  @Test("a tire event names the wheel of its sensor's role")
  func tireEvent() throws {
    var text =
      "device cap address=80:EA:CA:03:AA:F2 name=TPMS1_03AAF2\nset cap role=rear\nset cap target_pressure_pa=400000\n"
    // 223.854 kPa, from cap 1 of a set for a car.
    text += "0 cap advert 0100 80eaca03aaf26e6a0300a00c00003300\n"
    let events = try records(text).filter { $0["class"]?.text == "event" }
    #expect(events.map { $0["event"]?.text } == ["tire_low"] && events.first?["wheel"]?.text == "rear")
  }

  @Test("a silent radar is lost before the capture continues")
  func silentRadar() throws {
    var text = "device radar services=6a4e3200667b11e3949a0800200c9a66\n"
    for step in 0..<40 { text += "\(Double(step) / 8) radar notify 6a4e3203667b11e3949a0800200c9a66 02\n" }
    text += "60 radar notify 6a4e3203667b11e3949a0800200c9a66 02\n"
    let events = try records(text).filter { $0["class"]?.text == "event" }
    #expect(events.map { $0["event"]?.text } == ["radar_clear", "radar_lost"])
    let lost = try #require(events.last?["t"]?.number)
    #expect(lost - 39.0 / 8 <= 2 && events.last?["sensor"]?.text == "radar")
  }

  @Test("a day of silence is not published second by second")
  func dayOfSilence() throws {
    let ride = try records("device a\n0 a notify 2a63 0000fa00\n86400 a notify 2a63 0000fa00\n")
      .filter { $0["kind"]?.text == "ride" }
    #expect(ride.count < 100)
  }

  @Test("sensors give the same records with and without the ride")
  func sensorRecords() throws {
    let text = "device a\n0 a notify 2a37 0048\n5 a read 2a19 64\n9 a notify 2a37 00\n"
    let without = CaptureDecoderTests.decode(text).lines
    let with = CaptureDecoderTests.decode(text, withRide: true).lines
    #expect(with.filter { !$0.contains(#""sensor":"ride""#) } == without && with.count > without.count)
  }

  /// A position on the equator, where one degree is 111,320 m, on the way east.
  private func report(metres: Double, speed: Double) -> String {
    let place = String(format: "%.9f", metres / 111_320)
    return #"gps {"class":"TPV","device":"/dev/a","mode":3,"lat":0.0,"lon":\#(place),"altMSL":50.0,"track":90.0,"#
      + #""speed":\#(speed),"eph":4.0,"eps":0.2}"#
  }

  @Test("gpsd's reports give the ride its position, speed and distance")
  func gpsdReports() throws {
    var text = ""
    for second in 1...120 {
      if second % 10 == 1 { text += #"\#(second) gps {"class":"SKY","device":"/dev/a","hdop":0.9,"uSat":9}"# + "\n" }
      text += "\(second).1 \(report(metres: 7.5 * Double(second), speed: 7.5))\n"
    }
    let ride = try records(text).filter { $0["sensor"]?.text == "ride" }
    let position = try #require(ride.last { $0["kind"] == "position" })
    #expect(position["satellites"] == 9 && position["quality"] == "good" && position["course_deg"] == 90)
    #expect(abs((position["longitude_deg"]?.number ?? 0) - 900 / 111_320) < 1e-6)
    #expect(ride.last { $0["kind"] == "speed" }?["source"] == "gps")
    #expect(abs((ride.last { $0["kind"] == "ride" }?["distance_m"]?.number ?? 0) - 900) <= 16)
  }

  @Test("an invalid gpsd report is an error, and the next one is read")
  func invalidReport() throws {
    let text = "0.5 gps garbage\n1 gps {}\n2 \(report(metres: 0, speed: 1))\n3 gps {\"class\":\"WATCH\"}\n"
    let (lines, problems) = CaptureDecoderTests.decode(text, withRide: true)
    #expect(problems.count == 2 && problems.allSatisfy { $0.contains("report of gpsd's") }, "\(problems)")
    #expect(lines.count { $0.contains(#""kind":"position""#) } == 1)
    #expect(CaptureDecoderTests.decode(text).problems.isEmpty, "reports are only read for a ride")
  }

  /// A 2.1 m wheel at 8 m/s, and a receiver that measures the same speed.
  private func rolling(_ settings: String) -> String {
    var text = "device wheel\n" + settings
    for second in 0..<800 {
      for quarter in 0..<4 {
        let time = Double(second) + Double(quarter) / 4
        let turns = (8 * time / 2.1).rounded(.down)
        let ticks = Int((turns * 2.1 / 8 * 1024).rounded()) & 0xffff
        text += "\(time) wheel notify 2a5b 01\(hex(Int(turns), bytes: 4))\(hex(ticks, bytes: 2))\n"
      }
      text += "\(Double(second) + 0.9) \(report(metres: 8 * (Double(second) + 0.9), speed: 8))\n"
    }
    return text
  }

  @Test("a wheel without a size is measured from the capture", arguments: ["", "set wheel wheel_size=measured\n"])
  func measuredWheel(_ settings: String) throws {
    let all = try records(rolling(settings))
    #expect(all.filter { $0["class"] == "event" }.compactMap { $0["event"]?.text } == ["wheel_measured"])
    let speed = try #require(all.last { $0["sensor"] == "wheel" && $0["kind"] == "speed" }?["speed_mps"]?.number)
    #expect(abs(speed - 8) < 0.05, "\(speed)")
    #expect(all.last { $0["sensor"] == "ride" && $0["kind"] == "speed" }?["source"] == "wheel")
  }

  @Test("a wheel whose size is left to the user has no speed before it is set")
  func unsetWheel() throws {
    let all = try records(rolling("set wheel wheel_size=user\n"))
    let wheel = all.filter { $0["sensor"] == "wheel" && $0["kind"] == "speed" }
    #expect(wheel.count > 2000 && wheel.allSatisfy { $0["speed_mps"] == nil })
  }

  @Test("settings of the rider and the ride apply, and invalid ones are errors")
  func settings() throws {
    var text = "device a\ndevice b\nset a max_heart_rate=200\nset a resting_bpm=50\nset b priority=5\n"
    for second in 0...60 { text += "\(second) a notify 2a37 0096\n\(second).1 b notify 2a63 0000fa00\n" }
    let ride = try records(text).filter { $0["sensor"]?.text == "ride" }
    #expect(ride.last { $0["kind"] == "zones" }?["zone"]?.integer != nil)
    for wrong in ["max_heart_rate=fast", "max_bpm=20", "sex=x", "priority=1000", "wheel_size=me"] {
      let (_, problems) = CaptureDecoderTests.decode("device a\nset a \(wrong)\n0 a notify 2a37 0048\n", withRide: true)
      #expect(problems.count == 1 && problems.first?.contains("line 2") == true, "\(wrong): \(problems)")
    }
  }

  private static let fix =
    #"gps {"class":"TPV","device":"/dev/ttyACM0","mode":3,"lat":47.1,"lon":8.1,"speed":5}"#

  @Test("a sensor that appears after the first position gets its settings and its samples")
  func sensorAfterPosition() throws {
    let ride = try records(
      """
      device strap
      0.0 strap connected
      1.0 \(Self.fix)
      device wheel services=1816
      set wheel circumference_mm=2000
      2.0 wheel notify 2a5b 01000000000000
      3.0 \(Self.fix)
      3.5 wheel notify 2a5b 01030000000004
      5.0 strap notify 2a37 0048
      """)
    let speed = try #require(ride.last { $0["sensor"]?.text == "wheel" && $0["kind"]?.text == "speed" })
    #expect(speed["speed_mps"]?.number == 6)
    #expect(ride.contains { $0["sensor"]?.text == "ride" && $0["source"]?.text == "wheel" })
  }

  @Test("an unreadable report does not advance the time")
  func unreadableReport() throws {
    let (lines, problems) = CaptureDecoderTests.decode(
      "device a\n0 a notify 2a37 0048\n5 gps {\"class\n1 a notify 2a37 0049", withRide: true)
    #expect(problems.count == 1 && problems.first?.hasPrefix("line 3:") == true)
    #expect(lines.count { $0.contains(#""sensor":"a""#) } == 2)
  }

  @Test("captures mutated line by line and byte by byte are decoded with the ride")
  func mutatedCaptures() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SplitMix(state: seed)
    let rides = try FileManager.default.contentsOfDirectory(at: Self.rides, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "capture" }
    for ride in rides.sorted(by: { $0.path < $1.path }) {
      var lines = try String(contentsOf: ride, encoding: .utf8).split(separator: "\n").prefix(80).map(String.init)
      lines += ["9999 \(Self.fix)", "device late services=1816", "set late circumference_mm=2105"]
      for _ in 0..<40 {
        var mutated = lines
        for _ in 0..<Int.random(in: 1...12, using: &random) { mutate(&mutated, using: &random) }
        _ = CaptureDecoderTests.decode(mutated.joined(separator: "\n"), withRide: true)
      }
    }
  }

  private func mutate(_ lines: inout [String], using random: inout SplitMix) {
    let here = lines.indices.randomElement(using: &random) ?? 0
    let there = lines.indices.randomElement(using: &random) ?? 0
    switch Int.random(in: 0...4, using: &random) {
    case 0: lines.swapAt(here, there)
    case 1: lines.insert(lines[there], at: here)
    case 2 where lines.count > 1: lines.remove(at: here)
    case 3:
      // A random setting replaces the line.
      let words = ["wheel_size=measured", "circumference_mm=\(Int.random(in: -1...9999, using: &random))", "role=rear"]
      let device = lines.compactMap { $0.hasPrefix("device ") ? $0.split(separator: " ")[1] : nil }
      lines[here] = "set \(device.randomElement(using: &random) ?? "x") \(words.randomElement(using: &random) ?? "")"
    default:
      var bytes = Array(lines[here].utf8)
      guard let place = bytes.indices.randomElement(using: &random) else { return }
      bytes[place] = UInt8.random(in: 0x20...0x7e, using: &random)
      lines[here] = String(decoding: bytes, as: UTF8.self)
    }
  }
}
