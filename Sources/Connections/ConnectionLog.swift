// Log lines about a device: streaming, silent, or lost and why. Each failure is logged once until the
// device streams again. Intermediate steps are logged at debug level.

import ProgramKit
import Radio
import Wire

struct ConnectionLog {
  private let log: Log
  /// The failure that was logged last, so that it is logged only once.
  private var lastFailure: LinkFailure?

  init(_ log: Log) {
    self.log = log
  }

  mutating func state(of connection: DeviceConnection) {
    var fields = fields(of: connection) + [.state(connection.state.rawValue)]
    if let reason = connection.reason { fields.append(.reason(reason.rawValue)) }
    let (level, text) = line(connection)
    log.log(level, "\(title(of: connection)): \(text)", fields)
    lastFailure = connection.state == .streaming ? nil : connection.failure
  }

  /// A failure that is retried at once and changes no state.
  mutating func failure(_ failure: LinkFailure, of connection: DeviceConnection) {
    guard failure != lastFailure else { return }
    lastFailure = failure
    log.log(
      .info, "\(title(of: connection)): \(failure.reason.words): \(failure.detail)",
      fields(of: connection) + [.reason(failure.reason.rawValue)])
  }

  func log(_ level: LogLevel, _ text: String, about connection: DeviceConnection) {
    log.log(level, "\(title(of: connection)): \(text)", fields(of: connection))
  }

  private func title(of connection: DeviceConnection) -> String {
    "\(connection.label.name) (\(connection.address))"
  }

  private func fields(of connection: DeviceConnection) -> [LogField] {
    [.sensor(connection.label.id), .address(connection.address.text)]
  }

  private func line(_ connection: DeviceConnection) -> (LogLevel, String) {
    let (reason, failure) = (connection.reason, connection.failure)
    let why = reason.map { ": \($0.words)" } ?? ""
    // The detail belongs to the failure, so it is only added if the reason is the failure's.
    let detail = failure.flatMap { $0.reason == reason ? ": \($0.detail)" : nil } ?? ""
    switch connection.state {
    case .streaming:
      guard let gap = connection.openGap else { return (.info, "streams") }
      return (.info, "streams again, \(gap.components.seconds) s after its last value")
    case .stale: return (.info, reason == .silent ? "is silent" : "is stale\(why)")
    case .disabled: return (.info, "disabled")
    case .error: return (.warning, "needs attention\(why)\(detail)")
    case .searching:
      // Problems that affect all sensors are logged once, for Bluetooth.
      let isNews = reason != nil && reason?.isOfRadio != true && (failure == nil || failure != lastFailure)
      return (isNews ? .info : .debug, "searching\(why)\(detail)")
    case .connecting: return (.debug, "connecting\(why)")
    }
  }
}

extension StateReason {
  /// The program that decodes is gone, or hangs.
  var isOfProgram: Bool { self == .pluginGone || self == .pluginSlow }

  package var words: String { String(rawValue.map { $0 == "_" ? " " : $0 }) }
}
