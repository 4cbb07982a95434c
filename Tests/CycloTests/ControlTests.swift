// The verbs that change something, and every way in which the daemon may refuse.

import JSON
import Testing

struct ControlTests {
  @Test("scan prints each device once")
  func scanPrintsEachDevice() throws {
    let daemon = try StandInDaemon([
      "scan": [[.reply(), .line(Fixture.found), .line(Fixture.found), .line(Fixture.scanEnded)]]
    ])
    defer { daemon.stop() }
    let outcome = try cyclo("scan", "-t", "3", "--all", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.output == "A0:9E:1A:00:00:01  -61   paired  heart_rate                    Polar H10\n")
    #expect(outcome.complaint == "1 found; all are paired.\n")
    #expect(daemon.requests.first?["params"] == ["seconds": 3, "all": true])
  }

  @Test("scan --json prints the records unchanged")
  func scanJsonPrintsRecordsUnchanged() throws {
    let spaced = Fixture.found.replacing(",", with: " , ")
    let daemon = try StandInDaemon(["scan": [[.reply(), .line(spaced), .line(Fixture.scanEnded)]]])
    defer { daemon.stop() }
    let outcome = try cyclo("scan", "--json", socket: daemon.controlSocket)
    #expect(outcome.lines == [spaced, Fixture.scanEnded])
    #expect(outcome.complaint == "")
  }

  @Test("a scan without results says what to do")
  func scanWithoutResultsSaysWhat() throws {
    let daemon = try StandInDaemon(["scan": [[.reply(), .line(Fixture.scanEnded)]]])
    defer { daemon.stop() }
    let outcome = try cyclo("scan", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.output == "")
    #expect(outcome.complaint.contains("Wake them"))
  }

