// Can Bluetooth be used: BlueZ, the adapter, the switches before it. What the daemon says goes before what /sys shows.

import Wire

extension Facts {
  var bluetoothFindings: [Finding] {
    if isSimulated { return [] }
    return [resetFinding, bluezFinding, restartFinding, adapterFinding].compactMap { $0 }
  }

  private var resetFinding: Finding? {
    guard host.isResetWanted else { return nil }
    var finding = Finding(
      check: "reset", verdict: .wrong, saw: "an adapter hangs, and the daemon waits for somebody to reset it",
      why: "The daemon has no privilege to do it; until then that adapter connects nothing.",
      mend: "Let systemd reset it, now and whenever it hangs again.",
      command: "sudo systemctl enable --now cyclometer-reset.path")
    if let unit = host.units?.reset, unit.isActive {
      finding.saw += "; cyclometer-reset.path is active and has not helped"
      finding.mend = "Unplug the adapter and plug it in again, or start the machine anew; this says what was tried."
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
      return Finding(check: "bluez", verdict: .unknown, saw: "the daemon does not say which BlueZ it found")
    }
    guard let release = BlueZRelease(text) else { return .ok("bluez", "BlueZ \(text)") }
    guard release < BlueZRelease.oldestTried else {
      let lacks = release.peculiarities.map { "; " + $0 }.joined()
      return .ok("bluez", "BlueZ \(text)\(lacks)")
    }
    return Finding(
      check: "bluez", verdict: .advice, saw: "BlueZ \(text), which is older than any that was tried",
      why: "Cyclometer was tried with BlueZ \(BlueZRelease.oldestTried) and later; older ones fail in other ways.",
      mend: "Take a newer one, if the distribution has it.", command: "sudo apt install bluez")
  }

  private func bluezGone(_ obstacle: String) -> Finding {
    var finding = Finding(
      check: "bluez", verdict: .wrong, saw: status?["bluetooth"]?["message"]?.text ?? reasonText(obstacle),
      why: "All that the daemon knows of sensors comes from bluetoothd, over the system bus.", mend: "Start it.",
      command: obstacle == "bus_gone" ? "sudo systemctl start dbus" : Self.start)
    guard obstacle == "bluetoothd_gone", let unit = host.units?.bluetooth else { return finding }
    if !unit.isThere {
      finding.mend = "Install it."
      finding.command = "sudo apt install bluez"
    } else if unit.isActive {
      finding.mend = "It runs and does not serve the daemon: start both anew."
      finding.command = "sudo systemctl restart bluetooth cyclometerd"
    }
    return finding
  }

  /// What can be known without a daemon.
  private var bluetoothServiceFinding: Finding? {
    guard let unit = host.units?.bluetooth else { return nil }
    if unit.isActive { return .ok("bluez", "bluetooth.service runs") }
    return Finding(
      check: "bluez", verdict: .wrong,
      saw: unit.isThere ? "bluetooth.service is \(unit.active)" : "BlueZ is not installed: it has no bluetooth.service",
      why: "All that the daemon knows of sensors comes from bluetoothd.",
      mend: unit.isThere ? "Start it." : "Install it.",
      command: unit.isThere ? Self.start : "sudo apt install bluez")
  }
}

// What docs/bluez-rules.md tells of releases, where a user may come across it.
extension BlueZRelease {
  fileprivate static let oldestTried = BlueZRelease(5, 66)

  fileprivate var peculiarities: [String] {
    var all: [String] = []
    if self < Self.firstThatForgetsEndedLinks {
      all.append("it can crash when a link ends while it is subscribed to")
    }
    if self < BlueZRelease(5, 80) { all.append("it gives indications over the bus only") }
    if self == BlueZRelease(5, 82) {
      all.append("it can die when an adapter is unplugged")
    }
    if self < BlueZRelease(5, 83) { all.append("it does not say why a link was lost") }
    return all
  }
}

// MARK: After a crash

extension Facts {
  static let restartAfterCrash =
    "printf '[Service]\\nRestart=on-failure\\n' | sudo install -D -m 644 /dev/stdin "
    + "/etc/systemd/system/bluetooth.service.d/restart.conf && sudo systemctl daemon-reload"

  /// As Debian has it.
  private var restartFinding: Finding? {
    guard let unit = host.units?.bluetooth, unit.isThere, unit.restart == "no" else { return nil }
    return Finding(
      check: "restart", verdict: .advice, saw: "bluetooth.service is not started again when it crashes",
      why: "bluetoothd crashes now and then when links end, and every sensor is lost until somebody starts it.",
      mend: "Let systemd start it again.", command: Self.restartAfterCrash)
  }
}

// MARK: The adapter

extension Facts {
  private static let whyAdapter = "Without an adapter that is on, no sensor can be heard."

  private var adapterFinding: Finding? {
    let shown = adapters.map { adapter in
      "\(adapter["adapter"]?.text ?? "an adapter") is \(adapter["state"]?.text ?? "in an unknown state")"
    }
    let saw = shown.joined(separator: ", ")
    let states = adapters.compactMap { $0["state"]?.text }
    if states.contains("on") { return .ok("adapter", saw) }
    if states.contains("blocked") { return blocked(saw) }
    if states.contains("off") {
      return Finding(
        check: "adapter", verdict: .wrong, saw: saw, why: Self.whyAdapter, mend: "Switch it on.",
        command: "bluetoothctl power on")
    }
    return adapterOfTheKernel
  }

  private func blocked(_ saw: String) -> Finding {
    var finding = Finding(
      check: "adapter", verdict: .wrong, saw: saw, why: Self.whyAdapter, mend: "Take the block away.",
      command: "sudo rfkill unblock bluetooth")
    if let hard = host.switches.first(where: \.isHardBlocked) {
      finding.saw += ", by the machine's own switch (\(hard.name))"
      finding.mend = "No program can: use the switch or the key of this machine that turns Bluetooth or all radio off."
      finding.command = nil
      if hard.isSoftBlocked {
        finding.mend += " A program blocks it too; this takes that away."
        finding.command = "sudo rfkill unblock bluetooth"
      }
    }
    return finding
  }

  /// Where nobody says more: no daemon, no bluetoothd, or an adapter that bluetoothd does not have.
  private var adapterOfTheKernel: Finding? {
    guard host.hasSys else {
      return Finding(
        check: "adapter", verdict: .unknown, saw: "/sys is not to be seen here, so nothing is known of adapters")
    }
    let names = host.adapters.map(\.name).joined(separator: ", ")
    let isBluetoothdAsked = status != nil && !["bluetoothd_gone", "bus_gone"].contains(obstacle ?? "")
    guard !host.adapters.isEmpty else {
      return Finding(
        check: "adapter", verdict: .wrong, saw: "the kernel has no Bluetooth adapter", why: Self.whyAdapter,
        mend: "Plug one in; if there should be one, this is what the kernel says of it.",
        command: "sudo dmesg | grep -i bluetooth")
    }
    if host.adapters.allSatisfy(host.isBlocked) {
      return blocked("\(names) is there, and Bluetooth is blocked")
    }
    guard isBluetoothdAsked else { return .ok("adapter", "the kernel has \(names), and nothing blocks it") }
    return Finding(
      check: "adapter", verdict: .wrong,
      saw: "the kernel has \(names), and the daemon has none of it: \(status?["bluetooth"]?["message"]?.text ?? "")",
      why: Self.whyAdapter,
      mend: "If Adapter= of cyclometer.conf names another, correct it; else start bluetoothd anew.",
      command: "sudo systemctl restart bluetooth")
  }
}
