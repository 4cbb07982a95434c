// Requests over the real sockets: answers, and refusals that keep the connection open.

import Foundation
import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct RequestTests {
  private let daemon: RealDaemon

  init() throws {
    daemon = try RealDaemon()
  }

  @Test("hello comes first and states the limits")
  func hello() throws {
    let (first, second) = (try Peer(daemon.metricsSocket), try Peer(daemon.controlSocket))
    #expect(first.hello["class"] == "hello")
    #expect(first.hello["protocol"] == "1.0")
    #expect(first.hello["release"]?.text?.isEmpty == false)
    #expect(first.hello["instance"]?.text?.isEmpty == false)
    #expect(first.hello["limits"] == ["line": 65_536, "clients": 256])
    #expect(first.hello == second.hello)
  }

  @Test("every daemon has its own instance")
  func instance() throws {
    let other = try RealDaemon()
    #expect(try Peer(daemon.metricsSocket).hello["instance"] != Peer(other.metricsSocket).hello["instance"])
  }

  @Test(
    "a reply repeats the id byte for byte",
    arguments: [
      "1", "-7", "0", "1e2", "1.50", "123456789012345678901234567890", #""a""#, #""""#, #""caf\u00e9 \/ \"x\"""#,
      #""\ud83d\udeb4""#,
    ])
  func id(id: String) throws {
    let peer = try Peer(daemon.metricsSocket)
    try peer.send(#"{"id":\#(id),"method":"ping"}"#)
    #expect(try peer.line() == #"{"class":"reply","id":\#(id),"result":{}}"#)
    try peer.send(#"{"method":"no_such","id": \#(id) }"#)
    #expect(try peer.line().contains(#""id":\#(id),"code":"unknown_method""#))
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let line: String
    let code: String
    var testDescription: String { "\(line) -> \(code)" }
  }

  @Test(
    "a refused request gets its error code, and the connection stays open",
    arguments: [
      Bad(line: "hello", code: "bad_json"), Bad(line: "[1,2]", code: "bad_json"), Bad(line: "7", code: "bad_json"),
      Bad(line: #""ping""#, code: "bad_json"), Bad(line: "null", code: "bad_json"), Bad(line: "{", code: "bad_json"),
      Bad(line: #"{"id":1,"method":"ping"} x"#, code: "bad_json"), Bad(line: "{'id':1}", code: "bad_json"),
      Bad(line: #"{"id":1,"method":"ping",}"#, code: "bad_json"), Bad(line: "GET / HTTP/1.1", code: "bad_json"),
      Bad(line: "{\"id\":1,\"method\":\"pi\u{1}ng\"}", code: "bad_json"),
      Bad(line: String(repeating: "[", count: 60_000), code: "bad_json"),
      Bad(line: String(repeating: #"{"a":"#, count: 10_000), code: "bad_json"),
      Bad(line: "{}", code: "bad_request"), Bad(line: #"{"method":"ping"}"#, code: "bad_request"),
      Bad(line: #"{"id":1}"#, code: "bad_request"), Bad(line: #"{"id":null,"method":"ping"}"#, code: "bad_request"),
      Bad(line: #"{"id":[1],"method":"ping"}"#, code: "bad_request"),
      Bad(line: #"{"id":true,"method":"ping"}"#, code: "bad_request"),
      Bad(line: #"{"id":1,"method":2}"#, code: "bad_request"),
      Bad(line: #"{"id":1,"method":"ping","params":[]}"#, code: "bad_request"),
      Bad(line: #"{"id":1,"method":"subscribe","params":{"kinds":"power"}}"#, code: "bad_request"),
      Bad(line: #"{"id":1,"method":"subscribe","params":{"max_hz":0}}"#, code: "bad_request"),
      Bad(line: #"{"id":1,"method":"scan","params":{"seconds":-1}}"#, code: "bad_request"),
      Bad(line: #"{"id":1,"method":"pair","params":{}}"#, code: "bad_request"),
      Bad(line: #"{"id":1,"method":"pair","params":{"address":"strap"}}"#, code: "bad_request"),
      Bad(line: #"{"id":1,"method":"forget"}"#, code: "bad_request"),
      Bad(line: #"{"id":1,"method":"Ping"}"#, code: "unknown_method"),
      Bad(line: #"{"id":1,"method":""}"#, code: "unknown_method"),
      Bad(line: #"{"id":1,"method":"poll","params":{"kinds":["watts"]}}"#, code: "no_such_kind"),
      Bad(line: #"{"id":1,"method":"subscribe","params":{"sensors":["absent"]}}"#, code: "no_such_sensor"),
      Bad(line: #"{"id":1,"method":"forget","params":{"sensor":"absent"}}"#, code: "no_such_sensor"),
      Bad(line: #"{"id":1,"method":"forget","params":{"sensor":"ride"}}"#, code: "no_such_sensor"),
    ])
  func refusals(bad: Bad) throws {
    let peer = try Peer(daemon.controlSocket)
    try peer.send(bad.line)
    let error = try peer.next()
    #expect(error.className == "error")
    #expect(error.code == bad.code)
    #expect(error["message"]?.text?.isEmpty == false)
    #expect(try peer.ask("ping").result == [:])
  }

  @Test("bytes that are not UTF-8 are bad_json")
  func invalidUTF8() throws {
    let peer = try Peer(daemon.controlSocket)
    try peer.send(bytes: [0xff, 0xfe, 0x00, 0x80, UInt8(ascii: "\n")])
    #expect(try peer.next().code == "bad_json")
    #expect(try peer.ask("ping").result == [:])
  }

  @Test("metrics.sock denies control methods before it checks parameters")
  func denied() throws {
    let peer = try Peer(daemon.metricsSocket)
    for method in ["scan", "pair", "forget", "cancel"] {
      #expect(try peer.ask(method, #"{"address":7,"seconds":"soon"}"#).code == "denied")
    }
    #expect(try peer.ask("no_such_method").code == "unknown_method")
  }

  @Test("blank lines and carriage returns are ignored")
  func blankLines() throws {
    let peer = try Peer(daemon.metricsSocket)
    try peer.send("", "  ", "\r", #"{"id":1,"method":"ping"}"# + "\r", "")
    #expect(try peer.line() == #"{"class":"reply","id":1,"result":{}}"#)
    #expect(try peer.ask("ping").result == [:])
  }

  @Test("requests can arrive byte by byte or several at once")
  func fragments() throws {
    let peer = try Peer(daemon.metricsSocket)
    for byte in #"{"id":1,"method":"ping"}"#.utf8 { try peer.send(bytes: [byte]) }
    try peer.send(bytes: [UInt8(ascii: "\n")])
    #expect(try peer.next()["id"] == 1)
    let glued = (2...9).map { #"{"id":\#($0),"method":"ping"}"# + "\n" }.joined() + #"{"id":10,"#
    try peer.send(bytes: Array(glued.utf8))
    for id in 2...9 { #expect(try peer.next()["id"]?.integer == id) }
    try peer.send(#""method":"ping"}"#)
    #expect(try peer.next()["id"] == 10)
  }

  @Test("unknown members are ignored")
  func unknownMembersAreIgnored() throws {
    let peer = try Peer(daemon.metricsSocket)
    try peer.send(#"{"id":1,"method":"poll","later":[{}],"params":{"kinds":null,"shiny":true}}"#)
    #expect(try peer.next().result?["records"]?.items != nil)
  }

  @Test("status describes the daemon, adapters, sensors and versions")
  func status() throws {
    let peer = try Peer(daemon.metricsSocket)
    let result = try #require(try peer.ask("status").result)
    #expect(result["daemon"]?["release"] == peer.hello["release"])
    #expect(result["daemon"]?["uptime_s"]?.number != nil)
    #expect(result["adapters"]?.items?.first?["state"] == "on")
    #expect(result["sensors"]?.items?.first?["id"]?.text == Strap.worn)
    #expect(result["counts"]?["sensors"] == 1)
    #expect(result["counts"]?["clients"]?.integer ?? 0 >= 1)
    #expect(result["versions"]?["kernel"]?.text?.isEmpty == false)
  }

  @Test("sensors describes each sensor")
  func sensors() throws {
    let peer = try Peer(daemon.metricsSocket)
    _ = try peer.ask("subscribe", #"{"kinds":["heart_rate"]}"#)
    _ = try peer.next("sample")
    let sensor = try #require(try peer.ask("sensors").result?["sensors"]?.items?.first)
    #expect(sensor["name"] == "Strap")
    #expect(sensor["address"] == "C0:FF:EE:00:00:01")
    #expect(sensor["state"] == "streaming")
    #expect(sensor["reason"] == nil)
    #expect(sensor["plugins"]?.texts?.contains("heart_rate") == true)
    #expect(sensor["kinds"]?.texts?.contains("heart_rate") == true)
    #expect(sensor["battery_pct"] == 87)
    #expect(sensor["facts"]?["body_location"] == "chest")
  }
}
