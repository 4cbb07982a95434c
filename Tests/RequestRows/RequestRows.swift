// What a connection with these bytes gives, for tests of the parser and of the server: requests that
// are read, and what could be read in two ways and is refused.

public struct RequestRow: Sendable {
  public let name: String
  public let bytes: String
  /// 200 for a request that is read, else the refusal's status.
  public let statuses: [Int]

  init(_ name: String, _ bytes: String, _ statuses: [Int]) {
    (self.name, self.bytes, self.statuses) = (name, bytes, statuses)
  }
}

public func requestHead(_ lines: String...) -> String { lines.map { $0 + "\r\n" }.joined() + "\r\n" }

public let plainRequest = requestHead("GET / HTTP/1.1", "Host: bike")
public let postRequest = requestHead("POST /ride HTTP/1.1", "Host: bike", "Content-Length: 4") + "lap!"

private func long(_ count: Int) -> String { String(repeating: "x", count: count) }

private func plainRequest(fields: Int) -> String {
  "GET / HTTP/1.1\r\nHost: bike\r\n" + (0..<fields).map { "F\($0): x\r\n" }.joined() + "\r\n"
}

private func fileHead(_ length: Int) -> String {
  requestHead(
    "POST / HTTP/1.1", "Host: bike", "Content-Type: Application/Octet-Stream; a=b", "Content-Length: \(length)")
}

private func fileRequest(_ length: Int) -> String { fileHead(length) + long(length) }

