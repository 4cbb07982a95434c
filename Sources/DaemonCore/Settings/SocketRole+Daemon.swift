// The sockets of the daemon: metrics.sock for reading, control.sock for changes, plugin.sock for programs
// that decode for sensors.

import Serving

extension SocketRole {
  static let metrics = SocketRole("metrics")
  static let control = SocketRole("control", isReserved: true)
  static let plugin = SocketRole("plugin")
}
