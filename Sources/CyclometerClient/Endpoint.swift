// The daemon's control socket, and the read-only socket next to it.

import Linux

public struct Endpoint: Equatable, Sendable {
  public let controlSocket: String

  public init(controlSocket: String) {
    self.controlSocket = controlSocket
  }

  public var metricsSocket: String { socketBeside("metrics.sock") }

  func socketBeside(_ name: String) -> String {
    let folder = Files.parent(of: controlSocket)
    return (folder == "/" ? "" : folder) + "/" + name
  }

  /// The default socket, unless `CYCLOMETER_SOCKET` names another.
  public static var standard: Endpoint {
    let named = ProcessEnvironment.variable("CYCLOMETER_SOCKET") ?? ""
    return Endpoint(controlSocket: named.isEmpty ? "/run/cyclometer/control.sock" : named)
  }
}

/// What a client intends to do.
public enum Access: Sendable {
  /// Uses the metrics socket if the control socket is missing (as in a container) or not permitted.
  case read
  case control
  /// Uses the metrics socket only.
  case metrics
}
