// The protocol's states and reasons in words for riders.

import JSON
import Text
import Troubleshooting

/// `stale: no data, next try in 4 s`
func stateText(_ content: JSONValue) -> String {
  var text = conditionText(content)
  if let wait = content["retry_ms"]?.number, wait > 0 { text += ", next try in \(spanText(wait / 1000))" }
  return text
}

/// `stale: no data`
func conditionText(_ content: JSONValue) -> String {
  let reason = content["reason"]?.text.map { ": " + reasonText($0) } ?? ""
  return printable(content["state"]?.text ?? "unknown") + reason
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
