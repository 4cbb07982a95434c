// The log of a service: one line per event. Lines go to the journal with fields, or to standard error
// with the level's name. Messages can quote text received over the air, so unprintable characters
// are replaced.

public import Linux
import Text

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

/// A field for programs that read the journal: `journalctl CYCLOMETER_SENSOR=chest-strap`. Each
/// program names its own.
public struct LogField: Equatable, Sendable {
  public let name: String
  public let value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

public final class Log {
  public private(set) var level: LogLevel
  private let journal: Journal?
  private let limiter: LogLimiter?
  private let write: (String) -> Void
  /// How many lines the journal did not accept.
  private var untaken = 0

  /// Lines go to the journal or standard error, or to `write`. `limiter` suppresses lines that come
  /// too often.
  public init(
    level: LogLevel = .info, journal: Journal? = nil, limiter: LogLimiter? = nil, write: ((String) -> Void)? = nil
  ) {
    self.level = level
    self.journal = journal
    self.limiter = limiter
    self.write = write ?? { writeDiagnostics($0) }
  }

  public func set(level: LogLevel) { self.level = level }

  /// The first field is the subject of the line. Limits apply to each subject separately.
  public func error(_ message: @autoclosure () -> String, _ fields: LogField...) { log(.error, message(), fields) }
  public func warning(_ message: @autoclosure () -> String, _ fields: LogField...) { log(.warning, message(), fields) }
  public func info(_ message: @autoclosure () -> String, _ fields: LogField...) { log(.info, message(), fields) }
  public func debug(_ message: @autoclosure () -> String, _ fields: LogField...) { log(.debug, message(), fields) }

  public func log(_ level: LogLevel, _ message: @autoclosure () -> String, _ fields: [LogField]) {
    guard level <= self.level else { return }
    // The level debug turns off the limits.
    guard let limiter, self.level < .debug else { return put(message(), level, fields) }
    let subject = fields.first?.value ?? "the service itself"
    switch limiter.judge(subject) {
    case .admit(let leftOut):
      if leftOut > 0 { put("\(subject): \(leftOut) lines suppressed", .info, fields) }
      put(message(), level, fields)
    case .last:
      put(message(), level, fields)
      put("\(subject): too many lines, suppressing the next ones", .info, fields)
    case .leaveOut: break
    }
  }

  private func put(_ message: String, _ level: LogLevel, _ fields: [LogField]) {
    let message = message.printable
    guard let journal else { return write("\(level.name): \(message)\n") }
    let count =
      untaken == 0 ? "" : " (\(untaken) lines before this one are missing: the journal did not accept them)"
    let pairs = fields.map { (name: $0.name, value: $0.value.printable) }
    untaken = journal.write(message + count, priority: level.rawValue, pairs) ? 0 : untaken + 1
  }
}
