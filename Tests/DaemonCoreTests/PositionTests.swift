// Positions in the whole daemon: the test plays gpsd, fixes become samples, and they measure
// wheels.

import EventLoop
import JSON
import Linux
import Metrics
import Position
import Radio
import SensorKit
import TestSupport
import Testing

@testable import DaemonCore
@testable import Ride

@Suite final class PositionTests {
  private let gpsd: PlayedGPSD
  private let test: TestDaemon
  private let wheel = Endpoint.wheel
  /// The client that reads during the ride.
  private var reader: TestClient?
  /// Metres ridden north from the equator, where a degree is 110,574 m.
  private var metres = 0.0

  init() throws {
    gpsd = try PlayedGPSD()
    test = try TestDaemon(gpsd: .unix(path: gpsd.path))
  }

  private func come(to test: TestDaemon? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try gpsd.listen()
    // The daemon may take that long to retry.
    #expect(
      try (test ?? self.test).run(within: .seconds(301)) { (try? gpsd.accept()) == true },
      sourceLocation: sourceLocation)
    try gpsd.say(
      PlayedGPSD.greeting + #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","#
        + #""activated":"2026-11-21T12:00:00.000Z","mincycle":0.1,"cycle":1}]}"# + "\n")
    try (test ?? self.test).run(for: .milliseconds(1))
    try gpsd.receive()
  }

