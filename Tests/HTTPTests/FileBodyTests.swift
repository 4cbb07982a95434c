// A body that is a file comes in the pieces that are asked for, whatever the reads were.

import RequestRows
import Testing

@testable import HTTP

@Suite struct FileBodyTests {
  private static let head = requestHead(
    "POST /import HTTP/1.1", "Host: bike", "Content-Type: application/octet-stream", "Content-Length: 10",
    "Expect: 100-continue")

  private static func parser(_ text: String) -> RequestParser {
    var parser = RequestParser()
    parser.append(Array(text.utf8).span)
    return parser
  }

  private static func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

  @Test("a request is reported before its file, which follows in pieces", arguments: [1, 2, 3, 9, 10, 11])
  func pieces(_ size: Int) throws {
    var parser = Self.parser(Self.head)
    guard case .request(let request) = parser.next() else {
      Issue.record("the request is not read")
      return
    }
    #expect(request.body.isEmpty && request.fileLength == 10 && parser.fileRest == 10)
    let early = (parser.next(), parser.readFile(size))
    #expect(early == (.incomplete, nil))
    var file = ""
    for byte in "0123456789".utf8 {
      parser.append([byte].span)
      while let piece = Self.text(parser.readFile(size)) {
        #expect(piece.utf8.count == min(size, 10 - file.utf8.count))
        file += piece
      }
    }
    #expect(file == "0123456789" && parser.fileRest == 0)
    parser.append(Array(plainRequest.utf8).span)
    guard case .request(let next) = parser.next() else {
      Issue.record("the next request is not read")
      return
    }
    #expect(next.method == .get && next.fileLength == 0)
  }

  @Test("a client that waits with its file is told to go on once, when the file is wanted")
  func continues() {
    var parser = Self.parser(Self.head)
    guard case .request = parser.next() else {
      Issue.record("the request is not read")
      return
    }
    let waits = [parser.startFile(), parser.startFile()]
    #expect(waits == [true, false])
  }

  @Test("a client that sends its file at once is not told to go on")
  func continuesAtOnce() {
    var parser = Self.parser(Self.head + "01234")
    guard case .request = parser.next() else {
      Issue.record("the request is not read")
      return
    }
    let waits = parser.startFile()
    #expect(!waits)
    let piece = parser.readFile(5)
    #expect(Self.text(piece) == "01234")
  }

  @Test("other bodies are read whole")
  func others() throws {
    let text =
      requestHead("POST / HTTP/1.1", "Host: bike", "Content-Type: application/json", "Content-Length: 2") + "{}"
    var parser = Self.parser(text)
    guard case .request(let request) = parser.next() else {
      Issue.record("the request is not read")
      return
    }
    #expect(request.fileLength == 0 && Self.text(request.body) == "{}")
  }
}
