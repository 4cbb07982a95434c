// The protocol's words for states, said so that a rider understands them.

import Wire

/// `stale: nothing heard, next try in 4 s`
func stateText(_ content: JSON) -> String {
  var text = conditionText(content)
  if let wait = content["retry_ms"]?.number, wait > 0 { text += ", next try in \(spanText(wait / 1000))" }
  return text
}

/// `stale: nothing heard`
func conditionText(_ content: JSON) -> String {
  let reason = content["reason"]?.text.map { ": " + reasonText($0) } ?? ""
  return printable(content["state"]?.text ?? "unknown") + reason
}

func reasonText(_ reason: String) -> String {
  reasons[reason] ?? printable(String(reason.map { $0 == "_" ? " " : $0 }))
}

private let reasons = [
  "silent": "nothing heard from it",
  "held_elsewhere": "connected to something else",
  "no_slots": "the adapter takes no more connections",
  "link_stuck": "the adapter keeps a link that Linux lost",
  "adapter_absent": "no Bluetooth adapter",
  "adapter_off": "Bluetooth is off",
  "adapter_blocked": "Bluetooth is blocked (rfkill)",
  "bluetoothd_gone": "bluetoothd is not running",
  "bus_gone": "D-Bus is not running",
  "bond_lost": "it forgot this computer; forget it and pair it again",
  "suspended": "the computer slept",
  "user": "you disabled it",
]

func colour(ofState state: String) -> Style.Colour {
  switch state {
  case "streaming", "on": .good
  case "error", "blocked", "absent": .bad
  case "disabled": .faint
  default: .warning
  }
}
