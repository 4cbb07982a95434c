// Why a request failed. Programs react to the cases differently; the sentences are for people.

public import Linux

public enum ClientError: Error, Equatable, Sendable {
  /// No daemon listens at that path.
  case noDaemon(path: String)
  /// The socket exists, but its permissions exclude this user.
  case notAllowed(path: String)
  /// The daemon did not answer in time.
  case timeout
  /// The daemon closed the connection.
  case closed
  /// The daemon refused the request; `code` is one of the protocol's.
  case refused(code: String, message: String)
  /// Another program listens there, or a daemon with a different protocol version.
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
