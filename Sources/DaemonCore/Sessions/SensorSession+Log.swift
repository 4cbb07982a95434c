// Log lines about a sensor: streaming, silent, or lost and why. Each failure is logged once until
// the sensor streams again. Intermediate steps are logged at debug level.

import EventLoop
import Linux
import ProgramKit
import Radio
import Wire

extension SensorSession {
  /// Every line about this sensor starts with it.
  var title: String { "\(name) (\(address))" }

  func logState() {
    var fields: [LogField] = [.sensor(id), .address(address.text), .state(state.rawValue)]
    if let reason { fields.append(.reason(reason.rawValue)) }
    let (level, text) = logLine
    environment.log.log(level, "\(title): \(text)", fields)
    lastLoggedFailure = state == .streaming ? nil : failure
  }

  /// Logs a failure that is retried at once and changes no state.
  func logFailure(_ failure: LinkFailure) {
    guard failure != lastLoggedFailure else { return }
    lastLoggedFailure = failure
    let text = "\(title): \(failure.reason.words): \(failure.detail)"
    environment.log.info(text, .sensor(id), .address(address.text), .reason(failure.reason.rawValue))
  }

  private var logLine: (LogLevel, String) {
    let why = reason.map { ": \($0.words)" } ?? ""
    // The detail belongs to the failure, so it is only added if the reason is the failure's.
    let detail = failure.flatMap { $0.reason == reason ? ": \($0.detail)" : nil } ?? ""
    switch state {
    case .streaming:
      guard let gap = record.openGap(at: environment.loop.now) else { return (.info, "streams") }
      return (.info, "streams again, \(gap.components.seconds) s after its last value")
    case .stale: return (.info, "is silent")
    case .disabled: return (.info, "disabled")
    case .error: return (.warning, "needs attention\(why)\(detail)")
    case .searching:
      // Problems that affect all sensors are logged once, for Bluetooth.
      let isNews = reason != nil && reason?.isOfRadio != true && (failure == nil || failure != lastLoggedFailure)
      return (isNews ? .info : .debug, "searching\(why)\(detail)")
    case .connecting: return (.debug, "connecting\(why)")
    }
  }
}

extension StateReason {
  var words: String { String(rawValue.map { $0 == "_" ? " " : $0 }) }
}
