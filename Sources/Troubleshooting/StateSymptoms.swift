// What doctor finds about the connection of a paired sensor.

public enum StateSymptom: CaseIterable {
  case fine, stale, program, lost, neverFound
  /// The checks of the machine report the problem.
  case machine

  /// A sensor in use is found within seconds.
  public static let longSearch = 600

  public var condition: String {
    self == .lost || self == .neverFound ? "DURATION is over \(Self.longSearch / 60) min" : ""
  }

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .fine: .ok(.state, values[.state, or: "streaming"])
    case .stale:
      Diagnosis(
        .state, .warning, values[.state, or: stateText("stale", "silent")], why: "Its last values are old.",
        fix: "Wake it: spin the crank or the wheel, or wear the strap. This shows its data:",
        command: "cyclo watch --sensor \(values[.sensor])")
    case .program:
      Diagnosis(
        .state, .warning, values[.state, or: stateText("stale", "plugin_gone")],
        why: "It is connected, but the program that decodes its packets does not run, or did not answer.",
        fix: "Start the service of that program. This shows which programs have come and gone:",
        command: "journalctl -u cyclometerd | grep program")
    case .lost: missing(values, "last data \(values[.duration]) ago")
    case .neverFound: missing(values, "no data since the daemon started, \(values[.duration]) ago")
    case .machine:
      Diagnosis(
        .state, .unknown, values[.state, or: "STATE: REASON"],
        why: "See the checks of the machine. The sensor connects when that is fixed.")
    }
  }

  private func missing(_ values: Values, _ since: String) -> Diagnosis {
    Diagnosis(
      .state, .warning, "\(values[.state, or: "searching"]); \(since)",
      why: "It is asleep, out of range, connected elsewhere, or its battery is empty.",
      fix: "Wake it near this computer, then scan for it.", command: "cyclo scan -t 30")
  }
}

/// Reasons why a sensor does not connect.
public enum ConnectingSymptom: CaseIterable {
  case bondLost, heldElsewhere, noSlots, linkStuck, unsupported, failed, connectingFailed

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .bondLost:
      error(
        values, stateText("error", "bond_lost"),
        why: "It refuses the bond stored on this computer. The daemon does not retry until you pair it again.",
        fix: "Wake it and pair it again. It keeps its id and settings.", "cyclo pair \(values[.address])")
    case .heldElsewhere:
      error(
        values, stateText("STATE", "held_elsewhere"),
        why: "A sensor that is connected elsewhere does not advertise, or sends its data only there.",
        fix: "Disconnect it from watches, phones and other computers. If a program on this computer uses it, run:",
        "bluetoothctl disconnect \(values[.address])")
    case .noSlots:
      error(
        values, stateText("STATE", "no_slots"),
        why: "All connections of the adapter are in use, so this sensor has to wait.",
        fix: "Add a second adapter, or disconnect another device. This lists them:",
        "bluetoothctl devices Connected")
    case .linkStuck:
      error(
        values, stateText("STATE", "link_stuck"),
        why: "The adapter holds a link that Linux does not know, so the sensor does not advertise.",
        fix: "The daemon power-cycles the adapter once it has no other link. This does it now; all sensors reconnect.",
        "bluetoothctl power off && bluetoothctl power on")
    case .unsupported:
      error(
        values, stateText("error", "unsupported"), why: "No plugin supports it, so it provides no data.",
        fix: "Remove it.", "cyclo forget \(values[.sensor])")
    case .failed:
      error(
        values, "error: REASON", why: "The daemon does not retry until you act.", fix: "Wake it and pair it again.",
        "cyclo pair \(values[.address])")
    case .connectingFailed:
      error(
        values, stateText("STATE", "connecting_failed"), why: "It is in range, but connecting fails.",
        fix: "Move it closer, or take its battery out for a moment. The log shows how connecting fails:",
        "journalctl -u cyclometerd -n 50 --no-pager")
    }
  }

  private func error(
    _ values: Values, _ shown: @autoclosure () -> String, why: String, fix: String, _ command: String
  ) -> Diagnosis {
    Diagnosis(.state, .error, values[.state, or: shown()], why: why, fix: fix, command: command)
  }
}

/// `stale: no data`
private func stateText(_ state: String, _ reason: String) -> String { "\(state): \(reasonText(reason))" }
