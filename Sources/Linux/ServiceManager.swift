// What a service manager that waits for it is told: that the daemon is ready, how it does, that it is alive. A datagram of a
// few bytes each, as sd_notify(3) describes them: forty lines that spare a library.

internal import CLinux

public final class ServiceManager {
  /// It ends what it has not heard from for so long; nil where it does not mind.
  public let patience: Duration?
  private let path: String
  private let socket: FileDescriptor

  /// Nil where nobody waits. The variables are taken away, so that no child believes that they are its own.
  public static func waiting() -> ServiceManager? {
    let path = ProcessEnvironment.variable("NOTIFY_SOCKET")
    let microseconds = ProcessEnvironment.variable("WATCHDOG_USEC").flatMap { Int64($0) }
    let process = ProcessEnvironment.variable("WATCHDOG_PID").flatMap { Int32($0) }
    for variable in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsafe unsetenv(variable) }
    guard let path, let first = path.utf8.first, [UInt8(ascii: "/"), UInt8(ascii: "@")].contains(first),
      let socket = try? FileDescriptor(
        owning: systemCall("socket") { CLinux.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0) })
    else { return nil }
    let isOurs = process == nil || process == getpid()
    return ServiceManager(
      path, socket, microseconds.flatMap { isOurs && $0 > 0 ? .microseconds($0) : nil })
  }

  private init(_ path: String, _ socket: consuming FileDescriptor, _ patience: Duration?) {
    self.path = path
    self.socket = socket
    self.patience = patience
  }

  public enum Event: Equatable, Sendable {
    case ready
    case reloading
    case stopping
    case alive
    /// A line for people.
    case status(String)
  }

  /// Whoever does not listen loses it: nothing here is worth waiting for.
  public func tell(_ events: Event...) {
    let text = events.map { $0.line + "\n" }.joined()
    let bytes = Array(text.utf8)
    // The kernel copies the bytes of the array and of the path during the call.
    _ = unsafe bytes.withUnsafeBytes { unsafe cyclometer_send_to(socket.number, path, $0.baseAddress, $0.count) }
  }
}

extension ServiceManager.Event {
  fileprivate var line: String {
    switch self {
    case .ready: "READY=1"
    case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(cyclometer_monotonic_microseconds())"
    case .stopping: "STOPPING=1"
    case .alive: "WATCHDOG=1"
    // A second line would be an assignment of its own.
    case .status(let text): "STATUS=\(text.split(whereSeparator: \.isNewline).joined(separator: " "))"
    }
  }
}
