// Checks for poor links: supervision timeout, power saving, Wi-Fi on the same antenna.

import Wire

extension Facts {
  /// An arm, a bag or a bridge often blocks a sensor for a second; that should not drop the link.
  static let shortTimeout = 2000

  /// The key counts in 10 ms (as Bluetooth's own commands do), so this is 4 s. Replaces any existing line.
  static let longerTimeout =
    "sudo sed -i -e '/^#\\?ConnectionSupervisionTimeout *=/d' -e '/^\\[LE\\]/a ConnectionSupervisionTimeout=400' "
    + "/etc/bluetooth/main.conf && sudo systemctl restart bluetooth"

  var linkFindings: [Finding] {
    if isSimulated { return [] }
    return adapters.compactMap(timeoutFinding) + host.adapters.compactMap(powerFinding)
      + [wirelessFinding].compactMap { $0 }
  }

  private func timeoutFinding(_ adapter: JSON) -> Finding? {
    guard let name = adapter["adapter"]?.text, let timeout = adapter["links"]?["supervision_timeout_ms"]?.integer else {
      return nil
    }
    let found = "\(name) drops a link after \(timeout) ms without data"
    guard timeout < Self.shortTimeout else { return .ok("links", found) }
    return Finding(
      check: "links", verdict: .warning, found: found,
      why:
        "Your body or Wi-Fi can block a sensor for that long. It then has to reconnect.",
      fix: "Set ConnectionSupervisionTimeout, in units of 10 ms, under [LE] of bluetoothd's configuration. "
        + "This restarts bluetoothd. A value remembered for a device takes precedence.",
      command: Self.longerTimeout)
  }

  private func powerFinding(_ adapter: HostFacts.Adapter) -> Finding? {
    guard let power = adapter.usbPower else { return nil }
    guard power == "auto" else { return .ok("power", "\(adapter.name) on USB is never suspended") }
    return Finding(
      check: "power", verdict: .warning, found: "\(adapter.name) on USB can be suspended to save power",
      why: "Some adapters lose links or packets when the kernel suspends them. Some do not wake up.",
      fix: "Keep it awake until you unplug it. To keep it awake for good, put 'options btusb enable_autosuspend=n' "
        + "into a file in /etc/modprobe.d.",
      command: "echo on | sudo tee /sys/class/bluetooth/\(adapter.name)/device/../power/control")
  }

  /// Only for known combined chips: serial Bluetooth with Broadcom's Wi-Fi is one chip with one antenna.
  private var wirelessFinding: Finding? {
    guard host.adapters.contains(where: { $0.driver?.hasPrefix("hci_uart") == true }),
      let wireless = host.wireless.first(where: { $0.driver == "brcmfmac" && $0.isUp })
    else { return nil }
    return Finding(
      check: "wifi", verdict: .warning, found: "\(wireless.name) is up, on the same chip and antenna as Bluetooth",
      why: "Wi-Fi on 2.4 GHz and Bluetooth share that antenna. The band in use cannot be seen from here.",
      fix: "Use a network on 5 GHz, a Bluetooth adapter on USB, or no Wi-Fi while riding.",
      command: "sudo rfkill block wlan")
  }
}
