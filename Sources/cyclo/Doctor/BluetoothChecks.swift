// Checks of Bluetooth: BlueZ, the adapter, and rfkill. The daemon's view takes precedence over /sys.

import BlueZReleases
import JSON
import Text
import Troubleshooting
import Wire

extension Facts {
  var bluetoothDiagnoses: [Diagnosis] {
    if isSimulated { return [] }
    return [resetDiagnosis, bluezDiagnosis, restartDiagnosis, adapterDiagnosis].compactMap { $0 }
  }

  private var resetDiagnosis: Diagnosis? {
    guard host.isResetWanted else { return nil }
    return (host.units?.reset.isActive == true ? ResetSymptom.didNotHelp : .wanted).diagnosis()
  }

  /// Debian's unit has Restart=no.
  private var restartDiagnosis: Diagnosis? {
    guard let unit = host.units?.bluetooth, unit.isThere, unit.restart == "no" else { return nil }
    return RestartSymptom.never.diagnosis()
  }
}

// MARK: BlueZ

extension Facts {
  private var bluezDiagnosis: Diagnosis? {
    if status == nil { return bluetoothServiceDiagnosis }
    if let obstacle, let symptom = bluezObstacle(obstacle) {
      return symptom.diagnosis([.message: status?.bluetooth.message ?? reasonText(obstacle.text)])
    }
    guard let text = status?.versions.bluez else { return BlueZSymptom.unknownVersion.diagnosis() }
    guard let release = BlueZRelease(text) else { return BlueZSymptom.diagnosis(ofVersion: text) }
    if release < BlueZRelease(BlueZSymptom.oldest.major, BlueZSymptom.oldest.minor) {
      return BlueZSymptom.tooOld.diagnosis([.version: text])
    }
    return BlueZSymptom.diagnosis(ofVersion: text, with: BlueZDefect.allCases.filter { release.has($0) })
  }

  /// Why the daemon cannot reach bluetoothd; nil for other obstacles.
  private func bluezObstacle(_ obstacle: WireWord<StateReason>) -> BlueZSymptom? {
    if obstacle.known == .busGone { return .noBus }
    guard obstacle.known == .bluetoothdGone else { return nil }
    guard let unit = host.units?.bluetooth else { return .gone }
    if !unit.isThere { return .goneNotInstalled }
    return unit.isActive ? .goneButActive : .gone
  }

  /// The check without a daemon.
  private var bluetoothServiceDiagnosis: Diagnosis? {
    guard let unit = host.units?.bluetooth else { return nil }
    if unit.isActive { return BlueZSymptom.active.diagnosis() }
    if !unit.isThere { return BlueZSymptom.notInstalled.diagnosis() }
    return BlueZSymptom.inactive.diagnosis([.state: unit.active])
  }
}

extension BlueZRelease {
  fileprivate func has(_ defect: BlueZDefect) -> Bool {
    switch defect {
    case .crashesWhenLinksEnd: self < Self.firstThatForgetsEndedLinks
    case .indicatesOverTheBus: self < BlueZRelease(5, 80)
    case .crashesWhenUnplugged: self == BlueZRelease(5, 82)
    case .hidesReasons: self < BlueZRelease(5, 83)
    }
  }
}

// MARK: The adapter

extension Facts {
  private var adapterDiagnosis: Diagnosis? {
    let found = adapters.map { adapterText($0.adapter, $0.state.text) }.joined(separator: ", ")
    let states = adapters.compactMap(\.state.known)
    if states.contains(.on) { return AdapterSymptom.on.diagnosis([.states: found]) }
    if states.contains(.blocked) {
      return blocked(.blocked, byHardware: .blockedByHardware, byBoth: .blockedByBoth, [.states: found])
    }
    if states.contains(.off) { return AdapterSymptom.off.diagnosis([.states: found]) }
    return adapterOfTheKernel
  }

  private func blocked(
    _ symptom: AdapterSymptom, byHardware: AdapterSymptom, byBoth: AdapterSymptom, _ values: Values
  ) -> Diagnosis {
    guard let hard = host.switches.first(where: \.isHardBlocked) else { return symptom.diagnosis(values) }
    return (hard.isSoftBlocked ? byBoth : byHardware).diagnosis(values.with(.switch, hard.name))
  }

  /// The fallback: no daemon, no bluetoothd, or an adapter that bluetoothd does not have.
  private var adapterOfTheKernel: Diagnosis? {
    guard host.hasSys else { return AdapterSymptom.unknown.diagnosis() }
    let names = host.adapters.map(\.name).joined(separator: ", ")
    let isBluetoothdAsked = status != nil && ![.bluetoothdGone, .busGone].contains(obstacle?.known)
    guard !host.adapters.isEmpty else { return AdapterSymptom.absent.diagnosis() }
    if host.adapters.allSatisfy(host.isBlocked) {
      return blocked(
        .presentButBlocked, byHardware: .presentButBlockedByHardware, byBoth: .presentButBlockedByBoth,
        [.adapter: names])
    }
    guard isBluetoothdAsked else { return AdapterSymptom.present.diagnosis([.adapter: names]) }
    return AdapterSymptom.unused.diagnosis([
      .adapter: names, .message: status?.bluetooth.message ?? "",
    ])
  }
}
