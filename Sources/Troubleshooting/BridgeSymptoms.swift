// What doctor finds about the bridge to an MQTT broker. It is optional, and only checked if it is
// installed.

public enum BridgeSymptom: CaseIterable {
  case connected, connecting, withoutBroker
  case differentRelease
  case disconnected
  case unreachable, refused, untrusted, files, nameTaken, failing
  /// Some topics may not be written or read.
  case withoutRights
  /// Those are records for storing.
  case withoutLog
  /// It needs the daemon's control.sock, and has only metrics.sock.
  case withoutControl
  case clockNotSet
  case filling, overflowed, notStoring
  case denied, silent
  /// Installed and not running, by what systemd knows.
  case misconfigured, stopped
  case disabled

  public var condition: String {
    switch self {
    case .filling: "more than half of the spool is used"
    case .overflowed: "records were dropped since the bridge started"
    case .stopped: "STATE is inactive or failed"
    default: ""
    }
  }

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .connected: .ok(.bridge, "the bridge sends to \(values[.server]) as \(values[.receiver])")
    case .connecting: .ok(.bridge, "the bridge connects to \(values[.server])")
    case .withoutBroker: .ok(.bridge, "the bridge sends nothing, because mqtt.conf names no broker")
    case .differentRelease:
      Diagnosis(
        .bridge, .warning, "the bridge is release \(values[.release]), and this cyclo is \(values[.ownRelease])",
        why: "They work together, but one may lack what the other has.",
        fix: "Install the same release of both packages. If they are the same, restart the bridge.",
        command: Self.restart)
    case .disconnected:
      broken(
        "the bridge is not connected to the daemon",
        fix: "It retries by itself. Its log shows why it cannot connect:", command: Self.read)
    case .unreachable, .refused, .untrusted, .files, .nameTaken, .failing: connection(values)
    case .withoutRights, .withoutLog, .withoutControl: rights(values)
    case .clockNotSet:
      Diagnosis(
        .bridge, .warning, "the clock of this computer is not set",
        why: "Records leave without the time of day. A reader computes it when the clock has been set.",
        fix: "Connect the computer to a network with a time server, or to a satellite receiver.",
        command: "timedatectl")
    case .filling, .overflowed, .notStoring: spool(values)
    case .denied:
      .noPermission(
        .bridge, path: "\(values[.path])",
        why: "Only members of the group cyclometer can ask the bridge. It keeps sending.")
    case .silent:
      broken(
        "the bridge: \(values[.message])", fix: "Restart it. If that does not help, read its log.",
        command: Self.restart + "; " + Self.read)
    case .misconfigured:
      broken(
        "the bridge is not running, because its configuration has an error",
        fix: "Read the error, correct mqtt.conf, then restart the bridge.", command: Self.read)
    case .stopped:
      broken(
        "the bridge is not running, and its unit is \(values[.state])", fix: "Start it now and at every boot.",
        command: "sudo systemctl enable --now cyclometer-mqtt")
    case .disabled:
      Diagnosis(
        .bridge, .warning, "the bridge is running but does not start at boot",
        why: "After a reboot nothing is sent until a program uses the bridge.", fix: "Enable it.",
        command: "sudo systemctl enable cyclometer-mqtt")
    }
  }

  /// What the bridge may not use.
  private func rights(_ values: Values) -> Diagnosis {
    switch self {
    case .withoutRights:
      Diagnosis(
        .bridge, .warning, "the broker does not let the bridge use \(values[.topics])",
        why: "What is published there is missing, or the bridge does not learn what readers want to see live.",
        fix: Self.giveRights)
    case .withoutLog:
      Diagnosis(
        .bridge, .error, "the broker refuses the records of the bridge (\(values[.topics]))",
        why: "Nothing is stored behind the broker, and the spool fills.", fix: Self.giveRights)
    default:
      Diagnosis(
        .bridge, .error, "the bridge cannot use control.sock: \(values[.message])",
        why: "Requests from afar are not done, and sensors do not roam. Everything else is sent.",
        fix: "The unit gives no access to it. Enter the drop-in that docs/fleet.md has, then restart the bridge.",
        command: "sudo systemctl edit cyclometer-mqtt && " + Self.restart)
    }
  }

  /// Why the bridge is not connected to the broker.
  private func connection(_ values: Values) -> Diagnosis {
    let message = values[.message]
    return switch self {
    case .unreachable:
      unsent(
        "the bridge does not reach the broker \(values[.server]): \(message)",
        fix: "It retries by itself. Check the address in mqtt.conf, the network, and that the broker runs.",
        command: Self.read)
    case .refused:
      unsent(
        "the broker \(values[.server]) refuses the bridge: \(message)",
        fix: "Correct User= and PasswordFile= in mqtt.conf, or the rights at the broker, then restart the bridge.",
        command: Self.restart)
    case .untrusted:
      unsent(
        "the bridge does not trust the broker \(values[.server]): \(message)",
        fix: "Address= has to have the name in the broker's certificate, and CA= the authority that signed it.",
        command: Self.restart)
    case .files:
      unsent(
        "the bridge cannot use a file that mqtt.conf names: \(message)",
        fix: "The folder /etc/cyclometer/mqtt is for these files. Give them to root and the group of the bridge.",
        command: "sudo chown root:cyclometer-mqtt /etc/cyclometer/mqtt/* && sudo chmod 640 /etc/cyclometer/mqtt/*")
    case .nameTaken:
      unsent(
        "another receiver at the broker \(values[.server]) is called \(values[.receiver])",
        fix: "Give one of them another name with Receiver= in mqtt.conf, then restart the bridge.",
        command: Self.restart)
    default:
      unsent(
        "the bridge is not connected to the broker \(values[.server]): \(message)",
        fix: "It retries by itself. Its log shows what happened before:", command: Self.read)
    }
  }

  private func spool(_ values: Values) -> Diagnosis {
    switch self {
    case .filling:
      Diagnosis(
        .bridge, .warning, "\(values[.count]) records wait to be sent, and the spool is \(values[.level]) % full",
        why: "When it is full, the oldest records are dropped.",
        fix: "Get the broker back, or set a larger SpoolMiB= or Compress=yes in mqtt.conf.", command: Self.status)
    case .overflowed:
      Diagnosis(
        .bridge, .warning, "\(values[.count]) records were dropped, because the spool was full",
        why: "They are missing in the store behind the broker. The logbook of the recorder is not affected.",
        fix: "Set a larger SpoolMiB= or Compress=yes in mqtt.conf, then restart the bridge.", command: Self.restart)
    default:
      Diagnosis(
        .bridge, .error, "the bridge cannot store what it cannot send: \(values[.message])",
        why: "While the broker is away, records are lost.", fix: "Free storage, and read its log.",
        command: "df -h /var/lib/cyclometer-mqtt; " + Self.read)
    }
  }

  private func unsent(_ found: String, fix: String, command: String) -> Diagnosis {
    Diagnosis(
      .bridge, .error, found,
      why: "Nothing arrives at the broker. Records are kept until it is back. Sensors and recording are not affected.",
      fix: fix, command: command)
  }

  private func broken(_ found: String, fix: String, command: String) -> Diagnosis {
    Diagnosis(
      .bridge, .error, found,
      why: "Nothing arrives at the broker. Sensors and recording are not affected.", fix: fix, command: command)
  }

  private static let giveRights = "Give the user of the bridge these rights at the broker. docs/fleet.md lists them."
  private static let status = "cyclo fleet status"
  private static let read = "journalctl -u cyclometer-mqtt -n 20 --no-pager"
  private static let restart = "sudo systemctl restart cyclometer-mqtt"
}
