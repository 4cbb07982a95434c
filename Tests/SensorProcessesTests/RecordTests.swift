// What a program may publish: every type in every form of record, and everything that its file does not have.

import JSON
import SensorKit
import SensorProcesses
import Testing

@Suite struct RecordTests {
  private func daemon() throws -> ScriptedDaemon {
    let daemon = ScriptedDaemon(try ProcessVector.program("all_types"))
    daemon.begin()
    daemon.packet()
    return daemon
  }

  @Test("every form of record and every type is published in the order of the program")
  func all() throws {
    let daemon = try daemon()
    daemon.receive(
      text: """
        {"records":[{"flag":true,"number":-2.5,"sample":"everything","text":"A\\u00e9\\"","numbers":[1,2.5,3e2],\
        "word":"high","list":["low","high"],"event":"x",\
        "objects":[{"number":1,"list":["b"],"curve":[4]},{},{"texts":"t"}]},\
        {"event":"tap","count":2,"fact":"f"},{"fact":{"model":"L508","modes":[]}},\
        {"answer":{"result":"ok","value":7}}],"later":[{"x":null}],"packet":1,"class":"done"}
        """)
    #expect(daemon.fault == nil)
    #expect(daemon.refusals.isEmpty)
    let lines = daemon.published
    try #require(lines.count == 5)
    #expect(lines[0]["kind"] == "everything")
    #expect(lines[0]["text"] == "Aé\"")
    #expect(lines[0]["numbers"] == [1, 2.5, 300])
    #expect(lines[0]["word"] == "high")
    #expect(lines[0]["list"] == ["low", "high"])
    #expect(lines[0]["flag"] == true)
    #expect(lines[0]["number"] == -2.5)
    #expect(lines[0]["event"] == "x")
    #expect(lines[0]["objects"] == [["number": 1, "list": ["b"], "curve": [4]], .object([]), ["texts": "t"]])
    #expect(lines[1]["event"] == "tap")
    #expect(lines[1]["count"] == 2)
    #expect(lines[1]["fact"] == "f")
    #expect(lines[2]["name"] == "model")
    #expect(lines[2]["value"] == "L508")
    #expect(lines[3]["name"] == "modes")
    #expect(lines[3]["value"] == .array([]))
    #expect(lines[4]["result"] == "ok")
  }

  @Test(
    "what the file does not have refuses the packet, and the connection stays",
    arguments: [
      #"{"sample":"radar","clear":true}"#, #"{"sample":"tap","count":2}"#, #"{"event":"everything"}"#,
      #"{"sample":"everything","other":1}"#, #"{"sample":"everything","number":"1"}"#,
      #"{"sample":"everything","number":null}"#, #"{"sample":"everything","flag":1}"#,
      #"{"sample":"everything","number":1e999}"#, #"{"sample":"everything","numbers":[1,-1e999]}"#,
      #"{"sample":"everything","objects":[{"number":1e999}]}"#,
      #"{"sample":"everything","objects":[{"curve":[1e999]}]}"#,
      #"{"sample":"everything","text":1}"#, #"{"sample":"everything","numbers":[1,"2"]}"#,
      #"{"sample":"everything","numbers":[[1]]}"#, #"{"sample":"everything","numbers":1}"#,
      #"{"sample":"everything","word":"middle"}"#, #"{"sample":"everything","word":["low"]}"#,
      #"{"sample":"everything","list":["low","middle"]}"#, #"{"sample":"everything","list":"low"}"#,
      #"{"sample":"everything","objects":{"number":1}}"#, #"{"sample":"everything","objects":[1]}"#,
      #"{"sample":"everything","objects":[{"event":"x"}]}"#, #"{"sample":"everything","number":1,"number":1}"#,
      #"{"sample":"everything","sample":"everything"}"#, #"{"sample":1}"#, #"{"fact":{"number":1}}"#,
      #"{"fact":"model"}"#, #"{"fact":{"model":"a"},"number":1}"#, #"{"answer":{"model":"a"}}"#,
      #"{"number":1}"#, "[]", "1", #""sample""#, #"{"Sample":"everything"}"#, #"{"sample":"Everything"}"#,
    ])
  func outsideOfFile(_ record: String) throws {
    let daemon = try daemon()
    let good = #"{"sample":"everything","number":1}"#
    daemon.receive(text: #"{"class":"done","packet":1,"records":[\#(good),\#(record)]}"#)
    #expect(daemon.refusals == [DecodeError(.outOfRange, at: 0)])
    #expect(daemon.published.isEmpty)
    #expect(daemon.fault == nil)
    #expect(daemon.excesses == 1)
    daemon.packet()
    daemon.receive(text: #"{"class":"done","packet":2,"records":[\#(good)]}"#)
    #expect(daemon.published.count == 1)
  }

  @Test("records that are not a list refuse the packet")
  func noList() throws {
    let daemon = try daemon()
    daemon.receive(text: #"{"class":"done","packet":1,"records":{"sample":"everything"}}"#)
    #expect(daemon.refusals == [DecodeError(.outOfRange, at: 0)])
  }

  @Test("more than a batch holds refuses the packet")
  func tooMuch() throws {
    for (count, isPublished) in [(32, true), (33, false)] {
      let daemon = try daemon()
      let records = Array(repeating: ["event": "tap"] as JSONValue, count: count)
      daemon.done(1, records)
      #expect(daemon.published.count == (isPublished ? count : 0))
      #expect(daemon.refusals.isEmpty == isPublished)
    }
    let daemon = try daemon()
    daemon.done(1, [["sample": "everything", "text": .string(String(repeating: "a", count: 1025))]])
    #expect(daemon.refusals == [DecodeError(.outOfRange, at: 0)])
  }

  @Test(
    "lines with mistakes at random places never crash, and publish nothing that the file lacks", arguments: [1, 2, 3])
  func corrupted(_ seed: UInt64) throws {
    let whole = Array(
      #"{"class":"done","packet":1,"records":[{"sample":"everything","numbers":[1.5],"objects":[{"list":["a"]}]}]}"#
        .utf8)
    var state = seed
    func random(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    let program = try ProcessVector.program("all_types")
    for _ in 0..<2_000 {
      let daemon = ScriptedDaemon(program)
      daemon.begin()
      daemon.packet()
      var bytes = whole
      for _ in 0...random(3) {
        switch random(3) {
        case 0: bytes[random(bytes.count)] = UInt8(random(256))
        case 1: bytes.remove(at: random(bytes.count))
        default: bytes.insert(UInt8(random(128)), at: random(bytes.count))
        }
      }
      daemon.receive(bytes: bytes)
      for line in daemon.published {
        #expect(line["kind"] == "everything", "seed \(seed): \(bytes)")
      }
    }
  }
}
