// The same bytes give the same requests and refusals, however they are divided into reads, and what
// could be read in two ways is refused.

import RequestRows
import Testing

@testable import HTTP

@Suite struct RequestParserTests {
  /// What a server sees when it gets the pieces one after the other.
  static func outcomes(_ pieces: [[UInt8]]) -> [RequestParser.Outcome] {
    var parser = RequestParser()
    var outcomes: [RequestParser.Outcome] = []
    for piece in pieces {
      parser.append(piece.span)
      reading: while true {
        while parser.readFile(1) != nil {}
        let outcome = parser.next()
        switch outcome {
        case .incomplete: break reading
        case .continueExpected: continue
        case .request: outcomes.append(outcome)
        case .refused:
          outcomes.append(outcome)
          return outcomes
        }
      }
    }
    return outcomes
  }

  static func statuses(_ outcomes: [RequestParser.Outcome]) -> [Int] {
    outcomes.map {
      switch $0 {
      case .request: 200
      case .refused(let refusal): refusal.status.rawValue
      case .incomplete, .continueExpected: 0
      }
    }
  }

  @Test(
    "each connection gives its requests or its refusal, whole, dripped and cut in two",
    arguments: requestRows + fileRows)
  func divided(_ row: RequestRow) {
    let bytes = Array(row.bytes.utf8)
    let whole = Self.outcomes([bytes])
    #expect(Self.statuses(whole) == row.statuses, "\(row.name): \(whole.last.map { "\($0)" } ?? "nothing")")
    #expect(Self.outcomes(bytes.map { [$0] }) == whole, "\(row.name), byte by byte")
    // Of long ones, some places are enough.
    for cut in stride(from: 0, through: bytes.count, by: 1 + bytes.count / 300) {
      #expect(Self.outcomes([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole, "\(row.name), cut at \(cut)")
    }
  }

  private func request(_ text: String) throws -> HTTPRequest {
    let outcome = Self.outcomes([Array(text.utf8)]).first
    guard case .request(let request) = outcome else { throw HTTPRefusal(.internalError, "\(outcome as Any)") }
    return request
  }

  @Test("a request has its method, target, fields and body")
  func content() throws {
    let text =
      requestHead(
        "PUT /rides/12%20b/?a=1+2&b&c=%26%3D&a=3 HTTP/1.1", "Host: bike:8080", "X-Lap:  three  words here ",
        "Content-Length: 4",
        "X-Lap: again") + "\0\r\n\u{7f}"
    let request = try request(text)
    #expect(request.method == .put)
    #expect(request.target.path == ["rides", "12 b", ""])
    #expect(request.target.query.map { "\($0.name)=\($0.value)" } == ["a=1 2", "b=", "c=&=", "a=3"])
    #expect(request.target.parameter("a") == "1 2" && request.target.parameter("d") == nil)
    #expect(request.fields["x-lap"] == "three  words here")
    #expect(request.fields.values(of: "x-lap") == ["three  words here", "again"])
    #expect(request.body == [0, 13, 10, 127])
    #expect(try self.request(plainRequest).target.path == [])
  }

  @Test(
    "a connection is kept as its version and its options say",
    arguments: [
      ("HTTP/1.1", nil, true), ("HTTP/1.1", "close", false), ("HTTP/1.1", "x, Close", false), ("HTTP/1.0", nil, false),
      ("HTTP/1.0", "Keep-Alive", true), ("HTTP/1.0", "keep-alive, close", false),
    ] as [(String, String?, Bool)])
  func keepsConnection(_ version: String, _ option: String?, keeps: Bool) throws {
    let lines = ["GET / \(version)", "Host: bike"] + (option.map { ["Connection: \($0)"] } ?? [])
    #expect(try request(lines.map { $0 + "\r\n" }.joined() + "\r\n").keepsConnection == keeps)
  }

  @Test("a client that waits before it sends its body is told to go on once")
  func continues() {
    var parser = RequestParser()
    let head = requestHead("POST / HTTP/1.1", "Host: bike", "Content-Length: 4", "Expect: 100-Continue")
    #expect(!parser.hasBegun)
    parser.append(Array(head.utf8).span)
    #expect(parser.next() == .continueExpected)
    #expect(parser.next() == .incomplete)
    #expect(parser.hasBegun)
    parser.append(Array("lap!".utf8).span)
    guard case .request(let request) = parser.next() else {
      Issue.record("the request is not read")
      return
    }
    #expect(request.body == Array("lap!".utf8))
    #expect(parser.next() == .incomplete && !parser.hasBegun)
  }

  @Test("a client that sends its body at once is not told to go on")
  func continuesAtOnce() {
    var parser = RequestParser()
    let head = requestHead("POST / HTTP/1.1", "Host: bike", "Content-Length: 4", "Expect: 100-continue")
    parser.append(Array((head + "lap!").utf8).span)
    guard case .request = parser.next() else {
      Issue.record("the request is not read")
      return
    }
  }
}
