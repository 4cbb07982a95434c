// Changes to a sensor and commands: what is sent to the daemon, and what is printed.

import JSON
import Testing

struct ChangingTests {
  private static let meter =
    #"{"id":"assioma-33fe","name":"Assioma","address":"A0:9E:1A:00:00:03","plugins":["cycling_power","battery"],"#
    + #""kinds":["power","battery"],"state":"streaming","role":"left","settings":{"circumference_mm":2105}}"#
  private static let sensors = #"{"sensors":[\#(meter),\#(Fixture.polarVerity)]}"#

  private func daemon(_ method: String, _ steps: StandInDaemon.Step...) throws -> StandInDaemon {
    try StandInDaemon(["sensors": [[.reply(Self.sensors)]], method: [steps]])
  }

  @Test(
    "set sends values in the protocol's units",
    arguments: [
      ("circumference=2105", #"{"key":"circumference_mm","value":2105}"#, "circumference 2105 mm"),
      ("circumference=25-622", #"{"key":"circumference_mm","value":2111}"#, "circumference 2111 mm"),
      ("circumference=700x25C", #"{"key":"circumference_mm","value":2111}"#, "circumference 2111 mm"),
      ("circumference=210.5cm", #"{"key":"circumference_mm","value":2105}"#, "circumference 2105 mm"),
      ("circumference_mm 2.1m", #"{"key":"circumference_mm","value":2100}"#, "circumference 2100 mm"),
      ("Circumference-MM=82in", #"{"key":"circumference_mm","value":2082.8}"#, "circumference 2082.8 mm"),
      ("target_pressure=5.5bar", #"{"key":"target_pressure_pa","value":550000}"#, "target pressure 5.50 bar"),
      ("lowest_pressure=5bar", #"{"key":"lowest_pressure_pa","value":500000}"#, "lowest pressure 5.00 bar"),
      ("highest_temperature=60", #"{"key":"highest_temperature_c","value":60}"#, "highest temperature 60.0 C"),
      ("highest_temperature=140F", #"{"key":"highest_temperature_c","value":60}"#, "highest temperature 60.0 C"),
      ("target_pressure=80PSI", #"{"key":"target_pressure_pa","value":551580.56}"#, "target pressure 5.52 bar"),
      ("role rear", #"{"key":"role","value":"rear"}"#, "role rear"),
      ("wheel-size=measured", #"{"key":"wheel_size","value":"measured"}"#, "wheel size measured"),
      ("priority=-5", #"{"key":"priority","value":-5}"#, "priority -5"),
      ("circumference=", #"{"key":"circumference_mm"}"#, "circumference reset"),
      ("of_a_later_daemon=7", #"{"key":"of_a_later_daemon","value":7}"#, "of a later daemon 7"),
    ])
  func setSendsValuesInProtocols(setting: String, sent: String, said: String) throws {
    let daemon = try daemon("set", .reply(Self.meter))
    defer { daemon.stop() }
    let words = ["set", "assioma"] + setting.split(separator: " ").map(String.init)
    let outcome = try RunningCyclo(words, socket: daemon.controlSocket).finish()
    #expect(outcome.status == 0, "\(outcome.complaint)")
    #expect(outcome.output == "assioma-33fe: \(said)\n")
    let expected = #"{"sensor":"assioma-33fe","# + sent.dropFirst()
    #expect(daemon.requests.last?["params"]?.encoded == expected)
  }

  @Test("set sends several settings in order")
  func setSendsSeveralSettings() throws {
    let daemon = try daemon("set", .reply(Self.meter))
    defer { daemon.stop() }
    let outcome = try cyclo("set", "assioma", "role=left", "priority=3", "--json", socket: daemon.controlSocket)
    #expect(outcome.output == Self.meter + "\n")
    #expect(daemon.requests.compactMap { $0["params"]?["key"]?.text } == ["role", "priority"])
  }

  /// At no moment is the lowest above the highest, whichever way they move.
  @Test(
    "tire limits are set in an order that the daemon accepts",
    arguments: [
      ("5", ["priority", "highest", "target", "lowest"]), ("2", ["priority", "lowest", "target", "highest"]),
    ])
  func tireLimitsSetInOrder(bar: String, order: [String]) throws {
    let cap = Self.meter.replacing(
      #""circumference_mm":2105"#,
      with: #""lowest_pressure_pa":300000,"target_pressure_pa":350000,"highest_pressure_pa":400000"#)
    let daemon = try StandInDaemon(["sensors": [[.reply(#"{"sensors":[\#(cap)]}"#)]], "set": [[.reply(cap)]]])
    defer { daemon.stop() }
    let words = [
      "priority=1", "target_pressure=\(bar).2bar", "lowest_pressure=\(bar)bar", "highest_pressure=\(bar).5bar",
    ]
    let outcome = try RunningCyclo(["set", "assioma"] + words, socket: daemon.controlSocket).finish()
    #expect(outcome.status == 0, "\(outcome.complaint)")
    #expect(
      daemon.requests.compactMap { $0["params"]?["key"]?.text.map { $0.replacing("_pressure_pa", with: "") } } == order)
  }

  @Test("set without a setting shows all settings")
  func setWithoutSettingShowsAll() throws {
    let daemon = try daemon("set")
    defer { daemon.stop() }
    let outcome = try cyclo("set", "assioma", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(
      outcome.lines.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }.dropFirst().elementsEqual([
        "role left front,", "circumference 2105 mm", "wheel_size - user:", "priority - -100",
        "target_pressure - nominal",
        "lowest_pressure - warn", "highest_pressure - warn", "highest_temperature - warn",
      ]))
  }

  @Test(
    "an invalid setting is a usage error",
    arguments: [
      (
        ["circumference=wide"],
        "circumference: 'wide' is neither a tire size (25-622, 700x25C) nor a length (2105, 2105mm, 210.5cm, 2.105m, 82.9in)"
      ),
      (
        ["circumference=5bar"],
        "circumference: '5bar' is neither a tire size (25-622, 700x25C) nor a length (2105, 2105mm, 210.5cm, 2.105m, 82.9in)"
      ),
      (["circumference"], "'circumference' is not a setting; example: circumference=2105mm"),
      (["role=front", "rear"], "'rear' is not a setting; example: circumference=2105mm"),
    ])
  func invalidSettingUsageError(words: [String], complaint: String) throws {
    let outcome = try RunningCyclo(["set", "assioma"] + words, socket: "/nowhere").finish()
    #expect(outcome.status == 2)
    #expect(outcome.complaint == "cyclo: \(complaint)\n  Try 'cyclo help set'.\n")
  }

  @Test("the daemon refuses an unknown setting, and cyclo suggests a similar one")
  func daemonRefusesUnknownSetting() throws {
    let daemon = try daemon("set", .error("bad_request", "no setting is called circumferense"))
    defer { daemon.stop() }
    let outcome = try cyclo("set", "assioma", "circumferense=2105", socket: daemon.controlSocket)
    #expect(outcome.status == 2)
    #expect(outcome.complaint == "cyclo: no setting is called circumferense\n  Did you mean 'circumference'?\n")
  }

  @Test("no suggestion is made for a known setting")
  func noSuggestionMadeForKnown() throws {
    let daemon = try daemon("set", .error("bad_request", "circumference_mm is read-only"))
    defer { daemon.stop() }
    let outcome = try cyclo("set", "assioma", "circumference=2105", socket: daemon.controlSocket)
    #expect(outcome.complaint == "cyclo: circumference is read-only\n")
  }

  @Test("errors name settings as the user writes them")
  func errorsNameSettingsAsUser() throws {
    let refusal = "no setting is called colour; there are role, circumference_mm, target_pressure_pa"
    let daemon = try daemon("set", .error("bad_request", refusal))
    defer { daemon.stop() }
    let outcome = try cyclo("set", "assioma", "colour=red", socket: daemon.controlSocket)
    #expect(
      outcome.complaint == "cyclo: no setting is called colour; there are role, circumference, target_pressure\n")
  }

  @Test(
    "all values are checked before any is set",
    arguments: [
      ("circumference=0", "circumference must be 300 to 4000 mm, not '0'"),
      ("circumference=21m", "circumference must be 300 to 4000 mm, not '21m'"),
      ("priority=1.5", "priority must be a whole number from -100 to 100, not '1.5'"),
      ("priority=101", "priority must be a whole number from -100 to 100, not '101'"),
      ("priority=x=5", "priority must be a whole number from -100 to 100, not 'x=5'"),
      ("role=up", "role must be front, rear, left or right, not 'up'"),
      ("wheel_size=27", "wheel_size must be user or measured, not '27'"),
      ("target_pressure=5", "target_pressure must be 0.2 to 20 bar, not '5'"),
      ("highest_temperature=10C", "highest_temperature must be 20 to 150 C, not '10C'"),
    ])
  func allValuesChecked(setting: String, complaint: String) throws {
    let daemon = try daemon("set", .reply(Self.meter))
    defer { daemon.stop() }
    let outcome = try cyclo("set", "assioma", "priority=1", setting, socket: daemon.controlSocket)
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.complaint == "cyclo: \(complaint)\n")
    #expect(daemon.requests.isEmpty)
  }

  @Test("after an error, set lists what it has already changed")
  func afterErrorSetListsWhat() throws {
    let daemon = try StandInDaemon([
      "sensors": [[.reply(Self.sensors)]],
      "set": [[.reply(Self.meter)], [.reply(Self.meter)], [.error("internal", "it cannot be remembered")]],
    ])
    defer { daemon.stop() }
    let outcome = try cyclo(
      "set", "assioma", "priority=1", "role=left", "circumference=2m", socket: daemon.controlSocket)
    #expect(outcome.status == 1)
    #expect(
      outcome.complaint == "cyclo: it cannot be remembered\n  Already changed: priority=1 role=left\n")
  }

  @Test("rename, enable and disable print the new state")
  func renameEnableAndDisablePrint() throws {
    let daemon = try StandInDaemon([
      "sensors": [[.reply(Self.sensors)]], "rename": [[.reply(Self.meter)]], "enable": [[.reply(Fixture.polarVerity)]],
      "disable": [[.reply(Fixture.polarVerity)]],
    ])
    defer { daemon.stop() }
    let socket = daemon.controlSocket
    #expect(
      try cyclo("rename", "assioma", "Left pedal", socket: socket).output == "assioma-33fe is now named Assioma.\n")
    #expect(daemon.requests.last?["params"] == ["sensor": "assioma-33fe", "name": "Left pedal"])
    #expect(
      try cyclo("enable", "arm", socket: socket).output
        == "polar-sense-77aa is already enabled: stale: no data.\n")
    let disabled = try cyclo("disable", "arm", socket: socket)
    #expect(disabled.output.contains("'cyclo enable polar-sense-77aa' connects it again"))
    #expect(daemon.requests.last?["params"] == ["sensor": "polar-sense-77aa"])
    #expect(try cyclo("disable", "arm", "--json", socket: socket).output == Fixture.polarVerity + "\n")
  }

  @Test("a misspelt sensor gets a suggestion")
  func misspeltSensorGetsSuggestion() throws {
    let daemon = try daemon("rename")
    defer { daemon.stop() }
    let outcome = try cyclo("rename", "asioma", "x", socket: daemon.controlSocket)
    #expect(outcome.status == 4)
    #expect(outcome.complaint.hasPrefix("cyclo: no sensor is named 'asioma'; did you mean 'assioma'?\n"))
  }
}

struct CommandTests {
  private static let meter =
    #"{"id":"assioma-33fe","name":"Assioma","address":"A0:9E:1A:00:00:03","plugins":["cycling_power","battery"],"#
    + #""kinds":["power","battery"],"state":"streaming"}"#
  private static let trainer =
    #"{"id":"kickr-44aa","name":"KICKR","address":"A0:9E:1A:00:00:04","plugins":["fitness_machine"],"kinds":["trainer"],"#
    + #""state":"streaming"}"#
  private static let sensors = #"{"sensors":[\#(meter),\#(trainer),\#(Fixture.polarVerity)]}"#

  private func daemon(_ steps: StandInDaemon.Step...) throws -> StandInDaemon {
    try StandInDaemon(["sensors": [[.reply(Self.sensors)]], "command": [steps]])
  }

  @Test("command without a name lists what the sensor supports")
  func commandWithoutNameListsWhat() throws {
    let daemon = try daemon()
    defer { daemon.stop() }
    let meter = try cyclo("command", "assioma", socket: daemon.controlSocket)
    #expect(meter.status == 0)
    #expect(meter.output.contains("\nzero_offset               Set the present force as zero\n"))
    #expect(meter.output.contains("  value=NUMBER: in steps of 0.5, 0 to 32767 mm\n"))
    let trainer = try cyclo("command", "kickr", "--json", socket: daemon.controlSocket)
    let offers = try trainer.lines.map { try JSONValue.parse($0) }
    let power = try #require(offers.first { $0["name"] == "target_power" })
    #expect(
      power["parameters"] == [
        [
          "name": "value", "meaning": "-32768 to 32767 W", "minimum": -32768, "maximum": 32767, "required": true,
        ]
      ])
    let strap = try cyclo("command", "arm", socket: daemon.controlSocket)
    #expect(strap.output.hasPrefix("reset_energy  "))
  }

  @Test("command prints the answer, and what to do first")
  func commandPrintsAnswerAndWhat() throws {
    let daemon = try daemon(.reply(#"{"request_opcode":12,"result":"success","offset_raw":-12}"#))
    defer { daemon.stop() }
    let outcome = try cyclo("command", "assioma", "zero-offset", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.output == "assioma-33fe: zero_offset done, offset raw -12\n")
    #expect(outcome.complaint.contains("without weight on the pedals"))
    #expect(daemon.requests.last?["params"] == ["sensor": "assioma-33fe", "name": "zero_offset"])
    let json = try cyclo("command", "assioma", "zero_offset", "--json", socket: daemon.controlSocket)
    #expect(json.output == #"{"request_opcode":12,"result":"success","offset_raw":-12}"# + "\n")
    #expect(json.complaint == "")
  }

  @Test(
    "parameters are sent by name",
    arguments: [
      ("target_power 200", #"{"value":200}"#), ("target_power value=200", #"{"value":200}"#),
      ("target_inclination -2.5", #"{"value":-2.5}"#), ("simulation 4.5", #"{"grade_pct":4.5}"#),
      ("simulation grade_pct=-1 wind_speed_mps=2", #"{"grade_pct":-1,"wind_speed_mps":2}"#),
      ("of_a_later_daemon 1 x=2", #"{"value":1,"x":2}"#),
    ])
  func parametersSentByName(words: String, sent: String) throws {
    let daemon = try daemon(.reply())
    defer { daemon.stop() }
    let line = ["command", "kickr"] + words.split(separator: " ").map(String.init)
    let outcome = try RunningCyclo(line, socket: daemon.controlSocket).finish()
    #expect(outcome.status == 0, "\(outcome.complaint)")
    #expect(outcome.output == "kickr-44aa: \(line[2]) done\n")
    #expect(daemon.requests.last?["params"]?["params"]?.encoded == sent)
  }

  @Test(
    "a wrong parameter is a usage error",
    arguments: [
      ("kickr target_power", "target_power needs a number: -32768 to 32767 W"),
      ("kickr target_power watts=3", "target_power takes value, not 'watts'"),
      ("assioma zero_offset 3", "zero_offset takes no number"),
    ])
  func wrongParameterUsageError(words: String, complaint: String) throws {
    let daemon = try daemon()
    defer { daemon.stop() }
    let line = ["command"] + words.split(separator: " ").map(String.init)
    let outcome = try RunningCyclo(line, socket: daemon.controlSocket).finish()
    #expect(outcome.status == 2)
    #expect(outcome.complaint == "cyclo: \(complaint)\n  Try 'cyclo help command'.\n")
  }

  @Test("a refusal by the sensor is status 1 and prints its answer")
  func refusalBySensorStatus1() throws {
    let refusal = #"{"request_opcode":12,"result":"operation_failed"}"#
    let daemon = try daemon(.reply(refusal))
    defer { daemon.stop() }
    let outcome = try cyclo("command", "assioma", "zero_offset", socket: daemon.controlSocket)
    #expect(outcome.status == 1)
    #expect(outcome.output == "")
    #expect(outcome.complaint.hasSuffix("cyclo: assioma-33fe refused: operation failed\n"))
    #expect(
      try cyclo("command", "assioma", "zero_offset", "--json", socket: daemon.controlSocket).output == refusal + "\n")
  }

  @Test("a misspelt command gets a suggestion")
  func misspeltCommandGetsSuggestion() throws {
    let daemon = try daemon(.error("not_supported", "Assioma: this sensor does not support zero_ofset"))
    defer { daemon.stop() }
    let outcome = try cyclo("command", "assioma", "zero_ofset", socket: daemon.controlSocket)
    #expect(outcome.status == 1)
    #expect(
      outcome.complaint == "cyclo: Assioma: this sensor does not support zero_ofset\n  Did you mean 'zero_offset'?\n")
  }
}
