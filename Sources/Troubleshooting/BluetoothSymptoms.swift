// What doctor finds about Bluetooth: BlueZ, the adapter, and rfkill.

public enum ResetSymptom: CaseIterable {
  case wanted, didNotHelp

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .wanted:
      hangs(
        fix: "Let systemd reset it now, and whenever it hangs again.",
        command: "sudo systemctl enable --now cyclometer-reset.path")
    case .didNotHelp:
      hangs(
        "; cyclometer-reset.path is active but did not help",
        fix: "Unplug the adapter and plug it in again, or reboot. This shows what was tried:",
        command: "journalctl -u cyclometer-reset.service -n 20 --no-pager")
    }
  }

  private func hangs(_ more: String = "", fix: String, command: String) -> Diagnosis {
    Diagnosis(
      .reset, .error, "an adapter hangs and must be reset" + more,
      why: "The daemon has no privilege to reset it. Until then that adapter cannot connect.", fix: fix,
      command: command)
  }
}

/// Defects from docs/bluez-rules.md that a user can notice.
public enum BlueZDefect: CaseIterable {
  case crashesWhenLinksEnd, indicatesOverTheBus, crashesWhenUnplugged, hidesReasons

  public var text: String {
    switch self {
    case .crashesWhenLinksEnd: "it can crash when a link with subscriptions ends"
    case .indicatesOverTheBus: "it delivers indications only over D-Bus"
    case .crashesWhenUnplugged: "it can crash when an adapter is unplugged"
    case .hidesReasons: "it does not report why a link was lost"
    }
  }
}

public enum BlueZSymptom: CaseIterable {
  case version, tooOld, unknownVersion
  /// The daemon cannot reach bluetoothd.
  case noBus, gone, goneNotInstalled, goneButActive
  /// Without a daemon, what systemd knows.
  case active, inactive, notInstalled

  /// The oldest tested version.
  public static let oldest = (major: 5, minor: 66)

  public var condition: String {
    switch self {
    case .gone: "bluetooth.service is not running"
    case .goneNotInstalled: "there is no bluetooth.service"
    default: ""
    }
  }

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .version: Self.diagnosis(ofVersion: values[.version])
    case .tooOld:
      Diagnosis(
        .bluez, .warning, "BlueZ \(values[.version]), older than any tested version",
        why: "Cyclometer is tested with BlueZ \(Self.oldest.major).\(Self.oldest.minor) and later. "
          + "Older versions can fail in other ways.",
        fix: "Install a newer version if your distribution has one.", command: Self.install)
    case .unknownVersion: Diagnosis(.bluez, .unknown, "the daemon did not report the version of BlueZ")
    case .noBus: gone(values, "bus_gone", fix: "Start it.", command: "sudo systemctl start dbus")
    case .gone: gone(values, "bluetoothd_gone", fix: "Start it.", command: Self.start)
    case .goneNotInstalled: gone(values, "bluetoothd_gone", fix: "Install it.", command: Self.install)
    case .goneButActive:
      gone(
        values, "bluetoothd_gone", fix: "It is running but does not answer the daemon. Restart both.",
        command: "sudo systemctl restart bluetooth cyclometerd")
    case .active: .ok(.bluez, "bluetooth.service is running")
    case .inactive: stopped("bluetooth.service is \(values[.state])", fix: "Start it.", command: Self.start)
    case .notInstalled:
      stopped("BlueZ is not installed (there is no bluetooth.service)", fix: "Install it.", command: Self.install)
    }
  }

  /// The same as `version`, with the version's defects.
  public static func diagnosis(ofVersion version: String, with defects: [BlueZDefect] = []) -> Diagnosis {
    .ok(.bluez, "BlueZ \(version)" + defects.map { "; " + $0.text }.joined())
  }

  private func gone(_ values: Values, _ reason: String, fix: String, command: String) -> Diagnosis {
    Diagnosis(
      .bluez, .error, values[.message, or: reasonText(reason)],
      why: "The daemon reaches sensors only through bluetoothd on the system bus.", fix: fix, command: command)
  }

  private func stopped(_ found: String, fix: String, command: String) -> Diagnosis {
    Diagnosis(
      .bluez, .error, found, why: "The daemon reaches sensors only through bluetoothd.", fix: fix, command: command)
  }

  private static let start = "sudo systemctl enable --now bluetooth"
  private static let install = "sudo apt install bluez"
}

