// The protocol's reasons in words for riders.

public func reasonText(_ reason: String) -> String {
  reasons[reason] ?? String(reason.map { $0 == "_" ? " " : $0 })
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
  "plugin_gone": "the program that decodes for it does not run",
  "plugin_slow": "the program that decodes for it does not answer",
  "suspended": "the computer was asleep",
  "user": "you disabled it",
  "elsewhere": "another receiver has it",
]
