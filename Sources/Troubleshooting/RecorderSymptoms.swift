// What doctor finds about the recorder. It is optional, and only checked if it is installed.

public enum RecorderSymptom: CaseIterable {
  case recording, waiting
  case notRecording, disconnected, denied, silent
  /// Installed and not running, by what systemd knows.
  case misconfigured, stopped
  case disabled

  public var condition: String {
    self == .stopped ? "STATE is inactive or failed" : ""
  }

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .recording: .ok(.recorder, "the ride is recorded, as activity \(values[.activity])")
    case .waiting: .ok(.recorder, "the recorder waits for the next ride")
    case .notRecording:
      broken("a ride is in progress, but it is not recorded", fix: Self.restart, command: Self.restartAndRead)
    case .disconnected:
      broken(
        "the recorder is not connected to the daemon",
        fix: "It retries by itself. Its log shows why it cannot connect:",
        command: Self.read)
    case .denied:
      .noPermission(
        .recorder, path: "\(values[.path])",
        why: "Only members of the group cyclometer can use the logbook. Rides are recorded all the same.")
    case .silent: broken("the recorder: \(values[.message])", fix: Self.restart, command: Self.restartAndRead)
    case .misconfigured:
      broken(
        "the recorder is not running, because its configuration has an error",
        fix: "Read the error, correct recorder.conf, then restart the recorder.", command: Self.read)
    case .stopped:
      broken(
        "the recorder is not running, and its unit is \(values[.state])", fix: "Start it now and at every boot.",
        command: "sudo systemctl enable --now cyclometer-recorder")
    case .disabled:
      Diagnosis(
        .recorder, .warning, "the recorder is running but does not start at boot",
        why: "After a reboot no ride will be recorded.", fix: "Enable it.",
        command: "sudo systemctl enable cyclometer-recorder")
    }
  }

  private func broken(_ found: String, fix: String, command: String) -> Diagnosis {
    Diagnosis(.recorder, .error, found, why: "Rides are not recorded.", fix: fix, command: command)
  }

  private static let restart = "Restart it. If that does not help, read its log."
  private static let read = "journalctl -u cyclometer-recorder -n 20 --no-pager"
  private static let restartAndRead = "sudo systemctl restart cyclometer-recorder; " + read
}

public enum StorageSymptom: CaseIterable {
  case enough, low, failed, slow, damaged, newer

  /// A ride of some days fits.
  public static let manyHours = 100
  /// A commit that takes longer loses more than a second of the ride at a power cut.
  public static let slowestSync = 500

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .enough: .ok(.storage, "there is space for \(values[.duration]) of riding")
    case .low:
      Diagnosis(
        .storage, .warning, "there is space for \(values[.duration]) of riding only",
        why: "When the storage is full, the recorder keeps the last minute in memory, and the rest is lost.",
        fix: "Delete files that you do not need. This lists the largest directories:",
        command: "sudo du -xh --max-depth=2 / | sort -h | tail -n 20")
    case .failed:
      Diagnosis(
        .storage, .error, "the recorder cannot write: \(values[.message])",
        why: "The recorder keeps the last minute in memory, and the rest of the ride is lost.",
        fix: "If the file system is read-only, the kernel log says why. A card that fails must be replaced.",
        command: "sudo dmesg | grep -iE 'mmc|ext4|f2fs|i/o error' | tail -n 20")
    case .slow:
      Diagnosis(
        .storage, .warning, "the storage is slow: one commit in a hundred takes over \(values[.timeout]) ms",
        why: "A power cut loses the seconds that were not committed. Cards become slow before they fail.",
        fix: "Use another card, best one that is made for recording video.")
    case .damaged:
      Diagnosis(
        .storage, .warning, "the logbook was damaged: \(values[.message])",
        why: "Cards damage files when they wear out. What could be read is in the logbook again.",
        fix: "Use another card. When you miss nothing, remove the damaged file, which this lists:",
        command: "sudo ls -l /var/lib/cyclometer-recorder")
    case .newer:
      Diagnosis(
        .storage, .warning, "a newer release wrote the logbook that is now \(values[.path])",
        why: "This release cannot read it, so it began a new logbook. The older activities are in that file.",
        fix: "Install the newer release, import the file, and then remove it.",
        command: "sudo cyclo logbook import \(values[.path])")
    }
  }
}

public enum InterruptedSymptom: CaseIterable {
  case interrupted

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    Diagnosis(
      .interrupted, .warning, "the last recording, activity \(values[.activity]), was interrupted",
      why: "The computer or the recorder stopped in mid-ride, and the ride had ended when they were back.",
      fix:
        "Everything up to then is kept. If the ride went on in the next activity, `cyclo logbook edit --join` joins them.",
      command: "cyclo logbook show \(values[.activity])")
  }
}

public enum ExportSymptom: CaseIterable {
  case working, failing, failingElsewhere

  public static let usualFolder = "/var/lib/cyclometer-recorder/export"

  public var condition: String {
    self == .failingElsewhere ? "FOLDER is not the default" : ""
  }

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .working: .ok(.export, "finished rides are exported to \(values[.folder])")
    case .failing:
      failing(
        values, values[.folder, or: Self.usualFolder], fix: "Restore the folder and its owner.",
        command: "sudo systemd-tmpfiles --create cyclometer-recorder.conf")
    case .failingElsewhere:
      failing(
        values, values[.folder],
        fix: "Let the user cyclometer-recorder write to that folder. The sandbox also has to allow it:",
        command:
          "printf '[Service]\\nReadWritePaths=\"%s\"\\n' '\(values[.folder])' | sudo install -D -m 644 /dev/stdin "
          + "/etc/systemd/system/cyclometer-recorder.service.d/export.conf && sudo systemctl daemon-reload && "
          + "sudo systemctl restart cyclometer-recorder")
    }
  }

  private func failing(_ values: Values, _ folder: String, fix: String, command: String) -> Diagnosis {
    Diagnosis(
      .export, .warning, "rides cannot be exported to \(folder): \(values[.message])",
      why: "Programs that upload rides do not get them. The logbook has them.", fix: fix, command: command)
  }
}
