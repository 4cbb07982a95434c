// What a program in Swift answers. Tests/Clients/test_plugins.py tests the helpers of all languages.

import JSON
import Testing

@testable import CyclometerPlugin

@Suite struct PluginConversationTests {
  /// Publishes the first byte as a number, or the number that the test asks for.
  private struct Probe: PluginSession {
    init(_ sensor: PluginSensor) {}

    mutating func decode(_ packet: PluginPacket, into response: inout PluginResponse) throws(PacketRefusal) {
      response.write([1], to: "fff0", "fff2")
      response.tick(afterMilliseconds: 500)
      if packet.value.isEmpty { throw PacketRefusal(.truncated, at: 0) }
      let number = packet.value[0] == 0xff ? Double.nan : Double(packet.value[0])
      response.sample("level", ["level_ml": .number(1), "unknown": nil])
      response.sample("level", ["targets": [["level_ml": .number(number)]]])
    }

    mutating func tick(at time: Double, into response: inout PluginResponse) {
      response.answer(["value": .number(.infinity)])
    }
  }

  private var conversation = PluginConversation<Probe>(id: "probe")

  private mutating func begin() throws {
    try receive(#"{"class":"hello","plugin":"1.0"}"#)
    try receive(#"{"class":"ready","id":"probe"}"#)
    try receive(#"{"class":"open","session":1,"sensor":"s","name":"S","settings":{}}"#)
    conversation.removeOutput()
  }

  private mutating func receive(_ line: String) throws {
    try conversation.receive(Array(line.utf8).span)
  }

  private mutating func answer(to line: String) throws -> String {
    conversation.removeOutput()
    try receive(line)
    return String(decoding: conversation.output, as: UTF8.self)
  }

  @Test("fields without a value are omitted")
  mutating func unknownFields() throws {
    try begin()
    let answer = try answer(to: #"{"class":"packet","session":1,"packet":1,"t":1,"from":"p","hex":"07"}"#)
    let write = #""writes":[{"service":"fff0","characteristic":"fff2","hex":"01"}],"tick_ms":500"#
    let records = #"[{"sample":"level","level_ml":1},{"sample":"level","targets":[{"level_ml":7}]}]"#
    #expect(answer == #"{"class":"done","packet":1,"records":\#(records),\#(write)}"# + "\n")
  }

  @Test("a refused packet publishes and writes nothing")
  mutating func refusal() throws {
    try begin()
    let answer = try answer(to: #"{"class":"packet","session":1,"packet":1,"t":1,"from":"p","hex":""}"#)
    #expect(answer == #"{"class":"done","packet":1,"refused":"truncated","at":0,"tick_ms":500}"# + "\n")
  }

  @Test("a number that is not finite refuses the packet, and fails a tick")
  mutating func notFinite() throws {
    try begin()
    let packet = try answer(to: #"{"class":"packet","session":1,"packet":1,"t":1,"from":"p","hex":"ff"}"#)
    #expect(packet == #"{"class":"done","packet":1,"refused":"out_of_range","at":0,"tick_ms":500}"# + "\n")
    let tick = try answer(to: #"{"class":"tick","session":1,"tick":1,"t":2}"#)
    #expect(tick == #"{"class":"said","tick":1,"error":"a number is infinite or not a number"}"# + "\n")
  }

  @Test(
    "a line that is not of the protocol ends the conversation",
    arguments: [
      "no JSON", "[]", #"{"class":"packet","session":2,"packet":1,"t":1,"from":"p","hex":""}"#,
      #"{"class":"packet","session":1,"packet":1,"t":1,"from":"p","hex":"0"}"#,
      #"{"class":"link","session":1}"#, #"{"class":"error","code":"busy","message":"later"}"#,
      #"{"class":"settings","session":1,"settings":{},"quirks":[1]}"#,
    ])
  mutating func wrongLines(line: String) throws {
    try begin()
    var ended: PluginDisconnection?
    do throws(PluginDisconnection) {
      try conversation.receive(Array(line.utf8).span)
    } catch {
      ended = error
    }
    #expect(ended != nil)
  }

  @Test("long texts for the log are cut off between characters")
  func longLog() {
    var response = PluginResponse()
    response.log(String(repeating: "é", count: 101))
    #expect(response.logs == [String(repeating: "é", count: 100)])
  }
}
