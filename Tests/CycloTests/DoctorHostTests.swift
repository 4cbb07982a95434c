// What `doctor` reads of a machine, from folders that stand in for /sys and /run, and how it is laid out.

import Foundation
import JSON
import Linux
import TestSupport
import Testing
import Troubleshooting
import Wire

@testable import cyclo

struct DoctorHostTests {
  private func machine(_ files: [String: String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (path, content) in files {
      try Files.createDirectory(Files.parent(of: folder.file(path)), mode: 0o755)
      try Files.replace(folder.file(path), with: Array(content.utf8), mode: 0o644)
    }
    return folder
  }

  @Test("adapters, rfkill switches and wireless devices are read")
  func adaptersRfkillSwitchesAndWireless() throws {
    let folder = try machine([
      "sys/devices/usb1/1-1/idVendor": "0a12\n", "sys/devices/usb1/1-1/power/control": "auto\n",
      "sys/devices/usb1/1-1/1-1:1.0/uevent": "DEVTYPE=usb_interface\nDRIVER=btusb\n",
      "sys/devices/serial0-0/uevent": "DRIVER=hci_uart_bcm\nOF_NAME=bluetooth\n", "sys/devices/power/control": "auto\n",
      "sys/class/bluetooth/hci0/address": "", "sys/class/bluetooth/hci1/address": "",
      "sys/class/bluetooth/hci0:64/type": "", "sys/class/rfkill/rfkill0/type": "wlan\n",
      "sys/class/rfkill/rfkill1/type": "bluetooth\n", "sys/class/rfkill/rfkill1/name": "hci0\n",
      "sys/class/rfkill/rfkill1/soft": "1\n", "sys/class/rfkill/rfkill1/hard": "0\n",
      "sys/class/rfkill/rfkill2/type": "bluetooth\n", "sys/class/rfkill/rfkill2/hard": "1\n",
      "sys/class/net/lo/operstate": "unknown\n", "sys/class/net/wlan0/operstate": "up\n",
      "sys/class/net/wlan0/phy80211/name": "phy0\n", "sys/class/net/wlan0/device/uevent": "DRIVER=brcmfmac\n",
      "run/cyclometer/reset-wanted": "hci0\n",
    ])
    let manager = FileManager.default
    for (name, device) in [("hci0", "usb1/1-1/1-1:1.0"), ("hci1", "serial0-0")] {
      try manager.createSymbolicLink(
        atPath: folder.file("sys/class/bluetooth/\(name)/device"), withDestinationPath: "../../../devices/\(device)")
    }
    let root = Files.parent(of: folder.file("x"))
    let facts = HostFacts.gather(root: root, runtimeFolder: root + "/run/cyclometer")
    #expect(
      facts.adapters == [
        HostFacts.Adapter(name: "hci0", driver: "btusb", usbPower: "auto"),
        HostFacts.Adapter(name: "hci1", driver: "hci_uart_bcm"),
      ])
    #expect(
      facts.switches == [
        HostFacts.Switch(name: "hci0", isSoftBlocked: true), HostFacts.Switch(name: "rfkill2", isHardBlocked: true),
      ])
    #expect(facts.wireless == [HostFacts.Wireless(name: "wlan0", driver: "brcmfmac", isUp: true)])
    #expect(facts.isResetWanted && facts.hasSys && !facts.hasSystemd && facts.units == nil)
  }

  @Test("missing files give no facts")
  func missingFilesGiveNoFacts() throws {
    let folder = try TemporaryFolder()
    let facts = HostFacts.gather(root: folder.file("nowhere"), runtimeFolder: folder.file("nowhere"))
    #expect(!facts.hasSys && facts.adapters.isEmpty && facts.switches.isEmpty && !facts.isResetWanted)
  }

  private static let shown = """
    Id=cyclometerd.service
    LoadState=loaded
    ActiveState=failed
    UnitFileState=enabled
    ExecMainStatus=78
    Restart=always
    User=cyclometer
    RestrictAddressFamilies=AF_UNIX AF_BLUETOOTH
    NoNewPrivileges=yes

    ExecMainStatus=0
    Id=bluetooth.service
    LoadState=loaded
    ActiveState=active
    UnitFileState=enabled

    Id=cyclometer-reset.path
    LoadState=not-found
    ActiveState=inactive
    UnitFileState=

    Id=cyclometer-recorder.service
    LoadState=loaded
    ActiveState=active
    UnitFileState=disabled
    ExecMainStatus=0

    Id=cyclometer-guide.service
    LoadState=not-found
    ActiveState=inactive
    UnitFileState=

    Id=cyclometer-mqtt.service
    LoadState=loaded
    ActiveState=active
    UnitFileState=enabled

    Id=cyclometer-web.service
    LoadState=loaded
    ActiveState=failed
    UnitFileState=enabled
    ExecMainStatus=78

    Id=cyclometer-web-http.socket
    LoadState=loaded
    ActiveState=active
    UnitFileState=enabled

    Id=cyclometer-web-lan.socket
    LoadState=loaded
    ActiveState=inactive
    UnitFileState=disabled
    """

  @Test("the output of systemctl show is parsed")
  func outputOfSystemctlShowParsed() throws {
    let units = try #require(Units(shown: Self.shown + "\n"))
    #expect(
      units.daemon
        == Unit(
          active: "failed", exitStatus: "78", restart: "always", user: "cyclometer",
          addressFamilies: "AF_UNIX AF_BLUETOOTH", noNewPrivileges: "yes"))
    #expect(units.bluetooth == Unit(exitStatus: "0"))
    #expect(!units.reset.isThere && !units.reset.isActive)
    #expect(units.recorder == Unit(file: "disabled", exitStatus: "0"))
    #expect(units.guide == .missing && units.bridge == Unit())
    #expect(units.web == Unit(active: "failed", exitStatus: "78") && units.webPort == Unit())
    #expect(units.webNetwork == Unit(active: "inactive", file: "disabled"))
  }

  @Test("systemctl runs once for all units")
  func systemctlRunsOnceForAll() throws {
    let folder = try machine(["shown": Self.shown])
    let program = folder.file("systemctl")
    let names =
      "show --property=Id,LoadState,ActiveState,UnitFileState,ExecMainStatus,Restart,User,RestrictAddressFamilies,"
      + "NoNewPrivileges cyclometerd.service bluetooth.service cyclometer-reset.path cyclometer-recorder.service "
      + "cyclometer-guide.service cyclometer-mqtt.service cyclometer-web.service cyclometer-web-http.socket "
      + "cyclometer-web-lan.socket"
    let script = "#!/bin/sh\n[ \"$*\" = '\(names)' ] && exec cat '\(folder.file("shown"))'\n"
    try Files.replace(program, with: Array(script.utf8), mode: 0o755)
    #expect(withSignalsUnblocked { Units.ask(program) } == Units(shown: Self.shown))
    #expect(Units.ask(folder.file("nowhere")) == nil)
  }

  @Test(
    "other output is not an answer of systemctl",
    arguments: [
      "", "\n\n\n", "Failed to connect to bus", "LoadState=loaded\n\nLoadState=loaded\n", "A=b\n\nA=b\n\nA=b",
    ])
  func otherOutputNotAnswer(text: String) {
    #expect(Units(shown: text) == nil)
  }

  /// The command that is printed, on a file as Debian has it and on one that was changed before.
  @Test(
    "the command for longer timeouts works",
    arguments: [
      "[General]\nName=x\n\n[LE]\n#MinConnectionInterval=\n#ConnectionSupervisionTimeout=\n\n[GATT]\n#Cache=\n",
      "[LE]\nConnectionSupervisionTimeout = 42\n[GATT]\n",
    ])
  func commandForLongerTimeoutsWorks(before: String) throws {
    let folder = try machine(["main.conf": before])
    let command = Facts.longerTimeout.replacing("sudo ", with: "").replacing("/etc/bluetooth/", with: folder.file(""))
      .replacing("systemctl restart bluetooth", with: "true")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    try withSignalsUnblocked { try process.run() }
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let after = String(decoding: try Files.read(folder.file("main.conf")), as: UTF8.self)
    #expect(after.contains("[LE]\nConnectionSupervisionTimeout=400\n"))
    #expect(after.ranges(of: "ConnectionSupervisionTimeout").count == 1)
    #expect(after.contains("[GATT]"))
  }
}

