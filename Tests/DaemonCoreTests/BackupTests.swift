// Export writes the daemon's settings as one object. Import reads it into another daemon, as a
// whole or not at all.

import Foundation
import JSON
import Linux
import Metrics
import ProgramKit
import Radio
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import DaemonCore
@testable import Ride

@Suite struct LearnedTests {
  private func ask(_ test: TestDaemon, _ method: String, _ params: String = "{}") throws -> JSONValue? {
    let client = try test.connect()
    client.send(#"{"id":9,"method":"\#(method)","params":\#(params)}"#)
    try test.run(for: .milliseconds(10))
    return try client.reply(9)
  }

  private func sensor(_ id: String, _ address: String, _ more: String = "") -> String {
    #"{"id":"\#(id)","address":"\#(address)","name":"\#(id)"\#(more)}"#
  }

  @Test("another daemon imports everything that one exports")
  func roundTrip() throws {
    let first = try TestDaemon()
    _ = try first.pairStrap()
    _ = try ask(first, "rename", #"{"sensor":"polar-h10-0001","name":"Red strap"}"#)
    _ = try ask(first, "set", #"{"sensor":"polar-h10-0001","key":"priority","value":7}"#)
    _ = try ask(first, "rider", #"{"weight_kg":70,"sex":"male"}"#)
    let learned = try #require(try ask(first, "export")?["result"])
    #expect(learned["version"] == 1 && learned["release"] == "0.0.0")

    let second = try TestDaemon()
    let watcher = try second.connect()
    watcher.send(#"{"id":1,"method":"subscribe"}"#)
    let taken = try ask(second, "import", learned.encoded)
    #expect(taken?["result"] == ["added": ["polar-h10-0001"], "changed": [], "pair_again": []])
    #expect(try ask(second, "export")?["result"] == learned)
    let told = try watcher.all("sensor")
    #expect(told.map { $0["change"]?.text } == ["added"] && told[0]["sensor"]?["name"] == "Red strap")
    // The daemon searches for it at once.
    #expect(second.radio.isSearching && second.state() == .searching)
    second.radio.advertise()
    try second.run(for: .milliseconds(200))
    #expect(second.radio.hasOpenLink)
    #expect(try ask(second, "import", learned.encoded)?["result"] == ["added": [], "changed": [], "pair_again": []])
  }

  @Test("sensors imported and forgotten in turn share one place in the ride")
  func forgottenSensorsFreeTheirPlace() throws {
    let test = try TestDaemon()
    var places: [RideKeeper.Source?] = []
    for number in 0..<40 {
      let id = "sensor-\(number)"
      let added = sensor(id, "00:00:00:00:01:\(10 + number)")
      #expect(try ask(test, "import", #"{"version":1,"sensors":[\#(added)]}"#)?["class"] == "reply")
      places.append(test.daemon.ride.source(of: id))
      #expect(try ask(test, "forget", #"{"sensor":"\#(id)"}"#)?["class"] == "reply")
    }
    #expect(places[0] != nil && places.allSatisfy { $0 == places[0] })
  }

  @Test("importing an existing sensor keeps its id and updates the rest")
  func existingSensor() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    let other = sensor("front", "00:00:00:00:00:02", #","role":"front","bonded":true"#)
    let here = #"{"id":"chest","address":"\#(DeviceAddress.strap)","name":"Chest","enabled":false,"priority":3}"#
    let taken = try ask(test, "import", #"{"version":1,"sensors":[\#(here),\#(other)]}"#)
    #expect(
      taken?["result"] == ["added": ["front"], "changed": ["polar-h10-0001"], "pair_again": ["front"]],
      "what is bonded there is not bonded here")
    let sensors = test.daemon.sensors.roster.sensors
    #expect(sensors.map(\.id) == ["polar-h10-0001", "front"] && sensors.map(\.name) == ["Chest", "front"])
    #expect(
      sensors[0].values.number(.priority) == 3 && sensors[0].deviceName == "Polar H10" && !sensors[0].plugins.isEmpty)
    #expect(test.state() == .disabled && !test.radio.hasOpenLink)
    #expect(test.state("front") == .searching && sensors[1].isBonded)
    // Local sensors stay, and so do sections that the import omits.
    _ = try ask(test, "rider", #"{"age_years":41}"#)
    #expect(try ask(test, "import", #"{"version":1,"sensors":[]}"#)?["class"] == "reply")
    #expect(test.daemon.sensors.roster.sensors.count == 2 && test.daemon.rider.rider.ageYears == 41)
    #expect(try ask(test, "import", #"{"version":1,"rider":{}}"#)?["class"] == "reply")
    #expect(test.daemon.rider.rider.ageYears == nil)
  }

  /// The importing daemon uses the size although it has not measured it.
  @Test("a measured wheel size is exported and imported")
  func measuredWheel() throws {
    let first = try TestDaemon()
    let wheel = sensor(
      "wheel", "00:00:00:00:00:02",
      #","plugins":["cycling_speed_cadence"],"circumference_mm":2105,"measured_circumference_mm":2096.5"#)
    #expect(try ask(first, "import", #"{"version":1,"sensors":[\#(wheel)]}"#)?["class"] == "reply")
    let saved = WheelSize.Saved(saidM: 2.105, circumferenceM: 2.0965, isMeasured: true, stretches: [])
    #expect(first.daemon.ride.wheels.size(of: "wheel") == saved)
    let learned = try #require(try ask(first, "export")?["result"])
    let exported = learned["sensors"]?.items?.first?["measured_circumference_mm"]?.number ?? 0
    #expect(abs(exported - 2096.5) < 0.001)
    let second = try TestDaemon()
    #expect(try ask(second, "import", learned.encoded)?["class"] == "reply")
    #expect(abs((second.daemon.ride.measuredMM(of: "wheel") ?? 0) - 2096.5) < 0.001)
    let kept = WheelStore(folder: second.folder.path, file: "wheels.json", log: Log { _ in }).size(of: "wheel")
    #expect(kept?.isMeasured == true && kept?.saidM == 2.105)
  }

  @Test("an imported id that is in use is replaced by a new one")
  func idConflict() throws {
    let test = try TestDaemon()
    _ = try test.pairStrap()
    let entry = sensor("polar-h10-0001", "00:00:00:00:00:02", #","device_name":"Front Cap""#)
    let taken = try ask(test, "import", #"{"version":1,"sensors":[\#(entry)]}"#)
    #expect(taken?["result"]?["added"] == ["front-cap-0002"])
    #expect(test.daemon.sensors.roster.sensor("front-cap-0002")?.name == "polar-h10-0001")
    #expect(test.daemon.sensors.roster.sensor("polar-h10-0001")?.address == .strap)
  }

  private static let invalidImports: [(String, String)] = [
    ("{}", "version is missing"), (#"{"version":"1"}"#, "version is missing"),
    (#"{"version":0}"#, "version is missing"),
    (#"{"version":2}"#, "a newer release wrote this export (format 2"),
    (#"{"version":1,"sensors":7}"#, "sensors is a list"),
    (#"{"version":1,"sensors":[7]}"#, "sensors[0]: a sensor needs an id"),
    (#"{"version":1,"sensors":[{"id":"a","address":"nowhere"}]}"#, "sensors[0]: a sensor needs an id"),
    (#"{"version":1,"sensors":[{"id":"Ride!","address":"00:00:00:00:00:02"}]}"#, "sensors[0]: id can have"),
    (#"{"version":1,"sensors":[{"id":"ride","address":"00:00:00:00:00:02"}]}"#, "sensors[0]: id can have"),
    (#"{"version":1,"sensors":[{"id":"a","address":"00:00:00:00:00:02","name":""}]}"#, "sensors[0]: name is 1 to 64"),
    (
      #"{"version":1,"sensors":[{"id":"a","address":"00:00:00:00:00:02","device_name":"a\u0007"}]}"#,
      "sensors[0]: device_name is at most 248 bytes"
    ),
    (
      #"{"version":1,"sensors":[{"id":"a","address":"00:00:00:00:00:02","plugins":["Strap!"]}]}"#,
      "sensors[0]: plugins is a list of at most 32"
    ),
    (
      #"{"version":1,"sensors":[{"id":"a","address":"00:00:00:00:00:02","measured_circumference_mm":299}]}"#,
      "sensors[0]: measured_circumference_mm is the measured size of its wheel, 300 to 4000 mm"
    ),
    (
      #"{"version":1,"sensors":[{"id":"a","address":"00:00:00:00:00:02","priority":1000}]}"#,
      "sensors[0]: priority is a whole number"
    ),
    (
      #"{"version":1,"sensors":[{"id":"a","address":"00:00:00:00:00:02"},{"id":"a","address":"00:00:00:00:00:03"}]}"#,
      "sensors[1]: a (00:00:00:00:00:03) is listed twice"
    ),
    (
      #"{"version":1,"sensors":[{"id":"a","address":"00:00:00:00:00:02"}],"rider":{"weight_kg":1}}"#,
      "rider: weight_kg is a number"
    ), (#"{"version":1,"rider":[]}"#, "rider is an object"),
  ]

  @Test("an invalid import changes nothing", arguments: invalidImports)
  func mistakes(learned: String, words: String) throws {
    let test = try TestDaemon()
    let before = try ask(test, "export")?["result"]
    let refusal = try ask(test, "import", learned)
    #expect(refusal?["code"] == "bad_request")
    #expect(refusal?["message"]?.text?.contains(words) == true, "\(refusal?.encoded ?? "nothing")")
    #expect(try ask(test, "export")?["result"] == before)
  }

  @Test("an import is refused while a pairing runs")
  func whilePairing() throws {
    let test = try TestDaemon()
    let client = try test.connect()
    client.send(#"{"id":1,"method":"pair","params":{"address":"\#(DeviceAddress.strap)"}}"#)
    try test.run(for: .milliseconds(10))
    let learned = #"{"version":1,"sensors":[\#(sensor("a", DeviceAddress.strap.text))]}"#
    #expect(try ask(test, "import", learned)?["code"] == "busy")
    client.send(#"{"id":2,"method":"cancel"}"#)
    try test.run(for: .milliseconds(10))
    #expect(try ask(test, "import", learned)?["result"]?["added"] == ["a"])
  }

  @Test("an import that cannot be saved changes nothing")
  func writeError() throws {
    let test = try TestDaemon()
    _ = try ask(test, "rider", #"{"weight_kg":70}"#)
    let before = try ask(test, "export")?["result"]
    try Files.createDirectory(test.folder.file("roster.json.new"), mode: 0o700)
    let entry = sensor("a", "00:00:00:00:00:02")
    let refusal = try ask(test, "import", #"{"version":1,"sensors":[\#(entry)],"rider":{"weight_kg":80}}"#)
    #expect(refusal?["code"] == "internal")
    #expect(refusal?["message"]?.text?.contains("and nothing has changed") == true)
    #expect(!Files.exists(test.folder.file("import.json")))
    #expect(try ask(test, "export")?["result"] == before)
    #expect(try String(contentsOfFile: test.folder.file("rider.json"), encoding: .utf8).contains(#""weight_kg":70"#))
  }

  /// The power is cut when the rider has been replaced, but not the roster.
  @Test("an import that a power cut interrupts is completed by the next start")
  func powerCut() throws {
    let whole = try TestDaemon()
    let entry = sensor("a", "00:00:00:00:00:02")
    let learned = #"{"version":1,"sensors":[\#(entry)],"rider":{"weight_kg":80}}"#
    #expect(try ask(whole, "import", learned)?["class"] == "reply")
    let files = try ["rider.json", "roster.json"].map { name -> JSONValue in
      let content = try String(contentsOfFile: whole.folder.file(name), encoding: .utf8)
      return ["name": .string(name), "content": .string(content)]
    }
    let record: JSONValue = ["version": 1, "files": .array(files)]
    let folder = try TemporaryFolder()
    try Files.replace(folder.file("import.json"), with: Array(record.encoded.utf8), mode: 0o600)
    let rider = try Files.read(whole.folder.file("rider.json"))
    try Files.replace(folder.file("rider.json"), with: rider, mode: 0o600)

    let cut = try TestDaemon(in: folder)
    #expect(try ask(cut, "export")?["result"] == ask(whole, "export")?["result"])
    #expect(cut.state("a") == .searching && !Files.exists(folder.file("import.json")))
  }

  private func sensors(_ numbers: Range<Int>, name: String, plugins: [String]) -> String {
    let entries = numbers.map { number in
      let tail = (number < 16 ? "0" : "") + String(number, radix: 16).uppercased()
      return
        #"{"id":"sensor-of-a-long-name-and-its-number-\#(number)","address":"00:00:00:00:00:\#(tail)","name":"\#(name)\#(tail)","#
        + #""plugins":\#(JSONValue.array(plugins.map { .string($0) }).encoded),"#
        + #""device_name":"KICKR CORE 12345","role":"front","circumference_mm":2105.123456,"priority":-100,"#
        + #""target_pressure_pa":551580.56,"lowest_pressure_pa":496422.504,"highest_pressure_pa":606738.616,"#
        + #""highest_temperature_c":70.555556}"#
    }
    return #"{"version":1,"sensors":[\#(entries.joined(separator: ","))]}"#
  }

  /// The longest names have 64 characters of four bytes each.
  @Test("a full roster fits into one line, and a further sensor is refused")
  func fullRoster() throws {
    let test = try TestDaemon()
    let plugins = ["cycling_power", "cycling_speed_cadence", "heart_rate", "battery", "device_information"]
    let all = sensors(0..<64, name: String(repeating: "🚴🚲", count: 31), plugins: plugins)
    #expect(try ask(test, "import", all)?["result"]?["added"]?.items?.count == 64)
    let learned = try #require(try ask(test, "export")?["result"])
    #expect(learned["sensors"]?.items?.count == 64)
    #expect(try ask(try TestDaemon(), "import", learned.encoded)?["result"]?["added"]?.items?.count == 64)
    let more = try ask(test, "import", #"{"version":1,"sensors":[\#(sensor("more", "00:00:00:00:00:FF"))]}"#)
    #expect(
      more?["code"] == "limit_reached" && more?["limit"] == "sensors"
        && more?["message"]?.text?.hasPrefix("65 sensors would be paired") == true)
  }

  @Test("an export longer than a line is an error")
  func exportTooLong() throws {
    let test = try TestDaemon()
    let plugins = (0..<32).map { "plugin_of_a_later_release_\($0)" }
    for half in [0..<32, 32..<64] {
      #expect(try ask(test, "import", sensors(half, name: "x", plugins: plugins))?["class"] == "reply")
    }
    let refusal = try ask(test, "export")
    #expect(refusal?["limit"] == "line")
    #expect(refusal?["message"]?.text?.contains("longer than a line") == true)
  }

  @Test("a name in use is refused in any case, and equal device names get a number")
  func duplicateNames() throws {
    let test = try TestDaemon()
    func pair(_ id: String, _ tail: String, _ name: String) throws -> JSONValue? {
      try ask(
        test, "import",
        #"{"version":1,"sensors":[{"id":"\#(id)","address":"A0:9E:1A:00:00:\#(tail)","name":"\#(name)"}]}"#)
    }
    #expect(try pair("one", "01", "Strap")?["class"] == "reply")
    #expect(try pair("two", "02", "Wheel")?["class"] == "reply")
    #expect(try pair("three", "03", "STRAP")?["code"] == "bad_request")
    let renamed = try ask(test, "rename", #"{"sensor":"two","name":"strap"}"#)
    #expect(renamed?["code"] == "bad_request")
    #expect(renamed?["message"] == "name 'strap' is already used by one")
    #expect(try ask(test, "rename", #"{"sensor":"one","name":"strap"}"#)?["class"] == "reply", "it is its own")
    let address = try #require(DeviceAddress("A0:9E:1A:00:00:04"))
    #expect(test.daemon.sensors.roster.freeName("Strap", for: address) == "Strap 2")
    #expect(test.daemon.sensors.roster.freeName("Radar", for: address) == "Radar")
  }
}
