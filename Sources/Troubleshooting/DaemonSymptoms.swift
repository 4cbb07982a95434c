// What doctor finds about the daemon.

public enum DaemonSymptom: CaseIterable {
  case answers, answersWithSimulation, denied
  case silent, silentBecauseOfConfiguration
  /// Not running, by what systemd knows.
  case absent, absentElsewhere, absentWithoutSystemd, notInstalled, masked, misconfigured, stuck, stopped

  public var condition: String {
    switch self {
    case .absent: "systemd does not answer"
    case .absentElsewhere: "you named another control socket"
    case .absentWithoutSystemd: "this machine has no systemd"
    case .stuck: "STATE is active, activating or failed"
    case .stopped: "it is another state"
    default: ""
    }
  }

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .answers: .ok(.daemon, Self.answer(values))
    case .answersWithSimulation: .ok(.daemon, Self.answer(values) + "; its sensors are simulated")
    case .denied:
      Diagnosis(.daemon, .unknown, "permission denied on \(values[.path]): cannot query the daemon")
    case .silent:
      Diagnosis(
        .daemon, .error, values[.message], why: "While the daemon does not answer, no program gets data.",
        fix: Self.restart, command: Self.restartAndRead)
    case .silentBecauseOfConfiguration:
      Diagnosis(
        .daemon, .error, "\(values[.message]), because its configuration has an error",
        why: "Without the daemon no program gets data.", fix: Self.correct, command: Self.readError)
    case .absent: absent(values, fix: "Start it.", command: Self.start)
    case .absentElsewhere:
      absent(
        values, fix: "Start it, or name the control socket of a running daemon with --socket PATH.",
        command: Self.start)
    case .absentWithoutSystemd:
      absent(values, fix: "Start it the way this machine starts services, or by hand:", command: "sudo cyclometerd")
    case .notInstalled:
      absent(
        values, ", and systemd has no unit for it", fix: "Install it from the directory of its sources.",
        command: "sudo make install && sudo systemd-sysusers && sudo systemctl daemon-reload && \(Self.start)")
    case .masked:
      absent(
        values, ", and its unit is masked", fix: "Unmask and start it.",
        command: "sudo systemctl unmask cyclometerd && \(Self.start)")
    case .misconfigured:
      absent(values, ", and its configuration has an error", fix: Self.correct, command: Self.readError)
    case .stuck:
      absent(values, ", and its unit is \(values[.state])", fix: Self.restart, command: Self.restartAndRead)
    case .stopped:
      absent(values, ", and its unit is \(values[.state])", fix: "Start it now and at every boot.", command: Self.start)
    }
  }

  private static func answer(_ values: Values) -> String {
    "cyclometerd \(values[.release]) answers at \(values[.path])"
  }

  private func absent(_ values: Values, _ state: String = "", fix: String, command: String) -> Diagnosis {
    Diagnosis(
      .daemon, .error, "the daemon is not running: nothing listens at \(values[.path])" + state,
      why: "The daemon keeps the sensors connected. Without it no program gets data.", fix: fix, command: command)
  }

  private static let start = "sudo systemctl enable --now cyclometerd"
  private static let restart = "Restart it. If that does not help, read its log."
  private static let restartAndRead =
    "sudo systemctl restart cyclometerd; journalctl -u cyclometerd -n 50 --no-pager"
  private static let correct = "Read the error, correct the configuration, then restart the daemon."
  private static let readError = "journalctl -u cyclometerd -n 20 --no-pager"
}

public enum ReleaseSymptom: CaseIterable {
  case same, different

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .same: .ok(.release, "cyclo and cyclometerd are both \(values[.release])")
    case .different:
      Diagnosis(
        .release, .warning, "cyclo is \(values[.ownRelease]), but cyclometerd is \(values[.release])",
        why:
          "The daemon was not restarted after an upgrade, or two versions are installed. Newer features are missing.",
        fix: "Restart the daemon.", command: "sudo systemctl restart cyclometerd")
    }
  }
}

public enum PermissionSymptom: CaseIterable {
  case allowed, readOnly, denied, noGroup

  public var condition: String {
    self == .denied ? "the group cyclometer exists" : ""
  }

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .allowed: .ok(.permission, "you have permission to use the control socket")
    case .readOnly:
      Diagnosis(.permission, .unknown, "only the read-only socket is available here, so nothing can be changed")
    case .denied:
      denied(fix: Diagnosis.joinAdvice, command: Diagnosis.joinGroup)
    case .noGroup:
      denied(
        fix: "The group does not exist. Create it, join it, then log in again.",
        command: "sudo systemd-sysusers && \(Diagnosis.joinGroup) && sudo systemctl restart cyclometerd")
    }
  }

  private func denied(fix: String, command: String) -> Diagnosis {
    Diagnosis(
      .permission, .error, "you have no permission to use the control socket",
      why: "Only members of the group cyclometer can scan, pair and change settings.", fix: fix, command: command)
  }
}

public enum ServiceSymptom: CaseIterable {
  case enabled, disabled

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .enabled: .ok(.service, "cyclometerd starts at boot")
    case .disabled:
      Diagnosis(
        .service, .warning, "cyclometerd is running but does not start at boot",
        why: "After a reboot no sensor will be connected.", fix: "Enable it.",
        command: "sudo systemctl enable cyclometerd")
    }
  }
}

/// The daemon parses radio data from strangers, so it should run in its sandbox.
public enum SandboxSymptom: CaseIterable {
  case sandboxed, noBluetooth, root, open

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .sandboxed: .ok(.sandbox, "cyclometerd runs as \(values[.user]), in its sandbox")
    case .noBluetooth:
      changed(
        .error, "the unit does not allow cyclometerd to use AF_BLUETOOTH",
        why: "The daemon needs it to read signal strength, find out whether an adapter is full, and cancel connects.")
    case .root:
      changed(
        .warning, "cyclometerd runs as root",
        why: "It needs no privileges, and it parses radio data from strangers.")
    case .open:
      changed(
        .warning, "cyclometerd runs as \(values[.user]), without its sandbox",
        why: "The sandbox protects the rest of the machine from bugs in it.")
    }
  }

  private func changed(_ verdict: Verdict, _ found: String, why: String) -> Diagnosis {
    Diagnosis(
      .sandbox, verdict, found, why: why,
      fix: "Go back to the original unit. This shows your changes, then reverts them:",
      command: "systemctl cat cyclometerd; sudo systemctl revert cyclometerd && sudo systemctl restart cyclometerd")
  }
}

/// About the files that declare sensors.
public enum SensorFileSymptom: CaseIterable {
  case used, omitted

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .used: .ok(.files, "sensors declared in files: \(values[.count])")
    case .omitted:
      Diagnosis(
        .files, .error, "\(values[.path]) is not used: line \(values[.line]): \(values[.message])",
        why: "The sensors that it declares are not recognized, and paired ones send nothing.",
        fix: "List all its errors, correct it, and reload the daemon with 'sudo systemctl reload cyclometerd'.",
        command: "cyclo plugin check \(values[.path])")
    }
  }
}
