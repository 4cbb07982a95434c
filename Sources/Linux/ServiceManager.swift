// What a service manager that waits for it is told: that the daemon is ready, how it does, that it is alive. A datagram of a
// few bytes each, as sd_notify(3) describes them: forty lines that spare a library.

internal import CLinux

public final class ServiceManager {
  /// It ends what it has not heard from for so long; nil where it does not mind.
  public let patience: Duration?
  private let socket: UnixDatagrams

  /// Nil where nobody waits. The variables are taken away, so that no child believes that they are its own.
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

  private init(_ socket: UnixDatagrams, _ patience: Duration?) {
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
    // A second line would be an assignment of its own.
    case .status(let text): "STATUS=\(text.split(whereSeparator: \.isNewline).joined(separator: " "))"
    }
  }
}
