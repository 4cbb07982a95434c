// What makes links poor though all works: how soon the kernel gives them up, power saving, Wi-Fi on the same antenna.

import Wire

extension Facts {
  /// A rider's arm, a bag, a bridge: silences of a second are usual, and are no reason to begin anew.
  static let shortTimeout = 2000

  /// The key counts in 10 ms (as Bluetooth's own commands do), so this is 4 s. An older line goes, whatever it says.
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
    let saw = "links of \(name) are given up after \(timeout) ms of silence"
    guard timeout < Self.shortTimeout else { return .ok("links", saw) }
    return Finding(
      check: "links", verdict: .advice, saw: saw,
      why:
        "A sensor behind the body, or beside Wi-Fi, is silent for as long now and then, and has to be connected anew.",
      mend: "Set ConnectionSupervisionTimeout, in units of 10 ms, under [LE] of bluetoothd's configuration. "
        + "This restarts bluetoothd; what remembers a value of its own for a device goes before it.",
      command: Self.longerTimeout)
  }

  private func powerFinding(_ adapter: HostFacts.Adapter) -> Finding? {
    guard let power = adapter.usbPower else { return nil }
    guard power == "auto" else { return .ok("power", "\(adapter.name) on USB is not put to sleep") }
    return Finding(
      check: "power", verdict: .advice, saw: "\(adapter.name) on USB may be put to sleep to save power",
      why: "Some adapters lose links or packets when the kernel suspends them, and some do not wake up.",
      mend: "Keep it awake until it is plugged in anew; for good, write 'options btusb enable_autosuspend=n' to a file "
        + "of /etc/modprobe.d.",
      command: "echo on | sudo tee /sys/class/bluetooth/\(adapter.name)/device/../power/control")
  }

  /// Only of chips that are known to do both: a serial Bluetooth beside Broadcom's Wi-Fi is one chip with one antenna.
  private var wirelessFinding: Finding? {
    guard host.adapters.contains(where: { $0.driver?.hasPrefix("hci_uart") == true }),
      let wireless = host.wireless.first(where: { $0.driver == "brcmfmac" && $0.isUp })
    else { return nil }
    return Finding(
      check: "wifi", verdict: .advice, saw: "\(wireless.name) is up, on the same chip and antenna as Bluetooth",
      why: "Wi-Fi on 2.4 GHz and Bluetooth take turns on that antenna; which band it uses cannot be seen here.",
      mend: "Use a network on 5 GHz, a Bluetooth adapter on USB, or no Wi-Fi while riding.",
      command: "sudo rfkill block wlan")
  }
}
