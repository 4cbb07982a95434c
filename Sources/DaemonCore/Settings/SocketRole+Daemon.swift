// The sockets of the daemon: metrics.sock for reading, control.sock for changes.

import Serving

extension SocketRole {
  static let metrics = SocketRole("metrics")
  static let control = SocketRole("control", isReserved: true)
}