  @Test("pair shows the sensor and its first value")
  func pairShowsSensorAndFirst() throws {
    let daemon = try StandInDaemon([
      "pair": [[.line(Fixture.staleArmBand), .reply(Fixture.polar)]],
      "poll": [[.reply(Fixture.records(Fixture.heartRate(64, seq: 1)))]],
    ])
    defer { daemon.stop() }
    let outcome = try cyclo(
      "pair", "a0:9e:1a:00:00:01", "--name", "Strap", "--role", "front", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.lines.first == "polar-h10-1a2b")
    #expect(outcome.output.contains("64 bpm"))
    #expect(!outcome.complaint.contains("\u{1B}"))
    #expect(
      daemon.requests.first?["params"] == ["address": "A0:9E:1A:00:00:01", "name": "Strap", "role": "front"])
  }

  @Test("pair --json prints the sensor, then its samples")
  func pairJsonPrintsSensor() throws {
    let sample = Fixture.heartRate(64, seq: 1)
    let daemon = try StandInDaemon(["pair": [[.reply(Fixture.polar)]], "poll": [[.reply(Fixture.records(sample))]]])
    defer { daemon.stop() }
    let outcome = try cyclo("pair", "A0:9E:1A:00:00:01", "--json", socket: daemon.controlSocket)
    #expect(outcome.lines == [Fixture.polar, sample])
  }

  /// What it counts is in its first sample, which comes a moment after it was paired.
  @Test("pair waits until it is known whether the sensor counts wheel or crank")
  func pairWaitsUntilItKnown() throws {
    let hub =
      #"{"id":"hub-1","name":"Hub","address":"C0:FF:EE:16:00:01","plugins":["cycling_speed_cadence"],"#
      + #""kinds":["speed"],"state":"streaming"}"#
    let turns =
      #"{"class":"sample","sensor":"hub-1","kind":"speed","seq":1,"t":1,"age_ms":0,"wheel_revs":100}"#
    let daemon = try StandInDaemon([
      "pair": [[.reply(hub)]], "sensors": [[.reply(#"{"sensors":[\#(hub)]}"#)]],
      "poll": [[.reply(Fixture.records())], [.reply(Fixture.records(turns))]],
    ])
    defer { daemon.stop() }
    let outcome = try cyclo("pair", "C0:FF:EE:16:00:01", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("100 turns"))
    #expect(outcome.complaint.contains("Speed needs the size of the wheel. Measure it with 'cyclo calibrate hub-1'"))
  }

  @Test("an unknown prompt of a newer daemon cancels the pairing")
  func unknownPromptOfNewerDaemon() throws {
    let prompt = #"{"class":"prompt","prompt":"p1","ask":"retina","sensor":"polar-h10-1a2b"}"#
    let daemon = try StandInDaemon(["pair": [[.line(prompt)]]])
    defer { daemon.stop() }
    let outcome = try cyclo("pair", "A0:9E:1A:00:00:01", socket: daemon.controlSocket)
    #expect(outcome.status == 7)
    #expect(outcome.complaint == "cyclo: the sensor asks for something that this release does not support\n")
  }

  @Test("a daemon that stops during pairing is status 3")
  func daemonThatStopsDuringPairing() throws {
    let daemon = try StandInDaemon(["pair": [[.line(Fixture.stale), .hangUp]]])
    defer { daemon.stop() }
    let outcome = try cyclo("pair", "A0:9E:1A:00:00:01", socket: daemon.controlSocket)
    #expect(outcome.status == 3)
    #expect(outcome.output == "")
    #expect(outcome.complaint.hasPrefix("cyclo: the daemon closed the connection\n"))
  }

  @Test("forget names the sensor")
  func forgetNamesSensor() throws {
    let daemon = try StandInDaemon(["sensors": [[.reply(Fixture.sensors)]], "forget": [[.reply(Fixture.polar)]]])
    defer { daemon.stop() }
    let outcome = try cyclo("forget", "Polar H", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("Removed polar-h10-1a2b (Polar H10).\nTo restore it:\n"))
    #expect(daemon.requests.last?["params"] == ["sensor": "polar-h10-1a2b"])
  }

  @Test("forget prints the command that pairs the sensor again")
  func forgetPrintsCommandThatPairs() throws {
    let cap =
      #"{"id":"cap-0001","name":"Front cap","address":"80:EA:CA:00:00:02","role":"front","#
      + #""settings":{"circumference_mm":2105,"target_pressure_pa":550000,"wheel_size":"measured"}}"#
    let daemon = try StandInDaemon(["sensors": [[.reply(#"{"sensors":[\#(cap)]}"#)]], "forget": [[.reply(cap)]]])
    defer { daemon.stop() }
    let outcome = try cyclo("forget", "cap", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(
      outcome.output == """
        Removed cap-0001 (Front cap).
        To restore it:
          cyclo pair 80:EA:CA:00:00:02 --name 'Front cap' --role front --wheel 2105
          cyclo set cap-0001 target_pressure_pa 550000
          cyclo set cap-0001 wheel_size measured

        """)
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    let code: String
    let status: Int32
    var testDescription: String { "\(code) -> \(status)" }
  }

  @Test(
    "each error code has its exit status",
    arguments: [
      Refusal(code: "bad_request", status: 2), Refusal(code: "busy", status: 1), Refusal(code: "too_many", status: 1),
      Refusal(code: "no_such_kind", status: 2), Refusal(code: "not_supported", status: 1),
      Refusal(code: "internal", status: 1), Refusal(code: "of_a_later_daemon", status: 1),
      Refusal(code: "no_such_sensor", status: 4), Refusal(code: "timeout", status: 5),
      Refusal(code: "not_connected", status: 5), Refusal(code: "already_paired", status: 1),
      Refusal(code: "adapter_unavailable", status: 6), Refusal(code: "pairing_failed", status: 7),
      Refusal(code: "denied", status: 8),
    ])
  func eachErrorCodeHasExit(refusal: Refusal) throws {
    let steps: [StandInDaemon.Step] = [.error(refusal.code, "the reason why")]
    let daemon = try StandInDaemon(["pair": [steps], "scan": [steps], "subscribe": [steps]])
    defer { daemon.stop() }
    for arguments in [["pair", "A0:9E:1A:00:00:01"], ["scan"], ["watch"]] {
      let outcome = try RunningCyclo(arguments, socket: daemon.controlSocket).finish()
      #expect(outcome.status == refusal.status)
      #expect(outcome.output == "")
      #expect(outcome.complaint.hasPrefix("cyclo: the reason why\n"))
    }
  }

  @Test("the reason of a daemon with too many clients is printed")
  func reasonOfDaemonWithToo() throws {
    let refusal = #"{"class":"error","code":"too_many","message":"256 clients are connected"}"#
    let daemon = try StandInDaemon([:], greetings: [refusal])
    defer { daemon.stop() }
    let outcome = try cyclo("list", socket: daemon.controlSocket)
    #expect(outcome.status == 1)
    #expect(outcome.complaint == "cyclo: 256 clients are connected\n")
  }

  @Test(
    "a server that is not cyclometerd is an error",
    arguments: ["SSH-2.0-OpenSSH_9.2", #"{"class":"hello","protocol":"2.0","instance":"x"}"#])
  func serverThatNotCyclometerdError(greeting: String) throws {
    let daemon = try StandInDaemon([:], greetings: [greeting + "\n{}"])
    defer { daemon.stop() }
    #expect(try cyclo("list", socket: daemon.controlSocket).status == 1)
  }
}
