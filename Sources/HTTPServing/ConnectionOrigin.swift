// How a connection arrived. Nothing in it comes from the client's bytes.

public import Linux

public struct ConnectionOrigin: Equatable, Sendable {
  public enum Socket: Equatable, Sendable {
    /// `local` is the literal address that the client connected to.
    case tcp(local: InternetAddress, peer: InternetAddress)
    case unix(peer: PeerCredentials)
  }

  /// The name that the program gave to the listener.
  public let listener: String
  public let socket: Socket

  init(_ socket: Int32, listener: String, isUnix: Bool) throws(SystemError) {
    self.listener = listener
    self.socket =
      isUnix
      ? .unix(peer: try UnixSocket.peer(of: socket))
      : .tcp(local: try TCPSocket.localAddress(of: socket), peer: try TCPSocket.peerAddress(of: socket))
  }

  /// Nil for a Unix socket.
  var peerAddress: InternetAddress? {
    if case .tcp(_, let peer) = socket { peer } else { nil }
  }
}

extension ConnectionOrigin: CustomStringConvertible {
  public var description: String {
    switch socket {
    case .tcp(_, let peer): "\(peer)"
    case .unix(let peer): "user \(peer.user), process \(peer.process)"
    }
  }
}
