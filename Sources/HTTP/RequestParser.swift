// Reads requests of HTTP/1.1 and 1.0 from the bytes of a connection. It is strict, because a proxy
// in front may read the same bytes in another way: what could be read in two ways is refused, and
// the connection is closed. The outcome does not depend on how the bytes are divided into reads.
//
// One request at a time: the next one is read when the one before was answered.

import JSON

public struct RequestParser: Sendable {
  public struct Limits: Sendable {
    /// Of the request line, without its end.
    public var line = 2048
    /// Of request line and fields, with their ends.
    public var head = 8192
    public var fields = 64
    public var body = 65_536
    /// Of a body that is a file. It is read in pieces, so that it needs no memory.
    public var file = 64 << 20

    public init() {}
  }

  public enum Outcome: Equatable, Sendable {
    /// More bytes are needed.
    case incomplete
    /// The client waits for `100 Continue` before it sends the body. Reported once.
    case continueExpected
    /// If a file follows, it has to be read with `readFile` before the next request.
    case request(HTTPRequest)
    /// Nothing more is read.
    case refused(HTTPRefusal)
  }

  private enum Stage {
    case requestLine
    case fields(RequestLine)
    case body(RequestHead, continues: Bool)
    /// Follows a request that was reported.
    case file(rest: Int, continues: Bool)
    case refused(HTTPRefusal)
  }

  private let limits: Limits
  private var stage = Stage.requestLine
  private var bytes: [UInt8] = []
  /// Where the line begins that is being read.
  private var lineStart = 0
  /// Up to there, no line ends.
  private var scanned = 0
  private var fields = HeaderFields()

  public init(_ limits: Limits = Limits()) {
    self.limits = limits
  }

  private static let keptCapacity = 4096

  /// Whether a request has begun. Between requests, a connection may be closed at any time.
  public var hasBegun: Bool { !bytes.isEmpty }

  /// Whether the body is being read.
  public var isReadingBody: Bool {
    if case .body = stage { true } else { false }
  }

  public mutating func append(_ read: Span<UInt8>) {
    if case .refused = stage { return }
    bytes.append(read)
  }

  public mutating func next() -> Outcome {
    do throws(HTTPRefusal) {
      while true {
        switch stage {
        case .refused(let refusal):
          return .refused(refusal)
        case .requestLine:
          guard let line = try completeLine() else { return .incomplete }
          stage = .fields(try RequestLine(bytes[line]))
        case .fields(let requestLine):
          guard let line = try completeLine() else { return .incomplete }
          if line.isEmpty {
            let head = try RequestHead(requestLine, fields, limits)
            if head.isFile { return .request(beginFile(head)) }
            stage = .body(head, continues: head.expectsContinue)
          } else {
            try addField(bytes[line])
          }
        case .body(let head, let continues):
          let end = lineStart + head.bodyLength
          if bytes.count >= end { return .request(finish(head, end)) }
          guard continues else { return .incomplete }
          stage = .body(head, continues: false)
          return .continueExpected
        case .file: return .incomplete
        }
      }
    } catch {
      stage = .refused(error)
      bytes = []
      return .refused(error)
    }
  }

  private mutating func finish(_ head: RequestHead, _ end: Int) -> HTTPRequest {
    let request = HTTPRequest(head, fields, body: Array(bytes[lineStart..<end]), fileLength: 0)
    remove(end)
    stage = .requestLine
    return request
  }

  private mutating func beginFile(_ head: RequestHead) -> HTTPRequest {
    let request = HTTPRequest(head, fields, body: [], fileLength: head.bodyLength)
    remove(lineStart)
    stage = .file(rest: head.bodyLength, continues: head.expectsContinue)
    return request
  }

  private mutating func remove(_ count: Int) {
    bytes.removeFirst(count)
    // A connection that waits for its next request does not keep the room of a large one.
    if bytes.isEmpty && bytes.capacity > Self.keptCapacity { bytes = [] }
    (lineStart, scanned, fields) = (0, 0, HeaderFields())
  }

  // MARK: Files

  /// How many bytes of the file are not read yet; 0 if none follows the last request.
  public var fileRest: Int {
    if case .file(let rest, _) = stage { rest } else { 0 }
  }

  /// Returns whether the client waits for `100 Continue` before it sends the file, once.
  public mutating func startFile() -> Bool {
    guard case .file(let rest, true) = stage else { return false }
    stage = .file(rest: rest, continues: false)
    return bytes.isEmpty
  }

  /// The next bytes of the file: this many, or the rest of it. Nil if they have not arrived.
  public mutating func readFile(_ count: Int) -> [UInt8]? {
    guard case .file(let rest, let continues) = stage else { return nil }
    let wanted = min(count, rest)
    guard wanted > 0, bytes.count >= wanted else { return nil }
    let piece = Array(bytes[..<wanted])
    remove(wanted)
    stage = wanted == rest ? .requestLine : .file(rest: rest - wanted, continues: continues)
    return piece
  }

  // MARK: The head

