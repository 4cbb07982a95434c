// Checks of the bridge to an MQTT broker: does it run, and does it send. Without a bridge there are
// none.

import CyclometerClient
import FleetWire
import Troubleshooting
import Wire

/// What the bridge answered.
enum BridgeContact: ServiceContact {
  case answers(BridgeStatusReply)
  case absent
  case notAllowed(path: String)
  case silent(reason: String)

  static func ask(_ endpoint: Endpoint) -> BridgeContact {
    do throws(ClientError) {
      return .answers(try BridgeSession(endpoint).answer(to: BridgeStatusRequest()).content)
    } catch {
      return .failed(error)
    }
  }
}

struct BridgeChecks {
  let facts: Facts

  var diagnoses: [Diagnosis] {
    switch facts.bridge {
    case .answers(let status):
      [
        broker(status), rights(status), control(status), spool(status), clock(status), release(status),
        connection(status), disabled,
      ].compactMap(\.self)
    case .notAllowed(let path): [BridgeSymptom.denied.diagnosis([.path: path])]
    // systemd holds the socket and tries in vain to start the bridge for each client.
    case .silent where unit?.exitStatus == "78": [BridgeSymptom.misconfigured.diagnosis()]
    case .silent(let reason): [BridgeSymptom.silent.diagnosis([.message: reason])]
    case .absent: [absence].compactMap(\.self)
    }
  }

  /// The unit, if it is installed and belongs to this daemon.
  private var unit: Unit? {
    guard facts.isUsualSocket, let unit = facts.host.units?.bridge, unit.isThere else { return nil }
    return unit
  }

  private var absence: Diagnosis? {
    guard let unit, unit.load != "masked" else { return nil }
    let symptom: BridgeSymptom = unit.active == "failed" && unit.exitStatus == "78" ? .misconfigured : .stopped
    return symptom.diagnosis([.state: unit.active])
  }

  private func broker(_ status: BridgeStatusReply) -> Diagnosis {
    let broker = status.broker
    let values: Values = [
      .server: broker.address ?? "", .receiver: status.receiver, .message: broker.message ?? broker.state.text,
    ]
    return symptom(of: broker).diagnosis(values)
  }

  private func symptom(of broker: BrokerReply) -> BridgeSymptom {
    switch (broker.state.known, broker.reason?.known) {
    case (.unset, _): .withoutBroker
    case (.connected, _): .connected
    case (.connecting, nil): .connecting
    case (_, .unreachable): .unreachable
    case (_, .denied): .refused
    case (_, .untrusted): .untrusted
    case (_, .files): .files
    case (_, .nameTaken): .nameTaken
    case (_, .other), (_, nil): .failing
    }
  }

  private func rights(_ status: BridgeStatusReply) -> Diagnosis? {
    let refused = status.broker.refused
    guard !refused.isEmpty else { return nil }
    let symptom: BridgeSymptom = refused.contains { $0.hasSuffix("/log") } ? .withoutLog : .withoutRights
    return symptom.diagnosis([.topics: refused.joined(separator: " ")])
  }

  /// Without metrics.sock, `connection` says what is wrong.
  private func control(_ status: BridgeStatusReply) -> Diagnosis? {
    guard let control = status.control, !control.isConnected, status.isConnected else { return nil }
    return BridgeSymptom.withoutControl.diagnosis([.message: control.message ?? "not connected"])
  }

  private func spool(_ status: BridgeStatusReply) -> Diagnosis? {
    guard let spool = status.spool else { return nil }
    if let message = spool.message { return BridgeSymptom.notStoring.diagnosis([.message: message]) }
    if spool.lost > 0 { return BridgeSymptom.overflowed.diagnosis([.count: String(spool.lost)]) }
    guard spool.limitBytes > 0, spool.bytes > spool.limitBytes / 2 else { return nil }
    let level = spool.bytes * 100 / spool.limitBytes
    return BridgeSymptom.filling.diagnosis([.count: String(spool.records), .level: String(level)])
  }

  private func clock(_ status: BridgeStatusReply) -> Diagnosis? {
    status.isClockSet == false && status.broker.state.known != .unset ? BridgeSymptom.clockNotSet.diagnosis() : nil
  }

  private func release(_ status: BridgeStatusReply) -> Diagnosis? {
    guard let release = status.release, release != facts.ownRelease else { return nil }
    return BridgeSymptom.differentRelease.diagnosis([.release: release, .ownRelease: facts.ownRelease])
  }

  /// If the daemon does not answer anybody, its own check says so.
  private func connection(_ status: BridgeStatusReply) -> Diagnosis? {
    guard !status.isConnected, status.wall?.isAlone != true, case .answers = facts.contact else { return nil }
    return BridgeSymptom.disconnected.diagnosis()
  }

  private var disabled: Diagnosis? {
    unit?.file == "disabled" ? BridgeSymptom.disabled.diagnosis() : nil
  }
}
