// Invariants for any bytes of a connection. Their division into reads changes nothing. Limits hold.
// An accepted request could not be read in another way: written strictly, it is read as the same.

import Fuzzing
import HTTP

func checkRequests(_ bytes: [UInt8]) {
  // With small ones, short inputs reach them.
  var small = RequestParser.Limits()
  (small.line, small.head, small.fields, small.body, small.file) = (64, 256, 6, 100, 200)
  for limits in [RequestParser.Limits(), small] {
    let whole = outcomes(bytes, limits) { $0 }
    for outcome in whole { show("\(outcome)") }
    require(outcomes(bytes, limits) { _ in 1 } == whole, "byte by byte the outcomes are others")
    let size = 1 + (bytes.count &+ Int(bytes.last ?? 0)) % 61
    require(outcomes(bytes, limits) { _ in size } == whole, "in pieces of \(size) bytes the outcomes are others")
    var seed = UInt64(truncatingIfNeeded: bytes.reduce(bytes.count) { $0 &* 31 &+ Int($1) })
    let divided = outcomes(bytes, limits) { rest in
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return 1 + Int(seed >> 33) % rest
    }
    require(divided == whole, "in pieces of various sizes the outcomes are others")
    for outcome in whole {
      guard case .request(let request) = outcome else { continue }
      requireLimits(request, limits)
      requireMeaning(request)
      requireRoundTrip(request)
      requireNegotiation(request)
    }
  }
}

/// Requests, and the refusal that ends them. `size` chooses a piece of the bytes that are left.
private func outcomes(
  _ bytes: [UInt8], _ limits: RequestParser.Limits, _ size: (Int) -> Int
) -> [RequestParser.Outcome] {
  var parser = RequestParser(limits)
  var outcomes: [RequestParser.Outcome] = []
  var start = 0
  while start < bytes.count {
    let end = start + min(bytes.count - start, size(bytes.count - start))
    parser.append(bytes.span.extracting(start..<end))
    start = end
    guard readAll(&parser, into: &outcomes) else {
      require(parser.next() == outcomes.last, "after a refusal something else follows")
      return outcomes
    }
  }
  return outcomes
}

/// False after a refusal.
private func readAll(_ parser: inout RequestParser, into outcomes: inout [RequestParser.Outcome]) -> Bool {
  var hasContinued = false
  while true {
    // How a file is read must not matter to what follows it.
    while parser.readFile(1) != nil {}
    let outcome = parser.next()
    switch outcome {
    case .incomplete:
      require(!parser.isReadingBody || parser.hasBegun, "a body without a head")
      require(parser.fileRest == 0 || !parser.hasBegun, "bytes of a file are left")
      return true
    case .continueExpected:
      require(!hasContinued && parser.isReadingBody, "a client is told to go on where it does not wait")
      hasContinued = true
    case .request(let request):
      require(!parser.isReadingBody, "a body after its request")
      require(parser.fileRest == request.fileLength, "\(parser.fileRest) bytes of a file of \(request.fileLength)")
      hasContinued = false
      outcomes.append(outcome)
    case .refused(let refusal):
      require(!refusal.reason.isEmpty && refusal.status.rawValue >= 400, "\(refusal)")
      outcomes.append(outcome)
      return false
    }
  }
}

private func requireLimits(_ request: HTTPRequest, _ limits: RequestParser.Limits) {
  require(request.fields.count <= limits.fields, "\(request.fields.count) fields")
  require(request.body.count <= limits.body, "a body of \(request.body.count) bytes")
  require(request.fileLength <= limits.file, "a file of \(request.fileLength) bytes")
  let path = request.target.path.reduce(0) { $0 + 1 + $1.utf8.count }
  require(path < limits.line, "a path of \(path) bytes")
}

private func requireMeaning(_ request: HTTPRequest) {
  let fields = request.fields
  require(fields["transfer-encoding"] == nil, "a Transfer-Encoding")
  let hosts = fields.values(of: "host").count
  require(hosts == 1 || hosts == 0 && !request.isVersion11, "\(hosts) hosts")
  let lengths = fields.values(of: "content-length")
  require(lengths.count <= 1, "two lengths")
  require(
    lengths.first.map { Int($0) == request.body.count + request.fileLength } ?? request.body.isEmpty,
    "the length is not that of the body")
  require(request.fileLength == 0 || request.body.isEmpty, "a file and another body")
  require(
    request.body.isEmpty && request.fileLength == 0 || request.method != .get && request.method != .head,
    "a body with \(request.method)")
  for field in fields.all {
    let isLower = field.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !(0x41...0x5a).contains($0) }
    require(isLower && !field.name.isEmpty, "a name: \(field.name)")
    require(!field.value.utf8.contains { $0 < 0x20 && $0 != 9 || $0 == 0x7f }, "a value: \(field.value)")
  }
  for (index, segment) in request.target.path.enumerated() {
    require(!segment.isEmpty || index > 0 && index == request.target.path.count - 1, "an empty segment")
    require(segment != "." && segment != "..", "a path to another folder")
    require(!segment.utf8.contains { $0 < 0x20 || $0 == 0x7f || $0 == 0x2f || $0 == 0x5c }, "a segment: \(segment)")
  }
}

private func requireRoundTrip(_ request: HTTPRequest) {
  guard request.fileLength < 1000 else { return }
  // Written strictly it can be longer, because more is encoded.
  var limits = RequestParser.Limits()
  (limits.line, limits.head) = (1 << 20, 1 << 21)
  let written = strictBytes(of: request)
  let again = outcomes(written + written, limits) { $0 }
  require(
    again == [.request(request), .request(request)], "written as \(String(decoding: written, as: UTF8.self)): \(again)")
}

private func requireNegotiation(_ request: HTTPRequest) {
  let tag = "\"a\""
  for size in [0, 1, 100, Int.max] {
    guard case .bytes(let range) = request.part(of: size, tag: tag) else { continue }
    require(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= size, "\(range) of \(size)")
  }
  _ = (request.has(tag), request.buildsOn(tag), request.accepts(encoding: "gzip"))
  var response = HTTPResponse(.ok)
  for field in request.fields.all { response.set("A", field.value) }
  let head = response.head(keepsConnection: request.keepsConnection, isVersion11: request.isVersion11)
  let lines = head.count { $0 == 10 }
  // Status line, length, and the empty line; the end of the connection, or that it is kept.
  let expected = 3 + request.fields.count + (request.keepsConnection && request.isVersion11 ? 0 : 1)
  require(lines == expected, "a value of a field ends it")
}
