// TCP to a service of this computer: nothing leaves it, and nothing has to be resolved.

internal import CLinux

public enum LoopbackSocket {
  /// To 127.0.0.1, without blocking. Whether somebody listens shows when it is first read from: a refused connection is the error
  /// of that.
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
