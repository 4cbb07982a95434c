// Notifies the service manager that the daemon is ready or alive, and sends its status. Each
// message is a datagram, see sd_notify(3). These few lines replace a library.

internal import CLinux

public final class ServiceManager {
  /// The service manager ends the daemon after this time without a message; nil for no limit.
  public let watchdogInterval: Duration?
  private let socket: UnixDatagrams

  /// Nil if no service manager expects messages. The variables are removed, so that no child
  /// process takes them for its own.
  public static func waiting() -> ServiceManager? {
    let path = ProcessEnvironment.variable("NOTIFY_SOCKET")
    let microseconds = ProcessEnvironment.variable("WATCHDOG_USEC").flatMap { Int64($0) }
    let process = ProcessEnvironment.variable("WATCHDOG_PID").flatMap { Int32($0) }
    for variable in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsafe unsetenv(variable) }
    guard let path, let first = path.utf8.first, [UInt8(ascii: "/"), UInt8(ascii: "@")].contains(first),
      let socket = UnixDatagrams(to: path)
    else { return nil }
    let isOurs = process == nil || process == getpid()
    return ServiceManager(socket, microseconds.flatMap { isOurs && $0 > 0 ? .microseconds($0) : nil })
  }

  private init(_ socket: UnixDatagrams, _ watchdogInterval: Duration?) {
    self.socket = socket
    self.watchdogInterval = watchdogInterval
  }

  public enum Event: Equatable, Sendable {
    case ready
    case reloading
    case stopping
    case alive
    /// A line for people.
    case status(String)
  }

  /// Messages are lost if the service manager does not read them; none is worth waiting for.
  public func tell(_ events: Event...) {
    socket.send(events.map { $0.line + "\n" }.joined())
  }
}

extension ServiceManager.Event {
  fileprivate var line: String {
    switch self {
    case .ready: "READY=1"
    case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(cyclometer_monotonic_microseconds())"
    case .stopping: "STOPPING=1"
    case .alive: "WATCHDOG=1"
    // A second line would be parsed as another assignment.
    case .status(let text): "STATUS=\(text.split(whereSeparator: \.isNewline).joined(separator: " "))"
    }
  }
}
