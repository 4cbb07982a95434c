// The state of the machine, as an unprivileged program can read it from /sys, /run and systemd.

import Linux

struct HostFacts: Equatable {
  /// A Bluetooth switch of rfkill.
  struct Switch: Equatable {
    /// `hci0`, or the name that a laptop's driver gives its own switch.
    var name: String
    var isSoftBlocked = false
    /// By a key or a slider. No program can change it.
    var isHardBlocked = false
  }

  struct Adapter: Equatable {
    var name: String
    var driver: String?
    /// `on` or `auto`, of an adapter on USB.
    var usbPower: String?
  }

  struct Wireless: Equatable {
    var name: String
    var driver: String?
    var isUp = false
  }

  /// False if /sys is not available, as in some containers. Adapters and switches are then unknown.
  var hasSys = true
  var switches: [Switch] = []
  var adapters: [Adapter] = []
  var wireless: [Wireless] = []
  var hasGroup = true
  /// The daemon asked for the reset of an adapter that hangs.
  var isResetWanted = false
  var hasSystemd = false
  /// Nil if systemd is not running or does not answer.
  var units: Units?
}

extension HostFacts {
  /// By its own switch, or by one of the machine's, whose names do not start with `hci`.
  func isBlocked(_ adapter: Adapter) -> Bool {
    switches.contains { known in
      (known.isSoftBlocked || known.isHardBlocked) && (known.name == adapter.name || !known.name.hasPrefix("hci"))
    }
  }

  /// `root` is where /sys and /run are; `runtimeFolder` is the daemon's.
  static func gather(root: String = "", runtimeFolder: String) -> HostFacts {
    var facts = HostFacts()
    facts.hasSys = Files.exists(root + "/sys/class")
    facts.switches = switches(root + "/sys/class/rfkill")
    facts.adapters = adapters(root + "/sys/class/bluetooth")
    facts.wireless = wireless(root + "/sys/class/net")
    facts.hasGroup = hasGroup("cyclometer", root + "/etc/group")
    facts.isResetWanted = Files.exists(runtimeFolder + "/reset-wanted")
    // As sd_booted(3) does.
    facts.hasSystemd = Files.exists(root + "/run/systemd/system")
    if facts.hasSystemd { facts.units = Units.ask() }
    return facts
  }

  /// Reads /etc/group, because a static program cannot use NSS. True if it cannot be read.
  private static func hasGroup(_ name: String, _ path: String) -> Bool {
    guard let content = try? Files.read(path) else { return true }
    return content.split(separator: UInt8(ascii: "\n")).contains { $0.starts(with: Array("\(name):".utf8)) }
  }

  private static func names(_ folder: String) -> [String] { (try? Files.names(in: folder)) ?? [] }

  private static func switches(_ folder: String) -> [Switch] {
    names(folder).compactMap { name in
      let path = folder + "/" + name
      guard word(path + "/type") == "bluetooth" else { return nil }
      return Switch(
        name: word(path + "/name") ?? name, isSoftBlocked: word(path + "/soft") == "1",
        isHardBlocked: word(path + "/hard") == "1")
    }
  }

  private static func adapters(_ folder: String) -> [Adapter] {
    // The directory also lists links, as `hci0:64`.
    let names = names(folder).filter { name in
      name.hasPrefix("hci") && name.count > 3 && name.utf8.dropFirst(3).allSatisfy { (0x30...0x39).contains($0) }
    }
    return names.map { name in
      let device = folder + "/" + name + "/device"
      // On USB, `device` is an interface. Its parent is the USB device, which alone has `idVendor` and
      // the power setting.
      let isUSB = Files.exists(device + "/../idVendor")
      return Adapter(
        name: name, driver: driver(device), usbPower: isUSB ? word(device + "/../power/control") : nil)
    }
  }

  private static func wireless(_ folder: String) -> [Wireless] {
    names(folder).filter { Files.exists(folder + "/\($0)/phy80211") }.map { name in
      Wireless(
        name: name, driver: driver(folder + "/" + name + "/device"),
        isUp: word(folder + "/" + name + "/operstate") == "up")
    }
  }

  private static func driver(_ device: String) -> String? {
    let lines = content(device + "/uevent")?.split(separator: "\n") ?? []
    return lines.first { $0.hasPrefix("DRIVER=") }.map { String($0.dropFirst(7)) }
  }

  /// The text of a file of one line.
  private static func word(_ path: String) -> String? {
    content(path)?.split(separator: "\n").first.map(String.init)
  }

  private static func content(_ path: String) -> String? {
    (try? Files.read(path, atMost: 64 << 10)).map { String(decoding: $0, as: UTF8.self) }
  }
}
