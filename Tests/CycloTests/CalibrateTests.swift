// `calibrate`: a wheel that is rolled, a power meter that is let stand, with a person at the terminal and without.

import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct CalibrateTests {
  @Test("calibrate measures a wheel by rolling it")
  func calibrateMeasuresWheelByRolling() throws {
    let daemon = try streamingRide()
    let screen = try Screen(["calibrate", "speed"], socket: daemon.controlSocket)
    try screen.wait(forText: "Press Enter when the valve is over the mark:")
    try screen.press("Enter")
    // The simulated wheel never stands: some turns are seen, and what was counted by eye is typed.
    try screen.wait(for: "some turns") { text in
      (text.firstMatch(of: /(\d+) turns; press Enter/)?.output.1).flatMap { Int($0) } ?? 0 >= 2 * Ride.turnsPerSecond
    }
    try screen.press("Enter")
    try screen.wait(forText: "Distance between the marks, in metres:")
    try screen.enter("far")
    try screen.wait(forText: "such as 21.05")
    try screen.enter("210")
    try screen.wait(forText: "Turns [")
    try screen.enter("10")
    try screen.wait(forText: "not a possible wheel size")
    try screen.enter("21.36")
    try screen.wait(for: "the second question") { $0.components(of: "Turns [") == 2 }
    try screen.enter("10")
    let text = try screen.wait(forText: "Keep it? [Y/n]")
    #expect(text.contains("One turn is 2136 mm, about that of tires marked 28-622, 32-622, 47-584."))
    try screen.press("Enter")
    #expect(screen.exitStatus() == 0)
    let sensor = try JSONValue.parse(try cyclo("show", "speed", "--json", socket: daemon.controlSocket).output)
    #expect(sensor["settings"]?["circumference_mm"] == 2136)
    let speed = try cyclo("watch", "speed", "--json", "-n", "2", socket: daemon.controlSocket)
    #expect(speed.output.contains("speed_mps"))
  }

  @Test("calibrate takes a zero offset and shows what to do first")
  func calibrateTakesZeroOffset() throws {
    let daemon = try streamingRide()
    let screen = try Screen(["calibrate", "pedals"], socket: daemon.controlSocket)
    let guidance = try screen.wait(forText: "Press Enter when nothing moves:")
    #expect(guidance.contains("off the pedals"))
    try screen.press("Enter")
    let text = try screen.wait(forText: "zero offset set, raw value -46")
    #expect(screen.exitStatus() == 0)
    #expect(text.contains("pedals-0001"))
    let script = try cyclo("calibrate", "pedals", "zero", "--yes", "--json", socket: daemon.controlSocket)
    #expect(script.status == 0)
    #expect(try JSONValue.parse(script.output)["offset_raw"] == -46)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let status: Int32
    let complaint: String
    var testDescription: String { arguments.joined(separator: " ") }
  }

  @Test("calibrate names the sensors that it supports")
  func calibrateNamesSensors() throws {
    let daemon = try streamingRide()
    for row in [
      Row(arguments: ["calibrate", "speed"], status: 1, complaint: "cyclo set speed-0001 circumference="),
      Row(arguments: ["calibrate", "speed", "zero"], status: 1, complaint: "does not support zero_offset"),
      Row(arguments: ["calibrate", "pedals", "wheel"], status: 1, complaint: "does not count wheel turns"),
      Row(arguments: ["calibrate", "strap"], status: 1, complaint: "nothing to calibrate"),
      Row(arguments: ["calibrate", "absent"], status: 4, complaint: "no sensor is named"),
      Row(arguments: ["calibrate", "speed", "weight"], status: 2, complaint: "not one of wheel, zero"),
    ] {
      let outcome = try RunningCyclo(row.arguments, socket: daemon.controlSocket).finish()
      #expect(outcome.status == row.status, "\(row): \(outcome.complaint)")
      #expect(outcome.output == "")
      #expect(outcome.complaint.contains(row.complaint), "\(row): \(outcome.complaint)")
    }
  }

  @Test("the example of the help works on the simulated bike")
  func zerosSimulatedPedals() throws {
    let daemon = try RealDaemon(["--simulate", "bike"])
    #expect(try cyclo("watch", "power", "--sensor", "pedals", "-n", "1", socket: daemon.controlSocket).status == 0)
    let outcome = try cyclo("calibrate", "pedals", "zero", "--yes", socket: daemon.controlSocket)
    #expect(outcome.status == 0, "\(outcome.complaint)")
    #expect((outcome.output + outcome.complaint).contains("-12"))
  }

  @Test("calibrate without a terminal needs --yes")
  func calibrateWithoutTerminalNeedsYes() throws {
    let pedals =
      #"{"id":"pedals-1","name":"Pedals","address":"C0:FF:EE:18:00:01","plugins":["cycling_power"],"kinds":["power"]}"#
    let daemon = try StandInDaemon([
      "sensors": [[.reply(#"{"sensors":[\#(pedals)]}"#)]], "poll": [[.reply(Fixture.records())]],
      "command": [[.reply(#"{"request_opcode":12,"result":"success"}"#)]],
    ])
    defer { daemon.stop() }
    let outcome = try cyclo("calibrate", "pedals", "zero", socket: daemon.controlSocket)
    #expect(outcome.status == 2)
    #expect(
      outcome.complaint.hasPrefix(
        "cyclo: not running on a terminal: prepare pedals-1, then use --yes\n"))
    #expect(!daemon.requests.contains { $0["method"] == "command" })
  }

  @Test("a refused calibration fails with advice")
  func refusedCalibrationFailsWithAdvice() throws {
    let pedals =
      #"{"id":"pedals-1","name":"Pedals","address":"C0:FF:EE:18:00:01","plugins":["cycling_power"],"kinds":["power"]}"#
    let daemon = try StandInDaemon([
      "sensors": [[.reply(#"{"sensors":[\#(pedals)]}"#)]], "poll": [[.reply(Fixture.records())]],
      "command": [
        [.reply(#"{"request_opcode":12,"result":"operation_failed"}"#)],
        [.error("timeout", "Pedals: it did not answer")],
      ],
    ])
    defer { daemon.stop() }
    let refused = try cyclo("calibrate", "pedals", "--yes", socket: daemon.controlSocket)
    #expect(refused.status == 1)
    #expect(refused.complaint.contains("operation failed"))
    #expect(refused.complaint.contains("Try again"))
    #expect(daemon.requests.last?["params"] == ["sensor": "pedals-1", "name": "zero_offset"])
    #expect(try cyclo("calibrate", "pedals", "--yes", socket: daemon.controlSocket).status == 5)
  }
}

extension String {
  func components(of text: String) -> Int { ranges(of: text).count }
}
