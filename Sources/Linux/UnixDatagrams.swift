// Datagrams to somebody's Unix socket, sent without waiting: whoever does not take them at once does not get them.

internal import CLinux

public final class UnixDatagrams {
  private let path: String
  private let socket: FileDescriptor

  /// `path` of a file, or with an @ before it an abstract name. Nil where no socket is to be had.
  public init?(to path: String) {
    guard
      let socket = try? FileDescriptor(
        owning: systemCall("socket") { CLinux.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0) })
    else { return nil }
    self.path = path
    self.socket = socket
  }

  /// False where nobody took it.
  @discardableResult
  public func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    // The kernel copies the bytes of the array and of the path during the call.
    return unsafe bytes.withUnsafeBytes { unsafe cyclometer_send_to(socket.number, path, $0.baseAddress, $0.count) }
      >= 0
  }
}
