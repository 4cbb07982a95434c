// State of the systemd units that Cyclometer needs.

import Linux
import Time

struct Unit: Equatable {
  /// `loaded`, `not-found`, `masked`
  var load = "loaded"
  /// `active`, `inactive`, `failed`, `activating`
  var active = "active"
  /// `enabled`, `disabled`
  var file = "enabled"
  /// Exit status of the main process when it last ended.
  var exitStatus = ""
  /// `no`, `on-failure`, `always`; empty if the unit is not a service, like the next three.
  var restart = ""
  var user = ""
  /// Empty if unrestricted.
  var addressFamilies = ""
  /// `yes`, `no`
  var noNewPrivileges = ""

  static let missing = Unit(load: "not-found", active: "inactive", file: "")

  var isThere: Bool { load != "not-found" }
  var isActive: Bool { active == "active" }
}

struct Units: Equatable {
  var daemon: Unit
  var bluetooth: Unit
  var reset: Unit
  /// Optional.
  var recorder: Unit
  var guide: Unit
  var bridge: Unit
  var web: Unit
  var webPort: Unit
  /// The socket for phones.
  var webNetwork: Unit

  private static let names = [
    "cyclometerd.service", "bluetooth.service", "cyclometer-reset.path", "cyclometer-recorder.service",
    "cyclometer-guide.service", "cyclometer-mqtt.service", "cyclometer-web.service", "cyclometer-web-http.socket",
    "cyclometer-web-lan.socket",
  ]

  /// Nil if systemctl does not answer.
  static func ask(_ program: String = "systemctl") -> Units? {
    let properties =
      "--property=Id,LoadState,ActiveState,UnitFileState,ExecMainStatus,Restart,User,RestrictAddressFamilies,"
      + "NoNewPrivileges"
    let command = [program, "show", properties] + names
    return ChildProcess.output(of: command, before: .now + .seconds(5)).flatMap { Units(shown: $0) }
  }

  /// Parses `systemctl show`: lines `Name=value`, a blank line between units, in the requested order.
  init?(shown text: String) {
    var shown = [Unit]()
    var unit: Unit?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard let sign = line.firstIndex(of: "=") else {
        if let ended = unit { shown.append(ended) }
        unit = nil
        continue
      }
      let value = String(line[line.index(after: sign)...])
      var known = unit ?? Unit(load: "", active: "", file: "")
      switch line[..<sign] {
      case "LoadState": known.load = value
      case "ActiveState": known.active = value
      case "UnitFileState": known.file = value
      case "ExecMainStatus": known.exitStatus = value
      case "Restart": known.restart = value
      case "User": known.user = value
      case "RestrictAddressFamilies": known.addressFamilies = value
      case "NoNewPrivileges": known.noNewPrivileges = value
      default: break
      }
      unit = known
    }
    if let ended = unit { shown.append(ended) }
    guard shown.count == Self.names.count, shown.allSatisfy({ !$0.load.isEmpty }) else { return nil }
    (daemon, bluetooth, reset, recorder) = (shown[0], shown[1], shown[2], shown[3])
    (guide, bridge, web) = (shown[4], shown[5], shown[6])
    (webPort, webNetwork) = (shown[7], shown[8])
  }

  init(
    daemon: Unit = Unit(), bluetooth: Unit = Unit(), reset: Unit = Unit(),
    recorder: Unit = .missing, guide: Unit = .missing, bridge: Unit = .missing, web: Unit = .missing,
    webPort: Unit = .missing, webNetwork: Unit = .missing
  ) {
    (self.daemon, self.bluetooth, self.reset, self.recorder) = (daemon, bluetooth, reset, recorder)
    (self.guide, self.bridge, self.web) = (guide, bridge, web)
    (self.webPort, self.webNetwork) = (webPort, webNetwork)
  }
}
