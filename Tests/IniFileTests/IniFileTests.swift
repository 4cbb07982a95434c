// What is read of a file of sections and keys, and the problems that libinih does not report.

import IniFile
import Testing

@Suite struct IniFileTests {
  private func read(_ text: String) -> IniText { IniText(Array(text.utf8)) }

  @Test("sections keep their order, their lines and their keys, also two of one name")
  func sections() {
    let file = read("# a note\na = 1\n[Fact]\nb = two ; a note\n\n[Fact]\n[Empty]\nc=\n")
    #expect(file.problems.isEmpty)
    #expect(file.sections.map(\.name) == ["", "Fact", "Fact", "Empty"])
    #expect(file.sections.map(\.line) == [0, 3, 6, 7])
    #expect(file.sections[0].entries == [entry("a", "1", 2)])
    #expect(file.sections[1].entries == [entry("b", "two", 4)])
    #expect(file.sections[2].entries.isEmpty)
    #expect(file.sections[3].entries == [entry("c", "", 8)])
  }

  @Test("the last line needs no line feed")
  func lastLine() {
    #expect(read("[A]\nb = 1").sections.last?.entries == [entry("b", "1", 2)])
  }

  @Test(
    "a problem has its line",
    arguments: [
      ("[A]\nb\0 = 1\n", 2, .zeroByte), ("[A]\nb = " + String(repeating: "x", count: 195) + "\n", 2, .lineTooLong),
      ("[A]\nb = " + String(repeating: "x", count: 400) + "\n", 2, .lineTooLong),
      ("[A]\n" + String(repeating: "b", count: 50) + " = 1\n", 2, .nameTooLong),
      ("[" + String(repeating: "A", count: 50) + "]\n", 1, .nameTooLong), ("[A]\nb = 1\n c = 2\n", 3, .indented),
      ("[A]\nb = 1\n [C]\n", 3, .indented), ("[A\nb = 1\n", 1, .openHeader),
      ("[A] b\n", 1, .textAfterHeader), (" b\n", 1, .noKey),
      ("[A]\nb\n", 2, .noKey), ("[A]\nb ; = 1\n", 2, .noKey),
    ] as [(String, Int, IniText.Problem.Cause)])
  func problems(_ row: (text: String, line: Int, cause: IniText.Problem.Cause)) {
    #expect(read(row.text).problems == [problem(row.line, row.cause)])
  }

  @Test("bytes that are not UTF-8 are a problem")
  func encoding() {
    #expect(IniText([0x61, 0x3d, 0xff]).problems == [problem(1, .notUTF8)])
  }

  @Test("a section begins also with a header that is not UTF-8")
  func encodingOfHeader() {
    let file = IniText(Array("[A]\nb = 1\n[C] ; ".utf8) + [0xff] + Array("\nd = 2\n".utf8))
    #expect(file.problems == [problem(3, .notUTF8)])
    #expect(file.sections.map(\.name) == ["", "A", "C"])
    #expect(file.sections[2].entries == [entry("d", "2", 4)])
  }

  @Test("a byte-order mark and line ends with carriage returns are ignored")
  func otherEditors() {
    let file = read("\u{feff}[A]\r\nb = 1\r\n")
    #expect(file.problems.isEmpty)
    #expect(file.sections.map(\.name) == ["", "A"])
    #expect(file.sections[1].entries == [entry("b", "1", 2)])
  }

  @Test("all problems of a file are found")
  func severalProblems() {
    #expect(read("a\n[B]\nc\nd = 1\n[E\n").problems.map(\.line) == [1, 3, 5])
  }

  @Test("the longest line and the longest names are read whole")
  func longest() {
    let name = String(repeating: "n", count: IniText.longestName)
    let value = String(repeating: "v", count: IniText.longestLine - IniText.longestName - 1)
    let file = read("[\(name)]\n\(name)=\(value)\n")
    #expect(file.problems.isEmpty)
    #expect(file.sections.last?.name == name)
    #expect(file.sections.last?.entries == [entry(name, value, 2)])
  }

  private func entry(_ key: String, _ value: String, _ line: Int) -> IniText.Entry {
    IniText.Entry(key: key, value: value, line: line)
  }

  private func problem(_ line: Int, _ cause: IniText.Problem.Cause) -> IniText.Problem {
    IniText.Problem(line: line, cause: cause)
  }
}
