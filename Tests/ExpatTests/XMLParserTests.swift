// What the parser makes of XML, and that its bounds hold.

import Expat
import Testing

@Suite struct XMLParserTests {
  private struct Outcome: Equatable {
    var events: [XMLEvent] = []
    var problem: XMLProblem?
    var encoding: String?
    var cutTexts = 0
  }

  private func parse(_ bytes: [UInt8], inPieces size: Int = 1000) -> Outcome {
    let parser = XMLParser()
    var outcome = Outcome()
    do throws(XMLProblem) {
      for start in stride(from: 0, to: bytes.count, by: size) {
        try parser.feed(bytes.span.extracting(start..<min(bytes.count, start + size))) { outcome.events.append($0) }
      }
      try parser.finish { outcome.events.append($0) }
    } catch {
      outcome.problem = error
    }
    outcome.encoding = parser.encoding
    outcome.cutTexts = parser.cutTexts
    return outcome
  }

  private func parse(_ text: String) -> Outcome { parse(Array(text.utf8)) }

  @Test("elements come with namespaces, attributes and text")
  func elements() {
    let result = parse(#"<a xmlns="u" xmlns:p="v" x="1"><p:b p:y="&lt;2"> t&amp;<![CDATA[<]]></p:b><c xmlns=""/></a>"#)
    #expect(result.problem == nil)
    let (a, b, c) = (XMLName("a", namespace: "u"), XMLName("b", namespace: "v"), XMLName("c"))
    #expect(
      result.events == [
        .start(a, [XMLAttribute(XMLName("x"), "1")]),
        .start(b, [XMLAttribute(XMLName("y", namespace: "v"), "<2")]), .end(b, text: " t&<"),
        .start(c, []), .end(c, text: ""), .end(a, text: ""),
      ])
  }

  @Test("a prefix counts only within the element that declares it, and may be undeclared")
  func scopes() {
    let result = parse(#"<r><p:a xmlns:p="u"/><p:a/></r>"#)
    #expect(result.problem == nil)
    #expect(result.events.contains(.start(XMLName("a", namespace: "u"), [])))
    #expect(result.events.contains(.start(XMLName("a"), [])))
  }

  @Test("the size of the pieces changes nothing", arguments: [1, 2, 3, 7, 4096])
  func pieces(size: Int) {
    let text = #"  <?xml version="1.0"?><r a="ö">"# + String(repeating: "<b>text — &#x41;</b>\n", count: 900) + "</r>"
    let bytes = Array(text.utf8)
    #expect(parse(bytes, inPieces: size) == parse(bytes, inPieces: bytes.count))
    #expect(parse(bytes, inPieces: size).events.count == 1802)
  }

  @Test("blanks and a byte order mark before the declaration are skipped, and lines count all the same")
  func beginning() {
    for start in ["", "\u{feff}", " \n\t\n", "\u{feff} \n\n", "\n \n\u{feff}"] {
      let result = parse(start + "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<r>\n<b></c></r>")
      #expect(result.encoding == "UTF-8")
      let lines = start.utf8.count { $0 == UInt8(ascii: "\n") }
      #expect(result.problem?.line == lines + 3, "\(result.problem.debugDescription)")
    }
  }

  @Test("a document type declaration is refused before its entities are read")
  func documentType() {
    let result = parse("<?xml version=\"1.0\"?>\n<!DOCTYPE r [<!ENTITY a \"aaaa\">]><r>&a;</r>")
    #expect(result.events.isEmpty)
    #expect(result.problem == XMLProblem(.documentType, line: 2))
    #expect(result.problem?.description.contains("DOCTYPE") ?? false)
  }

  @Test("elements nest at most 100 deep")
  func depth() {
    let nested = { (count: Int) in String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count) }
    #expect(parse(nested(100)).problem == nil)
    let result = parse(nested(101))
    #expect(result.problem?.reason == .tooDeep && result.events.count == 100)
  }

  @Test("a text is cut at 64 KiB")
  func longText() {
    let result = parse("<r><a>" + String(repeating: "x", count: 200_000) + "</a><b>y</b></r>")
    #expect(result.problem == nil && result.cutTexts == 1)
    guard case .end(_, let text)? = result.events.first(where: { if case .end = $0 { true } else { false } }) else {
      Issue.record("no element")
      return
    }
    #expect(text.utf8.count == 65_536)
  }

  @Test("a tag or comment without an end is refused before it fills the memory", arguments: ["<a b=\"", "<!--", "<a"])
  func longTag(start: String) {
    let result = parse("<r>" + start + String(repeating: "x", count: 300_000))
    #expect(result.problem?.reason == .tagTooLong)
  }

  @Test("the number and the length of names are bounded", arguments: [(12_000, 1), (40, 60_000)])
  func names(count: Int, length: Int) {
    let ending = String(repeating: "x", count: length)
    let result = parse("<r>" + (0..<count).map { "<n\($0)\(ending)/>" }.joined() + "</r>")
    #expect(result.problem?.reason == .tooManyNames)
  }

  @Test("what comes before the end of a truncated file is passed on")
  func truncated() {
    let result = parse("<r>\n<a>1</a>\n<a>2")
    #expect(result.problem == XMLProblem(.truncated, line: 3))
    #expect(result.events.contains(.end(XMLName("a"), text: "1")))
    #expect(!result.events.contains(.end(XMLName("a"), text: "2")))
  }

  @Test(
    "other problems have their line and a reason",
    arguments: [
      ("", XMLProblem(.empty, line: 1)), ("lat,lon\n", XMLProblem(.malformed("syntax error"), line: 1)),
      ("<r>\n<a></b></r>", XMLProblem(.malformed("mismatched tag"), line: 2)),
      ("<r a='1' a='2'/>", XMLProblem(.malformed("duplicate attribute"), line: 1)),
      ("<r>&b;</r>", XMLProblem(.malformed("undefined entity"), line: 1)),
      ("<?xml version='1.0' encoding='latin-99'?><r/>", XMLProblem(.encoding("latin-99"), line: 1)),
    ])
  func problems(text: String, problem: XMLProblem) {
    #expect(parse(text).problem == problem)
  }

  @Test("a parser with a problem stays with it")
  func afterProblem() {
    let parser = XMLParser()
    let bytes = Array("<r></x>".utf8)
    #expect(throws: XMLProblem.self) {
      try parser.feed(bytes.span) { _ in }
      try parser.finish { _ in }
    }
    #expect(throws: XMLProblem(.malformed("mismatched tag"), line: 1)) { try parser.finish { _ in } }
  }

  @Test("other encodings that the library knows become UTF-8")
  func encodings() {
    let latin = Array("<?xml version='1.0' encoding='ISO-8859-1'?><r>Z".utf8) + [0xfc] + Array("rich</r>".utf8)
    #expect(parse(latin).events.last == .end(XMLName("r"), text: "Zürich"))
    let wide = "\u{feff}<r>Zürich</r>".utf16.flatMap { (unit: UInt16) -> [UInt8] in
      [UInt8(unit & 0xff), UInt8(unit >> 8)]
    }
    #expect(parse(wide).events.last == .end(XMLName("r"), text: "Zürich"))
  }
}
