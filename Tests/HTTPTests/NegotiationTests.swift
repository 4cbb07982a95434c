// What a request says about the form of its answer, and how answers are written.

import Testing

@testable import HTTP

@Suite struct NegotiationTests {
  private func request(_ lines: [String]) throws -> HTTPRequest {
    let text = (["GET / HTTP/1.1", "Host: bike"] + lines).map { $0 + "\r\n" }.joined() + "\r\n"
    guard case .request(let request) = RequestParserTests.outcomes([Array(text.utf8)]).first else {
      throw HTTPRefusal(.internalError, text)
    }
    return request
  }

  @Test(
    "a client has a version if it names its tag, or any",
    arguments: [
      (#""a""#, true), (#"W/"a""#, true), (#""b", "a""#, true), ("*", true), (#""b""#, false), ("a", false),
      ("", false),
    ])
  func tags(_ value: String, has: Bool) throws {
    #expect(try request(["If-None-Match: \(value)"]).has(#""a""#) == has)
  }

  @Test(
    "a change builds on a version only if it names its strong tag",
    arguments: [
      ([#"If-Match: "a""#], true), ([#"If-Match: W/"a""#], false), ([#"If-Match: "b""#], false),
      (["If-Match: *"], true),
      ([], nil),
    ] as [([String], Bool?)])
  func changes(_ lines: [String], builds: Bool?) throws {
    #expect(try request(lines).buildsOn(#""a""#) == builds)
  }

  @Test(
    "an encoding is accepted if it is listed with a weight above 0",
    arguments: [
      ("gzip", true), ("br, GZip;q=0.5", true), ("gzip;q=0", false), ("gzip; q=0.000", false), ("br", false),
      ("", false),
      ("gzipped", false),
    ])
  func encodings(_ value: String, accepts: Bool) throws {
    #expect(try request(["Accept-Encoding: \(value)"]).accepts(encoding: "gzip") == accepts)
  }

  static let parts: [(name: String, lines: [String], part: HTTPRequest.Part)] = [
    ("no range", [], .whole),
    ("from the start", ["Range: bytes=0-9"], .bytes(0..<10)),
    ("one byte", ["Range: bytes=99-99"], .bytes(99..<100)),
    ("beyond the end", ["Range: bytes=90-200"], .bytes(90..<100)),
    ("to the end", ["Range: bytes=90-"], .bytes(90..<100)),
    ("the last ones", ["Range: bytes=-10"], .bytes(90..<100)),
    ("more than there are", ["Range: bytes=-200"], .bytes(0..<100)),
    ("behind the end", ["Range: bytes=100-"], .nothing),
    ("none of the last", ["Range: bytes=-0"], .nothing),
    ("backwards", ["Range: bytes=9-0"], .whole),
    ("two ranges", ["Range: bytes=0-1,4-5"], .whole),
    ("two fields", ["Range: bytes=0-1", "Range: bytes=4-5"], .whole),
    ("another unit", ["Range: seconds=0-1"], .whole),
    ("no numbers", ["Range: bytes=-"], .whole),
    ("too large a number", ["Range: bytes=0-99999999999999999999"], .whole),
    ("of this version", ["Range: bytes=0-9", #"If-Range: "a""#], .bytes(0..<10)),
    ("of another version", ["Range: bytes=0-9", #"If-Range: "b""#], .whole),
  ]

  @Test("a part of a file is one range", arguments: parts)
  func ranges(_ row: (name: String, lines: [String], part: HTTPRequest.Part)) throws {
    #expect(try request(row.lines).part(of: 100, tag: #""a""#) == row.part, "\(row.name)")
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test("the head of an answer has its length, and says when the connection ends")
  func answers() {
    let answer = HTTPResponse(.ok, type: "text/plain", "ten\n")
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n"
    #expect(text(answer.head(keepsConnection: true)) == head + "\r\n")
    #expect(text(answer.head(keepsConnection: false)) == head + "Connection: close\r\n\r\n")
    #expect(
      text(answer.head(keepsConnection: true, isVersion11: false)) == head + "Connection: keep-alive\r\n\r\n")
    let stream = HTTPResponse(.ok, .stream).head(keepsConnection: true)
    #expect(text(stream) == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    let unchanged = HTTPResponse(.notModified).head(keepsConnection: true)
    #expect(text(unchanged) == "HTTP/1.1 304 Not Modified\r\n\r\n")
  }

  @Test("a body in pieces has its length, or comes in chunks, or ends with the connection")
  func pieces() {
    let sized = HTTPResponse(.ok, .pieces(length: 12)).head(keepsConnection: true)
    #expect(text(sized) == "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n")
    let open = HTTPResponse(.ok, .pieces(length: nil))
    #expect(text(open.head(keepsConnection: true)) == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    let old = open.head(keepsConnection: true, isVersion11: false)
    #expect(text(old) == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
  }

  @Test("a value cannot end its field")
  func injection() {
    let answer = HTTPResponse(.ok).setting("Location", "/a\r\nSet-Cookie: x")
    #expect(text(answer.head(keepsConnection: true)).contains("Location: /a  Set-Cookie: x\r\n"))
  }
}
