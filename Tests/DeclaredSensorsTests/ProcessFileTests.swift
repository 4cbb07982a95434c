// Files whose packets go to a process: what such a file allows, and what is wrong in one.

import DeclaredSensors
import SensorKit
import Testing

@Suite struct ProcessFileTests {
  /// A file that is right, with rows after the packet and after [Process].
  private static func file(_ rows: String = "", process: String = "User = cyclometer-magene") -> String {
    """
    [Sensor]
    Format = 1
    Id = magene_process
    Title = Magene radar
    Service = 180d
    [Process]
    \(process)
    [Packet page]
    Notify = 180d 2a37
    \(rows)
    """
  }

  private static func problems(_ text: String) -> [String] {
    do throws(SensorFile.Problems) {
      _ = try SensorFile(Array(text.utf8), words: SensorWords())
      return []
    } catch {
      return error.list.map(\.description)
    }
  }

  @Test("a file states what its program may publish")
  func records() throws {
    let rows = """
      [Sample radar]
      clear = flag
      targets = objects target
      [Object target]
      id = number
      side = words none, right, left
      [Event tap]
      count = number
      places = list words front, rear
      [Fact]
      model = text
      [Answer]
      curve = numbers
      """
    let file = try SensorFile(Array(Self.file(rows).utf8), words: SensorWords()).program
    let program = try #require(file.process)
    #expect(program.user == "cyclometer-magene")
    #expect(program.unanswered == 32)
    #expect(program.within == .milliseconds(250))
    #expect(program.packets == ["page"])
    // Named by [Sensor] and by [Packet].
    #expect(program.writableServices == [BluetoothUUID(0x180d)])
    #expect(file.info.kinds == [.radar])
    #expect(program.records.map(\.form) == [.sample(.radar), .event("tap"), .fact, .answer])
    let radar = program.fields[program.records[0].fields]
    #expect(radar.map(\.field) == [Field("clear"), Field("targets")])
    guard case .objects(let target) = radar.last?.type else {
      Issue.record("targets has the type \(String(describing: radar.last?.type))")
      return
    }
    #expect(program.fields[target].map(\.field) == [Field("id"), Field("side")])
    guard case .word(let sides) = program.fields[target].last?.type else {
      Issue.record("side is not a word")
      return
    }
    #expect(program.words[sides].map(\.description) == ["none", "right", "left"])
    #expect(program.fields[program.records[3].fields].map(\.type) == [.numbers])
  }

  @Test("a file may give its program other limits")
  func limits() throws {
    let text = Self.file(process: "User = radar_2\nUnanswered = 64\nWithin = 1000")
    let program = try #require(try SensorFile(Array(text.utf8), words: SensorWords()).program.process)
    #expect(program.unanswered == 64)
    #expect(program.within == .seconds(1))
  }

  @Test("the program may make the bytes of a command")
  func command() throws {
    let text = Self.file("[Command light]\nSummary = Light\nValue = mode, 0 to 3\nWrite = process")
    let program = try SensorFile(Array(text.utf8), words: SensorWords()).program
    #expect(program.info.commands == ["light"])
    #expect(program.info.offers.first?.parameters.first?.range == 0...3)
  }

  @Test("a kind or a field that is similar to a shared one is a warning")
  func misspelled() throws {
    let rows = """
      [Sample radra]
      clear = flag
      [Sample radar]
      cleer = flag
      targets = objects target
      [Object target]
      distance = number
      """
    let program = try SensorFile(Array(Self.file(rows).utf8), words: SensorWords()).program
    #expect(
      program.warnings.map(\.description) == [
        "10: [Sample radra]: no shared kind has this name; the most similar is radar",
        "13: cleer: radar has no field of this name; the most similar is clear",
        "16: distance: radar.targets has no field of this name; the most similar is distance_m",
      ])
  }

  @Test(
    "a mistake has its line and what would be right",
    arguments: [
      ("x = u8", "10: x: a packet that goes to a process has no fields"),
      ("Rest = ignore", "10: Rest: a packet that goes to a process has no fields"),
      ("[Group car]\nx = u8", "10: [Group car]: a packet that goes to a process has no fields"),
      ("[Counter wheel]\nCount = 3", "10: [Counter wheel]: a packet that goes to a process has no fields"),
      ("[Sample radar]\nWhen = 1\nclear = flag", "11: When: the process decides when there is a record"),
      ("[Sample radar]\nclear = number", "11: clear: clear of radar is a flag, not a number"),
      (
        "[Sample x]\ny = 3 * 4",
        "11: y: \"3 * 4\" is not number, flag, text, numbers, words A, B, list words A, B or objects NAME"
      ),
      ("[Sample x]\ny = words a b", "11: y: a word is missing, or a comma between two words"),
      ("[Sample x]\ny = words", "11: y: a word is missing, or a comma between two words"),
      ("[Sample x]\ny = words a, a", "11: y: a is there twice"),
      ("[Sample x]\ny = objects car", "11: y: there is no [Object car]"),
      ("[Sample x]\nsample = number", "11: sample: every record has its own sample"),
      ("[Event x]\nsample = number", "11: sample: every record has its own sample"),
      ("[Object car]\nx = number", "10: [Object car]: no field is objects car"),
      (
        "[Sample x]\nc = objects car\n[Object car]\nd = objects car", "13: d: an object has no lists of objects"
      ),
      (
        "[Sample radar]\ntargets = objects car\n[Object car]\nid = text",
        "13: id: id of radar.targets is a number, not a word or a text"
      ),
      ("[Sample x]\ny = number\n[Sample x]\nz = number", "12: [Sample x]: there are two sections of this name"),
      (
        "[Command go]\nSummary = Go\nWrite = process\nWrite = 180d 2a39: 01",
        "12: Write: with process, [Command go] has no other writes"
      ),
      ("[Process]\nUser = x", "10: duplicate [Process]"),
    ])
  func mistake(_ row: (rows: String, problem: String)) {
    #expect(Self.problems(Self.file(row.rows)).first == row.problem)
  }

  @Test(
    "a mistake in [Process] has its line",
    arguments: [
      ("Within = 250", "6: [Process] has no User"),
      ("User = Root", "7: User: \"Root\" is not the name of a user"),
      ("User = x\nUnanswered = 65", "8: Unanswered: a whole number from 1 to 64 is expected"),
      ("User = x\nWithin = 1001", "8: Within: a whole number from 1 to 1000 is expected"),
      ("User = x\nPath = y", "8: Path: [Process] has the keys Unanswered, User, Within"),
    ])
  func mistakeInProcess(_ row: (rows: String, problem: String)) {
    #expect(Self.problems(Self.file(process: row.rows)) == [row.problem])
  }

  @Test("a command whose bytes a process makes needs [Process]")
  func commandWithoutProcess() {
    let text =
      leastHead + """
        [Packet page]
        Notify = 180d 2a37
        flags = u8
        [Command go]
        Summary = Go
        Write = process
        """
    #expect(Self.problems(text) == ["11: Write: process is for files with [Process]"])
  }
}
