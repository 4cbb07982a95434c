// The rider's bikes: they are created, changed and saved, recognized while they move, and provide
// the sizes and limits of wheel and tires.

import JSON
import Linux
import Metrics
import Radio
import TestSupport
import Testing
import Vocabulary

@testable import DaemonCore
@testable import Ride

@Suite struct BikeTests {
  private static let wheel = "wheel-0001"

  private func ask(_ test: TestDaemon, _ method: String, _ params: String = "{}") throws -> JSONValue? {
    let client = try test.connect()
    client.send(#"{"id":9,"method":"\#(method)","params":\#(params)}"#)
    try test.run(for: .milliseconds(10))
    return try client.reply(9)
  }

  /// A daemon with a wheel sensor that has no circumference.
  private func rolling(in folder: TemporaryFolder? = nil) throws -> (TestDaemon, TestClient) {
    let test = try TestDaemon(in: folder)
    test.radio.offers = [.wheel]
    let client = try test.pairStrap(name: "Wheel", measurement: .wheel, first: [1, 0, 0, 0, 0, 0, 0])
    // Two packets make a value, which completes the pairing.
    try test.roll(1..<3)
    return (test, client)
  }

  @Test("bikes are created, changed and removed")
  func lifecycle() throws {
    let (test, _) = try rolling()
    #expect(try ask(test, "bike")?["result"] == ["bikes": []])
    let made = try ask(
      test, "bike",
      #"{"name":"Gravel","sensors":["wheel-0001","wheel-0001"],"circumference_mm":2200,"front_pressure_pa":250000}"#)
    let gravel: JSONValue = [
      "name": "Gravel", "sensors": ["wheel-0001"], "circumference_mm": 2200, "front_pressure_pa": 250_000,
    ]
    #expect(made?["result"] == ["bikes": [gravel]])
    #expect(try ask(test, "bike")?["result"] == made?["result"])
    let changed = try ask(
      test, "bike", #"{"name":"Gravel","rename":"Winter","front_pressure_pa":"","circumference_mm":null,"sensors":[]}"#)
    #expect(changed?["result"] == ["bikes": [["name": "Winter", "sensors": []]]])
    #expect(try ask(test, "bike", #"{"name":"Race"}"#)?["result"]?["bikes"]?.items?.count == 2)
    #expect(try ask(test, "bike", #"{"name":"Winter","remove":true}"#)?["result"]?["bikes"]?.items?.count == 1)
  }

  private static let mistakes: [(String, String, String)] = [
    (#"{"sensors":["wheel-0001"]}"#, "bad_request", "name is missing"),
    (#"{"name":""}"#, "bad_request", "name is 1 to 64 characters"),
    (#"{"name":7}"#, "bad_request", "name is a string"),
    (#"{"name":"Road","rename":"a\u0007"}"#, "bad_request", "rename is 1 to 64 characters"),
    (#"{"name":"Road","rename":"Gravel"}"#, "bad_request", "another bike is called Gravel"),
    (#"{"name":"Road","sensors":["unknown"]}"#, "no_such_sensor", "no sensor is called unknown"),
    (#"{"name":"Road","sensors":"wheel-0001"}"#, "bad_request", "sensors is an array of strings"),
    (
      #"{"name":"Road","circumference_mm":20}"#, "bad_request",
      "circumference_mm is a number from 300 to 4000 mm"
    ),
    (
      #"{"name":"Road","rear_pressure_pa":"hard"}"#, "bad_request",
      "rear_pressure_pa is a number from 20000 to 2000000 Pa"
    ),
    (
      #"{"name":"Road","rear_lowest_pressure_pa":500000,"rear_highest_pressure_pa":400000}"#, "bad_request",
      "rear_lowest_pressure_pa has to be below rear_highest_pressure_pa"
    ),
    (
      #"{"name":"Road","front_pressure_pa":500000,"front_highest_pressure_pa":400000}"#, "bad_request",
      "front_pressure_pa cannot be above front_highest_pressure_pa"
    ),
    (
      #"{"name":"Road","highest_temperature_c":200}"#, "bad_request",
      "highest_temperature_c is a number from 20 to 150 C"
    ),
    (#"{"name":"Fixie","remove":true}"#, "bad_request", "no bike is called Fixie"),
    (#"{"name":"Road","remove":"yes"}"#, "bad_request", "remove is true or false"),
  ]

  @Test("an invalid bike is refused as a whole", arguments: mistakes)
  func refusals(params: String, code: String, words: String) throws {
    let (test, _) = try rolling()
    _ = try ask(test, "bike", #"{"name":"Road","circumference_mm":2105}"#)
    let before = try ask(test, "bike", #"{"name":"Gravel"}"#)?["result"]
    let refusal = try ask(test, "bike", params)
    #expect(refusal?["code"]?.text == code)
    #expect(refusal?["message"]?.text?.hasPrefix(words) == true, "\(refusal?.encoded ?? "nothing")")
    #expect(try ask(test, "bike")?["result"] == before)
  }

  @Test("there are at most 16 bikes, and 32 sensors per bike")
  func limits() throws {
    let test = try TestDaemon()
    for number in 0..<16 { #expect(try ask(test, "bike", #"{"name":"\#(number)"}"#)?["class"] == "reply") }
    #expect(try ask(test, "bike", #"{"name":"one more"}"#)?["limit"] == "bikes")
    #expect(try ask(test, "bike", #"{"name":"3","circumference_mm":2000}"#)?["class"] == "reply")
    let ids = (0...32).map { "\"s-\($0)\"" }.joined(separator: ",")
    let refusal = try ask(test, "import", #"{"version":1,"bikes":[{"name":"Tandem","sensors":[\#(ids)]}]}"#)
    #expect(refusal?["code"] == "bad_request")
    #expect(refusal?["message"]?.text?.contains("bikes[0]: a bike has at most 32 sensors") == true)
    #expect(test.daemon.equipment.bikes.count == 16)
  }

  @Test("a bike's circumference applies to its sensor unless the sensor has its own")
  func circumference() throws {
    let (test, client) = try rolling()
    #expect(try client.all("sample").last { $0["sensor"]?.text == Self.wheel }?["speed_mps"] == nil)
    _ = try ask(test, "bike", #"{"name":"Road","sensors":["wheel-0001"],"circumference_mm":2000}"#)
    try test.roll(3..<5)
    #expect(try client.all("sample").last { $0["sensor"]?.text == Self.wheel }?["speed_mps"] == 6)
    _ = try ask(test, "set", #"{"sensor":"wheel-0001","key":"circumference_mm","value":1000}"#)
    try test.roll(5..<7)
    #expect(try client.all("sample").last { $0["sensor"]?.text == Self.wheel }?["speed_mps"] == 3)
    #expect(try ask(test, "sensors")?["result"]?["sensors"]?.items?[0]["settings"] == ["circumference_mm": 1000])
    _ = try ask(test, "set", #"{"sensor":"wheel-0001","key":"circumference_mm"}"#)
    try test.roll(7..<9)
    #expect(try client.all("sample").last { $0["sensor"]?.text == Self.wheel }?["speed_mps"] == 6)
    // A sensor that two bikes share uses neither's circumference until one of them is recognized.
    _ = try ask(test, "bike", #"{"name":"Gravel","sensors":["wheel-0001"],"circumference_mm":2200}"#)
    try test.roll(9..<20)
    #expect(
      try client.all("sample").last { $0["sensor"]?.text == Self.wheel }?["speed_mps"] == 6, "it was known before")
  }

  @Test("renaming the current bike keeps it the current one")
  func renamed() throws {
    let (test, client) = try rolling()
    _ = try ask(test, "bike", #"{"name":"Road","sensors":["wheel-0001"],"circumference_mm":2000}"#)
    try test.roll(3..<12)
    #expect(test.daemon.equipment.currentBike?.name == "Road")
    let told = try client.all("event").count { $0["event"] == "bike_changed" }
    _ = try ask(test, "bike", #"{"name":"Road","rename":"Winter"}"#)
    #expect(test.daemon.equipment.currentBike?.name == "Winter")
    try test.roll(12..<22)
    #expect(try client.all("event").count { $0["event"] == "bike_changed" } == told, "it is the same one")
    #expect(try client.all("sample").last { $0["kind"] == "bike" }?["name"] == "Winter")
  }

  @Test("the bike that moves is recognized, and bikes survive a restart")
  func recognized() throws {
    let folder = try TemporaryFolder()
    do {
      let (test, client) = try rolling(in: folder)
      _ = try ask(test, "bike", #"{"name":"Road","sensors":["wheel-0001"],"circumference_mm":2000}"#)
      try test.roll(3..<12)
      let bikes = try client.all("sample").filter { $0["sensor"] == "ride" && $0["kind"] == "bike" }
      #expect(bikes.first?["name"] == "Road" && bikes.count >= 2)
      let events = try client.all("event").filter { $0["event"] == "bike_changed" }
      #expect(events.map { $0["name"]?.text } == ["Road"])
      #expect(try ask(test, "bike")?["result"]?["current"] == "Road")
      #expect(test.logged.lines.contains { $0.contains("the bike is Road") })
      // A removed bike is not in the snapshot either.
      let poll = #"{"kinds":["bike"]}"#
      #expect(try ask(test, "poll", poll)?["result"]?["records"]?.items?.count == 1)
      _ = try ask(test, "bike", #"{"name":"Gravel"}"#)
      #expect(try ask(test, "bike")?["result"]?["current"] == "Road", "another does not matter")
      _ = try ask(test, "bike", #"{"name":"Road","remove":true}"#)
      #expect(try ask(test, "poll", poll)?["result"]?["records"] == [])
      _ = try ask(test, "bike", #"{"name":"Road","sensors":["wheel-0001"],"rear_pressure_pa":550000}"#)
      test.daemon.stop()
    }
    let test = try TestDaemon(in: folder, runtime: folder.path + "/again")
    #expect(test.daemon.equipment.bikes.map(\.name) == ["Gravel", "Road"])
    #expect(
      test.daemon.equipment.bikes[1].tire(.rear).targetPressurePa == 550_000 && test.daemon.equipment.currentBike == nil
    )
  }

  @Test("three hours after its sensors fell silent, no bike is current")
  func expires() throws {
    let (test, client) = try rolling()
    _ = try ask(test, "bike", #"{"name":"Road","sensors":["wheel-0001"]}"#)
    try test.roll(3..<12)
    test.radio.link?.lose()
    func shown() throws -> [String?] {
      let polled = try ask(test, "poll", #"{"kinds":["bike"]}"#)?["result"]?["records"]?.items ?? []
      return polled.map { $0["name"]?.text }
    }
    try test.run(for: .seconds(3 * 3600 - 60))
    #expect(try shown() == ["Road"])
    let told = try client.all("sample").filter { $0["kind"] == "bike" }.count
    try test.run(for: .seconds(120))
    #expect(try shown() == [])
    #expect(try ask(test, "bike")?["result"]?["current"] == nil)
    let toldLater = try client.all("sample").filter { $0["kind"] == "bike" }.count
    #expect(toldLater == told, "nothing is published twice")
  }

  @Test("tire sensors get the bike's target pressures by their role")
  func targetPressures() throws {
    let test = try TestDaemon()
    let sensors = ["front", "rear", "left"].enumerated().map { index, role in
      #"{"id":"\#(role)","address":"00:00:00:00:00:0\#(index)","name":"\#(role)","role":"\#(role)"}"#
    }
    let bike =
      #"{"name":"Road","sensors":["front","rear","left"],"front_pressure_pa":500000,"rear_pressure_pa":550000}"#
    let learned = #"{"version":1,"sensors":[\#(sensors.joined(separator: ","))],"bikes":[\#(bike)]}"#
    #expect(try ask(test, "import", learned)?["class"] == "reply")
    let equipped = test.daemon.sensors.roster.sensors.map { test.daemon.equipment.effective($0).tire.targetPressurePa }
    #expect(equipped == [500_000, 550_000, nil])
    _ = try ask(test, "set", #"{"sensor":"rear","key":"target_pressure_pa","value":400000}"#)
    #expect(
      test.daemon.sensors.roster.sensor("rear").map { test.daemon.equipment.effective($0).tire.targetPressurePa }
        == 400_000)
  }

  /// Pressure limits are per wheel, the temperature limit applies to both. A sensor's own setting
  /// wins.
  @Test("tire sensors get the bike's limits by their role")
  func pressureLimits() throws {
    let folder = try TemporaryFolder()
    do {
      let test = try TestDaemon(in: folder)
      let sensors = ["front", "rear", "left"].enumerated().map { index, role in
        #"{"id":"\#(role)","address":"00:00:00:00:00:0\#(index)","name":"\#(role)","role":"\#(role)"}"#
      }
      #expect(try ask(test, "import", #"{"version":1,"sensors":[\#(sensors.joined(separator: ","))]}"#) != nil)
      let bike = try ask(
        test, "bike",
        #"{"name":"Road","sensors":["front","rear","left"],"front_lowest_pressure_pa":480000,"rear_pressure_pa":550000,"#
          + #""rear_highest_pressure_pa":560000,"highest_temperature_c":60}"#)
      #expect(bike?["class"] == "reply", "\(bike?.encoded ?? "nothing")")
      _ = try ask(test, "set", #"{"sensor":"rear","key":"highest_temperature_c","value":70}"#)
      test.daemon.stop()
    }
    let test = try TestDaemon(in: folder, runtime: folder.path + "/again")
    let tires = test.daemon.sensors.roster.sensors.map { test.daemon.equipment.effective($0).tire }
    #expect(tires.map(\.lowestPressurePa) == [480_000, nil, nil])
    #expect(tires.map(\.highestPressurePa) == [nil, 560_000, nil])
    #expect(tires.map(\.highestCelsius) == [60, 70, 60])
  }

  @Test("imported bikes refer to the local ids of their sensors")
  func imported() throws {
    let (test, _) = try rolling()
    let bikes = #"[{"name":"Road","sensors":["speed","front"]}]"#
    let sensors =
      #"[{"id":"speed","address":"\#(DeviceAddress.strap)","name":"Wheel"},{"id":"front","address":"00:00:00:00:00:02","name":"F"}]"#
    #expect(try ask(test, "import", #"{"version":1,"sensors":\#(sensors),"bikes":\#(bikes)}"#)?["class"] == "reply")
    #expect(test.daemon.equipment.bikes.map(\.sensors) == [["wheel-0001", "front"]])
    let exported = try ask(test, "export")?["result"]
    #expect(exported?["bikes"] == [["name": "Road", "sensors": ["wheel-0001", "front"]]])
    // A forgotten sensor is hidden, and reappears when it is paired again.
    _ = try ask(test, "forget", #"{"sensor":"front"}"#)
    #expect(try ask(test, "bike")?["result"]?["bikes"]?.items?[0]["sensors"] == ["wheel-0001"])
    _ = try ask(test, "bike", #"{"name":"Road","sensors":[]}"#)
    #expect(
      test.daemon.equipment.bikes.map(\.sensors) == [["front"]], "who leaves out what is not shown does not mean it")
    _ = try ask(test, "bike", #"{"name":"Road","sensors":["wheel-0001"]}"#)
    #expect(test.daemon.equipment.bikes.map(\.sensors) == [["wheel-0001", "front"]])
    for bad in [#"[{"name":"Road","sensors":["unknown"]}]"#, #"[{"name":"A"},{"name":"A"}]"#, #"[{}]"#, "7"] {
      let refusal = try ask(test, "import", #"{"version":1,"bikes":\#(bad)}"#)
      #expect(refusal?["code"] == "bad_request" && refusal?["message"]?.text?.hasPrefix("bikes") == true)
    }
    #expect(test.daemon.equipment.bikes.count == 1)
    _ = try ask(test, "import", #"{"version":1,"bikes":[]}"#)
    #expect(test.daemon.equipment.bikes.isEmpty)
  }

  private static let damagedFiles: [(String, String)] = [
    (#"{"version":1,"bikes":[{"name":"Ro"#, "is damaged"), (#"{"version":1}"#, "is damaged (bikes is a list"),
    (#"{"version":1,"bikes":[{"name":"Road","circumference_mm":1}]}"#, "is damaged (bikes[0]: circumference_mm is"),
    (#"{"version":7,"bikes":[]}"#, "was written by a newer release (format 7)"),
  ]

  @Test("an unusable bikes.json is set aside and logged", arguments: damagedFiles)
  func damagedFile(content: String, what: String) throws {
    let folder = try TemporaryFolder()
    try Files.replace(folder.file("bikes.json"), with: Array(content.utf8), mode: 0o600)
    let test = try TestDaemon(in: folder)
    #expect(test.logged.lines.contains { $0.contains("bikes.json \(what)") }, "\(test.logged.lines)")
    #expect(try Files.read(folder.file("bikes.json.damaged-1")) == Array(content.utf8))
    #expect(try ask(test, "bike", #"{"name":"Road"}"#)?["result"]?["bikes"]?.items?.count == 1)
  }
}