public enum RestartSymptom: CaseIterable {
  case never

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    Diagnosis(
      .restart, .warning, "bluetooth.service is not restarted after a crash",
      why: "bluetoothd sometimes crashes when a link ends. All sensors stay disconnected until it is started again.",
      fix: "Let systemd restart it.", command: Self.command)
  }

  private static let command =
    "printf '[Service]\\nRestart=on-failure\\n' | sudo install -D -m 644 /dev/stdin "
    + "/etc/systemd/system/bluetooth.service.d/restart.conf && sudo systemctl daemon-reload"
}

public enum AdapterSymptom: CaseIterable {
  /// As the daemon reports it.
  case on, off, blocked, blockedByHardware, blockedByBoth
  /// As the kernel has it, without the daemon.
  case present, presentButBlocked, presentButBlockedByHardware, presentButBlockedByBoth
  case unused, absent, unknown

  public var condition: String {
    self == .blockedByHardware || self == .presentButBlockedByHardware ? "only the switch blocks it" : ""
  }

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .on: .ok(.adapter, values[.states, or: adapterText("ADAPTER", "on")])
    case .off: useless(values[.states, or: adapterText("ADAPTER", "off")], fix: "Turn it on.", "bluetoothctl power on")
    case .blocked: useless(Self.reported(values), fix: "Unblock it.", Self.unblock)
    case .blockedByHardware: useless(Self.reported(values) + Self.hardware(values), fix: Self.useSwitch, nil)
    case .blockedByBoth:
      useless(Self.reported(values) + Self.hardware(values), fix: Self.useSwitchAndUnblock, Self.unblock)
    case .present: .ok(.adapter, "the kernel has \(values[.adapter]), not blocked")
    case .presentButBlocked: useless(Self.ofKernel(values), fix: "Unblock it.", Self.unblock)
    case .presentButBlockedByHardware:
      useless(Self.ofKernel(values) + Self.hardware(values), fix: Self.useSwitch, nil)
    case .presentButBlockedByBoth:
      useless(Self.ofKernel(values) + Self.hardware(values), fix: Self.useSwitchAndUnblock, Self.unblock)
    case .unused:
      useless(
        "the kernel has \(values[.adapter]), but the daemon cannot use it: \(values[.message])",
        fix: "If Adapter= in cyclometer.conf names another adapter, correct it. Otherwise restart bluetoothd.",
        "sudo systemctl restart bluetooth")
    case .absent:
      useless(
        "the kernel has no Bluetooth adapter",
        fix: "Plug one in. If there should be one, look for it in the kernel log:", "sudo dmesg | grep -i bluetooth")
    case .unknown: Diagnosis(.adapter, .unknown, "/sys is not available here, so adapters cannot be checked")
    }
  }

  private func useless(_ found: String, fix: String, _ command: String?) -> Diagnosis {
    Diagnosis(.adapter, .error, found, why: "Sensors need an adapter that is on.", fix: fix, command: command)
  }

  private static func reported(_ values: Values) -> String { values[.states, or: adapterText("ADAPTER", "blocked")] }
  private static func ofKernel(_ values: Values) -> String {
    "\(values[.adapter]) is present, but Bluetooth is blocked"
  }
  private static func hardware(_ values: Values) -> String { ", by a hardware switch (\(values[.switch]))" }

  private static let unblock = "sudo rfkill unblock bluetooth"
  private static let useSwitch =
    "No program can unblock it. Use the switch or key of this machine for Bluetooth or airplane mode."
  private static let useSwitchAndUnblock = useSwitch + " It is blocked by software too. This removes that block:"
}

/// `hci0 is off`
public func adapterText(_ name: String, _ state: String) -> String { "\(name) is \(state)" }
