// Checks of each paired sensor: connection, link quality, battery.

import JSON
import Troubleshooting

extension Facts {
  /// Reasons that the checks of the machine already report.
  private static let reasonsOfTheMachine: Set<String> = [
    "adapter_absent", "adapter_off", "adapter_blocked", "bluetoothd_gone", "bus_gone", "suspended",
  ]

  func findings(of sensor: Sensor) -> [Finding] {
    let findings = [
      stateDiagnosis(sensor), pluginDiagnosis(sensor), batteryDiagnosis(sensor), signalDiagnosis(sensor),
      packetDiagnosis(sensor), reconnectDiagnosis(sensor), silenceDiagnosis(sensor), wheelDiagnosis(sensor),
      quirkDiagnosis(sensor),
    ].compactMap { $0.map { Finding($0, of: sensor.id) } }
    // The user disabled it, so its other problems do not matter.
    return sensor.state == "disabled" ? findings.filter { $0.verdict == .ok } : findings
  }

  private func stateDiagnosis(_ sensor: Sensor) -> Diagnosis {
    let values: Values = [.state: stateText(sensor.content), .sensor: sensor.id, .address: sensor.address]
    let reason = sensor.content["reason"]?.text ?? ""
    switch (sensor.state, reason) {
    case (_, "bond_lost"): return ConnectingSymptom.bondLost.diagnosis(values)
    case (_, "held_elsewhere"): return ConnectingSymptom.heldElsewhere.diagnosis(values)
    case (_, "no_slots"): return ConnectingSymptom.noSlots.diagnosis(values)
    case (_, "link_stuck"): return ConnectingSymptom.linkStuck.diagnosis(values)
    case ("error", "unsupported"): return ConnectingSymptom.unsupported.diagnosis(values)
    case ("error", _): return ConnectingSymptom.failed.diagnosis(values)
    case (_, let reason) where Self.reasonsOfTheMachine.contains(reason):
      return StateSymptom.machine.diagnosis(values)
    case (_, "connecting_failed"): return ConnectingSymptom.connectingFailed.diagnosis(values)
    case ("stale", _): return StateSymptom.stale.diagnosis(values)
    case ("searching", _): return searchDiagnosis(sensor, values)
    default: return StateSymptom.fine.diagnosis(values)
    }
  }

  private func searchDiagnosis(_ sensor: Sensor, _ values: Values) -> Diagnosis {
    guard let silence = silences[sensor.id] ?? uptime, silence > Double(StateSymptom.longSearch) else {
      return StateSymptom.fine.diagnosis(values)
    }
    let symptom: StateSymptom = silences[sensor.id] == nil ? .neverFound : .lost
    return symptom.diagnosis(values.with(.duration, spanText(silence)))
  }

  private func pluginDiagnosis(_ sensor: Sensor) -> Diagnosis? {
    guard sensor.content["plugins"]?.items == [], sensor.content["reason"]?.text != "unsupported",
      sensor.state != "streaming"
    else { return nil }
    return PluginSymptom.none.diagnosis([.sensor: sensor.id])
  }

  private func batteryDiagnosis(_ sensor: Sensor) -> Diagnosis? {
    guard let level = sensor.content["battery_pct"]?.number else { return nil }
    let symptom: BatterySymptom = level < Double(BatterySymptom.lowest) ? .low : .enough
    return symptom.diagnosis([.level: Quantity.text("battery_pct", level), .sensor: sensor.id])
  }

  private func signalDiagnosis(_ sensor: Sensor) -> Diagnosis? {
    // The signal strength of a disconnected sensor can be old.
    guard sensor.state == "streaming", let signal = sensor.content["rssi_dbm"]?.number else { return nil }
    let symptom: SignalSymptom = signal < Double(SignalSymptom.weakest) ? .weak : .strong
    return symptom.diagnosis([.strength: Quantity.text("rssi_dbm", signal), .sensor: sensor.id])
  }

  private func packetDiagnosis(_ sensor: Sensor) -> Diagnosis? {
    let link = sensor.content["link"]
    // Fewer packets are not significant.
    guard let packets = link?["packets"]?.number, let missed = link?["missed"]?.number, packets >= 100 else {
      return nil
    }
    let due = packets + missed
    let symptom: PacketSymptom = missed * 100 > due * Double(PacketSymptom.mostMissed) ? .missed : .received
    return symptom.diagnosis([
      .count: Quantity.decimal(missed, places: 0), .total: Quantity.decimal(due, places: 0), .sensor: sensor.id,
    ])
  }

  private func silenceDiagnosis(_ sensor: Sensor) -> Diagnosis? {
    guard let count = sensor.content["link"]?["silent_reconnects"]?.integer, count > 0 else { return nil }
    let symptom: SilenceSymptom = sensor.state != "streaming" && count >= SilenceSymptom.many ? .lasting : .passing
    return symptom.diagnosis([.count: count == 1 ? "once" : "\(count) times", .sensor: sensor.id])
  }

  private func reconnectDiagnosis(_ sensor: Sensor) -> Diagnosis? {
    guard let reconnects = sensor.content["link"]?["reconnects"]?.integer, let uptime else { return nil }
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
