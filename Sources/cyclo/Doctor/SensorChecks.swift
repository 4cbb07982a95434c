// Checks of each paired sensor: connection, link quality, battery.

import JSON
import Troubleshooting
import Wire

extension Facts {
  /// Reasons that the checks of the machine already report.
  private static let reasonsOfTheMachine: Set<StateReason> = [
    .adapterAbsent, .adapterOff, .adapterBlocked, .bluetoothdGone, .busGone, .suspended,
  ]

  func findings(of sensor: SensorRecord) -> [Finding] {
    let findings = [
      stateDiagnosis(sensor), sensor.pluginDiagnosis(plugins), batteryDiagnosis(sensor), signalDiagnosis(sensor),
      packetDiagnosis(sensor), reconnectDiagnosis(sensor), silenceDiagnosis(sensor), wheelDiagnosis(sensor),
      quirkDiagnosis(sensor),
    ].compactMap { $0.map { Finding($0, of: sensor.id) } }
    // The user disabled it, so its other problems do not matter.
    return sensor.isDisabled ? findings.filter { $0.verdict == .ok } : findings
  }

  private func stateDiagnosis(_ sensor: SensorRecord) -> Diagnosis {
    let values: Values = [.state: sensor.condition, .sensor: sensor.id, .address: sensor.address]
    switch (sensor.state?.known, sensor.reason?.known) {
    case (_, .bondLost): return ConnectingSymptom.bondLost.diagnosis(values)
    case (_, .heldElsewhere): return ConnectingSymptom.heldElsewhere.diagnosis(values)
    case (_, .noSlots): return ConnectingSymptom.noSlots.diagnosis(values)
    case (_, .linkStuck): return ConnectingSymptom.linkStuck.diagnosis(values)
    case (.error, .unsupported): return ConnectingSymptom.unsupported.diagnosis(values)
    case (.error, _): return ConnectingSymptom.failed.diagnosis(values)
    case (_, let reason?) where Self.reasonsOfTheMachine.contains(reason):
      return StateSymptom.machine.diagnosis(values)
    case (_, .connectingFailed): return ConnectingSymptom.connectingFailed.diagnosis(values)
    case (_, .pluginGone), (_, .pluginSlow): return StateSymptom.program.diagnosis(values)
    case (.stale, _): return StateSymptom.stale.diagnosis(values)
    case (.searching, _): return searchDiagnosis(sensor, values)
    default: return StateSymptom.fine.diagnosis(values)
    }
  }

  private func searchDiagnosis(_ sensor: SensorRecord, _ values: Values) -> Diagnosis {
    guard let silence = silences[sensor.id] ?? uptime, silence > Double(StateSymptom.longSearch) else {
      return StateSymptom.fine.diagnosis(values)
    }
    let symptom: StateSymptom = silences[sensor.id] == nil ? .neverFound : .lost
    return symptom.diagnosis(values.with(.duration, spanText(silence)))
  }

  private func batteryDiagnosis(_ sensor: SensorRecord) -> Diagnosis? {
    guard let level = sensor.batteryPct else { return nil }
    let symptom: BatterySymptom = level < Double(BatterySymptom.lowest) ? .low : .enough
    return symptom.diagnosis([.level: Quantity.text("battery_pct", level), .sensor: sensor.id])
  }

  private func signalDiagnosis(_ sensor: SensorRecord) -> Diagnosis? {
    // The signal strength of a disconnected sensor can be old.
    guard sensor.isStreaming, let signal = sensor.rssiDBm.map(Double.init) else { return nil }
    let symptom: SignalSymptom = signal < Double(SignalSymptom.weakest) ? .weak : .strong
    return symptom.diagnosis([.strength: Quantity.text("rssi_dbm", signal), .sensor: sensor.id])
  }

  private func packetDiagnosis(_ sensor: SensorRecord) -> Diagnosis? {
    // Fewer packets are not significant.
    guard let packets = sensor.link?.packets.map(Double.init), let missed = sensor.link?.missed.map(Double.init),
      packets >= 100
    else { return nil }
    let due = packets + missed
    let symptom: PacketSymptom = missed * 100 > due * Double(PacketSymptom.mostMissed) ? .missed : .received
    return symptom.diagnosis([
      .count: Quantity.decimal(missed, places: 0), .total: Quantity.decimal(due, places: 0), .sensor: sensor.id,
    ])
  }

  private func silenceDiagnosis(_ sensor: SensorRecord) -> Diagnosis? {
    guard let count = sensor.link?.silentReconnects, count > 0 else { return nil }
    let symptom: SilenceSymptom = !sensor.isStreaming && count >= SilenceSymptom.many ? .lasting : .passing
    return symptom.diagnosis([.count: count == 1 ? "once" : "\(count) times", .sensor: sensor.id])
  }

  private func reconnectDiagnosis(_ sensor: SensorRecord) -> Diagnosis? {
    guard let reconnects = sensor.link?.reconnects, let uptime else { return nil }
    if reconnects == 0 { return nil }
    let values: Values = [.count: String(reconnects), .duration: spanText(uptime)]
    // Up to four per hour are normal: you walk away from the bike now and then.
    guard reconnects >= 5, Double(reconnects) * 3600 > uptime * 4 else {
      return ReconnectSymptom.few.diagnosis(values)
    }
    if let timeout = supervisionTimeout, timeout < LinksSymptom.shortTimeout {
      return ReconnectSymptom.manyWithShortTimeout.diagnosis(values.with(.timeout, String(timeout)))
    }
    return ReconnectSymptom.many.diagnosis(values)
  }
}
