// What doctor finds about the dashboard. It is optional, and only checked if it is installed.

public enum DashboardSymptom: CaseIterable {
  case reachable, local
  /// The socket for phones was enabled after the server had started.
  case outdated
  case portTaken, networkPortTaken
  case disconnected, denied, silent
  /// Installed and not running, by what systemd knows.
  case misconfigured, stopped
  case disabled

  public var condition: String {
    self == .stopped ? "STATE is inactive or failed" : ""
  }

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .reachable: .ok(.dashboard, "phones can reach the dashboard; 'cyclo web link' lets one in")
    case .local:
      .ok(
        .dashboard,
        "the dashboard runs, for this computer only; for phones: \(Self.openNetwork)")
    case .outdated:
      limited(
        "phones cannot reach the dashboard, although its socket for the network is enabled",
        fix: "Restart the dashboard, so that it gets the socket.", command: "sudo systemctl restart cyclometer-web")
    case .portTaken:
      Diagnosis(
        .dashboard, .error, "the dashboard cannot listen, and cyclometer-web-http.socket is failed",
        why: "No browser can show the dashboard. Usually another program uses port 8080.",
        fix: "This shows which one. Stop it, or choose another port in a drop-in of the socket, then start the socket.",
        command: "sudo ss -ltnp 'sport = :8080'; systemctl status cyclometer-web-http.socket")
    case .networkPortTaken:
      limited(
        "phones cannot reach the dashboard, because cyclometer-web-lan.socket is failed",
        fix: "Usually another program uses port 8081. This shows which one:",
        command: "sudo ss -ltnp 'sport = :8081'; systemctl status cyclometer-web-lan.socket")
    case .disconnected:
      broken(
        "the dashboard is not connected to the daemon: \(values[.message])", fix: Self.restart,
        command: Self.restartAndRead)
    case .denied:
      .noPermission(
        .dashboard, path: "\(values[.path])",
        why: "Only members of the group cyclometer can let phones in with cyclo. The dashboard works all the same.")
    case .silent: broken("the dashboard: \(values[.message])", fix: Self.restart, command: Self.restartAndRead)
    case .misconfigured:
      broken(
        "the dashboard is not running, because its configuration has an error",
        fix: "Read the error, correct web.conf, then restart the dashboard.", command: Self.read)
    case .stopped:
      broken(
        "the dashboard is not running, and its unit is \(values[.state])", fix: "Start it now and at every boot.",
        command: "sudo systemctl enable --now cyclometer-web")
    case .disabled:
      Diagnosis(
        .dashboard, .warning, "the dashboard is running but does not start at boot",
        why: "After a reboot no browser can show it.", fix: "Enable it.",
        command: "sudo systemctl enable cyclometer-web")
    }
  }

  private func broken(_ found: String, fix: String, command: String) -> Diagnosis {
    Diagnosis(
      .dashboard, .error, found, why: "Browsers do not show the ride. Sensors and recording are not affected.",
      fix: fix,
      command: command)
  }

  private func limited(_ found: String, fix: String, command: String) -> Diagnosis {
    Diagnosis(.dashboard, .warning, found, why: "It works on this computer only.", fix: fix, command: command)
  }

  /// A socket cannot be started while its service runs.
  public static let openNetwork =
    "sudo systemctl enable cyclometer-web-lan.socket && sudo systemctl restart cyclometer-web"
  private static let restart = "Restart it. If that does not help, read its log."
  private static let read = "journalctl -u cyclometer-web -n 20 --no-pager"
  private static let restartAndRead = "sudo systemctl restart cyclometer-web; " + read
}
