// Checks of the daemon: running, same release, permissions, started at boot, sandboxed.

import Troubleshooting

extension Facts {
  var daemonDiagnoses: [Diagnosis] {
    [daemonDiagnosis, releaseDiagnosis, permissionDiagnosis, serviceDiagnosis, sandboxDiagnosis].compactMap { $0 }
      + (plugins?.fileDiagnoses ?? [])
  }

  private var daemonDiagnosis: Diagnosis {
    switch contact {
    case .answers(let release, let path, _):
      let symptom: DaemonSymptom = isSimulated ? .answersWithSimulation : .answers
      return symptom.diagnosis([.release: release, .path: path])
    case .notAllowed(let path): return DaemonSymptom.denied.diagnosis([.path: path])
    // systemd holds the socket and tries in vain to start the daemon for each client.
    case .silent(let reason) where host.units?.daemon.exitStatus == "78" && isUsualSocket:
      return DaemonSymptom.silentBecauseOfConfiguration.diagnosis([.message: reason])
    case .silent(let reason): return DaemonSymptom.silent.diagnosis([.message: reason])
    case .absent(let path):
      return absence.diagnosis([.path: path, .state: host.units?.daemon.active ?? ""])
    }
  }

  /// Why nothing listens.
  private var absence: DaemonSymptom {
    guard isUsualSocket else { return .absentElsewhere }
    guard let unit = host.units?.daemon else { return host.hasSystemd ? .absent : .absentWithoutSystemd }
    switch (unit.load, unit.active) {
    case ("not-found", _): return .notInstalled
    case ("masked", _): return .masked
    // 78 (EX_CONFIG): the configuration has an error.
    case (_, "failed") where unit.exitStatus == "78": return .misconfigured
    case (_, "active"), (_, "activating"), (_, "failed"): return .stuck
    default: return .stopped
    }
  }

  private var releaseDiagnosis: Diagnosis? {
    guard case .answers(let release, _, _) = contact else { return nil }
    let symptom: ReleaseSymptom = release == ownRelease ? .same : .different
    return symptom.diagnosis([.release: release, .ownRelease: ownRelease])
  }

  private var permissionDiagnosis: Diagnosis? {
    switch contact {
    case .answers(_, _, .allowed): PermissionSymptom.allowed.diagnosis()
    case .answers(_, _, .absent): PermissionSymptom.readOnly.diagnosis()
    case .answers(_, _, .refused), .notAllowed:
      (host.hasGroup ? PermissionSymptom.denied : .noGroup).diagnosis()
    case .absent, .silent: nil
    }
  }

  private var serviceDiagnosis: Diagnosis? {
    // This unit did not start a daemon at another socket.
    guard case .answers = contact, isUsualSocket, !isSimulated, let unit = host.units?.daemon, unit.isThere else {
      return nil
    }
    switch unit.file {
    case "enabled": return ServiceSymptom.enabled.diagnosis()
    case "disabled": return ServiceSymptom.disabled.diagnosis()
    default: return nil
    }
  }

  private var sandboxDiagnosis: Diagnosis? {
    guard case .answers = contact, isUsualSocket, !isSimulated, let unit = host.units?.daemon, unit.isActive,
      !unit.noNewPrivileges.isEmpty
    else { return nil }
    // With a tilde it is a list of denied families.
    let isDenied = unit.addressFamilies.hasPrefix("~")
    let families = unit.addressFamilies.split { $0 == " " || $0 == "~" }
    if !families.isEmpty, families.contains("AF_BLUETOOTH") == isDenied {
      return SandboxSymptom.noBluetooth.diagnosis()
    }
    if ["", "root"].contains(unit.user) { return SandboxSymptom.root.diagnosis() }
    let symptom: SandboxSymptom = unit.noNewPrivileges != "yes" || families.isEmpty ? .open : .sandboxed
    return symptom.diagnosis([.user: unit.user])
  }
}
