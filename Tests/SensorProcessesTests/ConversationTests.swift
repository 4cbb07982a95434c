// A conversation in virtual time: each way in which a program can misbehave, and what it costs the program.

import JSON
import SensorKit
import SensorProcesses
import Testing

@Suite struct ConversationTests {
  private func daemon(_ file: String = "magene_process", sessions: [Int] = [1]) throws -> ScriptedDaemon {
    let daemon = ScriptedDaemon(try ProcessVector.program(file))
    daemon.begin(sessions: sessions)
    return daemon
  }

  private static let clear: JSONValue = ["sample": "radar", "clear": true, "targets": .array([])]

  @Test("the lines of a conversation have the members of the protocol")
  func lines() throws {
    let daemon = try daemon()
    daemon.packet("57090030", at: MonotonicTime(seconds: 81234.12))
    daemon.done(1, [Self.clear])
    daemon.conversation?.send(settings: SensorSettings(circumferenceMM: 2100, role: .rear), of: 1)
    daemon.conversation?.send(link: false, of: 1)
    daemon.conversation?.close(1)
    daemon.wait(.zero)
    let expected = [
      #"{"class":"hello","plugin":"1.0","release":"1.2.3","instance":"abc","limits":{"line":65536,"unanswered":64}}"#,
      #"{"class":"ready","id":"magene_process","packets":["page"],"unanswered":32,"within_ms":250}"#,
      #"{"class":"open","session":1,"sensor":"l508","name":"L508","settings":{}}"#,
      #"{"class":"link","session":1,"state":"up"}"#,
      #"{"class":"packet","session":1,"packet":1,"t":81234.12,"from":"page","hex":"57090030"}"#,
      #"{"class":"settings","session":1,"settings":{"circumference_mm":2100,"role":"rear"}}"#,
      #"{"class":"link","session":1,"state":"down"}"#, #"{"class":"close","session":1}"#,
    ]
    #expect(daemon.lines == (try expected.map { try JSONValue.parse($0) }))
    #expect(daemon.published.map { $0["t"] } == [81234.12])
  }

  // MARK: Registering

  @Test("a program that does not register within five seconds is disconnected")
  func register() throws {
    let daemon = ScriptedDaemon(try ProcessVector.program("magene_process"))
    daemon.wait(.milliseconds(4999))
    #expect(daemon.fault == nil)
    daemon.wait(.milliseconds(1))
    #expect(daemon.fault?.code == .badRequest)
    #expect(daemon.lines.last?["class"] == "error")
  }

  @Test(
    "what comes before register, or is not a message, ends the conversation",
    arguments: [
      #"{"class":"done","packet":1}"#, #"{"class":"log","text":"x"}"#, #"{"class":"said","tick":1}"#,
      #"{"class":"subscribe"}"#, "[1]", "1", #"{"packet":1}"#, #"{"class":1}"#, #"{"class":"register"}"#,
      #"{"class":"register","id":"magene_process"}"#,
    ])
  func notRegistered(_ line: String) throws {
    let daemon = ScriptedDaemon(try ProcessVector.program("magene_process"))
    daemon.receive(text: line)
    #expect(daemon.fault?.code == .badRequest)
  }

  @Test("a later minor version is served, another major version is not")
  func version() throws {
    for (version, code) in [("1.0", nil), ("1.7", nil), ("0.9", ProcessFault.Code.notSupported), ("10", .notSupported)]
    {
      let daemon = ScriptedDaemon(try ProcessVector.program("magene_process"))
      daemon.receive(["class": "register", "id": "magene_process", "plugin": .string(version)])
      #expect(daemon.fault?.code == code, "\(version)")
    }
  }

  // MARK: Answers

  @Test("a refusal has a word of the protocol and a byte", arguments: [("bad_length", 4, true), ("bad", 4, false)])
  func refusal(_ row: (word: String, at: Int, isGood: Bool)) throws {
    let daemon = try daemon()
    daemon.packet()
    daemon.receive(["class": "done", "packet": 1, "refused": .string(row.word), "at": .number(Double(row.at))])
    #expect(daemon.refusals == (row.isGood ? [DecodeError(.badLength, at: 4)] : []))
    #expect((daemon.fault == nil) == row.isGood)
  }