  private func say(speed: Double) throws {
    let place = (metres / 110_574 * 1e9).rounded() / 1e9
    try gpsd.say(
      #"{"class":"TPV","device":"/dev/a","mode":3,"lat":\#(place),"lon":8.5,"altMSL":420.0,"track":0.0,"#
        + #""speed":\#(speed),"eph":4.0,"eps":0.2}"# + "\n"
        + #"{"class":"SKY","device":"/dev/a","hdop":0.8,"uSat":11}"# + "\n")
  }

  private func ride(
    _ seconds: Int, at speed: Double, _ test: TestDaemon? = nil, _ beside: (Int) throws -> Void = { _ in }
  )
    throws
  {
    for second in 0..<seconds {
      metres += speed
      try say(speed: speed)
      try beside(second)
      try (test ?? self.test).run(for: .seconds(1))
      try reader?.receive()
    }
  }

  private func pairWheel(millimetres: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws
    -> TestClient
  {
    test.radio.offers = [wheel]
    let client = try test.pairStrap(name: "Wheel", measurement: wheel, first: [0x01, 0, 0, 0, 0, 0, 0])
    reader = client
    // The second packet is the first value, which completes the pairing.
    turn(0, second: 0)
    try test.run(for: .milliseconds(10))
    if let millimetres {
      client.send(
        #"{"id":7,"method":"set","params":{"sensor":"wheel-0001","key":"circumference_mm","value":\#(millimetres)}}"#)
    }
    try test.run(for: .milliseconds(10))
    if millimetres != nil { #expect(try client.reply(7)?["class"] == "reply", sourceLocation: sourceLocation) }
    return client
  }

  private func of(_ client: TestClient, _ kind: String) throws -> [JSONValue] {
    try client.all("sample").filter { $0["sensor"] == "ride" && $0["kind"]?.text == kind }
  }

  @Test("fixes become position samples, and provide the speed without a wheel sensor")
  func fixes() throws {
    try come()
    #expect(gpsd.received.contains(#"?WATCH={"enable":true,"json":true}"#))
    let client = try test.connect()
    reader = client
    client.send(
      #"{"id":1,"method":"subscribe","params":{"kinds":["position","speed","grade","ride"],"sensors":["ride"]}}"#)
    try test.run(for: .milliseconds(1))
    try ride(60, at: 8)
    #expect(try client.reply(1)?["class"] == "reply")
    let position = try #require(try of(client, "position").last)
    #expect(abs((position["latitude_deg"]?.number ?? 0) - 480 / 110_574) < 1e-6 && position["satellites"] == 11)
    #expect(position["quality"] == "good" && position["altitude_m"] == 420 && position["accuracy_m"] == 4)
    let speed = try #require(try of(client, "speed").last)
    #expect(speed["source"] == "gps" && speed["speed_mps"] == 8)
    #expect(abs((try of(client, "ride").last?["distance_m"]?.number ?? 0) - 470) <= 12)
    #expect(abs((try of(client, "grade").last?["elevation_m"]?.number ?? 0) - 420) < 1)
  }

  @Test("a wheel sensor takes precedence, and GPS replaces it when it is lost")
  func wheelLost() throws {
    try come()
    let client = try pairWheel(millimetres: 2000)
    try ride(30, at: 8) { self.turn(4 * ($0 + 1), second: $0 + 1) }
    let believed = try of(client, "speed").compactMap { $0["source"]?.text }
    #expect(believed.last == "wheel-0001", "\(believed)")
    #expect(test.daemon.position.client?.rate == .full, "the wheel is being measured")
    test.radio.accepts = false
    test.radio.link?.lose()
    try ride(15, at: 8)
    #expect(try of(client, "speed").last?["source"] == "gps")
    let way = try #require(try of(client, "ride").last?["distance_m"]?.number)
    #expect(abs(way - 8 * 44) <= 24, "\(way)")
  }

  /// Sends the wheel's revolutions and its clock.
  private func turn(_ turns: Int, second: Int, _ test: TestDaemon? = nil) {
    let ticks = second * 1024
    (test ?? self.test).radio.link?.notify(
      [0x01, UInt8(turns & 0xff), UInt8(turns >> 8 & 0xff), 0, 0, UInt8(ticks & 0xff), UInt8(ticks >> 8 & 0xff)],
      from: wheel)
  }

  @Test("the receiver runs slowly while the wheel stands")
  func standingWheel() throws {
    try come()
    _ = try pairWheel(millimetres: 2000)
    #expect(gpsd.received.contains(#""cycle":1.0"#))
    try ride(10, at: 8) { self.turn(4 * ($0 + 1), second: $0 + 1) }
    try ride(90, at: 0) { _ in self.turn(40, second: 10) }
    #expect(test.daemon.position.client?.rate == .slow)
    try gpsd.receive()
    #expect(gpsd.received.contains(#""cycle":5.0"#))
    try ride(10, at: 8) { self.turn(40 + 4 * ($0 + 1), second: 100 + $0) }
    #expect(test.daemon.position.client?.rate == .full)
  }

  @Test("without a wheel sensor, the receiver runs slowly after a standstill")
  func standingBike() throws {
    try come()
    try ride(150, at: 0)
    #expect(test.daemon.position.client?.rate == .full, "it may start at any moment")
    try ride(40, at: 0)
    #expect(test.daemon.position.client?.rate == .slow)
    try ride(3, at: 8)
    #expect(test.daemon.position.client?.rate == .full)
    try ride(170, at: 0)
    #expect(test.daemon.position.client?.rate == .full)
    try ride(20, at: 0)
    #expect(test.daemon.position.client?.rate == .slow)
  }

  @Test("a missing gpsd costs at most 21 attempts per hour and no log line")
  func absentGPSD() throws {
    try test.run(for: .seconds(3600))
    #expect(test.daemon.position.client?.attempts ?? 0 <= 21)
    #expect(!test.logged.lines.contains { $0.contains("gpsd") }, "that is nothing to tell")
    try come()
    try ride(5, at: 8)
    #expect(test.logged.lines.contains { $0.contains("gpsd at \(gpsd.path) (release 3.22) has 1 receiver") })
    gpsd.stop()
    try test.run(for: .seconds(1))
    #expect(test.logged.lines.contains { $0.contains("gpsd at \(gpsd.path) is not available") })
    try come()
    try ride(5, at: 8)
    #expect(test.daemon.position.client?.state == .watching(receivers: 1))
  }

  @Test("status states the number of receivers")
  func status() throws {
    let client = try test.connect()
    func position() throws -> JSONValue? {
      client.send(#"{"id":5,"method":"status"}"#)
      try test.run(for: .milliseconds(1))
      return try client.reply(5)?["result"]?["position"]
    }
    #expect(try position()?["state"] == "absent")
    try come()
    try ride(2, at: 8)
    #expect(try position() == ["gpsd": .string(gpsd.path), "state": "there", "receivers": 1])
  }

  @Test("the configuration selects the gpsd, and takes effect at once")
  func configured() throws {
    try come()
    var configuration = DaemonConfiguration()
    configuration.gpsd = nil
    test.daemon.apply(configuration)
    #expect(test.daemon.position.client == nil)
    #expect(throws: SystemError.self, "the socket is closed") { try say(speed: 8) }
    let other = try PlayedGPSD()
    try other.listen()
    configuration.gpsd = .unix(path: other.path)
    test.daemon.apply(configuration)
    #expect(try test.run { (try? other.accept()) == true })
    let known = test.daemon.position.client
    test.daemon.apply(configuration)
    #expect(test.daemon.position.client === known, "the same again changes nothing")
  }

  @Test("a capture of all sensors includes gpsd's reports")
  func captured() throws {
    try come()
    let (all, one) = (try test.pairStrap(), try test.connect())
    all.send(#"{"id":7,"method":"capture"}"#)
    one.send(#"{"id":7,"method":"capture","params":{"sensors":["polar-h10-0001"]}}"#)
    try test.run(for: .milliseconds(10))
    try ride(1, at: 8)
    let reports = try all.all("raw").filter { $0["op"] == "report" }
    #expect(reports.count == 2 && reports.allSatisfy { $0["sensor"] == "gps" && $0["hex"] == nil })
    #expect(reports.first?["report"]?.text?.hasPrefix(#"{"class":"TPV","device":"/dev/a","mode":3,"#) == true)
    #expect(try !one.all("raw").contains { $0["sensor"] == "gps" })
  }
}

// MARK: The wheel's size

extension PositionTests {
  /// Rides with a wheel of 2.1 m that sends four packets per second.
  private func rideWithWheel(
    _ seconds: Int, _ test: TestDaemon, from start: Int = 0, metres began: Double = 0
  ) throws {
    for second in start..<start + seconds {
      metres = began + 8 * Double(second - start + 1)
      try say(speed: 8)
      for quarter in 0..<4 {
        let time = Double(second) + Double(quarter) / 4
        let turns = (8 * time / 2.1).rounded(.down)
        let ticks = Int((turns * 2.1 / 8 * 1024).rounded())
        test.radio.link?.notify(
          [
            0x01, UInt8(Int(turns) & 0xff), UInt8(Int(turns) >> 8 & 0xff), 0, 0, UInt8(ticks & 0xff),
            UInt8(ticks >> 8 & 0xff),
          ], from: wheel)
        try test.run(for: .milliseconds(250))
      }
      try reader?.receive()
    }
  }

  private func speeds(_ client: TestClient) throws -> [Double] {
    try client.all("sample").filter { $0["kind"] == "speed" && $0["sensor"] == "wheel-0001" }
      .compactMap { $0["speed_mps"]?.number }
  }

  @Test("a wheel without a set size is measured, and the result is used and saved")
  func measured() throws {
    try come()
    let client = try pairWheel()
    try rideWithWheel(700, test)
    let events = try client.all("event").compactMap { $0["event"]?.text }
    #expect(events.filter { $0.hasPrefix("wheel_") } == ["wheel_measured"], "\(events)")
    let speed = try #require(try speeds(client).last)
    #expect(abs(speed - 8) < 0.3)
    let size = try #require(try of(client, "wheel").last?["circumference_mm"]?.number)
    #expect(abs(size - 2100) < 8, "\(size)")
    client.send(#"{"id":9,"method":"sensors"}"#)
    try test.run(for: .milliseconds(1))
    let sensor = try client.reply(9)?["result"]?["sensors"]?.items?.first
    #expect(abs((sensor?["facts"]?["measured_circumference_mm"]?.number ?? 0) - size) < 1)
    #expect(sensor?["settings"]?["circumference_mm"] == nil, "the user has said none")
    let used = "using the wheel size measured with positions from gpsd (\(Int(size.rounded())) mm)"
    #expect(test.logged.lines.contains { $0.contains(used) }, "\(test.logged.lines)")

    let kept = metres
    test.daemon.stop()
    gpsd.stop()
    let again = try TestDaemon(in: test.folder, runtime: test.folder.path + "/again", gpsd: .unix(path: gpsd.path))
    let saved = try #require(again.daemon.ride.wheels.size(of: "wheel-0001"))
    #expect(saved.isMeasured && abs((saved.circumferenceM ?? 0) - size / 1000) < 0.001 && saved.stretches.count >= 8)
    #expect(
      again.daemon.sensors.roster.sensor("wheel-0001").map {
        again.daemon.equipment.measuredSettings(of: $0).circumferenceMM
      } != nil)
    try come(to: again)
    again.radio.offers = [wheel]
    again.radio.advertise(name: "Wheel")
    try again.run(for: .seconds(1))
    let listener = try TestClient(again.folder.path + "/again/control.sock", daemon: again)
    listener.send(#"{"id":1,"method":"subscribe"}"#)
    reader = listener
    try rideWithWheel(10, again, from: 700, metres: kept)
    #expect(abs(try #require(try speeds(listener).last) - 8) < 0.3, "a speed from the first turns on")
  }

  @Test("the user's wheel size applies unless wheel_size is measured")
  func userSize() throws {
    try come()
    let client = try pairWheel(millimetres: 2142)
    try rideWithWheel(700, test)
    var events = try client.all("event").compactMap { $0["event"]?.text }.filter { $0.hasPrefix("wheel_") }
    #expect(events == ["wheel_disagrees"], "2 % are too much to be right")
    #expect(abs(try #require(try speeds(client).last) - 8 * 1.02) < 0.05)
    client.send(
      #"{"id":8,"method":"set","params":{"sensor":"wheel-0001","key":"wheel_size","value":"measured"}}"#)
    try rideWithWheel(20, test, from: 700, metres: metres)
    #expect(abs(try #require(try speeds(client).last) - 8) < 0.05)
    events = try client.all("event").compactMap { $0["event"]?.text }.filter { $0.hasPrefix("wheel_") }
    #expect(events == ["wheel_disagrees"], "only the user's setting changed, so there is no event")
  }

  /// The size that plugins use changes by at most 0.1 % at a time, or with an event.
  @Test("the wheel size never jumps without an event")
  func sizeChanges() throws {
    try come()
    let client = try pairWheel(millimetres: 2142)
    client.send(
      #"{"id":8,"method":"set","params":{"sensor":"wheel-0001","key":"wheel_size","value":"measured"}}"#)
    let sensor = { try #require(self.test.daemon.sensors.roster.sensor("wheel-0001")) }
    var (size, jumps) = (2142.0, 0)
    for start in stride(from: 0, to: 1200, by: 5) {
      let before = try client.all("event").count { $0["event"] == "wheel_resized" }
      try rideWithWheel(5, test, from: start, metres: metres)
      let next = try #require(test.daemon.equipment.measuredSettings(of: try sensor()).circumferenceMM)
      let after = try client.all("event").count { $0["event"] == "wheel_resized" }
      if abs(next / size - 1) > 0.001_001 {
        #expect(after == before + 1, "\(size) became \(next)")
        jumps += 1
      } else {
        #expect(after == before)
      }
      size = next
    }
    #expect(jumps == 1 && abs(size - 2100) < 0.003 * 2100, "\(jumps), \(size)")
  }

  @Test("an unusable wheels.json is set aside")
  func damagedFile() throws {
    let folder = try TemporaryFolder()
    for (content, word) in [("{", "damaged"), (#"{"version":9,"wheels":[]}"#, "newer release")] {
      try Files.replace(folder.file("wheels.json"), with: Array(content.utf8), mode: 0o600)
      let again = try TestDaemon(in: folder)
      #expect(again.logged.lines.contains { $0.contains("wheels.json") && $0.contains(word) })
      #expect(Files.exists(folder.file("wheels.json.damaged-1")) && again.daemon.ride.wheels.wheels.isEmpty)
      again.daemon.stop()
    }
  }

  @Test("an invalid entry in wheels.json does not affect the others")
  func damagedEntry() throws {
    let folder = try TemporaryFolder()
    let good =
      #"{"sensor":"a-0001","said_mm":2105.5,"circumference_mm":2100.25,"measured":true,"#
      + #""stretches":[{"circumference_mm":2100.25,"weight":0.5,"missed_share":0}]}"#
    let text = #"{"version":1,"wheels":[\#(good),{"sensor":"b"},7]}"#
    try Files.replace(folder.file("wheels.json"), with: Array(text.utf8), mode: 0o600)
    let again = try TestDaemon(in: folder)
    let store = again.daemon.ride.wheels
    #expect(store.wheels.map(\.sensor) == ["a-0001"])
    #expect(store.size(of: "a-0001")?.saidM == 2105.5 / 1000 && store.size(of: "a-0001")?.stretches.count == 1)
  }
}
