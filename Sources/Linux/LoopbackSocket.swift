// TCP to a service on this computer, without name resolution.

internal import CLinux

public enum LoopbackSocket {
  /// Connects to 127.0.0.1 without blocking. A refused connection shows as an error at the first
  /// read.
  public static func connect(to port: UInt16) throws(SystemError) -> FileDescriptor {
    let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let socket = FileDescriptor(owning: try systemCall("socket") { CLinux.socket(AF_INET, Int32(type), 0) })
    do throws(SystemError) {
      try systemCall("connect") { cyclometer_connect_loopback(socket.number, port) }
    } catch {
      throw error.about("127.0.0.1:\(port)")
    }
    return socket
  }
}
