// The checks of `doctor`, from facts to findings: one row for each thing that can be the matter.

import JSON
import SensorKit
import Sensors
import Testing
import Troubleshooting
import Wire

@testable import cyclo

/// A machine and a daemon with which all is well, to be spoiled.
func healthy(sensor members: String = "") throws -> Facts {
  let sensor =
    #"{"id":"strap-1","name":"Strap","address":"A0:9E:1A:00:00:01","plugins":["heart_rate"],"kinds":["heart_rate"],"#
    + #""state":"streaming","battery_pct":80,"rssi_dbm":-61,"link":{"reconnects":0,"packets":5000,"missed":3}\#(members)}"#
  return try facts(
    #"{"daemon":{"release":"1.0","uptime_s":7200},"bluetooth":{"message":"ready"},"adapters":[{"adapter":"hci0","#
      + #""state":"on","links":{"supervision_timeout_ms":4000}}],"versions":{"bluez":"5.87"},"sensors":[\#(sensor)]}"#)
}

private func facts(_ status: String?) throws -> Facts {
  var facts = Facts(contact: .answers(release: "1.0", path: "/run/cyclometer/control.sock", control: .allowed))
  facts.ownRelease = "1.0"
  facts.quirks = builtInPlugins.quirks
  facts.status = try status.map { try statusReply($0) }
  facts.silences = ["strap-1": 1]
  facts.host.hasSystemd = true
  facts.host.units = Units()
  facts.host.adapters = [HostFacts.Adapter(name: "hci0", driver: "btusb", usbPower: "on")]
  facts.host.switches = [HostFacts.Switch(name: "hci0")]
  return facts
}

private func withoutBluetooth(_ state: String, _ reason: String, message: String = "it is so") throws -> Facts {
  let adapters = state == "absent" ? "" : #"{"adapter":"hci0","state":"\#(state)"}"#
  return try facts(
    #"{"daemon":{"release":"1.0","uptime_s":60},"bluetooth":{"message":"\#(message)","reason":"\#(reason)"},"#
      + #""adapters":[\#(adapters)],"versions":{"bluez":"5.87"},"sensors":[]}"#)
}

struct DoctorCheckTests {
  /// What is not well of them, as `error adapter: COMMAND`; `-` if no command fixes it.
  func troubles(_ facts: Facts) -> [String] {
    facts.findings.filter { $0.verdict != .ok }.map { "\($0.verdict) \($0.check): \($0.command ?? "-")" }
  }

  @Test(
    "doctor checks the GPS receiver",
    arguments: [
      (#"{"gpsd":"localhost:2947","state":"there","receivers":1}"#, [String]()),
      (#"{"gpsd":"localhost:2947","state":"there","receivers":0}"#, ["warning position: gpspipe -w -n 5"]),
      (
        #"{"gpsd":"localhost:2947","state":"absent","message":"Connection refused"}"#,
        ["unknown position: sudo apt install gpsd && sudo systemctl reload cyclometerd"]
      ),
    ])
  func doctorChecksGPSReceiver(position: String, expected: [String]) throws {
    var facts = try healthy()
    facts.status?.position = StatusReply.Position(try JSONValue.parse(position))
    #expect(troubles(facts) == expected)
  }

  @Test("if all is well, every check says what it found")
  func ifAllWellEveryCheck() throws {
    let findings = try healthy().findings
    #expect(findings.allSatisfy { $0.verdict == .ok && !$0.found.isEmpty })
    #expect(
      findings.map(\.check) == [
        "daemon", "release", "permission", "service", "bluez", "adapter", "links", "power", "state", "battery",
        "signal",
        "packets",
      ])
    #expect(findings.map { $0.sensor == nil ? 0 : 1 } == [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
  }

  /// docs/pictures/doctor.svg shows this screen.
  @Test("the report on a terminal with colours")
  func report() throws {
    let sensors =
      #"{"id":"polar-h10-1a2b","name":"Polar H10","address":"A0:9E:1A:00:00:01","plugins":["heart_rate"],"#
      + #""kinds":["heart_rate"],"state":"streaming","battery_pct":80,"rssi_dbm":-61,"#
      + #""link":{"reconnects":0,"packets":5000,"missed":3}},"#
      + #"{"id":"old-strap-0002","name":"Old strap","address":"A0:9E:1A:00:00:02","plugins":["heart_rate"],"#
      + #""kinds":["heart_rate"],"state":"error","reason":"bond_lost","battery_pct":12}"#
    var machine = try facts(
      #"{"daemon":{"release":"0.1.0","uptime_s":7200},"bluetooth":{"message":"ready"},"adapters":[{"adapter":"hci0","#
        + #""state":"on","links":{"supervision_timeout_ms":4000}}],"versions":{"bluez":"5.87"},"#
        + #""sensors":[\#(sensors)]}"#)
    machine.ownRelease = "0.1.0"
    machine.contact = .answers(release: "0.1.0", path: "/run/cyclometer/control.sock", control: .allowed)
    let text = DoctorText(style: Style(isColoured: true, hasManyColours: true), columns: 80)
    try Snapshot.expect(text.lines(machine.findings, sensors: machine.sensors), "doctor-80-coloured")
  }

  @Test(
    "a stopped daemon gets the command that its unit needs",
    arguments: [
      (Unit(active: "inactive", file: "disabled"), "sudo systemctl enable --now cyclometerd"),
      (Unit(load: "not-found", active: "inactive", file: ""), "sudo make install && sudo systemd-sysusers"),
      (Unit(load: "masked", active: "inactive", file: "masked"), "sudo systemctl unmask cyclometerd"),
      (Unit(active: "failed", exitStatus: "78"), "journalctl -u cyclometerd"),
      (Unit(active: "failed", exitStatus: "1"), "sudo systemctl restart cyclometerd"),
      (Unit(active: "activating"), "sudo systemctl restart cyclometerd"),
    ])
  func stoppedDaemonGetsCommand(unit: Unit, command: String) throws {
    var facts = try facts(nil)
    facts.contact = .absent(path: "/run/cyclometer/control.sock")
    facts.host.units = Units(daemon: unit)
    let daemon = try #require(facts.findings.first)
    #expect(daemon.check == "daemon" && daemon.verdict == .error)
    #expect(daemon.found.contains("is not running"))
    #expect(daemon.command?.hasPrefix(command) == true, "\(daemon.command ?? "-")")
  }

  @Test("without systemd no fix uses systemctl")
  func withoutSystemdNoFixUses() throws {
    var facts = try facts(nil)
    facts.contact = .absent(path: "/run/cyclometer/control.sock")
    facts.host.hasSystemd = false
    facts.host.units = nil
    #expect(troubles(facts) == ["error daemon: sudo cyclometerd"])
    // The adapter is looked for all the same.
    #expect(facts.findings.contains { $0.check == "adapter" && $0.found.contains("hci0") })
  }

  @Test("missing permission for the sockets gets a fix")
  func missingPermissionForSocketsGets() throws {
    var facts = try healthy()
    facts.contact = .answers(release: "1.0", path: "/run/cyclometer/metrics.sock", control: .refused)
    #expect(troubles(facts) == [#"error permission: sudo usermod -aG cyclometer "$USER""#])
    facts.host.hasGroup = false
    #expect(troubles(facts).first?.contains("systemd-sysusers") == true)
    facts.contact = .answers(release: "1.0", path: "/run/cyclometer/metrics.sock", control: .absent)
    #expect(troubles(facts) == ["unknown permission: -"])
    facts.contact = .notAllowed(path: "/run/cyclometer/metrics.sock")
    facts.status = nil
    #expect(troubles(facts).map { $0.prefix(16) } == ["unknown daemon: ", "error permission"])
  }

  @Test("a daemon that hangs, has another release or is not enabled is reported")
  func daemonThatHangs() throws {
    var facts = try healthy()
    facts.contact = .silent(reason: "the daemon did not answer in time")
    #expect(
      troubles(facts) == [
        "error daemon: sudo systemctl restart cyclometerd; journalctl -u cyclometerd -n 50 --no-pager"
      ])
    facts.host.units?.daemon.exitStatus = "78"
    #expect(troubles(facts) == ["error daemon: journalctl -u cyclometerd -n 20 --no-pager"])
    facts = try healthy()
    facts.ownRelease = "1.1"
    #expect(troubles(facts) == ["warning release: sudo systemctl restart cyclometerd"])
    facts = try healthy()
    facts.host.units?.daemon.file = "disabled"
    #expect(troubles(facts) == ["warning service: sudo systemctl enable cyclometerd"])
    facts.isUsualSocket = false
    #expect(troubles(facts) == [])
  }

  @Test(
    "the reason for missing Bluetooth is reported",
    arguments: [
      ("off", "adapter_off", ["error adapter: bluetoothctl power on"]),
      ("blocked", "adapter_blocked", ["error adapter: sudo rfkill unblock bluetooth"]),
      ("absent", "adapter_absent", ["error adapter: sudo systemctl restart bluetooth"]),
      ("absent", "bluetoothd_gone", ["error bluez: sudo systemctl restart bluetooth cyclometerd"]),
      ("absent", "bus_gone", ["error bluez: sudo systemctl start dbus"]),
    ])
  func reasonForMissingBluetoothReported(state: String, reason: String, troubles expected: [String]) throws {
    #expect(troubles(try withoutBluetooth(state, reason)) == expected)
  }

  @Test("a missing adapter is reported")
  func missingAdapterReported() throws {
    var facts = try withoutBluetooth("absent", "adapter_absent")
    facts.host.adapters = []
    #expect(troubles(facts) == ["error adapter: sudo dmesg | grep -i bluetooth"])
    facts.host.hasSys = false
    #expect(troubles(facts) == ["unknown adapter: -"])
  }

  @Test("the fix of a hard block is a switch, not a command")
  func fixOfHardBlockSwitch() throws {
    var facts = try withoutBluetooth("blocked", "adapter_blocked")
    facts.host.switches = [HostFacts.Switch(name: "dell-bluetooth", isHardBlocked: true)]
    #expect(troubles(facts) == ["error adapter: -"])
    #expect(facts.findings.contains { $0.found.contains("dell-bluetooth") && $0.fix.contains("switch") })
    facts.host.switches[0].isSoftBlocked = true
    #expect(troubles(facts) == ["error adapter: sudo rfkill unblock bluetooth"])
  }

  @Test("without a daemon a block is reported unless another adapter is free")
  func withoutDaemonBlockReportedUnless() throws {
    var facts = try facts(nil)
    facts.contact = .absent(path: "/run/cyclometer/control.sock")
    facts.host.switches = [HostFacts.Switch(name: "hci0", isSoftBlocked: true)]
    #expect(troubles(facts).last == "error adapter: sudo rfkill unblock bluetooth")
    facts.host.adapters.append(HostFacts.Adapter(name: "hci1"))
    #expect(facts.findings.contains { $0.check == "adapter" && $0.verdict == .ok })
    facts.host.units?.bluetooth = Unit(load: "not-found", active: "inactive")
    #expect(troubles(facts).last == "error bluez: sudo apt install bluez")
  }

  @Test(
    "bluetoothd is to be started or installed",
    arguments: [
      (Unit(active: "inactive"), "sudo systemctl enable --now bluetooth"),
      (Unit(load: "not-found", active: "inactive"), "sudo apt install bluez"),
    ])
  func bluetoothdToBeStarted(unit: Unit, command: String) throws {
    var facts = try withoutBluetooth("absent", "bluetoothd_gone")
    facts.host.units?.bluetooth = unit
    #expect(troubles(facts) == ["error bluez: \(command)"])
  }

  @Test("a reset that is not carried out is reported")
  func resetThatNobodyCarriesOut() throws {
    var facts = try withoutBluetooth("off", "adapter_off")
    facts.host.isResetWanted = true
    facts.host.units?.reset = Unit(active: "inactive", file: "disabled")
    #expect(troubles(facts).first == "error reset: sudo systemctl enable --now cyclometer-reset.path")
    facts.host.units?.reset = Unit()
    #expect(troubles(facts).first?.hasPrefix("error reset: journalctl") == true)
  }

  @Test(
    "limitations of the BlueZ release are reported",
    arguments: [
      ("5.65", Verdict.warning, "older than any"), ("5.66", .ok, "can crash when a link with subscriptions ends"),
      ("5.72", .ok, "indications only over D-Bus"), ("5.82", .ok, "crash when an adapter is unplugged"),
      ("5.82", .ok, "why a link was lost"),
      ("5.100", .ok, "BlueZ 5.100"), ("later", .ok, "BlueZ later"),
    ])
  func limitationsOfBlueZReleaseReported(release: String, verdict: Verdict, found: String) throws {
    var facts = try withoutBluetooth("on", "none")
    facts.status = try statusReply(
      #"{"adapters":[{"adapter":"hci0","state":"on"}],"versions":{"bluez":"\#(release)"}}"#)
    let finding = try #require(facts.findings.first { $0.check == "bluez" })
    #expect(finding.verdict == verdict)
    #expect(finding.found.contains(found), "\(finding.found)")
    if release == "5.100" { #expect(finding.found == "BlueZ 5.100") }
  }

  private static let delivered = Unit(
    restart: "always", user: "cyclometer", addressFamilies: "AF_UNIX AF_BLUETOOTH", noNewPrivileges: "yes")

  @Test("the checks match the units of this repository")
  func checksMatchUnitsOfThis() throws {
    var facts = try healthy()
    facts.host.units?.daemon = Self.delivered
    facts.host.units?.bluetooth.restart = "on-failure"
    #expect(troubles(facts) == [])
    #expect(facts.findings.contains { $0.check == "sandbox" && $0.found.contains("as cyclometer") })
    facts.host.units?.bluetooth.restart = "no"
    #expect(troubles(facts) == ["warning restart: \(Facts.restartAfterCrash)"])
  }

  @Test(
    "a modified sandbox is reported",
    arguments: [
      ("user", "", "AF_UNIX AF_BLUETOOTH", "yes", "warning", "as root"),
      ("families", "cyclometer", "AF_UNIX", "yes", "error", "AF_BLUETOOTH"),
      ("denied", "cyclometer", "~AF_BLUETOOTH AF_INET", "yes", "error", "AF_BLUETOOTH"),
      ("open", "cyclometer", "", "no", "warning", "without its sandbox"),
    ])
  func modifiedSandboxReported(
    name: String, user: String, families: String, privileges: String, verdict: String, found: String
  ) throws {
    var facts = try healthy()
    facts.host.units?.daemon = Unit(
      restart: "always", user: user, addressFamilies: families, noNewPrivileges: privileges)
    let finding = try #require(facts.findings.first { $0.check == "sandbox" })
    #expect(finding.verdict.rawValue == verdict && finding.found.contains(found), "\(finding)")
  }

  @Test("a short supervision timeout is a warning")
  func shortSupervisionTimeoutWarning() throws {
    let status = #"{"adapters":[{"adapter":"hci0","state":"on","links":{"supervision_timeout_ms":420}}]}"#
    let finding = try #require(try facts(status).findings.first { $0.check == "links" })
    #expect(finding.verdict == .warning)
    #expect(finding.found.contains("420 ms"))
    #expect(finding.command?.contains("ConnectionSupervisionTimeout=400") == true)
  }

  @Test("power saving and a shared antenna are warnings, not errors")
  func powerSavingAndSharedAntenna() throws {
    var facts = try healthy()
    facts.host.adapters[0].usbPower = "auto"
    #expect(troubles(facts) == ["warning power: echo on | sudo tee /sys/class/bluetooth/hci0/device/../power/control"])
    facts.host.adapters = [HostFacts.Adapter(name: "hci0", driver: "hci_uart_bcm")]
    facts.host.wireless = [HostFacts.Wireless(name: "wlan0", driver: "brcmfmac", isUp: true)]
    #expect(troubles(facts) == ["warning wifi: sudo rfkill block wlan"])
    facts.host.wireless[0].isUp = false
    #expect(troubles(facts) == [])
    facts.host.wireless = [HostFacts.Wireless(name: "wlan0", driver: "iwlwifi", isUp: true)]
    #expect(troubles(facts) == [])
  }

  @Test("Bluetooth is not checked for a simulated daemon")
  func bluetoothNotCheckedForSimulated() throws {
    var facts = try facts(#"{"daemon":{"release":"1.0","simulated":true},"adapters":[],"sensors":[]}"#)
    facts.host.adapters = []
    #expect(troubles(facts) == [])
  }
}

struct DoctorSensorTests {
  func troubles(_ facts: Facts) -> [String] {
    facts.findings.filter { $0.verdict != .ok }.map { "\($0.verdict) \($0.check): \($0.command ?? "-")" }
  }

  /// Later members count, so a row overrules what is well.
}
