// Changes to a paired sensor: each one is confirmed, published, effective at once and kept across a
// restart.

import JSON
import Radio
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import DaemonCore

@Suite struct SettingTests {
  static let id = "polar-h10-0001"

  private func ask(_ client: TestClient, _ method: String, _ more: String = "", of id: String = id) {
    client.send(#"{"id":7,"method":"\#(method)","params":{"sensor":"\#(id)"\#(more)}}"#)
  }

  @Test("disable disconnects a sensor, enable finds it again")
  func disableAndEnable() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    ask(client, "disable")
    try test.run(for: .milliseconds(10))
    #expect(try client.reply(7)?["result"]?["state"] == "disabled")
    #expect(try client.all("state").last?["reason"] == "user")
    #expect(!test.radio.hasOpenLink)
    test.radio.advertise()
    try test.run(for: .seconds(1))
    #expect(!test.radio.hasOpenLink && !test.radio.isSearching)

    ask(client, "enable")
    try test.run(for: .milliseconds(10))
    #expect(test.radio.isSearching && test.state() == .searching)
    test.radio.advertise()
    try test.run(for: .milliseconds(200))
    #expect(test.radio.hasOpenLink)
  }

  @Test("a disabled sensor stays disabled across a restart")
  func disabledAfterRestart() throws {
    let folder = try TemporaryFolder()
    do {
      let test = try TestDaemon(in: folder)
      let client = try test.pairStrap()
      ask(client, "disable")
      try test.run(for: .milliseconds(10))
      test.daemon.stop()
    }
    let test = try TestDaemon(in: folder, runtime: folder.path + "/again")
    try test.run(for: .seconds(1))
    #expect(test.state() == .disabled && test.reason() == .user && !test.radio.isSearching)
  }

  @Test("a new name is published and saved")
  func rename() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    ask(client, "rename", #","name":"My strap""#)
    try test.run(for: .milliseconds(10))
    #expect(try client.reply(7)?["result"]?["name"] == "My strap")
    #expect(try client.reply(7)?["result"]?["id"]?.text == Self.id, "the id never changes")
    let change = try client.all("sensor").last
    #expect(change?["change"] == "changed" && change?["sensor"]?["name"] == "My strap")
    #expect(test.daemon.sensors.roster.sensors.map(\.name) == ["My strap"])
    #expect(test.daemon.sensors.roster.sensors.map(\.deviceName) == ["Polar H10"], "by this it is recognized")
  }

