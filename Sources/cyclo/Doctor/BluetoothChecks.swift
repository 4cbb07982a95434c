// Checks of Bluetooth: BlueZ, the adapter, and rfkill. The daemon's view takes precedence over /sys.

import Wire

extension Facts {
  var bluetoothFindings: [Finding] {
    if isSimulated { return [] }
    return [resetFinding, bluezFinding, restartFinding, adapterFinding].compactMap { $0 }
  }

  private var resetFinding: Finding? {
    guard host.isResetWanted else { return nil }
    var finding = Finding(
      check: "reset", verdict: .error, found: "an adapter hangs and must be reset",
      why: "The daemon has no privilege to reset it. Until then that adapter cannot connect.",
      fix: "Let systemd reset it now, and whenever it hangs again.",
      command: "sudo systemctl enable --now cyclometer-reset.path")
    if let unit = host.units?.reset, unit.isActive {
      finding.found += "; cyclometer-reset.path is active but did not help"
      finding.fix = "Unplug the adapter and plug it in again, or reboot. This shows what was tried:"
      finding.command = "journalctl -u cyclometer-reset.service -n 20 --no-pager"
    }
    return finding
  }
}

// MARK: BlueZ

extension Facts {
  private static let start = "sudo systemctl enable --now bluetooth"

  private var bluezFinding: Finding? {
    if status == nil { return bluetoothServiceFinding }
    if let obstacle, ["bluetoothd_gone", "bus_gone"].contains(obstacle) { return bluezGone(obstacle) }
    guard let text = status?["versions"]?["bluez"]?.text else {
      return Finding(check: "bluez", verdict: .unknown, found: "the daemon did not report the version of BlueZ")
    }
    guard let release = BlueZRelease(text) else { return .ok("bluez", "BlueZ \(text)") }
    guard release < BlueZRelease.oldestTried else {
      let lacks = release.peculiarities.map { "; " + $0 }.joined()
      return .ok("bluez", "BlueZ \(text)\(lacks)")
    }
    return Finding(
      check: "bluez", verdict: .warning, found: "BlueZ \(text), older than any tested version",
      why:
        "Cyclometer is tested with BlueZ \(BlueZRelease.oldestTried) and later. Older versions can fail in other ways.",
      fix: "Install a newer version if your distribution has one.", command: "sudo apt install bluez")
  }

  private func bluezGone(_ obstacle: String) -> Finding {
    var finding = Finding(
      check: "bluez", verdict: .error, found: status?["bluetooth"]?["message"]?.text ?? reasonText(obstacle),
      why: "The daemon reaches sensors only through bluetoothd on the system bus.", fix: "Start it.",
      command: obstacle == "bus_gone" ? "sudo systemctl start dbus" : Self.start)
    guard obstacle == "bluetoothd_gone", let unit = host.units?.bluetooth else { return finding }
    if !unit.isThere {
      finding.fix = "Install it."
      finding.command = "sudo apt install bluez"
    } else if unit.isActive {
      finding.fix = "It is running but does not answer the daemon. Restart both."
      finding.command = "sudo systemctl restart bluetooth cyclometerd"
    }
    return finding
  }

  /// The check without a daemon.
  private var bluetoothServiceFinding: Finding? {
    guard let unit = host.units?.bluetooth else { return nil }
    if unit.isActive { return .ok("bluez", "bluetooth.service is running") }
    return Finding(
      check: "bluez", verdict: .error,
      found: unit.isThere
        ? "bluetooth.service is \(unit.active)" : "BlueZ is not installed (there is no bluetooth.service)",
      why: "The daemon reaches sensors only through bluetoothd.",
      fix: unit.isThere ? "Start it." : "Install it.",
      command: unit.isThere ? Self.start : "sudo apt install bluez")
  }
}

// Defects from docs/bluez-rules.md that a user can notice.
extension BlueZRelease {
  fileprivate static let oldestTried = BlueZRelease(5, 66)

