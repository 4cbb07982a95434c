// Sends datagrams to a Unix socket without blocking. Messages are lost if the receiver cannot take
// them at once.

internal import CLinux

public final class UnixDatagrams {
  private let path: String
  private let socket: FileDescriptor

  /// `path` is a file or, with a leading @, an abstract name. Nil if no socket can be created.
  public init?(to path: String) {
    guard
      let socket = try? FileDescriptor(
        owning: systemCall("socket") { CLinux.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0) })
    else { return nil }
    self.path = path
    self.socket = socket
  }

  /// Returns false if it could not be delivered.
  @discardableResult
  public func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    // The kernel copies the bytes and the path during the call.
    return unsafe bytes.withUnsafeBytes { unsafe cyclometer_send_to(socket.number, path, $0.baseAddress, $0.count) }
      >= 0
  }
}
