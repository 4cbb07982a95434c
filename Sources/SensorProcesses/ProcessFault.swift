// Why the daemon ends a conversation with a program.

public struct ProcessFault: Error, Equatable, Sendable {
  public enum Code: String, CaseIterable, Sendable {
    case badJSON = "bad_json"
    case badRequest = "bad_request"
    case denied
    case busy
    case noSuchFile = "no_such_file"
    case notSupported = "not_supported"
    case lineTooLong = "line_too_long"
    case pluginSlow = "plugin_slow"
  }

  public let code: Code
  public let message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