  @Test("done has a packet, and either records or a refusal")
  func wrongDone() throws {
    for line in [
      #"{"class":"done"}"#, #"{"class":"done","packet":"1"}"#, #"{"class":"done","packet":1.5}"#,
      #"{"class":"done","packet":-1}"#, #"{"class":"done","packet":1,"refused":"empty","records":[]}"#,
      #"{"class":"done","packet":1,"refused":"empty","at":512}"#, #"{"class":"done","packet":0}"#,
      #"{"class":"done","packet":1,"tick_ms":99}"#, #"{"class":"done","packet":1,"writes":[{}]}"#,
      #"{"class":"done","packet":1,"writes":{}}"#, #"{"class":"done","packet":2}"#,
    ] {
      let daemon = try daemon()
      daemon.packet()
      daemon.receive(text: line)
      #expect(daemon.fault?.code == .badRequest, "\(line)")
      daemon.done(1, [Self.clear])
      #expect(daemon.published.isEmpty)
    }
  }

  @Test("an answer that is late is ignored, and the next one counts")
  func late() throws {
    let daemon = try daemon()
    daemon.packet()
    daemon.wait(.milliseconds(200))
    daemon.packet()
    daemon.wait(.milliseconds(50))
    #expect(daemon.missed == 1)
    daemon.done(1, [Self.clear])
    #expect(daemon.published.isEmpty)
    daemon.done(2, [Self.clear])
    #expect(daemon.published.count == 1)
    #expect(daemon.missed == 1)
    #expect(daemon.fault == nil)
  }

  @Test("a program that answers nothing hangs, one that is slow does not")
  func hang() throws {
    let slow = try daemon()
    for number in 1...20 {
      slow.packet()
      slow.wait(.milliseconds(2000))
      slow.done(number)
    }
    #expect(slow.missed == 20)
    #expect(slow.fault == nil)
    slow.wait(.seconds(60))
    #expect(slow.fault == nil, "a program that owes nothing may be silent")
    slow.packet()
    slow.wait(.milliseconds(2499))
    #expect(slow.fault == nil)
    slow.wait(.milliseconds(1))
    #expect(slow.fault?.code == .pluginSlow)
  }

  @Test("packets that push others out are of the same session")
  func pushedOut() throws {
    let daemon = try daemon("all_types", sessions: [1, 2])
    for _ in 0..<4 { daemon.packet(session: 1) }
    daemon.packet(session: 2)
    #expect(daemon.missed == 0)
    daemon.packet(session: 1)
    #expect(daemon.missed == 1)
    #expect(daemon.conversation?.unanswered == 5)
    let record: JSONValue = ["event": "tap"]
    for number in 1...6 { daemon.done(number, [record]) }
    // The first packet was pushed out, so its answer is ignored.
    #expect(daemon.published.count == 5)
    #expect(daemon.fault == nil)
  }

  @Test("answers for a session that was closed are ignored")
  func closedSession() throws {
    let daemon = try daemon()
    daemon.packet()
    daemon.conversation?.close(1)
    daemon.done(1, [Self.clear])
    #expect(daemon.published.isEmpty)
    #expect(daemon.fault == nil)
    daemon.packet()
    #expect(daemon.lines("packet").count == 1)
  }

  @Test("nothing is read or sent after an error")
  func ended() throws {
    let daemon = try daemon()
    daemon.receive(text: "{")
    #expect(daemon.fault?.code == .badJSON)
    daemon.receive(text: "{")
    daemon.packet()
    daemon.wait(.seconds(60))
    #expect(daemon.lines.last?["class"] == "error")
    #expect(daemon.lines("error").count == 1)
    #expect(daemon.conversation?.deadline == nil)
  }

  @Test("nothing is reported after a report that ends the conversation")
  func endedByReport() throws {
    let late = try daemon()
    late.endsAtReport = true
    for _ in 0..<3 { late.packet() }
    late.wait(.seconds(1))
    #expect(late.missed == 1)
    #expect(late.lostCommands == 0)
    let excessive = try daemon()
    excessive.endsAtReport = true
    excessive.packet()
    excessive.done(1, [["sample": "lie"]])
    #expect(excessive.excesses == 1)
    #expect(excessive.refusals.isEmpty)
    #expect(excessive.lines("error").count == 1)
  }

