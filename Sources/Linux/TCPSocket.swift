// TCP over IPv4 and IPv6, without name resolution.

internal import CLinux
import Time

public enum TCPSocket {
  /// Listens on one address, or on all of a family. Port 0 lets the kernel choose one.
  public static func listen(on address: InternetAddress, backlog: Int32 = 128) throws(SystemError) -> FileDescriptor {
    do throws(SystemError) {
      let socket = try make(for: address)
      // After a restart, connections of the previous process may still occupy the port.
      try StreamSocket.set(socket.number, SOL_SOCKET, SO_REUSEADDR, 1)
      // Otherwise `::` would also take the port of 0.0.0.0.
      if !address.isIPv4 { try StreamSocket.set(socket.number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
      var name = address.name
      try systemCall("bind") { unsafe cyclometer_internet_bind(socket.number, &name) }
      try systemCall("listen") { CLinux.listen(socket.number, backlog) }
      return socket
    } catch {
      throw error.about("\(address)")
    }
  }

  /// Connects without blocking. A refused connection shows as an error at the first read.
  public static func connect(to address: InternetAddress) throws(SystemError) -> FileDescriptor {
    do throws(SystemError) {
      let socket = try make(for: address)
      var name = address.name
      try systemCall("connect") { unsafe cyclometer_internet_connect(socket.number, &name) }
      return socket
    } catch {
      throw error.about("\(address)")
    }
  }

  /// The address at which a connection arrived, or that a listening socket has.
  public static func localAddress(of socket: Int32) throws(SystemError) -> InternetAddress {
    var name = cyclometer_internet_address()
    try systemCall("getsockname") { unsafe cyclometer_internet_name(socket, 0, &name) }
    return InternetAddress(name)
  }

  public static func peerAddress(of socket: Int32) throws(SystemError) -> InternetAddress {
    var name = cyclometer_internet_address()
    try systemCall("getpeername") { unsafe cyclometer_internet_name(socket, 1, &name) }
    return InternetAddress(name)
  }

  private static func make(for address: InternetAddress) throws(SystemError) -> FileDescriptor {
    let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let family = address.isIPv4 ? AF_INET : AF_INET6
    return FileDescriptor(owning: try systemCall("socket") { CLinux.socket(family, Int32(type), 0) })
  }
}

// MARK: Options

extension TCPSocket {
  /// A small message does not wait for the acknowledgement of the one before. Connections inherit
  /// it from their listener.
  public static func setNoDelay(_ socket: Int32) throws(SystemError) {
    try StreamSocket.set(socket, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
  }

  /// Ends a connection whose peer acknowledges nothing, or has no room, for this long. Connections
  /// inherit it from their listener.
  public static func setUserTimeout(_ socket: Int32, _ span: Duration) throws(SystemError) {
    let milliseconds = Int32(clamping: span.wholeNanoseconds / 1_000_000)
    try StreamSocket.set(socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, milliseconds)
  }

  /// With more bytes than this that are not sent yet, the socket is not writable.
  public static func setUnsentLimit(_ socket: Int32, bytes: Int32) throws(SystemError) {
    try StreamSocket.set(socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, bytes)
  }
}
