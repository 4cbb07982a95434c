// A request as a handler sees it: complete, and checked by the parser.

public enum HTTPMethod: String, Sendable {
  case get = "GET"
  case head = "HEAD"
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
  case delete = "DELETE"
}

public struct HTTPRequest: Equatable, Sendable {
  public let method: HTTPMethod
  public let target: RequestTarget
  public let fields: HeaderFields
  /// The whole body, unless it is a file.
  public let body: [UInt8]
  /// The size of a file, which follows the request and is read in pieces; 0 without one. A body is a
  /// file if its type is `application/octet-stream`.
  public let fileLength: Int
  /// Whether the client can send another request on this connection.
  public let keepsConnection: Bool
  /// Otherwise it is of HTTP/1.0, and the client does not understand a body in chunks.
  public let isVersion11: Bool

  init(_ head: RequestHead, _ fields: HeaderFields, body: [UInt8], fileLength: Int) {
    (method, target, isVersion11) = (head.line.method, head.line.target, head.line.isVersion11)
    keepsConnection = head.keepsConnection
    self.fields = fields
    self.body = body
    self.fileLength = fileLength
  }
}

/// A Content-Type without its parameters, in lower case.
public func mediaType(_ contentType: String) -> String {
  String(contentType.lowercased().prefix { $0 != ";" && $0 != " " })
}

/// The fields of a head, in their order.
public struct HeaderFields: Equatable, Sendable {
  public struct Field: Equatable, Sendable {
    /// In lower case.
    public let name: String
    /// Without the white space around it.
    public let value: String
  }

  public private(set) var all: [Field] = []

  public var count: Int { all.count }

  /// The first value of a field, whose name is given in lower case.
  public subscript(name: String) -> String? { all.first { $0.name == name }?.value }

  public func values(of name: String) -> [String] { all.filter { $0.name == name }.map(\.value) }

  /// The elements of a field that is a list, from all its lines.
  public func elements(of name: String) -> [String] {
    values(of: name).flatMap { $0.utf8.split(separator: UInt8(ascii: ",")).map(text).filter { !$0.isEmpty } }
  }

  mutating func append(_ name: String, _ value: String) { all.append(Field(name: name, value: value)) }
}

/// Without the spaces and tabs around it.
func text<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> String where Bytes.SubSequence == Bytes {
  func isBlank(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
  var rest = bytes
  while isBlank(rest.first) { rest = rest.dropFirst() }
  while isBlank(rest.last) { rest = rest.dropLast() }
  return String(decoding: rest, as: UTF8.self)
}

/// Why a request is answered with an error, after which the connection is closed.
public struct HTTPRefusal: Error, Equatable, Sendable {
  public let status: HTTPStatus
  /// A sentence without a full stop, for the answer and the log.
  public let reason: String

  public init(_ status: HTTPStatus, _ reason: String) {
    self.status = status
    self.reason = reason
  }
}
