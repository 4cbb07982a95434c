// The verbs that only read: what they print, for people and for programs, and how they end.

import JSON
import Linux
import Testing

struct ReadingTests {
  @Test("status shows daemon, adapter, sensors and last values")
  func statusShowsDaemonAdapterSensors() throws {
    let daemon = try StandInDaemon(Fixture.reading)
    defer { daemon.stop() }
    let outcome = try cyclo("status", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.complaint == "")
    #expect(
      outcome.output == """
        cyclometerd 0.1.0, up 3 h 12 min, BlueZ 5.66, Linux 6.1.0
        hci0  on  00:11:22:33:44:55

        SENSOR            NAME       STATE           VALUE    AGE    BATTERY  SIGNAL
        polar-h10-1a2b    Polar H10  streaming       142 bpm  0.4 s  80 %     -61 dBm
        polar-sense-77aa  Arm band   stale: no data

        """)
  }

  @Test(
    "status shows the quality of the position",
    arguments: [
      (1, 400, "okay"), (2, 9900, "okay"), (1, 12_000, "no fix"), (0, 400, "no working receiver"),
    ])
  func statusShowsQualityOfPosition(receivers: Int, age: Int, words: String) throws {
    let fix =
      #"{"class":"sample","sensor":"ride","kind":"position","seq":1,"t":1,"age_ms":\#(age),"quality":"okay"}"#
    let status = #"{"adapters":[],"sensors":[],"position":{"gpsd":"localhost:2947","receivers":\#(receivers)}}"#
    let daemon = try StandInDaemon(["status": [[.reply(status)]], "poll": [[.reply(Fixture.records(fix))]]])
    defer { daemon.stop() }
    let outcome = try cyclo("status", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.lines.contains("position  \(words), by gpsd at localhost:2947"), "\(outcome.output)")
  }

  @Test("status omits the position if gpsd is not used")
  func statusOmitsPositionIfGpsd() throws {
    for position in [#"{"gpsd":"localhost:2947"}"#, "{}"] {
      let status = #"{"adapters":[],"sensors":[],"position":\#(position)}"#
      let daemon = try StandInDaemon(["status": [[.reply(status)]], "poll": [[.reply(Fixture.records())]]])
      defer { daemon.stop() }
      let outcome = try cyclo("status", socket: daemon.controlSocket)
      #expect(outcome.status == 0)
      #expect(!outcome.output.contains("position"), "\(outcome.output)")
    }
  }

  @Test("status --json prints the daemon's result")
  func statusJsonPrintsDaemonsResult() throws {
    let daemon = try StandInDaemon(Fixture.reading)
    defer { daemon.stop() }
    #expect(try cyclo("--json", "status", socket: daemon.controlSocket).output == Fixture.status + "\n")
  }

  @Test("list is a table")
  func listTable() throws {
    let daemon = try StandInDaemon(Fixture.reading)
    defer { daemon.stop() }
    let outcome = try cyclo("list", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(
      outcome.output == """
        SENSOR            NAME       ADDRESS            KINDS                STATE      BATTERY
        polar-h10-1a2b    Polar H10  A0:9E:1A:00:00:01  heart_rate, battery  streaming  80 %
        polar-sense-77aa  Arm band   A0:9E:1A:00:00:02  heart_rate           stale

        """)
  }

  @Test("list --json prints one sensor per line with unknown members")
  func listJsonPrintsOneSensor() throws {
    let daemon = try StandInDaemon(Fixture.reading)
    defer { daemon.stop() }
    let outcome = try cyclo("list", "--json", socket: daemon.controlSocket)
    #expect(outcome.lines == [Fixture.polar, Fixture.polarVerity])
  }

  @Test("an empty list says what to do, on standard error")
  func emptyListSaysWhat() throws {
    let daemon = try StandInDaemon(["sensors": [[.reply(#"{"sensors":[]}"#)]]])
    defer { daemon.stop() }
    let outcome = try cyclo("list", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.output == "")
    #expect(outcome.complaint.contains("cyclo scan"))
  }

  @Test("show finds the sensor", arguments: ["polar-h10-1a2b", "polar-h", "Polar H10", "polar h", "a0:9e:1a:00:00:01"])
  func showFindsSensor(word: String) throws {
    let daemon = try StandInDaemon(Fixture.reading)
    defer { daemon.stop() }
    let outcome = try cyclo("show", word, socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.lines.first == "polar-h10-1a2b")
    #expect(outcome.output.contains(/body location +chest\n/))
    #expect(outcome.output.contains("142 bpm (rr 421.9 423.8 ms, sensor contact detected), 0.4 s ago"))
  }

  @Test(
    "show names the program that decodes for a sensor",
    arguments: [
      (#"[{"plugin":"magene","user":"cyclometer-magene","pid":4711}]"#, "process 4711 of user cyclometer-magene"),
      (#"[{"plugin":"magene","user":"cyclometer-magene"}]"#, "does not run (user cyclometer-magene)"),
      (#"[{"plugin":"magene","user":"a","pid":1},{"plugin":"b","user":"c"}]"#, "magene: process 1 of user a"),
    ])
  func showNamesProgram(_ row: (programs: String, words: String)) throws {
    let sensor =
      #"{"id":"l508-0a1b","name":"L508","address":"A0:9E:1A:00:00:01","plugins":["magene"],"kinds":["radar"],"#
      + #""programs":\#(row.programs)}"#
    var replies = Fixture.reading
    replies["sensors"] = [[.reply(#"{"sensors":[\#(sensor)]}"#)]]
    let daemon = try StandInDaemon(replies)
    defer { daemon.stop() }
    let outcome = try cyclo("show", "l508", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("program") && outcome.output.contains(row.words), "\(outcome.output)")
  }

  @Test(
    "show of an ambiguous or unknown sensor is status 4",
    arguments: [("kickr", "no sensor is named 'kickr'"), ("polar", "'polar' is ambiguous: it matches")])
  func showOfAmbiguousOrUnknown(word: String, complaint: String) throws {
    let daemon = try StandInDaemon(Fixture.reading)
    defer { daemon.stop() }
    let outcome = try cyclo("show", word, socket: daemon.controlSocket)
    #expect(outcome.status == 4)
    #expect(outcome.output == "")
    #expect(outcome.complaint.contains(complaint))
    #expect(outcome.complaint.contains("polar-h10-1a2b"))
  }

  @Test("without paired sensors the error says so")
  func withoutPairedSensorsErrorSays() throws {
    let daemon = try StandInDaemon(["sensors": [[.reply(#"{"sensors":[]}"#)]]])
    defer { daemon.stop() }
    let outcome = try cyclo("show", "polar", socket: daemon.controlSocket)
    #expect(outcome.status == 4)
    #expect(
      outcome.complaint
        == "cyclo: no sensor is named 'polar': none is paired\n  To find sensors: cyclo scan\n")
  }

  @Test("get prints the value and its age")
  func getPrintsValueAndAge() throws {
    let daemon = try StandInDaemon(Fixture.reading)
    defer { daemon.stop() }
    let outcome = try cyclo("get", "heart-rate", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.output == "142 bpm, 0.4 s ago, polar-h10-1a2b\n")
    #expect(daemon.requests.last?["params"] == ["kinds": ["heart_rate"]])
  }

  @Test("get --json prints the sample")
  func getJsonPrintsSample() throws {
    let daemon = try StandInDaemon(Fixture.reading)
    defer { daemon.stop() }
    let outcome = try cyclo("get", "heart_rate", "--json", socket: daemon.controlSocket)
    #expect(outcome.output == Fixture.heartRate(142, seq: 7, age: 400) + "\n")
  }

  @Test("get --sensor requests only that sensor")
  func getSensorRequests() throws {
    let daemon = try StandInDaemon(Fixture.reading)
    defer { daemon.stop() }
    let outcome = try cyclo("get", "heart-rate", "--sensor", "polar-h", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.output == "142 bpm, 0.4 s ago, polar-h10-1a2b\n")
    #expect(daemon.requests.last?["params"] == ["kinds": ["heart_rate"], "sensors": ["polar-h10-1a2b"]])
    #expect(try cyclo("get", "heart-rate", "--sensor", "kickr", socket: daemon.controlSocket).status == 4)
  }

  /// No sensor has this name, so the paired ones are not requested.
  @Test("get --sensor ride requests derived samples")
  func getSensorRideRequestsDerived() throws {
    let daemon = try StandInDaemon(Fixture.reading)
    defer { daemon.stop() }
    #expect(try cyclo("get", "heart_rate", "--sensor", "ride", socket: daemon.controlSocket).status == 0)
    #expect(daemon.requests.compactMap { $0["method"]?.text } == ["poll"])
    #expect(daemon.requests.last?["params"] == ["kinds": ["heart_rate"], "sensors": ["ride"]])
  }

  @Test("get prefers the ride, then the newest sample")
  func getPrefersRideThenNewest() throws {
    let old = Fixture.heartRate(120, seq: 1, age: 9000)
    let new = Fixture.heartRate(130, seq: 1, sensor: "polar-sense-77aa", age: 100)
    let ride = Fixture.heartRate(125, seq: 1, sensor: "ride", age: 500)
    let daemon = try StandInDaemon([
      "poll": [[.reply(Fixture.records(old, new))], [.reply(Fixture.records(old, new, ride))]]
    ])
    defer { daemon.stop() }
    #expect(
      try cyclo("get", "heart_rate", socket: daemon.controlSocket).output == "130 bpm, 0.1 s ago, polar-sense-77aa\n")
    #expect(try cyclo("get", "heart_rate", socket: daemon.controlSocket).output == "125 bpm, 0.5 s ago, ride\n")
  }

  @Test("get of a missing or old value is status 1")
  func getOfMissingOrOld() throws {
    let daemon = try StandInDaemon([
      "poll": [[.reply(Fixture.records())], [.reply(Fixture.records(Fixture.heartRate(99, seq: 1, age: 12_000)))]]
    ])
    defer { daemon.stop() }
    let never = try cyclo("get", "power", socket: daemon.controlSocket)
    #expect(never.status == 1)
    #expect(never.complaint == "cyclo: no power since the daemon started\n")
    let old = try cyclo("get", "heart_rate", "--max-age", "5", socket: daemon.controlSocket)
    #expect(old.status == 1)
    #expect(old.complaint == "cyclo: the last heart rate is 12 s old (polar-h10-1a2b)\n")
    #expect(old.output == "")
  }

  @Test("reading falls back to metrics.sock")
  func readingFallsBackToMetricssock() throws {
    let daemon = try StandInDaemon(Fixture.reading, socket: "metrics.sock")
    defer { daemon.stop() }
    #expect(try cyclo("list", socket: daemon.controlSocket).status == 0)
    // Without the control socket nothing can be changed.
    #expect(try cyclo("forget", "polar-h", socket: daemon.controlSocket).status == 3)
  }

  @Test("CYCLOMETER_SOCKET names the socket")
  func cyclometersocketNamesSocket() throws {
    let daemon = try StandInDaemon(Fixture.reading)
    defer { daemon.stop() }
    #expect(try cyclo("list", environment: ["CYCLOMETER_SOCKET": daemon.controlSocket]).status == 0)
  }

  @Test("names from the air cannot control the terminal")
  func namesFromTheAirDoNotSteerTheTerminal() throws {
    let nasty = #"{"sensors":[{"id":"x-1","name":"\u001b[2Jgone","address":"A0:9E:1A:00:00:01","state":"searching"}]}"#
    let daemon = try StandInDaemon(["sensors": [[.reply(nasty)]]])
    defer { daemon.stop() }
    #expect(try !cyclo("list", socket: daemon.controlSocket).output.contains("\u{1B}"))
  }
}
