// What doctor finds about poor links, and about the position.

public enum LinksSymptom: CaseIterable {
  case long, short

  /// An arm, a bag or a bridge often blocks a sensor for a second; that should not drop the link.
  public static let shortTimeout = 2000

  /// The key counts in 10 ms (as Bluetooth's own commands do), so this is 4 s. Replaces any existing line.
  static let longerTimeout =
    "sudo sed -i -e '/^#\\?ConnectionSupervisionTimeout *=/d' -e '/^\\[LE\\]/a ConnectionSupervisionTimeout=400' "
    + "/etc/bluetooth/main.conf && sudo systemctl restart bluetooth"

  public var condition: String { self == .short ? "MILLISECONDS is under \(Self.shortTimeout)" : "" }

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    let found = "\(values[.adapter]) drops a link after \(values[.timeout]) ms without data"
    switch self {
    case .long: return .ok(.links, found)
    case .short:
      return Diagnosis(
        .links, .warning, found, why: "Your body or Wi-Fi can block a sensor for that long. It then has to reconnect.",
        fix: "Set ConnectionSupervisionTimeout, in units of 10 ms, under [LE] of bluetoothd's configuration. "
          + "This restarts bluetoothd. A value remembered for a device takes precedence.",
        command: Self.longerTimeout)
    }
  }
}

public enum PowerSymptom: CaseIterable {
  case alwaysOn, suspendable

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    let adapter = values[.adapter]
    switch self {
    case .alwaysOn: return .ok(.power, "\(adapter) on USB is never suspended")
    case .suspendable:
      return Diagnosis(
        .power, .warning, "\(adapter) on USB can be suspended to save power",
        why: "Some adapters lose links or packets when the kernel suspends them. Some do not wake up.",
        fix: "Keep it awake until you unplug it. To keep it awake for good, put 'options btusb enable_autosuspend=n' "
          + "into a file in /etc/modprobe.d.",
        command: "echo on | sudo tee /sys/class/bluetooth/\(adapter)/device/../power/control")
    }
  }
}

public enum WirelessSymptom: CaseIterable {
  case sharedAntenna

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    Diagnosis(
      .wifi, .warning, "\(values[.interface]) is up, on the same chip and antenna as Bluetooth",
      why: "Wi-Fi on 2.4 GHz and Bluetooth share that antenna. The band in use cannot be seen from here.",
      fix: "Use a network on 5 GHz, a Bluetooth adapter on USB, or no Wi-Fi while riding.",
      command: "sudo rfkill block wlan")
  }
}

/// A missing receiver is not an error: most rides go without.
public enum PositionSymptom: CaseIterable {
  case received, noReceiver, noServer

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .received:
      .ok(.position, "gpsd at \(values[.server]) has \(values[.count, or: "NUMBER working receivers"])")
    case .noReceiver:
      Diagnosis(
        .position, .warning, "gpsd at \(values[.server]) has no working receiver",
        why: "The ride has no position, and wheels are not measured automatically.",
        fix: "Plug the receiver in. This shows what gpsd receives:", command: "gpspipe -w -n 5")
    case .noServer:
      Diagnosis(
        .position, .unknown, "no position\(values[.message, or: ": MESSAGE"])",
        why: "Without a GPS receiver a ride has no position, and wheels are not measured automatically.",
        fix: "If you have a receiver, install gpsd. Otherwise ignore this, or set GPSD=none.",
        command: "sudo apt install gpsd && sudo systemctl reload cyclometerd")
    }
  }
}
