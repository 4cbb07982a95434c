// The protocol's states and reasons in words for riders.

import Wire

/// `stale: no data, next try in 4 s`
func stateText(_ content: JSON) -> String {
  var text = conditionText(content)
  if let wait = content["retry_ms"]?.number, wait > 0 { text += ", next try in \(spanText(wait / 1000))" }
  return text
}

/// `stale: no data`
func conditionText(_ content: JSON) -> String {
  let reason = content["reason"]?.text.map { ": " + reasonText($0) } ?? ""
  return printable(content["state"]?.text ?? "unknown") + reason
}

func reasonText(_ reason: String) -> String {
  reasons[reason] ?? printable(String(reason.map { $0 == "_" ? " " : $0 }))
}

private let reasons = [
  "silent": "no data",
  "held_elsewhere": "connected to something else",
  "no_slots": "the adapter has no free connections",
  "link_stuck": "the adapter holds a link that Linux lost",
  "adapter_absent": "no Bluetooth adapter",
  "adapter_off": "Bluetooth is off",
  "adapter_blocked": "Bluetooth is blocked (rfkill)",
  "bluetoothd_gone": "bluetoothd is not running",
  "bus_gone": "D-Bus is not running",
  "bond_lost": "the bond was lost; pair it again",
  "suspended": "the computer was asleep",
  "user": "you disabled it",
  "elsewhere": "another receiver has it",
]

func colour(ofState state: String) -> Style.Colour {
  switch state {
  case "streaming", "on": .good
  case "error", "blocked", "absent": .bad
  case "disabled": .faint
  default: .warning
  }
}
