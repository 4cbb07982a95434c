// The statuses that a server of ours answers with: RFC 9110, 15.

public enum HTTPStatus: Int, Sendable {
  case `continue` = 100
  case ok = 200
  case noContent = 204
  case partialContent = 206
  case seeOther = 303
  case notModified = 304
  case badRequest = 400
  case unauthorized = 401
  case forbidden = 403
  case notFound = 404
  case methodNotAllowed = 405
  case timeout = 408
  case conflict = 409
  case lengthRequired = 411
  case preconditionFailed = 412
  case contentTooLarge = 413
  case targetTooLong = 414
  case unsupportedMediaType = 415
  case rangeNotSatisfiable = 416
  case expectationFailed = 417
  case misdirected = 421
  case preconditionRequired = 428
  case tooManyRequests = 429
  case headTooLarge = 431
  case internalError = 500
  case notImplemented = 501
  case unavailable = 503
  case versionNotSupported = 505

  /// Whether a body can follow the head.
  public var hasBody: Bool { self != .continue && self != .noContent && self != .notModified }

  public var phrase: String {
    switch self {
    case .continue: "Continue"
    case .ok: "OK"
    case .noContent: "No Content"
    case .partialContent: "Partial Content"
    case .seeOther: "See Other"
    case .notModified: "Not Modified"
    case .badRequest: "Bad Request"
    case .unauthorized: "Unauthorized"
    case .forbidden: "Forbidden"
    case .notFound: "Not Found"
    case .methodNotAllowed: "Method Not Allowed"
    case .timeout: "Request Timeout"
    case .conflict: "Conflict"
    case .lengthRequired: "Length Required"
    case .preconditionFailed: "Precondition Failed"
    case .contentTooLarge: "Content Too Large"
    case .targetTooLong: "URI Too Long"
    case .unsupportedMediaType: "Unsupported Media Type"
    case .rangeNotSatisfiable: "Range Not Satisfiable"
    case .expectationFailed: "Expectation Failed"
    case .misdirected: "Misdirected Request"
    case .preconditionRequired: "Precondition Required"
    case .tooManyRequests: "Too Many Requests"
    case .headTooLarge: "Request Header Fields Too Large"
    case .internalError: "Internal Server Error"
    case .notImplemented: "Not Implemented"
    case .unavailable: "Service Unavailable"
    case .versionNotSupported: "HTTP Version Not Supported"
    }
  }
}