struct DoctorTextTests {
  private static let findings = [
    Finding.ok("adapter", "hci0 is on"),
    Finding(
      check: "links", verdict: .warning, found: "hci0 drops a link after 420 ms without data",
      why: "A sensor behind the body is silent for as long now and then.", fix: "Set it higher.",
      command: "sudo a command that is longer than the terminal is wide"),
    Finding.ok("battery", "battery 80 %").of("strap-1"), Finding.ok("signal", "signal -61 dBm").of("strap-1"),
  ]

  private func text(_ columns: Int?, coloured: Bool = false, sourceLocation: SourceLocation = #_sourceLocation) throws
    -> String
  {
    let sensor = try #require(SensorRecord(["id": "strap-1", "name": "Strap"]), sourceLocation: sourceLocation)
    return DoctorText(style: Style(isColoured: coloured), columns: columns).lines(Self.findings, sensors: [sensor])
      .joined(separator: "\n")
  }

  @Test("doctor does not wrap text in a pipe")
  func doctorDoesNotWrapText() throws {
    #expect(
      try text(nil) == """
        machine
          ok      adapter: hci0 is on
          warning links: hci0 drops a link after 420 ms without data
                  A sensor behind the body is silent for as long now and then.
                  Set it higher.
                    sudo a command that is longer than the terminal is wide

        strap-1 (Strap)
          ok      battery 80 %; signal -61 dBm
        """)
  }

  @Test("on a narrow terminal everything but commands is wrapped", arguments: [10, 40])
  func onNarrowTerminalEverything(columns: Int) throws {
    let lines = try text(columns).split(separator: "\n")
    #expect(lines.contains("            sudo a command that is longer than the terminal is wide"))
    #expect(lines.allSatisfy { $0.contains("sudo") || $0.count <= max(columns, 30) })
    #expect(lines.contains { $0.hasPrefix("  warning links: hci0") })
  }

  @Test("verdicts are legible without colour")
  func verdictsLegibleWithoutColour() throws {
    let coloured = try text(40, coloured: true)
    #expect(coloured.contains("\u{1B}[35mwarning \u{1B}[0m"))
    #expect(coloured.contains("\u{1B}[32mok"))
  }
}
