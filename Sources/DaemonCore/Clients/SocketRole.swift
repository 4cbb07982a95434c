// The sockets of the daemon. A client's rights depend on the one that it connected to.

import Linux

enum SocketRole: String, CaseIterable {
  case metrics, control

  var fileName: String { "\(rawValue).sock" }

  /// Two sockets of one systemd unit have the same name; their paths tell them apart.
  init?(of socket: borrowing InheritedSocket) {
    let name = socket.name
    let file = socket.path.split(separator: "/").last.map(String.init)
    let byName = Self.allCases.first { name == $0.rawValue || name == $0.fileName }
    guard let role = byName ?? Self.allCases.first(where: { file == $0.fileName }) else { return nil }
    self = role
  }
}
