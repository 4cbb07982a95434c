// Calls on sockets that are the same for Unix sockets and for TCP.

internal import CLinux

public enum StreamSocket {
  /// The next connection of a listening socket; nil if there is none.
  public static func accept(from listener: Int32) throws(SystemError) -> FileDescriptor? {
    while true {
      do throws(SystemError) {
        let result = try attempt("accept4") { Int(cyclometer_accept(listener)) }
        guard case .done(let number) = result else { return nil }
        return FileDescriptor(owning: Int32(number))
      } catch {
        // The client gave up while it waited. There may be others after it.
        guard error.code == ECONNABORTED else { throw error }
      }
    }
  }

  /// Writes to a stream that may be closed. For libraries, which must not change the signals of a
  /// process.
  public static func send(_ socket: Int32, _ bytes: Span<UInt8>) throws(SystemError) -> IOResult {
    // The kernel reads the bytes of the span during the call only.
    try attempt("send") {
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe CLinux.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
    }
  }

  /// Writes one piece after the other in one call. The result counts the bytes of both.
  public static func send(_ socket: Int32, _ first: Span<UInt8>, _ second: Span<UInt8>) throws(SystemError) -> IOResult
  {
    // The kernel reads the bytes of the spans during the call only.
    try attempt("sendmsg") {
      unsafe first.withUnsafeBytes { first in
        unsafe second.withUnsafeBytes { second in
          unsafe cyclometer_send_two(socket, first.baseAddress, first.count, second.baseAddress, second.count)
        }
      }
    }
  }

  /// Closes the sending direction; the peer's data can still be read.
  public static func shutdownWrite(_ socket: Int32) throws(SystemError) {
    try systemCall("shutdown") { shutdown(socket, Int32(SHUT_WR)) }
  }

  /// The kernel uses twice the number, because it counts its own structures too.
  public static func setSendBuffer(_ socket: Int32, bytes: Int32) throws(SystemError) {
    try set(socket, SOL_SOCKET, SO_SNDBUF, bytes)
  }

  static func set(_ socket: Int32, _ level: Int32, _ option: Int32, _ value: Int32) throws(SystemError) {
    try systemCall("setsockopt") { cyclometer_set_option(socket, level, option, value) }
  }
}
