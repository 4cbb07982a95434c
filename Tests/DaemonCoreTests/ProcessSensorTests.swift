// Sensors that programs decode, in the daemon and in virtual time: each test plays the program.

import Connections
import Foundation
import JSON
import Radio
import Sensing
import SensorKit
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import DaemonCore
@testable import Linux

@Suite struct ProcessSensorTests {
  private let folder: TemporaryFolder
  private let daemon: TestDaemon
  private static let page = Endpoint(service: BluetoothUUID(0xa000), characteristic: BluetoothUUID(0xa001))
  private static let control = Endpoint(service: BluetoothUUID(0xa000), characteristic: BluetoothUUID(0xa002))

  init() throws {
    folder = try TemporaryFolder()
    daemon = try TestDaemon(sensors: folder.path)
    daemon.radio.offers = [Self.page, Self.control]
    try write(file())
    daemon.daemon.readFiles()
  }

  private func file(user: String = NSUserName(), title: String = "Turns") -> String {
    """
    [Sensor]
    Format = 1
    Id = turns
    Title = \(title)
    Service = a000
    StaleAfter = 5
    ReconnectAfter = 10
    [Process]
    User = \(user)
    [Packet page]
    Notify = a000 a001
    [Sample turns]
    turns = number
    [Fact]
    model = text
    [Answer]
    result = words ok
    [Start]
    Subscribe = page
    Write = a000 a002: 01
    [Command light]
    Summary = Switch the light
    Value = mode, 0 to 3
    Write = process
    """
  }

  private func write(_ text: String) throws {
    try Files.replace(folder.file("turns.sensor"), with: Array(text.utf8), mode: 0o644)
  }

  // MARK: The program

