// Why there is no answer. Each case is one that a program reacts to differently; the sentences are for people.

public import Linux

public enum ClientError: Error, Equatable, Sendable {
  /// Nobody listens at that path.
  case noDaemon(path: String)
  /// The socket is there, and its permissions keep this user out.
  case notAllowed(path: String)
  /// The daemon did not say in time what it should have said.
  case timeout
  /// The daemon closed the connection.
  case closed
  /// The daemon's own refusal; `code` is one of the protocol's.
  case refused(code: String, message: String)
  /// Something else listens there, or a daemon that speaks another version.
  case notUnderstood(String)
  case system(SystemError)
}

extension ClientError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noDaemon(let path): "no daemon listens at \(path)"
    case .notAllowed(let path): "no permission to use \(path)"
    case .timeout: "the daemon did not answer in time"
    case .closed: "the daemon closed the connection"
    case .refused(_, let message): message
    case .notUnderstood(let what): what
    case .system(let error): error.description
    }
  }
}
