// Sockets that were opened by the service manager and are described in three variables, see
// sd_listen_fds(3). These few lines replace a library.

internal import CLinux

/// A listening socket opened by another process, which also owns its file.
public struct InheritedSocket: ~Copyable {
  /// The service manager's name for it; sockets of one unit share its name.
  public let name: String
  public let address: ListenerAddress
  let descriptor: FileDescriptor

  public consuming func takeDescriptor() -> FileDescriptor { descriptor }
}

/// Where a socket listens.
public enum ListenerAddress: Equatable, Sendable, CustomStringConvertible {
  case unix(path: String)
  case tcp(InternetAddress)

  public var description: String {
    switch self {
    case .unix(let path): path
    case .tcp(let address): "\(address)"
    }
  }
}

public enum InheritedSockets {
  private static let first: Int32 = 3
  private static let most = 64

  /// Passes on each socket, once. The variables are removed, so that no child process takes the
  /// sockets for its own.
  public static func take(_ body: (consuming InheritedSocket) throws(SystemError) -> Void) throws(SystemError) {
    let process = ProcessEnvironment.variable("LISTEN_PID").flatMap { Int32($0) }
    let count = ProcessEnvironment.variable("LISTEN_FDS")
    let names = ProcessEnvironment.variable("LISTEN_FDNAMES")?.split(separator: ":", omittingEmptySubsequences: false)
    for variable in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsafe unsetenv(variable) }
    guard process == getpid(), let count else { return }
    guard let total = Int(count), 0...most ~= total else {
      throw SystemError(call: "LISTEN_FDS", code: EINVAL, subject: count)
    }
    for index in 0..<total {
      let number = first + Int32(index)
      guard let address = listenerAddress(number) else {
        throw SystemError(call: "LISTEN_FDS", code: ENOTSOCK, subject: "descriptor \(number)")
      }
      let descriptor = FileDescriptor(owning: number)
      try systemCall("fcntl") { cyclometer_fcntl(number, F_SETFD, FD_CLOEXEC) }
      try descriptor.setNonBlocking()
      let name = names.flatMap { index < $0.count ? String($0[index]) : nil } ?? ""
      try body(InheritedSocket(name: name, address: address, descriptor: descriptor))
    }
  }

  /// Nil if the descriptor is not a listening socket of TCP or one that is bound to a path.
  private static func listenerAddress(_ descriptor: Int32) -> ListenerAddress? {
    guard cyclometer_is_listener(descriptor) != 0 else { return nil }
    var path = [CChar](repeating: 0, count: 128)
    // The shim writes at most the size of the array, including a final 0.
    guard unsafe cyclometer_bound_path(descriptor, &path, path.count) == 0 else {
      return (try? TCPSocket.localAddress(of: descriptor)).map { .tcp($0) }
    }
    return .unix(path: String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }
}
