// Where the daemon is: its control socket, and the one beside it that only reads.

import Linux

public struct Endpoint: Equatable, Sendable {
  public let controlSocket: String

  public init(controlSocket: String) {
    self.controlSocket = controlSocket
  }

  public var metricsSocket: String {
    let folder = Files.parent(of: controlSocket)
    return (folder == "/" ? "" : folder) + "/metrics.sock"
  }

  /// Where a daemon that was installed listens, unless `CYCLOMETER_SOCKET` says otherwise.
  public static var usual: Endpoint {
    let named = ProcessEnvironment.variable("CYCLOMETER_SOCKET") ?? ""
    return Endpoint(controlSocket: named.isEmpty ? "/run/cyclometer/control.sock" : named)
  }
}

/// What a client means to do.
public enum Access: Sendable {
  /// The metrics socket will do where the control socket cannot be had: not allowed, or not there (in a container).
  case read
  case control
}
