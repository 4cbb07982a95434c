// Checks of the guide: does it run, and can it use the daemon and the logbook. Without a guide there
// are none.

import CyclometerClient
import GuideWire
import Troubleshooting
import Wire

/// What the guide answered.
enum GuideContact: ServiceContact {
  case answers(GuideStatusReply)
  case absent
  case notAllowed(path: String)
  case silent(reason: String)

  static func ask(_ endpoint: Endpoint) -> GuideContact {
    do throws(ClientError) {
      return .answers(try GuideSession(endpoint).answer(to: GuideStatusRequest()).content)
    } catch {
      return .failed(error)
    }
  }
}

struct GuideChecks {
  let facts: Facts

  var diagnoses: [Diagnosis] {
    switch facts.guide {
    case .answers(let status):
      [route(status), release(status), connection(status), disabled].compactMap(\.self)
    case .notAllowed(let path): [GuideSymptom.denied.diagnosis([.path: path])]
    // systemd holds the socket and tries in vain to start the guide for each client.
    case .silent where unit?.exitStatus == "78": [GuideSymptom.misconfigured.diagnosis()]
    case .silent(let reason): [GuideSymptom.silent.diagnosis([.message: reason])]
    case .absent: [absence].compactMap(\.self)
    }
  }

  /// The unit, if it is installed and belongs to this daemon.
  private var unit: Unit? {
    guard facts.isUsualSocket, let unit = facts.host.units?.guide, unit.isThere else { return nil }
    return unit
  }

  private var absence: Diagnosis? {
    guard let unit, unit.load != "masked" else { return nil }
    let symptom: GuideSymptom = unit.active == "failed" && unit.exitStatus == "78" ? .misconfigured : .stopped
    return symptom.diagnosis([.state: unit.active])
  }

  private func route(_ status: GuideStatusReply) -> Diagnosis? {
    if let obstacle = status.logbookMessage {
      switch facts.logbook {
      case .answers: return GuideSymptom.withoutLogbook.diagnosis([.message: obstacle])
      case .absent where facts.host.units?.recorder.isThere != true: return GuideSymptom.coachOnly.diagnosis()
      // The check of the recorder says so.
      default: return nil
      }
    }
    guard let route = status.following else { return GuideSymptom.waiting.diagnosis() }
    let values: Values = [.route: String(route.route), .message: status.message ?? ""]
    return (status.message == nil ? GuideSymptom.following : .routeMissing).diagnosis(values)
  }

  private func release(_ status: GuideStatusReply) -> Diagnosis? {
    guard let release = status.release, release != facts.ownRelease else { return nil }
    return GuideSymptom.differentRelease.diagnosis([.release: release, .ownRelease: facts.ownRelease])
  }

  /// If the daemon does not answer anybody, its own check says so.
  private func connection(_ status: GuideStatusReply) -> Diagnosis? {
    guard !status.isConnected, case .answers = facts.contact else { return nil }
    return GuideSymptom.disconnected.diagnosis()
  }

  private var disabled: Diagnosis? {
    unit?.file == "disabled" ? GuideSymptom.disabled.diagnosis() : nil
  }
}