  /// The next line without its end; nil if it is not complete.
  private mutating func completeLine() throws(HTTPRefusal) -> Range<Int>? {
    while scanned < bytes.count {
      let byte = bytes[scanned]
      let followsReturn = scanned > lineStart && bytes[scanned - 1] == UInt8(ascii: "\r")
      guard (byte == UInt8(ascii: "\n")) == followsReturn else {
        throw HTTPRefusal(.badRequest, "a line does not end with CR LF")
      }
      try checkLength(byte)
      scanned += 1
      if followsReturn {
        let line = lineStart..<(scanned - 2)
        lineStart = scanned
        return line
      }
    }
    return nil
  }

  /// With the byte at `scanned`.
  private func checkLength(_ byte: UInt8) throws(HTTPRefusal) {
    if case .requestLine = stage, scanned >= limits.line, byte != UInt8(ascii: "\r"), byte != UInt8(ascii: "\n") {
      throw HTTPRefusal(.targetTooLong, "the request line is longer than \(limits.line) bytes")
    }
    guard scanned < limits.head else {
      throw HTTPRefusal(.headTooLarge, "the head is longer than \(limits.head) bytes")
    }
  }

  private mutating func addField(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) {
    guard fields.count < limits.fields else {
      throw HTTPRefusal(.headTooLarge, "the head has more than \(limits.fields) fields")
    }
    // A folded line begins with white space, and some send it before the colon. Neither is a token.
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]) else {
      throw HTTPRefusal(.badRequest, "a field has no name")
    }
    let value = line[(colon + 1)...]
    guard value.allSatisfy({ $0 == UInt8(ascii: "\t") || $0 >= 0x20 && $0 != 0x7f }) else {
      throw HTTPRefusal(.badRequest, "a field has a control character")
    }
    let name = line[..<colon].map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    fields.append(String(decoding: name, as: UTF8.self), text(value))
  }
}

/// RFC 9110, 5.6.2.
private func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
  !bytes.isEmpty
    && bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"):
        true
      default:
        "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
    }
}

/// `GET /rides?sport=running HTTP/1.1`
struct RequestLine: Sendable {
  let method: HTTPMethod
  let target: RequestTarget
  let isVersion11: Bool

  init(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) {
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, isToken(parts[0]) else {
      throw HTTPRefusal(.badRequest, "the request line is not a method, a target and a version")
    }
    switch String(decoding: parts[2], as: UTF8.self) {
    case "HTTP/1.1": isVersion11 = true
    case "HTTP/1.0": isVersion11 = false
    case let other:
      let isVersion = other.utf8.count == 8 && other.utf8.starts(with: "HTTP/".utf8)
      throw HTTPRefusal(isVersion ? .versionNotSupported : .badRequest, "only HTTP/1.1 and HTTP/1.0 are spoken")
    }
    guard let method = HTTPMethod(rawValue: String(decoding: parts[0], as: UTF8.self)) else {
      throw HTTPRefusal(.notImplemented, "the method is not GET, HEAD, POST, PUT, PATCH or DELETE")
    }
    self.method = method
    target = try RequestTarget(parts[1])
  }
}

/// Request line and fields, and what they say about body and connection.
struct RequestHead: Sendable {
  let line: RequestLine
  let bodyLength: Int
  /// Whether the body is a file, which is read in pieces.
  let isFile: Bool
  let expectsContinue: Bool
  let keepsConnection: Bool

  init(_ line: RequestLine, _ fields: HeaderFields, _ limits: RequestParser.Limits) throws(HTTPRefusal) {
    self.line = line
    let hosts = fields.values(of: "host").count
    guard hosts == 1 || hosts == 0 && !line.isVersion11 else {
      throw HTTPRefusal(.badRequest, hosts == 0 ? "the Host is missing" : "more than one Host is named")
    }
    guard fields["transfer-encoding"] == nil else {
      throw HTTPRefusal(.badRequest, "a body with a Transfer-Encoding is not accepted")
    }
    let hasFileType = fields["content-type"].map(mediaType) == "application/octet-stream"
    bodyLength = try Self.bodyLength(
      line.method, fields.values(of: "content-length"), most: hasFileType ? limits.file : limits.body)
    isFile = hasFileType && bodyLength > 0
    let expectations = fields.elements(of: "expect").map { $0.lowercased() }
    guard expectations.allSatisfy({ $0 == "100-continue" }) else {
      throw HTTPRefusal(.expectationFailed, "only 100-continue can be expected")
    }
    expectsContinue = !expectations.isEmpty && line.isVersion11
    let options = fields.elements(of: "connection").map { $0.lowercased() }
    keepsConnection = !options.contains("close") && (line.isVersion11 || options.contains("keep-alive"))
  }

  private static func bodyLength(_ method: HTTPMethod, _ lengths: [String], most: Int) throws(HTTPRefusal) -> Int {
    guard let text = lengths.first else {
      if [.post, .put, .patch].contains(method) { throw HTTPRefusal(.lengthRequired, "the Content-Length is missing") }
      return 0
    }
    guard lengths.count == 1, !text.isEmpty, text.utf8.allSatisfy({ decimalDigit($0) != nil }) else {
      throw HTTPRefusal(.badRequest, "Content-Length is not one number")
    }
    // A number too large for an integer is also too large for a body.
    guard let length = Int(text), length <= most else {
      throw HTTPRefusal(.contentTooLarge, "the body is longer than \(most) bytes")
    }
    guard length == 0 || method != .get && method != .head else {
      throw HTTPRefusal(.badRequest, "\(method.rawValue) has no body")
    }
    return length
  }
}
