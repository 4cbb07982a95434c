// The protocol's states and reasons in words for riders.

import Text
import Troubleshooting
import Wire

extension SensorRecord {
  /// `stale: no data`
  var condition: String { conditionText(state, reason) }
}

extension StateRecord {
  /// `stale: no data, next try in 4 s`
  var condition: String {
    let text = conditionText(state, reason)
    guard let retryMS, retryMS > 0 else { return text }
    return text + ", next try in \(spanText(Double(retryMS) / 1000))"
  }
}

private func conditionText(_ state: WireWord<SensorState>?, _ reason: WireWord<StateReason>?) -> String {
  printable(state?.text ?? "unknown") + (reason.map { ": " + reasonText($0.text) } ?? "")
}

func reasonText(_ reason: String) -> String {
  printable(Troubleshooting.reasonText(reason))
}

func colour(ofState state: String) -> Style.Colour {
  switch state {
  case "streaming", "on": .good
  case "error", "blocked", "absent": .bad
  case "disabled": .faint
  default: .warning
  }
}

/// A path without its folder.
func fileName(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

/// Quoted for the shell if necessary.
func shellQuoted(_ text: String) -> String {
  let isPlain =
    !text.isEmpty
    && text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
        || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"), UInt8(ascii: ".")].contains(byte)
    }
  return isPlain
    ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
