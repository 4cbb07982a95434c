// Following the daemon: filters, ends, and a daemon that goes and comes back.

import JSON
import Testing

struct WatchTests {
  @Test("records are printed as lines")
  func recordsPrintedAsLines() throws {
    let daemon = try StandInDaemon([
      "subscribe": [[.reply(), .line(Fixture.heartRate(142, seq: 1)), .line(Fixture.stale), .hangUp]]
    ])
    defer { daemon.stop() }
    let outcome = try cyclo("watch", "heart-rate", "-t", "0.3", socket: daemon.controlSocket)
    #expect(outcome.lines.first == "TIME          SENSOR            KIND              VALUE         DETAILS")
    let lines = outcome.lines.dropFirst().map { $0.dropFirst(14) }
    #expect(
      lines.first == "polar-h10-1a2b    heart_rate        142 bpm       rr 421.9 423.8 ms, sensor contact detected")
    #expect(
      lines.dropFirst().first == "polar-h10-1a2b    state             stale: no data, next try in 4.0 s")
    #expect(daemon.requests.first?["params"] == ["kinds": ["heart_rate"]])
  }

  @Test("--count ends watch and counts only samples")
  func countEndsWatchAndCounts() throws {
    let daemon = try StandInDaemon([
      "subscribe": [
        [
          .reply(), .line(Fixture.stale), .line(Fixture.heartRate(1, seq: 1)), .line("not JSON"),
          .line(#"{"class":"of_a_later_daemon"}"#), .line(Fixture.heartRate(2, seq: 2)),
          .line(Fixture.heartRate(3, seq: 3)),
        ]
      ]
    ])
    defer { daemon.stop() }
    let outcome = try cyclo("watch", "--json", "-n", "2", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(
      outcome.lines == [
        Fixture.stale, Fixture.heartRate(1, seq: 1), #"{"class":"of_a_later_daemon"}"#, Fixture.heartRate(2, seq: 2),
      ])
  }

  @Test("the age of an old value is shown, and events can be left out")
  func ages() throws {
    let old = Fixture.heartRate(142, seq: 1, age: 240_000)
    let daemon = try StandInDaemon(["subscribe": [[.reply(), .line(old)]]])
    defer { daemon.stop() }
    let outcome = try cyclo("watch", "--no-events", "-t", "0.5", socket: daemon.controlSocket)
    #expect(outcome.lines.last?.contains("142 bpm       (4 min ago) rr") == true, "\(outcome.output)")
    #expect(daemon.requests.first?["params"] == ["events": false])
  }

  @Test("--seconds ends watch")
  func timeEnds() throws {
    let daemon = try StandInDaemon(["subscribe": [[.reply(), .line(Fixture.heartRate(1, seq: 1))]]])
    defer { daemon.stop() }
    #expect(try cyclo("watch", "-t", "3", socket: daemon.controlSocket).status == 0)
    let short = try cyclo("watch", "-t", "3", "-n", "3", socket: daemon.controlSocket)
    #expect(short.status == 5)
    #expect(short.lines.count == 2)
  }

  @Test("--sensor shows only that sensor")
  func sensorShowsOnlyThatSensor() throws {
    let daemon = try StandInDaemon([
      "sensors": [[.reply(Fixture.sensors)]],
      "subscribe": [
        [.reply(), .line(Fixture.staleArmBand), .line(Fixture.stale), .line(Fixture.heartRate(5, seq: 1))]
      ],
    ])
    defer { daemon.stop() }
    let outcome = try cyclo("watch", "--json", "--sensor", "polar-h", "-n", "1", socket: daemon.controlSocket)
    #expect(outcome.lines == [Fixture.stale, Fixture.heartRate(5, seq: 1)])
    #expect(daemon.requests.last?["params"] == ["sensors": ["polar-h10-1a2b"], "snapshot": false])
    #expect(try cyclo("watch", "--sensor", "kickr", socket: daemon.controlSocket).status == 4)
  }

  @Test("watch survives a restart of the daemon")
  func watchSurvivesRestartOfDaemon() throws {
    let second = StandInDaemon.hello.replacing("first", with: "second")
    let daemon = try StandInDaemon(
      [
        "subscribe": [
          [.reply(), .line(Fixture.heartRate(1, seq: 41)), .hangUp], [.reply(), .line(Fixture.heartRate(2, seq: 1))],
        ]
      ], greetings: [StandInDaemon.hello, second])
    defer { daemon.stop() }
    let outcome = try cyclo("watch", "--json", "-n", "2", "-t", "20", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.lines == [Fixture.heartRate(1, seq: 41), Fixture.heartRate(2, seq: 1)])
    #expect(outcome.complaint.contains("lost the daemon"))
    #expect(outcome.complaint.contains("the daemon was restarted"))
  }

  @Test("a misspelt kind gets a suggestion", arguments: [["watch", "battery", "heart-rat"], ["get", "heartrate"]])
  func misspeltKindGetsSuggestion(words: [String]) throws {
    let refusal: StandInDaemon.Step = .error("no_such_kind", "no sensor says that")
    let daemon = try StandInDaemon(["subscribe": [[refusal]], "poll": [[refusal]]])
    defer { daemon.stop() }
    let outcome = try RunningCyclo(words, socket: daemon.controlSocket).finish()
    #expect(outcome.status == 2)
    let kind = words.last.map { $0.replacing("-", with: "_") } ?? ""
    #expect(
      outcome.complaint
        == "cyclo: unknown kind '\(kind)'\n  Did you mean 'heart_rate'?\n  To choose a sensor: --sensor \(kind)\n")
  }

  @Test("a daemon that stays away is status 3")
  func daemonThatStaysAwayStatus() throws {
    let daemon = try StandInDaemon(["subscribe": [[.reply(), .hangUp]]])
    defer { daemon.stop() }
    let running = try RunningCyclo(["watch", "-t", "1"], socket: daemon.controlSocket)
    while daemon.requests.isEmpty {}
    daemon.stop()
    #expect(running.finish().status == 3)
  }
}
