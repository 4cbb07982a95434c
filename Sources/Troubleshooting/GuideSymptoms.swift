// What doctor finds about the guide. It is optional, and only checked if it is installed.

public enum GuideSymptom: CaseIterable {
  case following, waiting
  /// Routes and segments cannot be read without a recorder.
  case coachOnly
  case differentRelease
  case disconnected, withoutLogbook, routeMissing
  case denied, silent
  /// Installed and not running, by what systemd knows.
  case misconfigured, stopped
  case disabled

  public var condition: String {
    switch self {
    case .withoutLogbook: "the recorder answers you, but not the guide"
    case .stopped: "STATE is inactive or failed"
    default: ""
    }
  }

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .following: .ok(.guide, "the guide follows route \(values[.route])")
    case .waiting: .ok(.guide, "the guide waits for a route; 'cyclo route follow' names one")
    case .coachOnly:
      .ok(.guide, "the guide coaches only, because routes and segments need the package cyclometer-recorder")
    case .differentRelease:
      Diagnosis(
        .guide, .warning, "the guide is release \(values[.release]), and this cyclo is \(values[.ownRelease])",
        why: "They work together, but one may lack what the other has.",
        fix: "Install the same release of both packages. If they are the same, restart the guide.",
        command: Self.restartCommand)
    case .disconnected:
      broken(
        "the guide is not connected to the daemon",
        fix: "It retries by itself. Its log shows why it cannot connect:", command: Self.read)
    case .withoutLogbook:
      broken(
        "the guide cannot read routes and segments: \(values[.message])", fix: Self.restart,
        command: Self.restartAndRead)
    case .routeMissing:
      Diagnosis(
        .guide, .warning, "the guide cannot follow route \(values[.route]): \(values[.message])",
        why: "It retries by itself. Until then displays show no route.",
        fix: "If the route was deleted, leave it, or follow another one.", command: "cyclo route leave")
    case .denied:
      .noPermission(
        .guide, path: "\(values[.path])",
        why: "Only members of the group cyclometer can follow routes. The guide keeps following the current route.")
    case .silent: broken("the guide: \(values[.message])", fix: Self.restart, command: Self.restartAndRead)
    case .misconfigured:
      broken(
        "the guide is not running, because its configuration has an error",
        fix: "Read the error, correct guide.conf, then restart the guide.", command: Self.read)
    case .stopped:
      broken(
        "the guide is not running, and its unit is \(values[.state])", fix: "Start it now and at every boot.",
        command: "sudo systemctl enable --now cyclometer-guide")
    case .disabled:
      Diagnosis(
        .guide, .warning, "the guide is running but does not start at boot",
        why: "After a reboot no route is followed until a program uses the guide.", fix: "Enable it.",
        command: "sudo systemctl enable cyclometer-guide")
    }
  }

  private func broken(_ found: String, fix: String, command: String) -> Diagnosis {
    Diagnosis(
      .guide, .error, found,
      why: "Routes are not followed, and segments not recognized. Sensors and recording are not affected.", fix: fix,
      command: command)
  }

  private static let restart = "Restart it. If that does not help, read its log."
  private static let read = "journalctl -u cyclometer-guide -n 20 --no-pager"
  private static let restartCommand = "sudo systemctl restart cyclometer-guide"
  private static let restartAndRead = restartCommand + "; " + read
}