  fileprivate var peculiarities: [String] {
    var all: [String] = []
    if self < Self.firstThatForgetsEndedLinks {
      all.append("it can crash when a link with subscriptions ends")
    }
    if self < BlueZRelease(5, 80) { all.append("it delivers indications only over D-Bus") }
    if self == BlueZRelease(5, 82) {
      all.append("it can crash when an adapter is unplugged")
    }
    if self < BlueZRelease(5, 83) { all.append("it does not report why a link was lost") }
    return all
  }
}

// MARK: After a crash

extension Facts {
  static let restartAfterCrash =
    "printf '[Service]\\nRestart=on-failure\\n' | sudo install -D -m 644 /dev/stdin "
    + "/etc/systemd/system/bluetooth.service.d/restart.conf && sudo systemctl daemon-reload"

  /// Debian's unit has Restart=no.
  private var restartFinding: Finding? {
    guard let unit = host.units?.bluetooth, unit.isThere, unit.restart == "no" else { return nil }
    return Finding(
      check: "restart", verdict: .warning, found: "bluetooth.service is not restarted after a crash",
      why: "bluetoothd sometimes crashes when a link ends. All sensors stay disconnected until it is started again.",
      fix: "Let systemd restart it.", command: Self.restartAfterCrash)
  }
}

// MARK: The adapter

extension Facts {
  private static let whyAdapter = "Sensors need an adapter that is on."

  private var adapterFinding: Finding? {
    let shown = adapters.map { adapter in
      "\(adapter["adapter"]?.text ?? "an adapter") is \(adapter["state"]?.text ?? "in an unknown state")"
    }
    let found = shown.joined(separator: ", ")
    let states = adapters.compactMap { $0["state"]?.text }
    if states.contains("on") { return .ok("adapter", found) }
    if states.contains("blocked") { return blocked(found) }
    if states.contains("off") {
      return Finding(
        check: "adapter", verdict: .error, found: found, why: Self.whyAdapter, fix: "Turn it on.",
        command: "bluetoothctl power on")
    }
    return adapterOfTheKernel
  }

  private func blocked(_ found: String) -> Finding {
    var finding = Finding(
      check: "adapter", verdict: .error, found: found, why: Self.whyAdapter, fix: "Unblock it.",
      command: "sudo rfkill unblock bluetooth")
    if let hard = host.switches.first(where: \.isHardBlocked) {
      finding.found += ", by a hardware switch (\(hard.name))"
      finding.fix = "No program can unblock it. Use the switch or key of this machine for Bluetooth or airplane mode."
      finding.command = nil
      if hard.isSoftBlocked {
        finding.fix += " It is blocked by software too. This removes that block:"
        finding.command = "sudo rfkill unblock bluetooth"
      }
    }
    return finding
  }

  /// The fallback: no daemon, no bluetoothd, or an adapter that bluetoothd does not have.
  private var adapterOfTheKernel: Finding? {
    guard host.hasSys else {
      return Finding(
        check: "adapter", verdict: .unknown, found: "/sys is not available here, so adapters cannot be checked")
    }
    let names = host.adapters.map(\.name).joined(separator: ", ")
    let isBluetoothdAsked = status != nil && !["bluetoothd_gone", "bus_gone"].contains(obstacle ?? "")
    guard !host.adapters.isEmpty else {
      return Finding(
        check: "adapter", verdict: .error, found: "the kernel has no Bluetooth adapter", why: Self.whyAdapter,
        fix: "Plug one in. If there should be one, look for it in the kernel log:",
        command: "sudo dmesg | grep -i bluetooth")
    }
    if host.adapters.allSatisfy(host.isBlocked) {
      return blocked("\(names) is present, but Bluetooth is blocked")
    }
    guard isBluetoothdAsked else { return .ok("adapter", "the kernel has \(names), not blocked") }
    return Finding(
      check: "adapter", verdict: .error,
      found: "the kernel has \(names), but the daemon cannot use it: \(status?["bluetooth"]?["message"]?.text ?? "")",
      why: Self.whyAdapter,
      fix: "If Adapter= in cyclometer.conf names another adapter, correct it. Otherwise restart bluetoothd.",
      command: "sudo systemctl restart bluetooth")
  }
}
