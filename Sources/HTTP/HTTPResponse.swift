// The answer to a request, and how its head is written.

public struct HTTPResponse: Sendable {
  public enum Body: Sendable {
    case bytes([UInt8])
    /// Comes in pieces from a source, which the server is given with the response. The length is nil
    /// if it is not known before the end.
    case pieces(length: Int?)
    /// Goes on until one side ends the connection, such as a stream of events.
    case stream
  }

  public let status: HTTPStatus
  public private(set) var fields: [(name: String, value: String)] = []
  public let body: Body

  public init(_ status: HTTPStatus, _ body: Body = .bytes([])) {
    self.status = status
    self.body = body
  }

  public init(_ status: HTTPStatus, type: String, _ text: String) {
    self.init(status, .bytes(Array(text.utf8)))
    set("Content-Type", type)
  }

  public init(_ refusal: HTTPRefusal) {
    self.init(refusal.status, type: "text/plain; charset=utf-8", refusal.reason + "\n")
  }

  /// A control character, which would end the field early, becomes a space.
  public mutating func set(_ name: String, _ value: String) {
    let safe = value.utf8.map { $0 < 0x20 || $0 == 0x7f ? UInt8(ascii: " ") : $0 }
    fields.append((name, String(decoding: safe, as: UTF8.self)))
  }

  public func setting(_ name: String, _ value: String) -> HTTPResponse {
    var copy = self
    copy.set(name, value)
    return copy
  }

  /// Whether another answer can follow on the connection. Otherwise its end is that of the body.
  public func canBeFollowed(isVersion11: Bool) -> Bool {
    switch body {
    case .bytes: true
    case .pieces(let length): length != nil || isVersion11
    case .stream: false
    }
  }

  /// Status line and fields, with those about the length of the body and the end of the connection.
  /// It has no Date, because the computer may not know the time (RFC 9110, 6.6.1).
  public func head(keepsConnection: Bool, isVersion11: Bool = true) -> [UInt8] {
    var text = "HTTP/1.1 \(status.rawValue) \(status.phrase)\r\n"
    for field in fields { text += "\(field.name): \(field.value)\r\n" }
    if status.hasBody {
      switch body {
      case .bytes(let bytes): text += "Content-Length: \(bytes.count)\r\n"
      case .pieces(.some(let length)): text += "Content-Length: \(length)\r\n"
      case .pieces(nil): if isVersion11 { text += "Transfer-Encoding: chunked\r\n" }
      case .stream: break
      }
    }
    if !keepsConnection || !canBeFollowed(isVersion11: isVersion11) {
      text += "Connection: close\r\n"
    } else if !isVersion11 {
      text += "Connection: keep-alive\r\n"
    }
    return Array((text + "\r\n").utf8)
  }

  /// For a client that waits for it before it sends a body.
  public static let goOn = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
}
