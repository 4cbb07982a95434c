// The daemon's log: one line per thing that happened, on standard error. Under systemd each line begins with the priority
// that journald understands; elsewhere with the level's name. What a message quotes may come from the air: it stays one line.

internal import Linux
internal import Wire

public enum LogLevel: Int, Comparable, Sendable, CaseIterable {
  case error = 3
  case warning = 4
  case info = 6
  case debug = 7

  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

  public var name: String {
    switch self {
    case .error: "error"
    case .warning: "warning"
    case .info: "info"
    case .debug: "debug"
    }
  }

  public init?(_ name: some StringProtocol) {
    guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }
}

public final class Log {
  public var level: LogLevel
  private let isJournal: Bool
  private let write: (String) -> Void

  /// Lines go to standard error, or wherever `write` takes them.
  public init(level: LogLevel = .info, write: ((String) -> Void)? = nil) {
    self.level = level
    isJournal = ProcessEnvironment.variable("JOURNAL_STREAM") != nil
    self.write = write ?? { writeDiagnostics($0) }
  }

  public func error(_ message: @autoclosure () -> String) { log(.error, message()) }
  public func warning(_ message: @autoclosure () -> String) { log(.warning, message()) }
  public func info(_ message: @autoclosure () -> String) { log(.info, message()) }
  public func debug(_ message: @autoclosure () -> String) { log(.debug, message()) }

  private func log(_ level: LogLevel, _ message: @autoclosure () -> String) {
    guard level <= self.level else { return }
    let message = printable(message())
    write(isJournal ? "<\(level.rawValue)>\(message)\n" : "\(level.name): \(message)\n")
  }
}

/// With U+FFFD for every control character, so that no name can begin a line of its own or steer a terminal.
private func printable(_ message: String) -> String {
  guard message.unicodeScalars.contains(where: \.isControl) else { return message }
  return String(String.UnicodeScalarView(message.unicodeScalars.map { $0.isControl ? "\u{FFFD}" : $0 }))
}
