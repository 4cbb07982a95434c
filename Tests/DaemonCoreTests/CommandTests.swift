// Commands from a client to a sensor: its response, silence, refusal and loss.

import JSON
import Linux
import Radio
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import DaemonCore
@testable import Serving

@Suite struct CommandTests {
  private static let csc = BluetoothUUID(0x1816)
  private static let measurement = Endpoint(service: csc, characteristic: BluetoothUUID(0x2a5b))
  private static let feature = Endpoint(service: csc, characteristic: BluetoothUUID(0x2a5c))
  private static let control = Endpoint(service: csc, characteristic: BluetoothUUID(0x2a55))

  /// A paired wheel sensor that streams.
  private func makeWheel(
    with endpoints: [Endpoint] = [measurement, control], feature: [UInt8]? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> (TestDaemon, TestClient) {
    let test = try TestDaemon()
    test.radio.readable[Self.feature] = feature
    test.radio.offers = endpoints
    let client = try test.connect()
    client.send(#"{"id":1,"method":"pair","params":{"address":"\#(DeviceAddress.strap)","name":"Wheel"}}"#)
    try test.run(for: .milliseconds(10))
    test.radio.advertise(name: "Wheel")
    try test.run(for: .milliseconds(200))
    for turn in UInt8(1)...2 {
      test.radio.link?.notify([0x01, turn, 0, 0, 0, 0, turn * 4], from: Self.measurement)
      try test.run(for: .seconds(1))
    }
    #expect(try client.reply(1)?["class"] == "reply", sourceLocation: sourceLocation)
    return (test, client)
  }

  private func ask(_ client: TestClient, _ name: String, _ params: String = "{}") {
    client.send(#"{"id":7,"method":"command","params":{"sensor":"wheel-0001","name":"\#(name)","params":\#(params)}}"#)
  }

  @Test("the sensor's response is the reply")
  func reply() throws {
    let (test, client) = try makeWheel()
    ask(client, "set_cumulative", #"{"value":258}"#)
    try test.run(for: .milliseconds(20))
    #expect(test.radio.written == [[0x01, 0x02, 0x01, 0, 0]])
    #expect(try client.reply(7) == nil)
    test.radio.link?.notify([0x10, 0x01, 0x01], from: Self.control, indicated: true)
    try test.run(for: .milliseconds(10))
    #expect(try client.reply(7)?["result"] == ["request_opcode": 1, "result": "success"])
  }

  @Test("a client that shut down its writing side still gets the reply")
  func halfClosed() throws {
    let (test, client) = try makeWheel()
    ask(client, "set_cumulative", #"{"value":258}"#)
    try client.stopSending()
    try test.run(for: .milliseconds(20))
    test.radio.link?.notify([0x10, 0x01, 0x01], from: Self.control, indicated: true)
    try test.run(for: .milliseconds(10))
    #expect(try client.reply(7)?["class"] == "reply")
    #expect(test.daemon.server?.clientCount == 0)
  }

  @Test("a refusal by the sensor is a reply")
  func refused() throws {
    let (test, client) = try makeWheel()
    ask(client, "list_locations")
    try test.run(for: .milliseconds(20))
    test.radio.link?.notify([0x10, 0x04, 0x02], from: Self.control, indicated: true)
    try test.run(for: .milliseconds(10))
    #expect(try client.reply(7)?["result"]?["result"] == "opcode_not_supported")
  }

  @Test("a sensor takes one command at a time")
  func oneCommandAtATime() throws {
    let (test, client) = try makeWheel()
    ask(client, "list_locations")
    try test.run(for: .milliseconds(1))
    client.send(#"{"id":8,"method":"command","params":{"sensor":"wheel-0001","name":"list_locations"}}"#)
    try test.run(for: .milliseconds(1))
    #expect(try client.reply(8)?["code"] == "busy")
  }

  @Test("a command without a response times out")
  func timesOut() throws {
    let (test, client) = try makeWheel()
    ask(client, "list_locations")
    for _ in 0..<31 {
      test.radio.link?.notify([0x01, 3, 0, 0, 0, 0, 12], from: Self.measurement)
      try test.run(for: .seconds(1))
    }
    #expect(try client.reply(7)?["code"] == "timeout")
    ask(client, "list_locations")
    try test.run(for: .milliseconds(20))
    #expect(test.radio.written.count == 2, "and the next command goes out")
  }

  @Test("a failed write fails the command at once, and the next one goes out")
  func writeFails() throws {
    let (test, client) = try makeWheel()
    test.radio.writeResult = .failure(LinkFailure(.unsupported, "not permitted"))
    ask(client, "list_locations")
    try test.run(for: .milliseconds(20))
    #expect(try client.reply(7)?["code"] == "not_supported")
    test.radio.writeResult = .success(())
    client.send(#"{"id":8,"method":"command","params":{"sensor":"wheel-0001","name":"list_locations"}}"#)
    try test.run(for: .milliseconds(20))
    #expect(try client.reply(8) == nil && test.radio.written.count == 2)
  }

  @Test("a lost link ends the command")
  func linkLost() throws {
    let (test, client) = try makeWheel()
    ask(client, "list_locations")
    try test.run(for: .milliseconds(20))
    test.radio.accepts = false
    test.radio.link?.lose()
    try test.run(for: .milliseconds(20))
    #expect(try client.reply(7)?["code"] == "not_connected")
    client.send(#"{"id":8,"method":"command","params":{"sensor":"wheel-0001","name":"list_locations"}}"#)
    try test.run(for: .milliseconds(1))
    #expect(try client.reply(8)?["code"] == "not_connected", "nothing is sent to a sensor that is not there")
  }

  private static let mistakes: [(name: String, params: String, code: String)] = [
    (name: "sing", params: "{}", code: "not_supported"), (name: "set_cumulative", params: "{}", code: "bad_request"),
    (name: "set_cumulative", params: #"{"value":-1}"#, code: "bad_request"),
    (name: "set_cumulative", params: #"{"value":"x"}"#, code: "bad_request"),
  ]

  @Test("an invalid command is refused and not written", arguments: mistakes)
  func invalid(_ row: (name: String, params: String, code: String)) throws {
    let (test, client) = try makeWheel()
    ask(client, row.name, row.params)
    try test.run(for: .milliseconds(1))
    #expect(try client.reply(7)?["code"]?.text == row.code)
    #expect(test.radio.written.isEmpty)
  }

  @Test("a sensor without a control point supports no commands")
  func noControlPoint() throws {
    let (test, client) = try makeWheel(with: [Self.measurement])
    ask(client, "list_locations")
    try test.run(for: .milliseconds(1))
    #expect(try client.reply(7)?["code"] == "not_supported")
  }

  @Test("a command without a response is done once written")
  func noResponse() throws {
    let test = try TestDaemon()
    test.radio.offers.append(
      Endpoint(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a39)))
    let client = try test.pairStrap()
    client.send(#"{"id":7,"method":"command","params":{"sensor":"polar-h10-0001","name":"reset_energy"}}"#)
    try test.run(for: .milliseconds(20))
    #expect(try client.reply(7)?["result"] == [:])
    #expect(test.radio.written == [[1]])
  }

  @Test(
    "commands that the sensor's facts rule out are not listed",
    arguments: [
      (nil, ["set_cumulative", "set_location", "list_locations"]), ([0x01, 0], ["set_cumulative"]), ([0x02, 0], []),
      ([0x05, 0], ["set_cumulative", "set_location", "list_locations"]),
    ] as [([UInt8]?, [String])])
  func facts(feature: [UInt8]?, commands: [String]) throws {
    let (test, client) = try makeWheel(with: [Self.measurement, Self.control, Self.feature], feature: feature)
    client.send(#"{"id":2,"method":"sensors"}"#)
    try test.run(for: .milliseconds(10))
    let reply = try client.reply(2)
    let sensor = reply?["result"]?["sensors"]?.items?.first
    #expect(
      sensor?["commands"]?.items?.compactMap { $0["name"]?.text } == commands, "\(String(describing: reply?.encoded))")
  }
}
