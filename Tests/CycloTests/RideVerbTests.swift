// `ride`, `rider`, `bike`, `export`, `import`: what is sent to the daemon, and what is printed.

import Foundation
import JSON
import Linux
import TestSupport
import Testing

struct RideVerbTests {
  @Test(
    "ride sends its action",
    arguments: [
      ("new", "Started a new ride.\n"), ("lap", "Started the next lap.\n"),
      ("pause", "The ride is paused until 'cyclo ride resume'.\n"), ("resume", "The ride has resumed.\n"),
    ])
  func rideSendsAction(action: String, said: String) throws {
    let daemon = try StandInDaemon(["ride": [[.reply()]]])
    defer { daemon.stop() }
    #expect(try cyclo("ride", action, socket: daemon.controlSocket).output == said)
    #expect(daemon.requests.last?["params"] == ["action": .string(action)])
    #expect(try cyclo("ride", action, "--json", socket: daemon.controlSocket).output == "{}\n")
  }

  @Test(
    "an action that changes nothing says so",
    arguments: [
      ("pause", "The ride is already paused, until 'cyclo ride resume'.\n", 0),
      ("resume", "The ride is not paused.\n", 0), ("lap", "", 1),
    ])
  func nothing(action: String, said: String, status: Int) throws {
    let daemon = try StandInDaemon(["ride": [[.reply(#"{"changed":false}"#)]]])
    defer { daemon.stop() }
    let outcome = try cyclo("ride", action, socket: daemon.controlSocket)
    #expect(outcome.output == said && outcome.status == Int32(status))
    if status == 1 { #expect(outcome.complaint.hasPrefix("cyclo: there is no current ride\n")) }
  }

  @Test("an unknown action is a usage error")
  func unknownActionUsageError() throws {
    let outcome = try cyclo("ride", "fly", socket: "/nowhere")
    let complaint = "cyclo: 'fly' is not one of new, lap, pause, resume, end, settings\n"
    #expect(outcome.status == 2 && outcome.complaint.hasPrefix(complaint))
    #expect(try cyclo("ride", "lap", socket: "/nowhere").status == 3)
  }
}

struct RiderVerbTests {
  private static let known = #"{"weight_kg":72.5,"sex":"female","zone_floors_bpm":[95,114,133]}"#

  private func daemon(_ step: StandInDaemon.Step = .reply(known)) throws -> StandInDaemon {
    try StandInDaemon(["rider": [[step]]])
  }

  @Test(
    "rider sends values in the protocol's units",
    arguments: [
      ("weight=72.5", #"{"weight_kg":72.5}"#, "weight 72.5 kg\n"),
      ("weight 160lb", #"{"weight_kg":72.574779}"#, "weight 72.5 kg\n"),
      ("sex=female weight_kg=72.5kg", #"{"sex":"female","weight_kg":72.5}"#, "weight 72.5 kg\nsex female\n"),
      ("zone-floors=95,114,133", #"{"zone_floors_bpm":[95,114,133]}"#, "zone_floors 95 114 133 bpm\n"),
      ("max_bpm=", #"{"max_bpm":""}"#, "max_bpm cleared\n"),
    ])
  func riderSendsValuesInProtocols(words: String, sent: String, said: String) throws {
    let daemon = try daemon()
    defer { daemon.stop() }
    let outcome = try RunningCyclo(
      ["rider"] + words.split(separator: " ").map(String.init), socket: daemon.controlSocket
    )
    .finish()
    #expect(outcome.status == 0, "\(outcome.complaint)")
    #expect(outcome.output == said)
    #expect(daemon.requests.map { $0["params"]?.encoded } == [sent], "all of it in one request")
  }

  @Test("rider without a setting shows the rider")
  func riderWithoutSettingShowsRider() throws {
    let daemon = try daemon()
    defer { daemon.stop() }
    let lines = try cyclo("rider", socket: daemon.controlSocket).lines
    #expect(lines.first?.split(separator: " ") == ["SETTING", "VALUE", "MEANING"])
    #expect(lines.count == 11)
    #expect(lines[1] == "weight           72.5 kg         what the rider weighs, 20 to 300 kg")
    #expect(lines[3] == "age              -               age in years, 5 to 120 years")
    #expect(lines.last?.hasPrefix("zone_floors      95 114 133 bpm  where each") == true)
    #expect(daemon.requests.last?["params"] == [:])
    let imperial = try cyclo("rider", "--units", "imperial", socket: daemon.controlSocket).output
    #expect(imperial.contains("159.8 lb"))
    #expect(try cyclo("rider", "--json", socket: daemon.controlSocket).output == Self.known + "\n")
  }

  @Test(
    "an impossible value is refused before the daemon is asked",
    arguments: [
      ("weight=1", 2, "weight must be 20 to 300 kg, not '1'"),
      ("sex=other", 2, "sex must be female or male, not 'other'"),
      (
        "zone_floors=120,110", 2,
        "zone_floors must be 2 to 10 rising numbers, each 0 to 250 beats a minute, not '120,110'"
      ),
      ("zone_floors=a,b", 2, "zone_floors must be 2 to 10 rising numbers, each 0 to 250 beats a minute, not 'a,b'"),
      ("weight=heavy", 2, "weight: 'heavy' is not a number with one of these units: kg, lb"),
      ("weight", 2, "'weight' is not a setting; example: weight=72.5kg"),
    ])
  func impossibleValueRefusedBeforeDaemon(setting: String, status: Int, complaint: String) throws {
    let outcome = try cyclo("rider", "age=41", setting, socket: "/nowhere")
    #expect(outcome.status == Int32(status))
    #expect(outcome.complaint.hasPrefix("cyclo: \(complaint)\n"))
  }

  @Test("a misspelt key gets a suggestion")
  func misspeltKeyGetsSuggestion() throws {
    let outcome = try cyclo("rider", "wieght=70", socket: "/nowhere")
    #expect(outcome.status == 2)
    #expect(
      outcome.complaint
        == "cyclo: unknown rider setting 'wieght'; known settings: weight, height, age, sex, max_bpm, resting_bpm, "
        + "threshold_bpm, threshold_power, w_prime, zone_floors\n  Did you mean 'weight'?\n")
  }

  @Test("a refusal names settings as the user writes them")
  func refusalNamesSettingsAsUser() throws {
    let daemon = try daemon(.error("bad_request", "the highest of zone_floors_bpm is above max_bpm"))
    defer { daemon.stop() }
    let outcome = try cyclo("rider", "max_bpm=120", socket: daemon.controlSocket)
    #expect(outcome.status == 2 && outcome.complaint == "cyclo: the highest of zone_floors is above max_bpm\n")
  }

  @Test("missing permission is reported")
  func missingPermissionReported() throws {
    let daemon = try daemon(.error("denied", "rider is only available on control.sock"))
    defer { daemon.stop() }
    #expect(try cyclo("rider", socket: daemon.controlSocket).status == 8)
  }

  @Test("completion offers settings of rider and bike")
  func completionOffersSettingsOfRider() throws {
    #expect(
      try cyclo("complete", "--", "rider", "we", socket: "/nowhere").lines == [
        "weight=\twhat the rider weighs, 20 to 300 kg"
      ])
    #expect(try cyclo("complete", "--", "rider", "sex=f", socket: "/nowhere").lines == ["sex=female\t"])
    #expect(try cyclo("complete", "--", "ride", "p", socket: "/nowhere").lines == ["pause\t"])
    #expect(try cyclo("complete", "--", "export", "", socket: "/nowhere").lines == [":files"])
  }
}

struct BikeVerbTests {
  private static let gravel =
    #"{"name":"Gravel","sensors":["polar-h10-1a2b"],"circumference_mm":2200,"front_pressure_pa":250000}"#
  private static let bikes = #"{"bikes":[\#(gravel),{"name":"Race","sensors":[]}],"current":"Gravel"}"#

  private func daemon(_ steps: StandInDaemon.Step...) throws -> StandInDaemon {
    try StandInDaemon(["sensors": [[.reply(Fixture.sensors)]], "bike": [[.reply(Self.bikes)]] + steps.map { [$0] }])
  }

  @Test("bikes are listed, with the current one marked")
  func bikesAreListed() throws {
    let daemon = try daemon()
    defer { daemon.stop() }
    let outcome = try cyclo("bike", socket: daemon.controlSocket)
    #expect(
      outcome.output == """
        BIKE    STATE    SENSORS         WHEEL    FRONT
        Gravel  current  polar-h10-1a2b  2200 mm  2.50 bar
        Race

        """)
    #expect(try cyclo("bike", "--json", socket: daemon.controlSocket).output == Self.bikes + "\n")
    let one = try cyclo("bike", "grav", socket: daemon.controlSocket)
    #expect(
      one.lines.first == "Gravel: polar-h10-1a2b"
        && one.lines.contains { $0.split(separator: " ").prefix(3) == ["front_pressure", "2.50", "bar"] })
    #expect(try cyclo("bike", "grav", "--json", socket: daemon.controlSocket).output == Self.gravel + "\n")
    #expect(
      try cyclo("complete", "--", "bike", "", socket: daemon.controlSocket).lines == [
        "Gravel\tpolar-h10-1a2b", "Race\t",
      ])
    #expect(
      try cyclo("complete", "--", "bike", "Race", "f", socket: daemon.controlSocket).lines == [
        "front_pressure=\tnominal front tire pressure, 0.2 to 20 bar",
        "front_lowest_pressure=\twarn below this pressure, 0.2 to 20 bar",
        "front_highest_pressure=\twarn above this pressure, 0.2 to 20 bar",
      ])
  }

  @Test(
    "bike sends its changes",
    arguments: [
      (["Gravel", "circumference=2100"], #"{"name":"Gravel","circumference_mm":2100}"#),
      (
        ["gravel", "front_pressure=2.4bar", "rear_pressure="],
        #"{"name":"Gravel","front_pressure_pa":240000,"rear_pressure_pa":""}"#
      ),
      (
        ["Gravel", "front_lowest_pressure=2bar", "highest_temperature=140F"],
        #"{"name":"Gravel","front_lowest_pressure_pa":200000,"highest_temperature_c":60}"#
      ),
      (["Gravel", "name=2"], #"{"name":"Gravel","rename":"2"}"#),
      (["Gravel", "--add", "arm"], #"{"name":"Gravel","sensors":["polar-h10-1a2b","polar-sense-77aa"]}"#),
      (["Gravel", "--drop", "polar-h10"], #"{"name":"Gravel","sensors":[]}"#),
      (
        ["Tourer", "--add", "arm", "--add", "polar-h10"],
        #"{"name":"Tourer","sensors":["polar-sense-77aa","polar-h10-1a2b"]}"#
      ),
      (["Tour", "front_pressure=3bar"], #"{"name":"Tour","front_pressure_pa":300000}"#),
      (["Grav", "--add", "arm"], #"{"name":"Grav","sensors":["polar-sense-77aa"]}"#),
      (["race", "--remove"], #"{"name":"Race","remove":true}"#),
    ])
  func bikeSendsChanges(words: [String], sent: String) throws {
    let daemon = try daemon(.reply(Self.bikes))
    defer { daemon.stop() }
    let outcome = try RunningCyclo(["bike"] + words, socket: daemon.controlSocket).finish()
    #expect(outcome.status == 0, "\(outcome.complaint)")
    #expect(daemon.requests.last?["params"]?.encoded == sent)
    // The beginning of another's name is a name of its own.
    #expect(outcome.complaint.contains("is a new bike") == ["Tourer", "Tour", "Grav"].contains(words[0]))
  }

  @Test(
    "an impossible change of a bike is refused",
    arguments: [
      (["Tourer"], 1, "no bike is named 'Tourer'; known bikes: Gravel, Race"),
      (["Tourer", "--remove"], 1, "no bike is named"),
      (["Gravel", "--add", "absent"], 4, "no sensor is named 'absent'"),
      (["Race", "--drop", "arm"], 1, "polar-sense-77aa is not one of its sensors"),
      (
        ["Gravel", "colour=red"], 2,
        "unknown bike setting 'colour'; known settings: name, circumference, front_pressure, front_lowest"
      ),
      (["Gravel", "circumference=1"], 2, "circumference must be 300 to 4000 mm, not '1'"),
      (["Gravel", "circumference"], 2, "'circumference' is not a setting; example: circumference=2105mm"),
    ])
  func impossibleChangeOfBikeRefused(words: [String], status: Int, complaint: String) throws {
    let daemon = try daemon()
    defer { daemon.stop() }
    let outcome = try RunningCyclo(["bike"] + words, socket: daemon.controlSocket).finish()
    #expect(outcome.status == Int32(status))
    #expect(outcome.complaint.hasPrefix("cyclo: \(complaint)"), "\(outcome.complaint)")
  }

  @Test("a refused bike names settings as the user writes them")
  func refusedBikeNamesSettings() throws {
    let daemon = try daemon(.error("bad_request", "front_lowest_pressure_pa is above front_highest_pressure_pa"))
    defer { daemon.stop() }
    let outcome = try cyclo("bike", "Gravel", "front_lowest_pressure=9bar", socket: daemon.controlSocket)
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.complaint == "cyclo: front_lowest_pressure is above front_highest_pressure\n")
  }

  @Test("an ambiguous prefix of bikes is refused")
  func ambiguousPrefixOfBikesRefused() throws {
    let bikes = #"{"bikes":[{"name":"Gravel","sensors":[]},{"name":"Gravel 2","sensors":[]}]}"#
    let daemon = try StandInDaemon(["bike": [[.reply(bikes)]]])
    defer { daemon.stop() }
    let outcome = try cyclo("bike", "grav", "--remove", socket: daemon.controlSocket)
    #expect(outcome.status == 1)
    #expect(
      outcome.complaint == "cyclo: 'grav' is ambiguous: it matches Gravel, Gravel 2\n  Use the whole name\n")
    #expect(daemon.requests.count == 1)
    // The whole name of one is that one, though another begins so.
    #expect(try cyclo("bike", "gravel", socket: daemon.controlSocket).output.hasPrefix("Gravel: no sensors\n"))
  }
}

struct LearnedVerbTests {
  private static let learned =
    #"{"version":1,"release":"0.1.0","sensors":[{"id":"a","address":"A0:9E:1A:00:00:01"}],"rider":{"weight_kg":70},"bikes":[]}"#

  @Test("an export is readable only by its owner")
  func exportReadableOnlyByOwner() throws {
    let daemon = try StandInDaemon(["export": [[.reply(Self.learned)]]])
    defer { daemon.stop() }
    #expect(try cyclo("export", socket: daemon.controlSocket).output == Self.learned + "\n")
    #expect(try cyclo("export", "-", socket: daemon.controlSocket).output == Self.learned + "\n")
    let folder = try TemporaryFolder()
    let path = folder.file("kept.json")
    try "older".write(toFile: path, atomically: false, encoding: .utf8)
    let outcome = try cyclo("export", path, socket: daemon.controlSocket)
    #expect(outcome.output == "")
    #expect(outcome.complaint == "1 sensor, the rider and 0 bikes are in \(path). To load it: cyclo import.\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == Self.learned + "\n")
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    #expect(try cyclo("export", "--json", path, socket: daemon.controlSocket).output == Self.learned + "\n")
    #expect(try Files.names(in: folder.path) == ["kept.json"])
    let nowhere = try cyclo("export", folder.file("no/such/folder"), socket: daemon.controlSocket)
    #expect(nowhere.status == 1 && nowhere.complaint.hasPrefix("cyclo: cannot write "))
  }

  @Test("import prints what it changed")
  func importPrintsWhatItChanged() throws {
    let result = #"{"added":["polar-h10-1a2b"],"changed":["polar-sense-77aa"],"pair_again":["polar-h10-1a2b"]}"#
    let daemon = try StandInDaemon(["import": [[.reply(result)]], "sensors": [[.reply(Fixture.sensors)]]])
    defer { daemon.stop() }
    let path = try TemporaryFolder().file("kept.json")
    try FileManager.default.createDirectory(
      atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
    try Self.learned.write(toFile: path, atomically: false, encoding: .utf8)
    let outcome = try cyclo("import", path, socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.output == "New: polar-h10-1a2b\nChanged: polar-sense-77aa\n")
    #expect(
      outcome.complaint.hasSuffix("If its state is error, pair it again:\n  cyclo pair A0:9E:1A:00:00:01 --yes\n"))
    #expect(daemon.requests.first?["params"]?.encoded == Self.learned)
    let piped = try RunningCyclo(["import", "-", "--json"], socket: daemon.controlSocket, input: Self.learned).finish()
    #expect(piped.output == result + "\n")
  }

  @Test(
    "a file that is not an export is refused before the daemon is asked",
    arguments: [
      ("hello", "standard input is not an export of cyclo: "),
      ("[1]", "standard input is not an export of cyclo: not a JSON object"),
      ("{\"version\":1,\"x\":\"\(String(repeating: "x", count: 66_000))\"}", "standard input is too long"),
    ])
  func fileThatNotExportRefused(input: String, complaint: String) throws {
    let outcome = try RunningCyclo(["import", "-"], socket: "/nowhere", input: input).finish()
    #expect(outcome.status == 1)
    #expect(outcome.complaint.hasPrefix("cyclo: \(complaint)"), "\(outcome.complaint)")
  }

  @Test("a missing file is status 1")
  func missingFileStatus1() throws {
    let outcome = try cyclo("import", "/no/such/file", socket: "/nowhere")
    #expect(outcome.status == 1 && outcome.complaint == "cyclo: cannot read /no/such/file: No such file or directory\n")
  }

  @Test("a refused import prints the reason")
  func refusedImportPrintsReason() throws {
    let message = "this was exported by a newer release (format 2), and this one reads format 1: upgrade it"
    let daemon = try StandInDaemon(["import": [[.error("bad_request", message)]]])
    defer { daemon.stop() }
    let outcome = try RunningCyclo(["import", "-"], socket: daemon.controlSocket, input: #"{"version":2}"#).finish()
    #expect(outcome.status == 1 && outcome.complaint == "cyclo: \(message)\n")
  }
}
