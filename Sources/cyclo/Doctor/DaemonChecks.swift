// Checks of the daemon: running, same release, permissions, started at boot, sandboxed.

extension Facts {
  var daemonFindings: [Finding] {
    [daemonFinding, releaseFinding, permissionFinding, serviceFinding, sandboxFinding].compactMap { $0 }
  }

  private var daemonFinding: Finding {
    switch contact {
    case .answers(let release, let path, _):
      let kind = isSimulated ? "; its sensors are simulated" : ""
      return .ok("daemon", "cyclometerd \(release) answers at \(path)\(kind)")
    case .notAllowed(let path):
      return Finding(check: "daemon", verdict: .unknown, found: "permission denied on \(path): cannot query the daemon")
    // systemd holds the socket and tries in vain to start the daemon for each client.
    case .silent(let reason) where host.units?.daemon.exitStatus == "78" && isUsualSocket:
      return Finding(
        check: "daemon", verdict: .error, found: "\(reason), because its configuration has an error",
        why: "Without the daemon no program gets data.",
        fix: "Read the error, correct the configuration, then restart the daemon.",
        command: Self.readRefusal)
    case .silent(let reason):
      return Finding(
        check: "daemon", verdict: .error, found: reason, why: "While the daemon does not answer, no program gets data.",
        fix: "Restart it. If that does not help, read its log.", command: Self.startAnew)
    case .absent(let path):
      return absent(path)
    }
  }

  private static let readRefusal = "journalctl -u cyclometerd -n 20 --no-pager"
  private static let startAnew = "sudo systemctl restart cyclometerd; journalctl -u cyclometerd -n 50 --no-pager"

  private func absent(_ path: String) -> Finding {
    func finding(_ fix: String, _ command: String, _ state: String = "") -> Finding {
      Finding(
        check: "daemon", verdict: .error, found: "the daemon is not running: nothing listens at \(path)" + state,
        why: "The daemon keeps the sensors connected. Without it no program gets data.", fix: fix, command: command
      )
    }
    let start = "sudo systemctl enable --now cyclometerd"
    guard isUsualSocket else {
      return finding("Start it, or name the control socket of a running daemon with --socket PATH.", start)
    }
    guard let unit = host.units?.daemon else {
      if host.hasSystemd { return finding("Start it.", start) }
      return finding("Start it the way this machine starts services, or by hand:", "sudo cyclometerd")
    }
    switch (unit.load, unit.active) {
    case ("not-found", _):
      return finding(
        "Install it from the directory of its sources.",
        "sudo make install && sudo systemd-sysusers && sudo systemctl daemon-reload && \(start)",
        ", and systemd has no unit for it")
    case ("masked", _):
      return finding(
        "Unmask and start it.", "sudo systemctl unmask cyclometerd && \(start)", ", and its unit is masked")
    // 78 (EX_CONFIG): the configuration has an error.
    case (_, "failed") where unit.exitStatus == "78":
      return finding(
        "Read the error, correct the configuration, then restart the daemon.", Self.readRefusal,
        ", and its configuration has an error")
    case (_, "active"), (_, "activating"), (_, "failed"):
      return finding(
        "Restart it. If that does not help, read its log.", Self.startAnew, ", and its unit is \(unit.active)")
    default:
      return finding("Start it now and at every boot.", start, ", and its unit is \(unit.active)")
    }
  }

  private var releaseFinding: Finding? {
    guard case .answers(let release, _, _) = contact else { return nil }
    if release == ownRelease { return .ok("release", "cyclo and cyclometerd are both \(release)") }
    return Finding(
      check: "release", verdict: .warning, found: "cyclo is \(ownRelease), but cyclometerd is \(release)",
      why: "The daemon was not restarted after an upgrade, or two versions are installed. Newer features are missing.",
      fix: "Restart the daemon.", command: "sudo systemctl restart cyclometerd")
  }

  private var permissionFinding: Finding? {
    var finding = Finding(
      check: "permission", verdict: .error, found: "you have no permission to use the control socket",
      why: "Only members of the group cyclometer can scan, pair and change settings.",
      fix: "Join the group, then log in again for it to take effect.",
      command: "sudo usermod -aG cyclometer \"$USER\"")
    switch contact {
    case .answers(_, _, .allowed): return .ok("permission", "you have permission to use the control socket")
    case .answers(_, _, .absent):
      return Finding(
        check: "permission", verdict: .unknown,
        found: "only the read-only socket is available here, so nothing can be changed")
    case .answers(_, _, .refused), .notAllowed:
      guard !host.hasGroup else { return finding }
      finding.fix = "The group does not exist. Create it, join it, then log in again."
      finding.command =
        "sudo systemd-sysusers && sudo usermod -aG cyclometer \"$USER\" && sudo systemctl restart cyclometerd"
      return finding
    case .absent, .silent: return nil
    }
  }

  private var serviceFinding: Finding? {
    // This unit did not start a daemon at another socket.
    guard case .answers = contact, isUsualSocket, !isSimulated, let unit = host.units?.daemon, unit.isThere else {
      return nil
    }
    switch unit.file {
    case "enabled": return .ok("service", "cyclometerd starts at boot")
    case "disabled":
      return Finding(
        check: "service", verdict: .warning, found: "cyclometerd is running but does not start at boot",
        why: "After a reboot no sensor will be connected.", fix: "Enable it.",
        command: "sudo systemctl enable cyclometerd")
    default: return nil
    }
  }

  /// The daemon parses radio data from strangers, so it should run in its sandbox.
  private var sandboxFinding: Finding? {
    guard case .answers = contact, isUsualSocket, !isSimulated, let unit = host.units?.daemon, unit.isActive,
      !unit.noNewPrivileges.isEmpty
    else { return nil }
    func finding(_ verdict: Verdict, _ found: String, _ why: String) -> Finding {
      Finding(
        check: "sandbox", verdict: verdict, found: found, why: why,
        fix: "Go back to the original unit. This shows your changes, then reverts them:",
        command: "systemctl cat cyclometerd; sudo systemctl revert cyclometerd && sudo systemctl restart cyclometerd")
    }
    // With a tilde it is a list of denied families.
    let isDenied = unit.addressFamilies.hasPrefix("~")
    let families = unit.addressFamilies.split { $0 == " " || $0 == "~" }
    if !families.isEmpty, families.contains("AF_BLUETOOTH") == isDenied {
      return finding(
        .error, "the unit does not allow cyclometerd to use AF_BLUETOOTH",
        "The daemon needs it to read signal strength, find out whether an adapter is full, and cancel connects.")
    }
    if ["", "root"].contains(unit.user) {
      return finding(
        .warning, "cyclometerd runs as root", "It needs no privileges, and it parses radio data from strangers.")
    }
    if unit.noNewPrivileges != "yes" || families.isEmpty {
      return finding(
        .warning, "cyclometerd runs as \(unit.user), without its sandbox",
        "The sandbox protects the rest of the machine from bugs in it.")
    }
    return .ok("sandbox", "cyclometerd runs as \(unit.user), in its sandbox")
  }
}
