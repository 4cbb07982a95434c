// Why a request failed: a code for programs, a sentence for people.

public enum ErrorCode: String, CaseIterable, Error, Sendable {
  case badJSON = "bad_json"
  case badRequest = "bad_request"
  case unknownMethod = "unknown_method"
  case denied
  case noSuchSensor = "no_such_sensor"
  case noSuchKind = "no_such_kind"
  case busy
  case timeout
  case adapterUnavailable = "adapter_unavailable"
  case pairingFailed = "pairing_failed"
  case notSupported = "not_supported"
  case tooMany = "too_many"
  case lineTooLong = "line_too_long"
  case `internal`
}

/// An `error` record: the answer to a request that failed, or the reason for which a client is sent away.
public struct ErrorRecord: Record, Error {
  public static let className = "error"
  /// Nil where the request had none that could be read.
  public let id: RequestID?
  public let code: ErrorCode
  public let message: String

  public init(id: RequestID?, _ code: ErrorCode, _ message: String) {
    self.id = id
    self.code = code
    self.message = message
  }

  public func writeMembers(into writer: inout JSONWriter) {
    writer.member("id", id)
    writer.member("code", code.rawValue)
    writer.member("message", message)
  }

  /// A code of a newer daemon's reads as `internal`, with its sentence.
  public init?(_ json: JSON) {
    guard let code = json["code"]?.text else { return nil }
    self.init(
      id: json["id"].flatMap(RequestID.init), ErrorCode(rawValue: code) ?? .internal, json["message"]?.text ?? code)
  }
}

/// What a client calls its request: given back as it came, to the digit.
public struct RequestID: Hashable, Sendable {
  /// Longer ones are refused, so that every reply fits into a line.
  public static let maxLength = 1024

  private let token: [UInt8]

  public init(_ number: Int) {
    token = Array(String(number).utf8)
  }

  /// The bytes of a JSON number or string, which the caller has read as one.
  init?(token: [UInt8], of value: JSON) {
    guard value.number != nil || value.text != nil, token.count <= Self.maxLength else { return nil }
    self.token = token
  }

  init?(_ json: JSON) {
    self.init(token: Array(json.encoded.utf8), of: json)
  }

  /// The number, where it is a small whole one, as clients count.
  public var number: Int? { Int(String(decoding: token, as: UTF8.self)) }

  fileprivate var bytes: ArraySlice<UInt8> { token[...] }
}

extension JSONWriter {
  public mutating func member(_ name: String, _ id: RequestID?) {
    guard let id else { return }
    member(name)
    encoded(id.bytes)
  }

  /// The reply to a request; `result` writes one value.
  public mutating func replyLine(_ id: RequestID, _ result: (inout JSONWriter) -> Void) {
    beginRecord("reply")
    member("id", id)
    member("result")
    result(&self)
    endObject()
    endLine()
  }

  /// The reply that says only that it is done.
  public mutating func replyLine(_ id: RequestID) {
    replyLine(id) { writer in
      writer.beginObject()
      writer.endObject()
    }
  }
}
