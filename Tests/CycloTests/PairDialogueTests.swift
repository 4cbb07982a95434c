// Pairing at a terminal: what is shown, what is asked, and leaving in the middle. The daemon is real but where it has to ask or
// to refuse.

import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct PairDialogueTests {
  @Test("a sensor is chosen by number, named, and shows its value")
  func sensorChosenByNumberNamed() throws {
    let daemon = try RealDaemon()
    let screen = try Screen(["pair"], socket: daemon.controlSocket)
    try screen.wait(forText: "Spare strap")
    let row = try #require(screen.text().split(separator: "\n").first { $0.contains("Spare strap") })
    try screen.enter(String(row.prefix { $0 != "S" }.filter(\.isNumber)))
    try screen.wait(forText: "Name [Spare strap]:")
    try screen.enter("Drawer")
    let text = try screen.wait(forText: "is paired and streaming")
    #expect(screen.exitStatus() == 0)
    #expect(text.contains("Drawer"))
    #expect(text.contains(" bpm"))
    #expect(!text.contains("Which sensor"))
    #expect(try cyclo("list", socket: daemon.controlSocket).output.contains("Drawer"))
  }

  @Test("paired sensors are marked in the list")
  func pairedSensorsMarkedInList() throws {
    let daemon = try RealDaemon()
    let screen = try Screen(["pair"], socket: daemon.controlSocket, columns: 60)
    try screen.wait(forText: "Strap")
    try screen.press(try screen.text().contains("1  Strap") ? "Home" : "Down", "Enter")
    try screen.wait(forText: "Already paired: cyclo show strap")
    try screen.press("q")
    #expect(screen.exitStatus() == 1)
  }

  @Test("the simulated bonded strap asks for its passkey and is paired")
  func pairsTheBondedStrap() throws {
    let daemon = try RealDaemon()
    let screen = try Screen(["pair", "C0:FF:EE:00:00:06", "--name", "Belt"], socket: daemon.controlSocket)
    try screen.wait(forText: "Passkey:")
    try screen.enter("123456")
    try screen.wait(forText: "is paired and streaming")
    #expect(screen.exitStatus() == 0)
    let given = try RunningCyclo(
      ["forget", "bonded-strap"], socket: daemon.controlSocket
    ).finish()
    #expect(given.status == 0)
    let script = ["pair", "C0:FF:EE:00:00:06", "--passkey", "123456"]
    let outcome = try RunningCyclo(script, socket: daemon.controlSocket).finish()
    #expect(outcome.status == 0, "\(outcome.complaint)")
    #expect(outcome.output.hasPrefix("bonded-strap\n"))
  }

  @Test("pair asks for the wheel of a speed sensor and of a valve cap")
  func pairAsksForWheel() throws {
    let daemon = try rideDaemon()
    let wheel = try Screen(["pair", Ride.wheel], socket: daemon.controlSocket)
    try wheel.wait(forText: "Name [Speed]:")
    try wheel.press("Enter")
    try wheel.wait(forText: "Which size is on the tire?")
    try wheel.press("Down", "Enter")
    #expect(wheel.exitStatus() == 0)
    let cap = try Screen(["pair", Ride.cap, "--name", "Front cap"], socket: daemon.controlSocket)
    try cap.wait(forText: "On which wheel is it?")
    try cap.press("Enter")
    #expect(cap.exitStatus() == 0)
    let sensors = try cyclo("list", "--json", socket: daemon.controlSocket).lines.map { try JSONValue.parse($0) }
    #expect(sensors.first { $0["name"] == "Speed" }?["settings"]?["circumference_mm"] == 2111)
    #expect(sensors.first { $0["name"] == "Front cap" }?["role"] == "front")
  }

  @Test("an invalid wheel size is asked for again")
  func invalidWheelSizeAsked() throws {
    let daemon = try rideDaemon()
    let screen = try Screen(["pair", Ride.wheel, "--name", "Hub"], socket: daemon.controlSocket)
    try screen.wait(forText: "Which size is on the tire?")
    try screen.enter("16")
    try screen.wait(forText: "Size:")
    try screen.enter("big")
    try screen.wait(forText: "as on the tire")
    try screen.enter("700 x 28C")
    #expect(screen.exitStatus() == 0)
    #expect(
      try cyclo("show", "hub", "--json", socket: daemon.controlSocket).output.contains(#""circumference_mm":2130"#))
  }

  @Test("options skip their questions")
  func optionsSkipTheirQuestions() throws {
    let daemon = try rideDaemon()
    let outcome = try cyclo(
      "pair", Ride.wheel, "--name", "Hub", "--role", "rear", "--wheel", "28-622", "--yes", "--json",
      socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    let sensor = try JSONValue.parse(outcome.lines.first ?? "")
    #expect(sensor["name"] == "Hub" && sensor["role"] == "rear" && sensor["settings"]?["circumference_mm"] == 2130)
    // On a terminal too.
    let screen = try Screen(["pair", Ride.cap, "--yes"], socket: daemon.controlSocket)
    #expect(screen.exitStatus() == 0)
    #expect(try !screen.text().contains("?"))
  }

  @Test("a script is told that speed needs a circumference")
  func scriptToldThatSpeedNeeds() throws {
    let daemon = try rideDaemon()
    let outcome = try cyclo("pair", Ride.wheel, socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.complaint.contains("cyclo calibrate speed-0001"))
  }

  @Test("without a terminal nothing is asked")
  func withoutTerminalNothingAsked() throws {
    let outcome = try cyclo("pair", socket: "/nowhere", input: "1\n")
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.complaint.contains("missing ADDRESS"))
    for words in [["--wheel", "huge"], ["--passkey", "12a"]] {
      #expect(try RunningCyclo(["pair", Ride.wheel] + words, socket: "/nowhere").finish().status == 2)
    }
  }

  @Test("an interrupted question ends its line")
  func interruptedQuestionEndsLine() throws {
    let daemon = try RealDaemon()
    let screen = try Screen(command: ["bash", "--norc", "--noprofile"], environment: ["PS1": "> "])
    try screen.wait(forText: ">")
    try screen.enter("clear; \(productFolder)/cyclo --socket \(daemon.controlSocket) pair C0:FF:EE:00:00:02")
    try screen.wait(forText: "Name [Spare strap]:")
    try screen.press("C-c")
    try screen.wait(for: "the shell below the question") { $0.hasSuffix("Name [Spare strap]: ^C\n>\n") }
  }

  @Test("leaving restores the terminal", arguments: ["C-c", "q", "Escape", "C-d"])
  func leavingRestoresTerminal(key: String) throws {
    let daemon = try RealDaemon()
    let screen = try Screen(["pair"], socket: daemon.controlSocket)
    try screen.wait(forText: "Spare strap")
    try screen.press(key)
    #expect(screen.exitStatus() == (key == "C-c" ? 130 : 1))
    try screen.wait(for: "an empty screen") { $0 == "\n" }
    #expect(try cyclo("list", socket: daemon.controlSocket).lines.count == 2)
  }
}

/// Nothing can be drawn: numbers and lines do the same.
@Suite(.timeLimit(.minutes(30)))
struct LineDialogueTests {
  @Test("a dumb terminal gets numbered lines")
  func dumbTerminalGetsNumberedLines() throws {
    let daemon = try RealDaemon()
    let screen = try Screen(["pair"], socket: daemon.controlSocket, environment: ["TERM": "dumb"])
    try screen.wait(forText: "Spare strap")
    let text = try screen.text()
    let line = try #require(text.split(separator: "\n").first { $0.contains("Spare strap") })
    try screen.enter("77")
    try screen.wait(forText: "enter a number from 1 to")
    try screen.type(String(line.prefix { $0 != "S" }.filter(\.isNumber)))
    try screen.press("Enter")
    try screen.wait(forText: "Name")
    try screen.press("Enter")
    #expect(screen.exitStatus() == 0)
    #expect(try !screen.text(coloured: true).contains("\u{1B}["))
  }

  @Test("questions do not mix with JSON output")
  func questionsDoNotMix() throws {
    let daemon = try RealDaemon()
    let screen = try Screen(["pair", "C0:FF:EE:00:00:02", "--json"], socket: daemon.controlSocket)
    try screen.wait(forText: "Name")
    try screen.press("Enter")
    #expect(screen.exitStatus() == 0)
    #expect(try screen.text().contains("\n{\"id\":\"spare-strap\""))
  }
}

/// What the sensor asks, of a daemon that follows a script.
@Suite(.timeLimit(.minutes(30)))
struct PromptDialogueTests {
  /// The `pair` is the first request of its connection.
  private static let paired = StandInDaemon.Step.line(#"{"class":"reply","id":1,"result":\#(Fixture.polar)}"#)
  private static let address = "A0:9E:1A:00:00:01"

  /// `news` is what it prints after the question.
  private func daemon(
    _ ask: String, news: [StandInDaemon.Step] = [], then steps: [StandInDaemon.Step] = [paired]
  ) throws -> StandInDaemon {
    try StandInDaemon([
      "pair": [[.line(#"{"class":"prompt","prompt":"p1",\#(ask),"sensor":"polar-h10-1a2b"}"#)] + news],
      "answer": [[.reply()] + steps],
      "poll": [[.reply(Fixture.records(Fixture.heartRate(64, seq: 1)))]],
    ])
  }

  private func answers(_ daemon: StandInDaemon) -> [JSONValue?] {
    daemon.requests.filter { $0["method"] == "answer" }.map { $0["params"] }
  }

  @Test("a passkey is typed")
  func passkeyTyped() throws {
    let daemon = try daemon(#""ask":"passkey""#)
    defer { daemon.stop() }
    let screen = try Screen(["pair", Self.address, "--name", "Strap"], socket: daemon.controlSocket)
    try screen.wait(forText: "Passkey:")
    try screen.enter("1234567")
    try screen.wait(forText: "one to six digits")
    try screen.enter("012345")
    #expect(screen.exitStatus() == 0)
    #expect(answers(daemon) == [["prompt": "p1", "value": "012345"]])
  }

  /// A sensor that is on its way says so meanwhile: the question stands.
  @Test("records that arrive meanwhile do not end the passkey question")
  func recordsThatArriveMeanwhile() throws {
    let daemon = try daemon(#""ask":"passkey""#, news: [.line(Fixture.stale)])
    defer { daemon.stop() }
    let screen = try Screen(["pair", Self.address, "--name", "Strap"], socket: daemon.controlSocket)
    try screen.wait(forText: "Passkey:")
    try screen.enter("012345")
    #expect(screen.exitStatus() == 0)
    #expect(answers(daemon) == [["prompt": "p1", "value": "012345"]])
  }

  @Test("the passkey question can be left")
  func passkeyQuestionCanBeLeft() throws {
    let daemon = try daemon(#""ask":"passkey""#)
    defer { daemon.stop() }
    let screen = try Screen(["pair", Self.address, "--name", "Strap"], socket: daemon.controlSocket)
    try screen.wait(forText: "Passkey:")
    try screen.press("C-d")
    #expect(screen.exitStatus() == 1)
    #expect(answers(daemon) == [])
  }

  @Test("a passkey comparison is confirmed")
  func passkeyComparisonConfirmed() throws {
    let daemon = try daemon(#""ask":"confirm","passkey":"004711""#)
    defer { daemon.stop() }
    let screen = try Screen(["pair", Self.address, "--name", "Strap"], socket: daemon.controlSocket)
    try screen.wait(forText: "Does it show 004711? [Y/n]")
    try screen.press("Enter")
    #expect(screen.exitStatus() == 0)
    #expect(answers(daemon) == [["prompt": "p1", "value": true]])
  }

  @Test("--passkey answers for a script")
  func passkeyAnswersForScript() throws {
    for (ask, option, value) in [
      (#""ask":"passkey""#, ["--passkey", "123456"], JSONValue.string("123456")),
      (#""ask":"confirm","passkey":"000001""#, ["--yes"], true),
    ] {
      let daemon = try daemon(ask)
      defer { daemon.stop() }
      let outcome = try RunningCyclo(["pair", Self.address] + option, socket: daemon.controlSocket).finish()
      #expect(outcome.status == 0)
      #expect(answers(daemon) == [["prompt": "p1", "value": value]])
    }
  }

  @Test("a script without a passkey gets an error")
  func scriptWithoutPasskeyGetsError() throws {
    for (ask, advice) in [(#""ask":"passkey""#, "--passkey"), (#""ask":"confirm","passkey":"1""#, "--yes")] {
      let daemon = try daemon(ask)
      defer { daemon.stop() }
      let outcome = try cyclo("pair", Self.address, socket: daemon.controlSocket)
      #expect(outcome.status == 7)
      #expect(outcome.complaint.contains(advice))
      #expect(answers(daemon) == [])
    }
  }

  @Test("an unanswered question times out and can be tried again")
  func unansweredQuestionTimesOut() throws {
    let daemon = try StandInDaemon([
      "pair": [
        [
          .line(#"{"class":"prompt","prompt":"p1","ask":"passkey","sensor":"polar-h10-1a2b"}"#),
          .error("pairing_failed", "no passkey was given"),
        ], [.reply(Fixture.polar)],
      ],
      "poll": [[.reply(Fixture.records(Fixture.heartRate(64, seq: 1)))]],
    ])
    defer { daemon.stop() }
    let screen = try Screen(["pair", Self.address, "--name", "Strap"], socket: daemon.controlSocket)
    let text = try screen.wait(forText: "Try again? [Y/n]")
    #expect(text.contains("no passkey was given"))
    try screen.enter("y")
    #expect(screen.exitStatus() == 0)
    let given = try Screen(["pair", Self.address], socket: daemon.controlSocket)
    #expect(try given.wait(forText: "Name").contains("is paired."))
    try given.press("C-d")
    #expect(given.exitStatus() == 1)
  }

  @Test("a cancelled pairing has its reason and status")
  func cancelledPairingHasReason() throws {
    let daemon = try StandInDaemon(["pair": [[.error("timeout", "it was not found")]]])
    defer { daemon.stop() }
    let screen = try Screen(["pair", Self.address], socket: daemon.controlSocket, columns: 80)
    let text = try screen.wait(forText: "Try again?")
    #expect(text.contains("it was not found"))
    #expect(text.contains("Is it awake?"))
    try screen.enter("n")
    #expect(screen.exitStatus() == 5)
  }
}