  @Test(
    "a number that JSON does not have ends the conversation",
    arguments: ["NaN", "Infinity", "-Infinity", "01", "0x10", "+1"])
  func numbers(_ number: String) throws {
    let daemon = try daemon("all_types")
    daemon.packet()
    daemon.receive(text: #"{"class":"done","packet":1,"records":[{"event":"tap","count":\#(number)}]}"#)
    #expect(daemon.fault?.code == .badJSON)
    #expect(daemon.published.isEmpty)
  }

  @Test("a number that is too large refuses its packet, and the next one counts", arguments: ["1e999", "-1e400"])
  func hugeNumbers(_ number: String) throws {
    let daemon = try daemon("all_types")
    for _ in 0..<2 { daemon.packet() }
    let good = #"{"event":"tap"}"#
    daemon.receive(
      text: #"{"class":"done","packet":1,"records":[\#(good),{"event":"tap","count":\#(number)}],"later":\#(number)}"#)
    #expect(daemon.refusals == [DecodeError(.outOfRange, at: 0)])
    #expect(daemon.published.isEmpty && daemon.excesses == 1)
    daemon.receive(text: #"{"class":"done","packet":2,"records":[\#(good)],"later":\#(number)}"#)
    #expect(daemon.published.count == 1 && daemon.fault == nil)
  }

  @Test("a number that is too large in an answer to a command leaves its records out")
  func hugeAnswer() throws {
    let daemon = try daemon("all_types")
    daemon.command("light", 1)
    daemon.receive(text: #"{"class":"said","command":1,"answers":[{"answer":{"result":"ok","value":1e999}}]}"#)
    #expect(daemon.published.isEmpty && daemon.excesses == 1 && daemon.fault == nil)
  }

  @Test(
    "a number that is too large where a whole number or a text is needed ends the conversation",
    arguments: [
      #""packet":1e999"#, #""packet":1,"tick_ms":1e999"#, #""packet":1,"refused":"empty","at":1e999"#,
      #""packet":1,"writes":[{"service":"180d","characteristic":"2a39","hex":1e999}]"#, #""packet":1,"writes":1e999"#,
    ])
  func hugeMembers(_ members: String) throws {
    let daemon = try daemon("all_types")
    daemon.packet()
    daemon.receive(text: #"{"class":"done",\#(members)}"#)
    #expect(daemon.fault?.code == .badRequest)
    #expect(daemon.written.isEmpty)
  }

  // MARK: Writes

  @Test("writes with an unknown number that is too large are done")
  func hugeUnknown() throws {
    let daemon = try daemon("all_types")
    daemon.packet()
    let write = #"{"service":"180d","characteristic":"2a39","hex":"01","later":1e999}"#
    daemon.receive(text: #"{"class":"done","packet":1,"writes":[\#(write)]}"#)
    #expect(daemon.written.count == 1 && daemon.fault == nil)
  }

  private static func write(_ service: String, _ hex: String) -> JSONValue {
    ["service": .string(service), "characteristic": "2a39", "hex": .string(hex)]
  }

  @Test("a write elsewhere than the file allows is denied, and nothing of the answer is done")
  func denied() throws {
    for service in ["1800", "fe59", "1816"] {
      let daemon = try daemon("all_types")
      daemon.packet()
      daemon.receive([
        "class": "done", "packet": 1, "records": [["event": "tap"]],
        "writes": [Self.write("180d", "01"), Self.write(service, "02")],
      ])
      #expect(daemon.fault?.code == .denied)
      #expect(daemon.written.isEmpty)
      #expect(daemon.published.isEmpty)
    }
  }

  @Test("a write has 1 to 64 bytes")
  func lengths() throws {
    for (count, isGood) in [(0, false), (1, true), (64, true), (65, false)] {
      let daemon = try daemon("all_types")
      daemon.packet()
      daemon.receive([
        "class": "done", "packet": 1, "writes": [Self.write("180d", String(repeating: "ab", count: count))],
      ])
      #expect((daemon.fault == nil) == isGood)
      #expect(daemon.written.isEmpty != isGood)
    }
  }

  @Test("twenty writes a second are done, one more ends the conversation")
  func writeRate() throws {
    let daemon = try daemon("all_types")
    for number in 1...20 {
      daemon.packet()
      daemon.receive([
        "class": "done", "packet": .number(Double(number)), "writes": [Self.write("180d", "01")],
      ])
    }
    #expect(daemon.written.count == 20)
    daemon.wait(.milliseconds(999))
    daemon.packet()
    daemon.receive(["class": "done", "packet": 21, "writes": [Self.write("180d", "01")]])
    #expect(daemon.fault?.code == .denied)
    #expect(daemon.written.count == 20)
  }

  @Test("after a second there is room for more writes")
  func writeRoom() throws {
    let daemon = try daemon("all_types")
    for number in 1...40 {
      daemon.packet()
      daemon.receive([
        "class": "done", "packet": .number(Double(number)), "writes": [Self.write("180d", "01")],
      ])
      daemon.wait(.milliseconds(50))
    }
    #expect(daemon.fault == nil)
    #expect(daemon.written.count == 40)
  }

  @Test("what refuses the packet keeps its writes from being done")
  func writesOfRefused() throws {
    let daemon = try daemon("all_types")
    daemon.packet()
    daemon.receive([
      "class": "done", "packet": 1, "records": [["event": "knock"]], "writes": [Self.write("180d", "01")],
    ])
    #expect(daemon.refusals.count == 1)
    #expect(daemon.written.isEmpty)
  }

  // MARK: Commands and ticks

  @Test("a program makes the bytes of a command, and may answer it")
  func command() throws {
    let daemon = try daemon("all_types")
    daemon.command("light", 1)
    #expect(
      daemon.lines.last == ["class": "command", "session": 1, "command": 1, "name": "light", "value": 1])
    daemon.receive([
      "class": "said", "command": 1, "writes": [Self.write("180d", "570a01")],
      "answers": [["answer": ["result": "ok"]]],
    ])
    #expect(daemon.answeredCommands == ["done"])
    #expect(daemon.written == ["570a01"])
    #expect(daemon.published.map { $0["result"] } == ["ok"])
    daemon.command("light", 9)
    daemon.receive(["class": "said", "command": 2, "error": "no such mode"])
    #expect(daemon.answeredCommands == ["done", "no such mode"])
  }

  @Test("a command without an answer in time is lost, and its answer is ignored")
  func lostCommand() throws {
    let daemon = try daemon("all_types")
    daemon.command("light", 1)
    daemon.wait(.milliseconds(100))
    #expect(daemon.lostCommands == 1)
    daemon.receive(["class": "said", "command": 1, "writes": [Self.write("180d", "01")]])
    #expect(daemon.answeredCommands.isEmpty)
    #expect(daemon.written.isEmpty)
    #expect(daemon.fault == nil)
    daemon.receive(["class": "said", "command": 1])
    #expect(daemon.fault?.code == .badRequest)
  }

  @Test("a program that does not answer a command hangs")
  func hangingCommand() throws {
    let daemon = try daemon("all_types")
    daemon.command("light", 1)
    daemon.wait(.seconds(1))
    #expect(daemon.fault?.code == .pluginSlow)
  }

  @Test("a program that answers packets, and its ticks never, hangs too")
  func hangingTicks() throws {
    let daemon = try daemon()
    var number = 0
    while daemon.fault == nil, number < 100 {
      number += 1
      daemon.packet()
      daemon.receive(["class": "done", "packet": .number(Double(number)), "tick_ms": 100])
      daemon.wait(.milliseconds(100))
    }
    #expect(daemon.fault?.code == .pluginSlow)
    #expect(daemon.lines("tick").count <= 26)
  }

  @Test("answers to what was sent before the link was lost are passed over")
  func answersAcrossLinks() throws {
    let daemon = try daemon()
    daemon.packet()
    daemon.conversation?.send(link: false, of: 1)
    daemon.conversation?.send(link: true, of: 1)
    daemon.done(1, [Self.clear])
    #expect(daemon.published.isEmpty && daemon.fault == nil)
    daemon.packet()
    daemon.done(2, [Self.clear])
    #expect(daemon.published.count == 1)
  }

  @Test("only records of [Answer] answer a command")
  func answersOnly() throws {
    let daemon = try daemon("all_types")
    daemon.command("light", 1)
    daemon.receive(["class": "said", "command": 1, "answers": [["event": "tap"]]])
    #expect(daemon.published.isEmpty)
    #expect(daemon.excesses == 1)
    #expect(daemon.fault == nil)
  }

  @Test("a session has one tick, which comes when it was asked for")
  func tick() throws {
    let daemon = try daemon()
    daemon.packet()
    daemon.receive(["class": "done", "packet": 1, "tick_ms": 500])
    daemon.packet()
    daemon.receive(["class": "done", "packet": 2, "tick_ms": 200])
    daemon.wait(.milliseconds(199))
    #expect(daemon.lines("tick").isEmpty)
    daemon.wait(.milliseconds(1))
    #expect(daemon.lines("tick") == [["class": "tick", "session": 1, "tick": 1, "t": 0.2]])
    daemon.receive(["class": "said", "tick": 1, "tick_ms": 100])
    daemon.wait(.milliseconds(100))
    #expect(daemon.lines("tick").count == 2)
    #expect(daemon.answeredTicks == 1)
    daemon.receive(["class": "said", "tick": 2])
    daemon.wait(.seconds(60))
    #expect(daemon.lines("tick").count == 2)
    #expect(daemon.fault == nil)
  }

  @Test("packets, commands and ticks count as answered, logs do not")
  func answers() throws {
    let daemon = try daemon("all_types")
    daemon.packet()
    daemon.receive(["class": "done", "packet": 1, "tick_ms": 100])
    daemon.receive(["class": "log", "text": "x"])
    #expect(daemon.conversation?.answers == 1)
    daemon.command("light", 1)
    daemon.receive(["class": "said", "command": 1])
    #expect(daemon.conversation?.answers == 2)
    daemon.wait(.milliseconds(100))
    daemon.receive(["class": "said", "tick": 1])
    #expect(daemon.conversation?.answers == 3)
  }

  @Test("a closed session has no ticks")
  func noTick() throws {
    let daemon = try daemon()
    daemon.packet()
    daemon.receive(["class": "done", "packet": 1, "tick_ms": 500])
    daemon.conversation?.close(1)
    daemon.wait(.seconds(1))
    #expect(daemon.lines("tick").isEmpty)
  }

  @Test("said has one subject, which the program was asked about")
  func wrongSaid() throws {
    for line in [
      #"{"class":"said"}"#, #"{"class":"said","command":1,"tick":1}"#, #"{"class":"said","command":2}"#,
      #"{"class":"said","tick":1}"#, #"{"class":"said","command":1,"records":[]}"#,
      #"{"class":"said","command":1,"error":5}"#,
    ] {
      let daemon = try daemon("all_types")
      daemon.command("light", 1)
      daemon.receive(text: line)
      #expect(daemon.fault?.code == .badRequest, "\(line)")
    }
  }

  // MARK: Logs and strikes

  @Test("ten lines a minute are logged")
  func logs() throws {
    let daemon = try daemon()
    for number in 0..<12 { daemon.receive(["class": "log", "text": .string("\(number)")]) }
    #expect(daemon.logs == (0..<10).map { "\($0)" })
    daemon.wait(.seconds(60))
    daemon.receive(["class": "log", "text": "later"])
    #expect(daemon.logs.last == "later")
    daemon.receive(["class": "log", "text": .string(String(repeating: "a", count: 201))])
    #expect(daemon.fault?.code == .badRequest)
  }

  @Test("leaving the file is reported once a minute")
  func excess() throws {
    let daemon = try daemon()
    for number in 1...3 {
      daemon.packet()
      daemon.done(number, [["sample": "power"]])
    }
    #expect(daemon.excesses == 1)
    daemon.wait(.seconds(60))
    daemon.packet()
    daemon.done(4, [["sample": "power"]])
    #expect(daemon.excesses == 2)
    #expect(daemon.refusals.count == 4)
  }

  @Test("a user whose programs break the protocol three times in a minute waits for a minute")
  func strikes() {
    var strikes = ProcessStrikes()
    func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(seconds: seconds) }
    strikes.add(7, at: at(0))
    strikes.add(7, at: at(30))
    strikes.add(8, at: at(30))
    #expect(strikes.admits(7, at: at(31)))
    strikes.add(7, at: at(59))
    #expect(!strikes.admits(7, at: at(60)))
    #expect(strikes.admits(8, at: at(60)))
    #expect(!strikes.admits(7, at: at(118.9)))
    #expect(strikes.admits(7, at: at(119)))
    // Three faults that are spread over more than a minute do not count.
    for time in [200.0, 230, 261] { strikes.add(9, at: at(time)) }
    #expect(strikes.admits(9, at: at(262)))
    #expect(ProcessStrikes.counts(ProcessFault(.badJSON, "")))
    #expect(!ProcessStrikes.counts(ProcessFault(.pluginSlow, "")))
  }
}