public let requestRows: [RequestRow] = [
  RequestRow("nothing", "", []),
  RequestRow("the smallest request", plainRequest, [200]),
  RequestRow("HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\n", [200]),
  RequestRow("an unfinished head", "GET / HTTP/1.1\r\nHost: bike\r\n", []),
  RequestRow("a body", postRequest, [200]),
  RequestRow("an unfinished body", String(postRequest.dropLast()), []),
  RequestRow("three requests in one piece", plainRequest + postRequest + plainRequest, [200, 200, 200]),
  RequestRow("another method", requestHead("TRACE / HTTP/1.1", "Host: bike"), [501]),
  RequestRow("a method in lower case", requestHead("get / HTTP/1.1", "Host: bike"), [501]),
  RequestRow("an empty line before", "\r\n" + plainRequest, [400]),
  RequestRow("two spaces", requestHead("GET  / HTTP/1.1", "Host: bike"), [400]),
  RequestRow("a tab", requestHead("GET\t/ HTTP/1.1", "Host: bike"), [400]),
  RequestRow("no version", requestHead("GET /", "Host: bike"), [400]),
  RequestRow("HTTP/2.0", requestHead("GET / HTTP/2.0", "Host: bike"), [505]),
  RequestRow("HTTP/1.1x", requestHead("GET / HTTP/1.1x", "Host: bike"), [400]),
  RequestRow("a version in lower case", requestHead("GET / http/1.1", "Host: bike"), [400]),
  RequestRow("an absolute target", requestHead("GET http://bike/ HTTP/1.1", "Host: bike"), [400]),
  RequestRow("an asterisk", requestHead("GET * HTTP/1.1", "Host: bike"), [400]),
  RequestRow("a fragment", requestHead("GET /#x HTTP/1.1", "Host: bike"), [400]),
  RequestRow("a byte that must be encoded", requestHead("GET /ä HTTP/1.1", "Host: bike"), [400]),
  RequestRow("a path to the parent", requestHead("GET /a/../b HTTP/1.1", "Host: bike"), [400]),
  RequestRow("an encoded path to the parent", requestHead("GET /a/%2e%2E/b HTTP/1.1", "Host: bike"), [400]),
  RequestRow("an encoded slash", requestHead("GET /a%2Fb HTTP/1.1", "Host: bike"), [400]),
  RequestRow("an encoded zero", requestHead("GET /a%00 HTTP/1.1", "Host: bike"), [400]),
  RequestRow("half a percent sign", requestHead("GET /a%4 HTTP/1.1", "Host: bike"), [400]),
  RequestRow("two slashes", requestHead("GET //a HTTP/1.1", "Host: bike"), [400]),
  RequestRow("no Host", requestHead("GET / HTTP/1.1"), [400]),
  RequestRow("two Hosts", requestHead("GET / HTTP/1.1", "Host: bike", "host: bike"), [400]),
  RequestRow("a Transfer-Encoding", requestHead("POST / HTTP/1.1", "Host: bike", "Transfer-Encoding: chunked"), [400]),
  RequestRow(
    "a Transfer-Encoding beside a length",
    requestHead("POST / HTTP/1.1", "Host: bike", "Content-Length: 4", "Transfer-Encoding: identity") + "lap!", [400]
  ),
  RequestRow(
    "two lengths", requestHead("POST / HTTP/1.1", "Host: bike", "Content-Length: 4", "Content-Length: 4") + "lap!",
    [400]),
  RequestRow("a list of lengths", requestHead("POST / HTTP/1.1", "Host: bike", "Content-Length: 4, 4") + "lap!", [400]),
  RequestRow("a signed length", requestHead("POST / HTTP/1.1", "Host: bike", "Content-Length: +4") + "lap!", [400]),
  RequestRow("an empty length", requestHead("POST / HTTP/1.1", "Host: bike", "Content-Length:"), [400]),
  RequestRow(
    "a length in hexadecimal", requestHead("POST / HTTP/1.1", "Host: bike", "Content-Length: 0x4") + "lap!", [400]),
  RequestRow(
    "a length with zeros before", requestHead("POST / HTTP/1.1", "Host: bike", "Content-Length: 004") + "lap!", [200]),
  RequestRow(
    "a length beyond all integers",
    requestHead("POST / HTTP/1.1", "Host: bike", "Content-Length: 99999999999999999999"),
    [413]
  ),
  RequestRow(
    "the longest body", requestHead("POST / HTTP/1.1", "Host: bike", "Content-Length: 65536") + long(65_536), [200]),
  RequestRow("a byte more", requestHead("POST / HTTP/1.1", "Host: bike", "Content-Length: 65537"), [413]),
  RequestRow("a file that is too long", fileHead((64 << 20) + 1), [413]),
  RequestRow("a POST without a length", requestHead("POST / HTTP/1.1", "Host: bike"), [411]),
  RequestRow("a PATCH without a length", requestHead("PATCH / HTTP/1.1", "Host: bike"), [411]),
  RequestRow("a GET with a body", requestHead("GET / HTTP/1.1", "Host: bike", "Content-Length: 4") + "lap!", [400]),
  RequestRow("a GET with an empty body", requestHead("GET / HTTP/1.1", "Host: bike", "Content-Length: 0"), [200]),
  RequestRow("a bare line feed", "GET / HTTP/1.1\nHost: bike\r\n\r\n", [400]),
  RequestRow("a bare line feed at the end", "GET / HTTP/1.1\r\nHost: bike\r\n\n", [400]),
  RequestRow("a bare carriage return", "GET / HTTP/1.1\r\nHost: bi\rke\r\n\r\n", [400]),
  RequestRow("two carriage returns", "GET / HTTP/1.1\r\r\nHost: bike\r\n\r\n", [400]),
  RequestRow("white space before the colon", requestHead("GET / HTTP/1.1", "Host : bike"), [400]),
  RequestRow("a folded line", requestHead("GET / HTTP/1.1", "Host: bike", " by: car"), [400]),
  RequestRow("a line without a colon", requestHead("GET / HTTP/1.1", "Host: bike", "by car"), [400]),
  RequestRow("a field without a name", requestHead("GET / HTTP/1.1", "Host: bike", ": car"), [400]),
  RequestRow("a zero in a value", requestHead("GET / HTTP/1.1", "Host: bike\0"), [400]),
  RequestRow("a tab in a value", requestHead("GET / HTTP/1.1", "Host: bike", "By:\ta\tcar\t"), [200]),
  RequestRow("the longest line", requestHead("GET /" + long(2034) + " HTTP/1.1", "Host: bike"), [200]),
  RequestRow("a longer one", requestHead("GET /" + long(2035) + " HTTP/1.1", "Host: bike"), [414]),
  RequestRow("a line without an end", "GET /" + long(9000), [414]),
  RequestRow("as many fields as allowed", plainRequest(fields: 63), [200]),
  RequestRow("one more", plainRequest(fields: 64), [431]),
  RequestRow("the longest head", requestHead("GET / HTTP/1.1", "Host: bike", "A: " + long(8192 - 35)), [200]),
  RequestRow("a byte more", requestHead("GET / HTTP/1.1", "Host: bike", "A: " + long(8192 - 34)), [431]),
  RequestRow("a field without an end", "GET / HTTP/1.1\r\nA: " + long(9000), [431]),
  RequestRow(
    "another expectation", requestHead("POST / HTTP/1.1", "Host: bike", "Content-Length: 1", "Expect: tea") + "x", [417]
  ),
  RequestRow("a refusal ends the connection", requestHead("TRACE / HTTP/1.1", "Host: bike") + plainRequest, [501]),
]

/// What a server makes of these depends on how its handler reads files.
public let fileRows: [RequestRow] = [
  RequestRow("a file that is longer than other bodies may be", fileRequest(65_537), [200]),
  RequestRow("an unfinished file", fileHead(4) + "fil", [200]),
  RequestRow("a file and another request", fileRequest(4) + plainRequest, [200, 200]),
]
