// What the log tells of a sensor: that it streams, is silent, was lost and why, each failure once until it streams again. The steps
// between are for those who look for a fault.

import EventLoop
import Linux
import Wire

extension SensorSession {
  /// As every line about this sensor begins.
  var title: String { "\(name) (\(address))" }

  func tellState() {
    var fields: [LogField] = [.sensor(id), .address(address.text), .state(state.rawValue)]
    if let reason { fields.append(.reason(reason.rawValue)) }
    let (level, text) = chapter
    environment.log.log(level, "\(title): \(text)", fields)
    toldFailure = state == .streaming ? nil : failure
  }

  /// One that is tried again at once, and changes no state.
  func tell(_ failure: LinkFailure) {
    guard failure != toldFailure else { return }
    toldFailure = failure
    let text = "\(title): \(failure.reason.words): \(failure.detail)"
    environment.log.info(text, .sensor(id), .address(address.text), .reason(failure.reason.rawValue))
  }

  private var chapter: (LogLevel, String) {
    let why = reason.map { ": \($0.words)" } ?? ""
    // bluetoothd's own words are about the failure that the reason is of.
    let detail = failure.flatMap { $0.reason == reason ? ": \($0.detail)" : nil } ?? ""
    switch state {
    case .streaming:
      guard let gap = record.openGap(at: environment.loop.now) else { return (.info, "streams") }
      return (.info, "streams again, \(gap.components.seconds) s after its last value")
    case .stale: return (.info, "is silent")
    case .disabled: return (.info, "disabled")
    case .error: return (.warning, "needs you\(why)\(detail)")
    case .searching:
      // What keeps all sensors away is told once: of Bluetooth.
      let isNews = reason != nil && reason?.isOfRadio != true && (failure == nil || failure != toldFailure)
      return (isNews ? .info : .debug, "searching\(why)\(detail)")
    case .connecting: return (.debug, "connecting\(why)")
    }
  }
}

extension StateReason {
  var words: String { String(rawValue.map { $0 == "_" ? " " : $0 }) }
}
