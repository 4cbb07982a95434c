// Errors of requests: a code for programs and a sentence for people.

public import JSON

public enum ErrorCode: String, CaseIterable, Error, Sendable {
  case badJSON = "bad_json"
  case badRequest = "bad_request"
  case unknownMethod = "unknown_method"
  case denied
  case noSuchSensor = "no_such_sensor"
  case noSuchKind = "no_such_kind"
  case busy
  case limitReached = "limit_reached"
  case alreadyPaired = "already_paired"
  case timeout
  case notConnected = "not_connected"
  case cancelled
  case adapterUnavailable = "adapter_unavailable"
  case pairingFailed = "pairing_failed"
  case notSupported = "not_supported"
  case tooMany = "too_many"
  case lineTooLong = "line_too_long"
  case `internal`

  // Of logbook.sock only.
  case noSuchActivity = "no_such_activity"
  case badFile = "bad_file"
  case duplicate
  case dateUnknown = "date_unknown"
  case changed
  case storage

  // Of web.sock only. It uses bad_file, duplicate and storage too.
  case noSuchPhone = "no_such_phone"
  case noSuchMap = "no_such_map"
}

/// Why a request is refused.
public struct Refusal: Error, Equatable, Sendable {
  /// Things that have a limit.
  public enum Limit: String, CaseIterable, Sendable {
    case sensors, bikes
    /// The bytes of one line.
    case line
    /// Of logbook.sock: the transfers under way, and the bytes of an upload.
    case transfers, upload
    /// Of web.sock.
    case maps
  }

  public let code: ErrorCode
  /// Only with the code `limit_reached`.
  public let limit: Limit?
  public let message: String

  public init(_ code: ErrorCode, _ message: String) {
    self.init(code, nil, message)
  }

  public init(reached limit: Limit, _ message: String) {
    self.init(.limitReached, limit, message)
  }

  fileprivate init(_ code: ErrorCode, _ limit: Limit?, _ message: String) {
    self.code = code
    self.limit = limit
    self.message = message
  }
}

/// An `error` record: the reply to a refused request, or the reason why the daemon disconnects a
/// client.
public struct ErrorRecord: Record, Error {
  public static let className = "error"
  /// Nil if the request had no readable id.
  public let id: RequestID?
  public let refusal: Refusal

  public init(id: RequestID?, _ refusal: Refusal) {
    self.id = id
    self.refusal = refusal
  }

  public init(id: RequestID?, _ code: ErrorCode, _ message: String) {
    self.init(id: id, Refusal(code, message))
  }

  public var code: ErrorCode { refusal.code }
  public var limit: Refusal.Limit? { refusal.limit }
  public var message: String { refusal.message }

  public func writeMembers(into writer: inout JSONWriter) {
    writer.member("id", id)
    writer.member("code", code.rawValue)
    writer.member("limit", limit?.rawValue)
    writer.member("message", message)
  }

  /// An unknown code of a newer daemon is read as `internal`, and its message is kept.
  public init?(_ json: JSONValue) {
    guard let code = json["code"]?.text else { return nil }
    self.init(
      id: json["id"].flatMap(RequestID.init),
      Refusal(
        ErrorCode(rawValue: code) ?? .internal, json["limit"]?.text.flatMap(Refusal.Limit.init),
        json["message"]?.text ?? code))
  }
}

/// The id that a client gives its request. It is returned exactly as it came.
public struct RequestID: Hashable, Sendable {
  /// Longer ids are rejected, so that every reply fits into a line.
  public static let maxLength = 1024

  private let token: [UInt8]

  public init(_ number: Int) {
    token = Array(String(number).utf8)
  }

  /// The bytes of a JSON number or string, which the caller has parsed.
  init?(token: [UInt8], of value: JSONValue) {
    guard value.number != nil || value.text != nil, token.count <= Self.maxLength else { return nil }
    self.token = token
  }

  init?(_ json: JSONValue) {
    self.init(token: Array(json.encoded.utf8), of: json)
  }

  /// The id as an integer, if it is one.
  public var number: Int? { Int(String(decoding: token, as: UTF8.self)) }

  fileprivate var bytes: ArraySlice<UInt8> { token[...] }
}

extension JSONWriter {
  public mutating func member(_ name: String, _ id: RequestID?) {
    guard let id else { return }
    member(name)
    encoded(id.bytes)
  }

  /// Writes the reply to a request; `result` writes one value.
  public mutating func replyLine(_ id: RequestID, _ result: (inout JSONWriter) -> Void) {
    beginRecord("reply")
    member("id", id)
    member("result")
    result(&self)
    endObject()
    endLine()
  }

  /// Writes a reply with an empty result.
  public mutating func replyLine(_ id: RequestID) {
    replyLine(id) { writer in
      writer.beginObject()
      writer.endObject()
    }
  }
}
