// Dialogues on a terminal that cannot draw: a list is numbered lines, of which one is chosen by typing its number. The
// daemon follows a script, so that a wheel stands still.

import JSON
import Testing

@Suite(.timeLimit(.minutes(30)))
struct NumberDialogueTests {
  private static let address = "C0:FF:EE:18:00:01"
  private static let turn =
    #"{"class":"sample","sensor":"hub-1","kind":"speed","seq":1,"t":1,"age_ms":0,"wheel_revs":100}"#

  /// `content` is what matters of the sensor: its kinds, its plugins, its facts.
  private func daemon(_ content: String) throws -> StandInDaemon {
    let sensor = #"{"id":"hub-1","name":"Hub","address":"\#(Self.address)","state":"streaming",\#(content)}"#
    return try StandInDaemon([
      "sensors": [[.reply(#"{"sensors":[\#(sensor)]}"#)]], "pair": [[.reply(sensor)]], "set": [[.reply(sensor)]],
      "poll": [[.reply(Fixture.records())]], "subscribe": [[.reply(), .line(Self.turn)]], "unsubscribe": [[.reply()]],
      "command": [[.reply(#"{"request_opcode":12,"result":"success","offset_raw":-46}"#)]],
    ])
  }

  /// All output stays on it.
  private func screen(_ arguments: [String], _ daemon: StandInDaemon) throws -> Screen {
    try Screen(arguments, socket: daemon.controlSocket, rows: 120, environment: ["TERM": "dumb"])
  }

  private func parameters(of method: String, _ daemon: StandInDaemon) -> [JSONValue?] {
    daemon.requests.filter { $0["method"]?.text == method }.map { $0["params"] }
  }

  /// Up to the question whether to keep 2105 mm, for the `round`th time.
  private func roll(_ screen: Screen, round: Int = 1) throws {
    func wait(_ text: String) throws {
      try screen.wait(for: "'\(text)', \(round) times") { $0.components(of: text) == round }
    }
    try wait("Press Enter when the valve is over the mark:")
    try screen.press("Enter")
    try wait("Now roll it,")
    try screen.press("Enter")
    try wait("Distance between the marks, in metres:")
    try screen.enter("21.05")
    try wait("Turns:")
    try screen.enter("10")
    try wait("One turn is 2105 mm")
    try wait("Keep it? [Y/n]")
  }

  @Test(
    "a role is chosen by its number",
    arguments: [
      (#""kinds":["tire_pressure"]"#, "On which wheel is it?", ["front", "rear"]),
      (
        #""kinds":["power"],"facts":{"distributed_system":"for_distributed"}"#, "Is it one of a pair? On which side?",
        ["left", "right"]
      ),
    ])
  func roleChosenByNumber(content: String, question: String, roles: [String]) throws {
    let daemon = try daemon(content)
    defer { daemon.stop() }
    let screen = try screen(["pair", Self.address, "--name", "Hub"], daemon)
    let text = try screen.wait(forText: "Number [1]:")
    #expect(text.contains("\(question)\n 1  \(roles[0])\n 2  \(roles[1])\n 3  neither\n"), "\(text)")
    try screen.enter("4")
    try screen.wait(forText: "  a number from 1 to 3")
    try screen.enter("2")
    #expect(screen.exitStatus() == 0)
    #expect(parameters(of: "set", daemon) == [["sensor": "hub-1", "key": "role", "value": .string(roles[1])]])
  }

  private static let meter =
    #""plugins":["cycling_power"],"kinds":["power","speed"],"facts":{"wheel_revolution_data":true}"#

  @Test("a script must name the sensor to calibrate if there are two")
  func scriptMustNameSensor() throws {
    let daemon = try daemon(Self.meter)
    defer { daemon.stop() }
    let outcome = try cyclo("calibrate", "hub", "--yes", socket: daemon.controlSocket)
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(
      outcome.complaint == "cyclo: hub-1 has a wheel and a zero offset: add 'wheel' or 'zero'\n")
    #expect(parameters(of: "command", daemon) == [])
  }

  @Test("the sensor to calibrate is chosen, and the first is the default")
  func sensorToCalibrateChosen() throws {
    let daemon = try daemon(Self.meter)
    defer { daemon.stop() }
    let screen = try screen(["calibrate", "hub"], daemon)
    let text = try screen.wait(forText: "Number [1]:")
    let list = "What do you want to calibrate?\n 1  the zero offset of the power meter\n 2  the size of the wheel\n"
    #expect(text.contains(list), "\(text)")
    try screen.press("Enter")
    try screen.wait(forText: "Press Enter when nothing moves:")
    try screen.press("Enter")
    #expect(screen.exitStatus() == 0)
    try screen.wait(forText: "hub-1: zero offset set, raw value -46.")
    #expect(parameters(of: "command", daemon) == [["sensor": "hub-1", "name": "zero_offset"]])
  }

  @Test("a measurement that is not accepted changes nothing")
  func measurementThatNotAcceptedChanges() throws {
    let daemon = try daemon(Self.meter)
    defer { daemon.stop() }
    let screen = try screen(["calibrate", "hub"], daemon)
    try screen.wait(forText: "Number [1]:")
    try screen.enter("2")
    try roll(screen)
    try screen.enter("maybe")
    try screen.wait(forText: "  y for yes, n for no")
    try screen.enter("n")
    #expect(screen.exitStatus() == 0)
    try screen.wait(forText: "The wheel size was not changed.")
    #expect(parameters(of: "set", daemon) == [])
  }

  /// If the result is not accepted, the size is asked for again.
  @Test("a wheel can be measured while its sensor is paired")
  func wheelCanBeMeasured() throws {
    let daemon = try daemon(
      #""plugins":["cycling_speed_cadence"],"kinds":["speed"],"facts":{"wheel_revolution_data":true}"#)
    defer { daemon.stop() }
    let screen = try screen(["pair", Self.address, "--name", "Hub"], daemon)
    for round in 1...2 {
      let text = try screen.wait(for: "list \(round)") { $0.components(of: "Number [1]:") == round }
      #expect(text.contains("\n17  measure it by rolling the bike\n"))
      try screen.enter("17")
      try roll(screen, round: round)
      if round == 1 { try screen.type("n") }
      try screen.press("Enter")
    }
    #expect(screen.exitStatus() == 0)
    #expect(parameters(of: "set", daemon) == [["sensor": "hub-1", "key": "circumference_mm", "value": 2105]])
  }
}
