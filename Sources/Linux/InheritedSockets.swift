// Sockets that a service manager opened for this process: three variables name them, as sd_listen_fds(3) says. Forty lines
// that spare a library.

internal import CLinux

/// A listening socket that somebody else opened and whose file is theirs.
public struct InheritedSocket: ~Copyable {
  /// As the service manager calls it; sockets of one unit share its name.
  public let name: String
  /// Where it is bound.
  public let path: String
  let descriptor: FileDescriptor

  public consuming func takeDescriptor() -> FileDescriptor { descriptor }
}

public enum InheritedSockets {
  private static let first: Int32 = 3
  private static let most = 64

  /// Hands each of them over, once: the variables are taken away, so that no child believes that they are its own.
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
      guard let path = listenerPath(number) else {
        throw SystemError(call: "LISTEN_FDS", code: ENOTSOCK, subject: "descriptor \(number)")
      }
      let descriptor = FileDescriptor(owning: number)
      try systemCall("fcntl") { cyclometer_fcntl(number, F_SETFD, FD_CLOEXEC) }
      try descriptor.setNonBlocking()
      let name = names.flatMap { index < $0.count ? String($0[index]) : nil } ?? ""
      try body(InheritedSocket(name: name, path: path, descriptor: descriptor))
    }
  }

  /// Nil for a descriptor that is no listening socket with a file.
  private static func listenerPath(_ descriptor: Int32) -> String? {
    var path = [CChar](repeating: 0, count: 128)
    // The shim writes at most as many bytes as the array has, the last of them 0.
    guard unsafe cyclometer_listener_path(descriptor, &path, path.count) == 0 else { return nil }
    return String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