  private func program() throws -> TestClient {
    let program = try daemon.connect("plugin.sock")
    program.send(#"{"class":"register","id":"turns","plugin":"1.0"}"#)
    try daemon.run(for: .milliseconds(10))
    return program
  }

  private func notify(_ count: UInt8) throws {
    daemon.radio.link?.notify([count], from: Self.page)
    try daemon.run(for: .milliseconds(10))
  }

  /// Answers the last packet that the program got.
  private func answer(_ program: TestClient, _ turns: Int, also: String = "") throws {
    let packet = try #require(try program.all("packet").last?["packet"]?.integer)
    program.send(#"{"class":"done","packet":\#(packet),"records":[{"sample":"turns","turns":\#(turns)}]\#(also)}"#)
    try daemon.run(for: .milliseconds(10))
  }

  /// Pairs a sensor, whose first value the program decodes.
  private func pair(_ program: TestClient) throws -> TestClient {
    let client = try daemon.pairStrap(measurement: Self.page, first: [5])
    try answer(program, 5)
    #expect(daemon.state() == .streaming)
    return client
  }

  private func turns(_ client: TestClient) throws -> [JSONValue?] {
    try client.all("sample").filter { $0["kind"] == "turns" }.map { $0["turns"] }
  }

  // MARK: Packets

  @Test("a program's records are published with the time of their packet")
  func publishes() throws {
    let program = try program()
    let client = try pair(program)
    try notify(7)
    let packet = try #require(try program.all("packet").last)
    #expect(packet["from"] == "page")
    #expect(packet["hex"] == "07")
    try daemon.run(for: .milliseconds(100))
    try answer(program, 7)
    let samples = try client.all("sample").filter { $0["kind"] == "turns" }
    #expect(samples.last?["turns"] == 7)
    #expect(samples.last?["t"] == packet["t"])
    #expect(try program.all("hello").first?["plugin"] == "1.0")
    #expect(try program.all("open").first?["name"] == "Polar H10")
    #expect(try program.all("link").map { $0["state"] } == ["up"])
  }

  @Test("a fact of a program becomes a fact of the sensor, and its writes reach the sensor")
  func factsAndWrites() throws {
    let program = try program()
    let client = try pair(program)
    try notify(7)
    let packet = try #require(try program.all("packet").last?["packet"]?.integer)
    program.send(
      #"{"class":"done","packet":\#(packet),"records":[{"fact":{"model":"T1"}}],"#
        + #""writes":[{"service":"a000","characteristic":"a002","hex":"0a0b"}]}"#)
    try daemon.run(for: .milliseconds(10))
    #expect(daemon.radio.written == [[1], [10, 11]])
    client.send(#"{"id":9,"method":"sensors"}"#)
    try daemon.run(for: .milliseconds(10))
    let sensor = daemon.daemon.sensors.sessions.first
    #expect(sensor?.reader.facts.first?.value == "T1")
  }

  @Test("a packet without an answer in time counts as missed")
  func missed() throws {
    let program = try program()
    let client = try pair(program)
    try notify(7)
    try daemon.run(for: .milliseconds(300))
    try answer(program, 7)
    #expect(try turns(client) == [5])
    let link = daemon.daemon.sensors.sessions.first?.connection.statistics.record
    #expect(link?.missed == 1)
  }

  // MARK: Programs that come and go

  @Test("without its program a sensor is connected and stale; with it, the next value makes it stream")
  func comesLater() throws {
    let first = try program()
    let client = try pair(first)
    first.send("no JSON")
    try daemon.run(for: .seconds(2))
    #expect(daemon.state() == .stale)
    #expect(daemon.reason() == .pluginGone)
    let last = try client.all("state").last
    #expect(last?["reason"] == "plugin_gone")
    // Its link stays, however long the program is gone.
    try daemon.run(for: .seconds(60))
    #expect(daemon.radio.links.count == 1)
    #expect(daemon.radio.link?.isClosed == false)
    let second = try program()
    #expect(try second.all("open").count == 1)
    #expect(try second.all("link").count == 1)
    #expect(daemon.reason() == .silent)
    try notify(9)
    try answer(second, 9)
    #expect(daemon.state() == .streaming)
    #expect(try turns(client).last == 9)
  }

  @Test("a sensor that connects while its program is missing is stale, and says why")
  func connectsWithout() throws {
    let first = try program()
    _ = try pair(first)
    first.send("no JSON")
    try daemon.run(for: .milliseconds(10))
    daemon.radio.link?.lose()
    try daemon.run(for: .milliseconds(100))
    daemon.radio.advertise()
    try daemon.run(for: .seconds(1))
    #expect(daemon.state() == .stale)
    #expect(daemon.reason() == .pluginGone)
  }

  @Test("the sensor names its program, and says when it does not run")
  func named() throws {
    let first = try program()
    let client = try pair(first)
    func programs(_ id: Int) throws -> JSONValue? {
      client.send(#"{"id":\#(id),"method":"sensors"}"#)
      try daemon.run(for: .milliseconds(10))
      return try client.reply(id)?["result"]?["sensors"]?.items?.first?["programs"]
    }
    let pid = JSONValue.number(Double(ProcessEnvironment.processNumber))
    let user = JSONValue.string(NSUserName())
    #expect(try programs(5) == [["plugin": "turns", "user": user, "pid": pid]])
    first.send("no JSON")
    try daemon.run(for: .milliseconds(10))
    #expect(try programs(6) == [["plugin": "turns", "user": user]])
  }

  @Test("a program that hangs is disconnected, and its sensor is stale because it is slow")
  func hangs() throws {
    let program = try program()
    _ = try pair(program)
    try notify(7)
    try daemon.run(for: .milliseconds(2_600))
    #expect(try program.all("error").last?["code"] == "plugin_slow")
    #expect(daemon.state() == .stale)
    #expect(daemon.reason() == .pluginSlow)
    #expect(daemon.radio.links.count == 1)
  }

  @Test("two programs cannot decode for one file, and no program for a file of another user")
  func registers() throws {
    let first = try program()
    #expect(try program().all("error").last?["code"] == "busy")
    #expect(try first.all("error").isEmpty)
    let stranger = try daemon.connect("plugin.sock")
    stranger.send(#"{"class":"register","id":"unknown","plugin":"1.0"}"#)
    try daemon.run(for: .milliseconds(10))
    #expect(try stranger.all("error").last?["code"] == "no_such_file")
    try write(file(user: "not-this-user"))
    daemon.daemon.readFiles()
    try daemon.run(for: .seconds(2))
    #expect(try program().all("error").last?["code"] == "denied")
  }

  @Test("three errors in a minute keep a user out for a minute")
  func strikes() throws {
    for _ in 0..<3 {
      let program = try program()
      program.send("no JSON")
      try daemon.run(for: .milliseconds(10))
      #expect(try program.all("error").last?["code"] == "bad_json")
    }
    let fourth = try program()
    #expect(try fourth.all("ready").isEmpty)
    #expect(try fourth.all("error").last?["code"] == "denied")
    try daemon.run(for: .seconds(60))
    #expect(try program().all("ready").count == 1)
  }

  @Test("a program must register within five seconds")
  func silentProgram() throws {
    let program = try daemon.connect("plugin.sock")
    try daemon.run(for: .seconds(6))
    #expect(try program.all("error").last?["code"] == "bad_request")
  }

  @Test("a line of more than 64 KiB ends the connection")
  func longLine() throws {
    let program = try program()
    program.send(String(repeating: "a", count: 70_000))
    try daemon.run(for: .milliseconds(100))
    #expect(try program.all("error").last?["code"] == "line_too_long")
  }

  @Test("a program whose file was changed or removed registers again")
  func reload() throws {
    let first = try program()
    let client = try pair(first)
    daemon.daemon.readFiles()
    try daemon.run(for: .milliseconds(10))
    #expect(try first.all("error").isEmpty, "the file did not change")
    try write(file(title: "Other turns"))
    daemon.daemon.readFiles()
    try daemon.run(for: .milliseconds(10))
    #expect(try first.all("error").last?["code"] == "no_such_file")
    let second = try program()
    try notify(6)
    try answer(second, 6)
    #expect(try turns(client).last == 6)
    #expect(daemon.radio.links.count == 1)
  }

  // MARK: Commands

  private func light(_ client: TestClient, _ id: Int) throws {
    client.send(
      #"{"id":\#(id),"method":"command","params":{"sensor":"polar-h10-0001","name":"light","params":{"value":2}}}"#)
    try daemon.run(for: .milliseconds(10))
  }

  @Test("a program makes the bytes of a command, and can answer it")
  func command() throws {
    let program = try program()
    let client = try pair(program)
    try light(client, 5)
    let command = try #require(try program.all("command").last)
    #expect(command["name"] == "light")
    #expect(command["value"] == 2)
    program.send(
      #"{"class":"said","command":1,"writes":[{"service":"a000","characteristic":"a002","hex":"0702"}],"#
        + #""answers":[{"answer":{"result":"ok"}}]}"#)
    try daemon.run(for: .milliseconds(10))
    #expect(daemon.radio.written.last == [7, 2])
    #expect(try client.reply(5)?["result"]?["result"] == "ok")
    try light(client, 6)
    program.send(#"{"class":"said","command":2,"error":"it has no light"}"#)
    try daemon.run(for: .milliseconds(10))
    #expect(try client.reply(6)?["message"]?.text?.hasSuffix("it has no light") == true)
    try light(client, 7)
    try daemon.run(for: .milliseconds(300))
    #expect(try client.reply(7)?["code"] == "timeout")
    program.send(#"{"class":"said","command":3}"#)
    program.send("no JSON")
    try daemon.run(for: .milliseconds(10))
    try light(client, 8)
    #expect(try client.reply(8)?["code"] == "not_connected")
  }

  /// A second file for the same sensors, with a command of its own.
  private func addHorn(user: String = NSUserName()) throws {
    let text = """
      [Sensor]
      Format = 1
      Id = horn
      Title = Horn
      Service = a000
      [Process]
      User = \(user)
      [Packet page]
      Notify = a000 a001
      [Sample horn]
      honks = number
      [Command honk]
      Summary = Honk
      Write = process
      """
    try Files.replace(folder.file("horn.sensor"), with: Array(text.utf8), mode: 0o644)
    daemon.daemon.readFiles()
  }

  @Test("a program that goes or fails ends only its own commands")
  func ownCommands() throws {
    try addHorn()
    let turns = try program()
    let horn = try daemon.connect("plugin.sock")
    horn.send(#"{"class":"register","id":"horn","plugin":"1.0"}"#)
    let client = try pair(turns)
    client.send(#"{"id":5,"method":"command","params":{"sensor":"polar-h10-0001","name":"honk"}}"#)
    try daemon.run(for: .milliseconds(10))
    #expect(try horn.all("command").last?["name"] == "honk")
    turns.send("no JSON")
    try daemon.run(for: .milliseconds(10))
    #expect(try turns.all("error").count == 1)
    #expect(try client.reply(5) == nil)
    horn.send(#"{"class":"said","command":1,"writes":[{"service":"a000","characteristic":"a002","hex":"09"}]}"#)
    try daemon.run(for: .milliseconds(10))
    #expect(try client.reply(5)?["class"] == "reply")
    #expect(daemon.radio.written.last == [9])
  }

  // MARK: Crowds and floods

  @Test("one user can have 64 programs, and gives one up for another user")
  func crowd() throws {
    var user: UInt32 = 5
    daemon.daemon.processes.identify = { _ in PeerCredentials(process: 1, user: user, group: user) }
    let crowd = try (0..<64).map { _ in try daemon.connect("plugin.sock") }
    try daemon.run(for: .milliseconds(10))
    #expect(try crowd.allSatisfy { try $0.all("error").isEmpty })
    let next = try daemon.connect("plugin.sock")
    try daemon.run(for: .milliseconds(10))
    #expect(try next.all("error").last?["code"] == "busy")
    user = 6
    let other = try daemon.connect("plugin.sock")
    try daemon.run(for: .milliseconds(10))
    #expect(try other.all("hello").count == 1)
    #expect(try other.all("error").isEmpty)
    #expect(try crowd.count { try $0.all("error").last?["code"] == "busy" } == 1)
  }

  @Test("a program that floods is read slowly, and answers of others are not")
  func flood() throws {
    // The user with the number 1, which exists everywhere.
    try addHorn(user: "daemon")
    let turns = try program()
    let client = try pair(turns)
    daemon.daemon.processes.identify = { _ in PeerCredentials(process: 1, user: 1, group: 1) }
    let horn = try daemon.connect("plugin.sock")
    horn.send(#"{"class":"register","id":"horn","plugin":"1.0"}"#)
    try daemon.run(for: .milliseconds(10))
    // More than the quota has. The last line is not a message.
    let lines = 190_000 / 200
    horn.send(
      String(repeating: #"{"class":"log","text":"\#(String(repeating: "a", count: 170))"}"# + "\n", count: lines)
        + "no JSON")
    try daemon.run(for: .milliseconds(500))
    #expect(try horn.all("error").isEmpty)
    try notify(7)
    try answer(turns, 7)
    #expect(try self.turns(client).last == 7)
    try daemon.run(for: .seconds(5))
    #expect(try horn.all("error").last?["code"] == "bad_json")
  }
}