  /// The balance of Assioma pedals is invalid while coasting.
  @Test("a renamed sensor keeps the quirks of its device")
  func quirks() throws {
    let measurement = Endpoint(service: BluetoothUUID(0x1818), characteristic: BluetoothUUID(0x2a63))
    let coasting: [UInt8] = [0x01, 0x00, 0, 0, 200]
    let folder = try TemporaryFolder()
    do {
      let test = try TestDaemon(in: folder)
      test.radio.offers = [measurement]
      let client = try test.pairStrap(name: "ASSIOMA1U", measurement: measurement, first: coasting)
      client.send(#"{"id":7,"method":"rename","params":{"sensor":"assioma1u-0001","name":"Pedals"}}"#)
      try test.run(for: .milliseconds(10))
      #expect(try client.all("sample").map { $0["power_w"] } == [0])
      #expect(try client.all("sample").first?["pedal_balance_pct"] == nil)
      test.daemon.stop()
    }
    let test = try TestDaemon(in: folder, runtime: folder.path + "/again")
    test.radio.offers = [measurement]
    let client = try test.connect("again/control.sock")
    client.send(#"{"id":1,"method":"subscribe"}"#)
    try test.run(for: .milliseconds(10))
    test.radio.advertise(name: "ASSIOMA1U")
    try test.run(for: .milliseconds(200))
    for power: UInt8 in [0, 10] { test.radio.link?.notify([0x01, 0x00, power, 0, 200], from: measurement) }
    try test.run(for: .milliseconds(10))
    #expect(try client.samples().map { $0["pedal_balance_pct"] } == [nil, 100])
  }

  struct Row: Sendable {
    let key: String
    let value: String
    let isTaken: Bool
  }

  private static let rows: [Row] = [
    Row(key: "circumference_mm", value: "2105", isTaken: true),
    Row(key: "circumference_mm", value: "0", isTaken: false),
    Row(key: "circumference_mm", value: "\"2105\"", isTaken: false), Row(key: "role", value: "\"rear\"", isTaken: true),
    Row(key: "role", value: "\"above\"", isTaken: false), Row(key: "role", value: "1", isTaken: false),
    Row(key: "wheel_size", value: "\"measured\"", isTaken: true),
    Row(key: "wheel_size", value: "\"guessed\"", isTaken: false),
    Row(key: "priority", value: "-3", isTaken: true), Row(key: "priority", value: "0.5", isTaken: false),
    Row(key: "target_pressure_pa", value: "450000", isTaken: true),
    Row(key: "lowest_pressure_pa", value: "250000", isTaken: true),
    Row(key: "highest_pressure_pa", value: "2000001", isTaken: false),
    Row(key: "highest_temperature_c", value: "60.5", isTaken: true),
    Row(key: "highest_temperature_c", value: "151", isTaken: false),
    Row(key: "target_pressure_pa", value: "4.5", isTaken: false), Row(key: "colour", value: "1", isTaken: false),
  ]

  @Test("settings have types and bounds", arguments: rows)
  func bounds(_ row: Row) throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    ask(client, "set", #","key":"\#(row.key)","value":\#(row.value)"#)
    try test.run(for: .milliseconds(10))
    let reply = try client.reply(7)
    guard row.isTaken else {
      #expect(reply?["code"] == "bad_request")
      return
    }
    let wanted = try JSONValue.parse(row.value)
    let got = row.key == "role" ? reply?["result"]?["role"] : reply?["result"]?["settings"]?[row.key]
    #expect(got == wanted)
    #expect(try client.all("sensor").last?["change"] == "changed")

    ask(client, "set", #","key":"\#(row.key)""#)
    try test.run(for: .milliseconds(10))
    let cleared = try client.reply(7)?["result"]
    #expect(cleared?["settings"] == nil && cleared?["role"] == nil, "without a value it is taken back")
  }

  @Test("contradictory pressures are refused")
  func contradictions() throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    func set(_ key: String, _ value: String) throws -> JSONValue? {
      let asking = try test.connect()
      ask(asking, "set", #","key":"\#(key)","value":\#(value)"#)
      try test.run(for: .milliseconds(10))
      return try asking.reply(7)
    }
    #expect(try set("highest_pressure_pa", "300000")?["class"] == "reply")
    let refusal = try set("lowest_pressure_pa", "300000")
    #expect(refusal?["code"] == "bad_request")
    #expect(refusal?["message"] == "lowest_pressure_pa has to be below highest_pressure_pa")
    #expect(
      try set("target_pressure_pa", "310000")?["message"] == "target_pressure_pa cannot be above highest_pressure_pa")
    let settings = try set("lowest_pressure_pa", "200000")?["result"]?["settings"]
    #expect(settings == ["lowest_pressure_pa": 200_000, "highest_pressure_pa": 300_000])
    let learned = #"{"id":"a","address":"00:00:00:00:00:02","lowest_pressure_pa":300000,"highest_pressure_pa":200000}"#
    client.send(#"{"id":8,"method":"import","params":{"version":1,"sensors":[\#(learned)]}}"#)
    try test.run(for: .milliseconds(10))
    let imported = try client.reply(8)
    #expect(imported?["message"] == "sensors[0]: lowest_pressure_pa has to be below highest_pressure_pa")
  }

  @Test("settings survive a restart")
  func settingsSurviveARestart() throws {
    let folder = try TemporaryFolder()
    do {
      let test = try TestDaemon(in: folder)
      let client = try test.pairStrap()
      for (key, value) in [("circumference_mm", "2105.5"), ("role", "\"front\""), ("priority", "2")] {
        ask(client, "set", #","key":"\#(key)","value":\#(value)"#)
      }
      try test.run(for: .milliseconds(10))
      test.daemon.stop()
    }
    let test = try TestDaemon(in: folder, runtime: folder.path + "/again")
    let sensor = try #require(test.daemon.sensors.roster.sensors.first)
    #expect(
      sensor.values.number(.circumference) == 2105.5 && sensor.role == .front && sensor.values.number(.priority) == 2)
  }

  @Test("a circumference turns wheel revolutions into speed at once")
  func circumference() throws {
    let test = try TestDaemon()
    let wheel = Endpoint.wheel
    test.radio.offers = [wheel]
    let client = try test.pairStrap(name: "Wheel", measurement: wheel, first: [0x01, 0, 0, 0, 0, 0, 0])
    test.radio.link?.notify([0x01, 1, 0, 0, 0, 0, 4], from: wheel)
    ask(client, "set", #","key":"circumference_mm","value":2000"#, of: "wheel-0001")
    try test.run(for: .seconds(1))
    test.radio.link?.notify([0x01, 3, 0, 0, 0, 0, 8], from: wheel)
    try test.run(for: .milliseconds(10))
    let speeds = try client.all("sample").filter { $0["kind"] == "speed" }
    #expect(speeds.first?["speed_mps"] == nil && speeds.last?["speed_mps"] == 4)
  }

  @Test("an unknown sensor is no_such_sensor", arguments: ["forget", "enable", "disable", "rename", "set", "command"])
  func unknownSensor(_ method: String) throws {
    let test = try TestDaemon()
    let client = try test.pairStrap()
    ask(client, method, #","name":"x","key":"role","value":"front""#, of: "polar-h10-9999")
    try test.run(for: .milliseconds(10))
    #expect(try client.reply(7)?["code"] == "no_such_sensor")
  }
}
