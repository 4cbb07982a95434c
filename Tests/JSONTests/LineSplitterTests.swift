// The same bytes give the same lines, however they are divided into reads.

import JSON
import Testing

@Suite struct LineSplitterTests {
  /// Feeds the pieces and collects the lines. The outcome is that of the last feed.
  static func lines(
    _ pieces: [[UInt8]], limit: Int = 16, skipsBlankLines: Bool = true, finishes: Bool = false
  ) -> (lines: [String], outcome: LineSplitter.Outcome) {
    var splitter = LineSplitter(limit: limit, skipsBlankLines: skipsBlankLines)
    var lines: [String] = []
    var outcome = LineSplitter.Outcome.done
    func collect(_ line: Span<UInt8>) -> Bool {
      lines.append(String(decoding: line.indices.map { line[$0] }, as: UTF8.self))
      return lines.last != "stop"
    }
    for piece in pieces where outcome == .done { outcome = splitter.feed(piece.span, collect) }
    if finishes, outcome == .done { outcome = splitter.finish(collect) }
    return (lines, outcome)
  }

  static let texts: [(name: String, text: String, lines: [String], outcome: LineSplitter.Outcome)] = [
    ("nothing", "", [], .done),
    ("one line", "abc\n", ["abc"], .done),
    ("an unfinished line", "abc\ndef", ["abc"], .done),
    ("blank lines and space", "\n\n a \n \t \r\n\r\nb\n", [" a ", "b"], .done),
    ("carriage returns", "a\r\nb\r\r\n\r\n", ["a", "b\r"], .done),
    (
      "as long as allowed", "0123456789abcdef\n0123456789abcdef\r\nx\n", ["0123456789abcdef", "0123456789abcdef", "x"],
      .done
    ),
    ("one byte too long", "a\n0123456789abcdefg\nb\n", ["a"], .lineTooLong),
    ("too long without an end", "a\n0123456789abcdefgh", ["a"], .lineTooLong),
    ("not yet too long", "0123456789abcdef\r", [], .done),
    ("stopped", "a\nstop\nb\n", ["a", "stop"], .stopped),
  ]

  @Test("lines do not depend on how their bytes are divided", arguments: texts)
  func dividedInput(
    _ row: (name: String, text: String, lines: [String], outcome: LineSplitter.Outcome)
  ) {
    let bytes = Array(row.text.utf8)
    let single = bytes.map { [$0] }
    #expect(Self.lines([bytes]) == (row.lines, row.outcome), "\(row.name), whole")
    #expect(Self.lines(single) == (row.lines, row.outcome), "\(row.name), byte by byte")
    for cut in 0...bytes.count {
      let halves = [Array(bytes[..<cut]), Array(bytes[cut...])]
      #expect(Self.lines(halves) == (row.lines, row.outcome), "\(row.name), cut at \(cut)")
    }
  }

  @Test("nothing is read after an overlong line")
  func afterOverlongLine() {
    let (lines, outcome) = Self.lines([Array("0123456789abcdefgh".utf8)])
    #expect(lines.isEmpty && outcome == .lineTooLong)
    var splitter = LineSplitter(limit: 4)
    #expect(splitter.feed(Array("12345".utf8).span) { _ in true } == .lineTooLong)
    #expect(splitter.feed(Array("\nab\n".utf8).span) { _ in true } == .lineTooLong)
  }

  @Test("the last line of a file needs no line feed")
  func noFinalLineFeed() {
    #expect(Self.lines([Array("a\nb".utf8)], finishes: true) == (["a", "b"], .done))
    #expect(Self.lines([Array("a\nb\r".utf8)], finishes: true) == (["a", "b"], .done))
    #expect(Self.lines([Array("a\n".utf8)], finishes: true) == (["a"], .done))
  }

  @Test("blank lines can be kept, so that lines can be counted")
  func blankLines() {
    #expect(Self.lines([Array("a\n\n\r\nb\n".utf8)], skipsBlankLines: false) == (["a", "", "", "b"], .done))
  }

  @Test("one feed may hold 20,000 lines")
  func manyLines() {
    let bytes = Array(String(repeating: #"{"id":1,"method":"ping"}"# + "\n", count: 20_000).utf8)
    var splitter = LineSplitter()
    var count = 0
    let outcome = splitter.feed(bytes.span) { _ in
      count += 1
      return true
    }
    #expect(outcome == .done && count == 20_000)
  }
}
