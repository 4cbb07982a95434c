// Checks of the dashboard: does it run, and can phones reach it. Without a dashboard there are none.

import CyclometerClient
import JSON
import Troubleshooting

/// What the dashboard's server answered.
enum DashboardContact: ServiceContact, Equatable {
  /// `daemon` is `connected`, or why it is not.
  case answers(isInNetwork: Bool, daemon: String)
  case absent
  case notAllowed(path: String)
  case silent(reason: String)

  static func ask(_ endpoint: Endpoint) -> DashboardContact {
    do throws(ClientError) {
      let (stream, _) = try WebSession.open(WebSession.path(endpoint))
      let status = try WebSession.ask(stream, "status")
      return .answers(isInNetwork: status["lan"]?.bool == true, daemon: status["daemon"]?.text ?? "connected")
    } catch {
      return .failed(error)
    }
  }
}

struct DashboardChecks {
  let facts: Facts

  var diagnoses: [Diagnosis] {
    switch facts.dashboard {
    case .answers(let isInNetwork, let daemon):
      [isPortTaken ? DashboardSymptom.portTaken.diagnosis() : reach(isInNetwork), connection(daemon), disabled]
        .compactMap(\.self)
    case .notAllowed(let path): [DashboardSymptom.denied.diagnosis([.path: path])]
    // systemd holds the socket and tries in vain to start the server for each client.
    case .silent where installed?.web.exitStatus == "78": [DashboardSymptom.misconfigured.diagnosis()]
    case .silent(let reason): [DashboardSymptom.silent.diagnosis([.message: reason])]
    case .absent: [absence].compactMap(\.self)
    }
  }

  /// The units, if the dashboard is installed and belongs to this daemon.
  private var installed: Units? {
    guard facts.isUsualSocket, let units = facts.host.units, units.web.isThere else { return nil }
    return units
  }

  private var isPortTaken: Bool { installed?.webPort.active == "failed" }

  private func reach(_ isInNetwork: Bool) -> Diagnosis {
    if isInNetwork { return DashboardSymptom.reachable.diagnosis() }
    let socket = installed?.webNetwork
    if socket?.active == "failed" { return DashboardSymptom.networkPortTaken.diagnosis() }
    return (socket?.isActive == true ? DashboardSymptom.outdated : .local).diagnosis()
  }

  /// If the daemon does not answer anybody, its own check says so.
  private func connection(_ daemon: String) -> Diagnosis? {
    guard daemon != "connected", case .answers = facts.contact else { return nil }
    return DashboardSymptom.disconnected.diagnosis([.message: daemon])
  }

  private var disabled: Diagnosis? {
    installed?.web.file == "disabled" && installed?.webPort.file == "disabled"
      ? DashboardSymptom.disabled.diagnosis() : nil
  }

  private var absence: Diagnosis? {
    guard let units = installed, units.web.load != "masked" else { return nil }
    if isPortTaken { return DashboardSymptom.portTaken.diagnosis() }
    let isMisconfigured = units.web.active == "failed" && units.web.exitStatus == "78"
    return (isMisconfigured ? DashboardSymptom.misconfigured : .stopped).diagnosis([.state: units.web.active])
  }
}
