// The sockets of a service. A client's rights depend on the one that it connected to.

package import Linux

package struct SocketRole: Hashable, Sendable {
  package let name: String
  /// Some connections are kept free for it, so that a crowd on the other sockets does not lock out
  /// the user.
  package let isReserved: Bool

  package init(_ name: String, isReserved: Bool = false) {
    self.name = name
    self.isReserved = isReserved
  }

  package var fileName: String { "\(name).sock" }

  /// Two sockets of one systemd unit have the same name; their paths tell them apart.
  package static func of(_ socket: borrowing InheritedSocket, among roles: [SocketRole]) -> SocketRole? {
    guard case .unix(let path) = socket.address else { return nil }
    let name = socket.name
    let file = path.split(separator: "/").last.map(String.init)
    return roles.first { name == $0.name || name == $0.fileName } ?? roles.first { file == $0.fileName }
  }
}
