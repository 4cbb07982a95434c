// Is the daemon there, is it the right one, may this user use it, and will it be there after the next start of the machine?

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
      return Finding(check: "daemon", verdict: .unknown, saw: "\(path) lets this user not in, so nobody can be asked")
    // systemd listens in its place, and starts it for whoever comes, in vain.
    case .silent(let reason) where host.units?.daemon.exitStatus == "78" && isUsualSocket:
      return Finding(
        check: "daemon", verdict: .wrong, saw: "\(reason), for it has refused its configuration",
        why: "Without it no program gets a value.", mend: "Read what it refuses, correct it, then start it anew.",
        command: Self.readRefusal)
    case .silent(let reason):
      return Finding(
        check: "daemon", verdict: .wrong, saw: reason, why: "A daemon that does not answer serves no program.",
        mend: "Start it anew; if that changes nothing, read its log.", command: Self.startAnew)
    case .absent(let path):
      return absent(path)
    }
  }

  private static let readRefusal = "journalctl -u cyclometerd -n 20 --no-pager"
  private static let startAnew = "sudo systemctl restart cyclometerd; journalctl -u cyclometerd -n 50 --no-pager"

  private func absent(_ path: String) -> Finding {
    func finding(_ mend: String, _ command: String, _ state: String = "") -> Finding {
      Finding(
        check: "daemon", verdict: .wrong, saw: "the daemon does not run: nobody listens at \(path)" + state,
        why: "It is what keeps the sensors connected; without it no program gets a value.", mend: mend, command: command
      )
    }
    let start = "sudo systemctl enable --now cyclometerd"
    guard isUsualSocket else {
      return finding("Start it, or name the control socket of one that runs with --socket PATH.", start)
    }
    guard let unit = host.units?.daemon else {
      if host.hasSystemd { return finding("Start it.", start) }
      return finding("Start it as this machine starts its services; by hand this does it.", "sudo cyclometerd")
    }
    switch (unit.load, unit.active) {
    case ("not-found", _):
      return finding(
        "Install it, in the folder of its sources.",
        "sudo make install && sudo systemd-sysusers && sudo systemctl daemon-reload && \(start)",
        ", and systemd knows no unit of it")
    case ("masked", _):
      return finding(
        "Unmask and start it.", "sudo systemctl unmask cyclometerd && \(start)", ", and its unit is masked")
    // What the daemon ends with when it does not understand its configuration.
    case (_, "failed") where unit.exitStatus == "78":
      return finding(
        "Read what it refuses, correct it, then start it anew.", Self.readRefusal,
        ", and it has refused its configuration")
    case (_, "active"), (_, "activating"), (_, "failed"):
      return finding(
        "Start it anew; if that changes nothing, read its log.", Self.startAnew, ", and its unit is \(unit.active)")
    default:
      return finding("Start it, now and with the machine.", start, ", and its unit is \(unit.active)")
    }
  }

  private var releaseFinding: Finding? {
    guard case .answers(let release, _, _) = contact else { return nil }
    if release == ownRelease { return .ok("release", "cyclo and cyclometerd are both \(release)") }
    return Finding(
      check: "release", verdict: .advice, saw: "cyclo is \(ownRelease), and cyclometerd is \(release)",
      why: "The daemon was not restarted after an upgrade, or two were installed: what the newer one can is missing.",
      mend: "Start the daemon anew.", command: "sudo systemctl restart cyclometerd")
  }

  private var permissionFinding: Finding? {
    var finding = Finding(
      check: "permission", verdict: .wrong, saw: "this user may not use the control socket",
      why: "Only members of the group cyclometer may scan, pair and change settings.",
      mend: "Become a member, then log in again: a membership counts from then on.",
      command: "sudo usermod -aG cyclometer \"$USER\"")
    switch contact {
    case .answers(_, _, .allowed): return .ok("permission", "this user may use the control socket")
    case .answers(_, _, .absent):
      return Finding(
        check: "permission", verdict: .unknown,
        saw: "there is no control socket here, only the one that reads: nothing can be changed from here")
    case .answers(_, _, .refused), .notAllowed:
      guard !host.hasGroup else { return finding }
      finding.mend = "The group is missing: have it made, become a member, then log in again."
      finding.command =
        "sudo systemd-sysusers && sudo usermod -aG cyclometer \"$USER\" && sudo systemctl restart cyclometerd"
      return finding
    case .absent, .silent: return nil
    }
  }

  private var serviceFinding: Finding? {
    // A daemon somewhere else was not started by this unit.
    guard case .answers = contact, isUsualSocket, !isSimulated, let unit = host.units?.daemon, unit.isThere else {
      return nil
    }
    switch unit.file {
    case "enabled": return .ok("service", "cyclometerd is started with the machine")
    case "disabled":
      return Finding(
        check: "service", verdict: .advice, saw: "cyclometerd runs, and is not started with the machine",
        why: "After the next start of the machine no sensor is connected.", mend: "Enable it.",
        command: "sudo systemctl enable cyclometerd")
    default: return nil
    }
  }

  /// What hears whatever is sent over the air should be able to harm nothing, and has to be able to do its work.
  private var sandboxFinding: Finding? {
    guard case .answers = contact, isUsualSocket, !isSimulated, let unit = host.units?.daemon, unit.isActive,
      !unit.noNewPrivileges.isEmpty
    else { return nil }
    func finding(_ verdict: Verdict, _ saw: String, _ why: String) -> Finding {
      Finding(
        check: "sandbox", verdict: verdict, saw: saw, why: why,
        mend: "Go back to the unit as it is delivered; this says what was changed, and undoes it.",
        command: "systemctl cat cyclometerd; sudo systemctl revert cyclometerd && sudo systemctl restart cyclometerd")
    }
    // With a tilde they are those that are denied.
    let isDenied = unit.addressFamilies.hasPrefix("~")
    let families = unit.addressFamilies.split { $0 == " " || $0 == "~" }
    if !families.isEmpty, families.contains("AF_BLUETOOTH") == isDenied {
      return finding(
        .wrong, "its unit does not let cyclometerd use AF_BLUETOOTH",
        "How strong links are, whether an adapter is full, and when a connect may be cancelled is asked through it.")
    }
    if ["", "root"].contains(unit.user) {
      return finding(
        .advice, "cyclometerd runs as root", "It needs no privilege, and hears what anybody sends over the air.")
    }
    if unit.noNewPrivileges != "yes" || families.isEmpty {
      return finding(
        .advice, "cyclometerd runs as \(unit.user), without its sandbox",
        "The sandbox keeps what might be wrong with it from the rest of the machine.")
    }
    return .ok("sandbox", "cyclometerd runs as \(unit.user), in its sandbox")
  }
}
