// Checks of each paired sensor: connection, link quality, battery.

import Wire

extension Facts {
  /// Report a search this long: a sensor in use is found within seconds.
  private static let longSilence = 600.0
  /// Reasons that the checks of the machine already report.
  private static let reasonsOfTheMachine: Set<String> = [
    "adapter_absent", "adapter_off", "adapter_blocked", "bluetoothd_gone", "bus_gone", "suspended",
  ]

  func findings(of sensor: Sensor) -> [Finding] {
    let findings = [
      stateFinding(sensor), pluginFinding(sensor), batteryFinding(sensor), signalFinding(sensor), packetFinding(sensor),
      reconnectFinding(sensor), silenceFinding(sensor), wheelFinding(sensor), quirkFinding(sensor),
    ].compactMap { $0?.of(sensor.id) }
    // The user disabled it, so its other problems do not matter.
    return sensor.state == "disabled" ? findings.filter { $0.verdict == .ok } : findings
  }

  private func stateFinding(_ sensor: Sensor) -> Finding {
    let found = stateText(sensor.content)
    func finding(_ verdict: Verdict, _ why: String, _ fix: String = "", _ command: String? = nil) -> Finding {
      Finding(check: "state", verdict: verdict, found: found, why: why, fix: fix, command: command)
    }
    let reason = sensor.content["reason"]?.text ?? ""
    switch (sensor.state, reason) {
    case (_, "bond_lost"):
      return finding(
        .error, "It refuses the bond stored on this computer. The daemon does not retry until you pair it again.",
        "Wake it and pair it again. It keeps its id and settings.", "cyclo pair \(sensor.address)")
    case (_, "held_elsewhere"):
      return finding(
        .error, "A sensor that is connected elsewhere does not advertise, or sends its data only there.",
        "Disconnect it from watches, phones and other computers. If a program on this computer uses it, run:",
        "bluetoothctl disconnect \(sensor.address)")
    case (_, "no_slots"):
      return finding(
        .error, "All connections of the adapter are in use, so this sensor has to wait.",
        "Add a second adapter, or disconnect another device. This lists them:",
        "bluetoothctl devices Connected")
    case (_, "link_stuck"):
      return finding(
        .error, "The adapter holds a link that Linux does not know, so the sensor does not advertise.",
        "The daemon power-cycles the adapter once it has no other link. This does it now; all sensors reconnect.",
        "bluetoothctl power off && bluetoothctl power on")
    case ("error", "unsupported"):
      return finding(
        .error, "No plugin supports it, so it provides no data.", "Remove it.",
        "cyclo forget \(sensor.id)")
    case ("error", _):
      return finding(
        .error, "The daemon does not retry until you act.", "Wake it and pair it again.",
        "cyclo pair \(sensor.address)")
    case (_, let reason) where Self.reasonsOfTheMachine.contains(reason):
      return finding(.unknown, "See the checks of the machine. The sensor connects when that is fixed.")
    case (_, "connecting_failed"):
      return finding(
        .error, "It is in range, but connecting fails.",
        "Move it closer, or take its battery out for a moment. The log shows how connecting fails:",
        "journalctl -u cyclometerd -n 50 --no-pager")
    case ("stale", _):
      return finding(
        .warning, "Its last values are old.",
        "Wake it: spin the crank or the wheel, or wear the strap. This shows its data:",
        "cyclo watch --sensor \(sensor.id)")
    case ("searching", _): return searchingFinding(sensor, found)
    default: return .ok("state", found)
    }
  }

  private func searchingFinding(_ sensor: Sensor, _ state: String) -> Finding {
    guard let silence = silences[sensor.id] ?? uptime, silence > Self.longSilence else { return .ok("state", state) }
    let since =
      silences[sensor.id] == nil
      ? "no data since the daemon started, \(spanText(silence)) ago"
      : "last data \(spanText(silence)) ago"
    return Finding(
      check: "state", verdict: .warning, found: "\(state); \(since)",
      why: "It is asleep, out of range, connected elsewhere, or its battery is empty.",
      fix: "Wake it near this computer, then scan for it.", command: "cyclo scan -t 30")
  }

  private func pluginFinding(_ sensor: Sensor) -> Finding? {
    guard sensor.content["plugins"]?.items == [], sensor.content["reason"]?.text != "unsupported",
      sensor.state != "streaming"
    else { return nil }
    return Finding(
      check: "plugins", verdict: .error, found: "no plugin supports it",
      why: "It provides no data, even when connected.",
      fix: "Remove it. Pair it again when a later release supports it.", command: "cyclo forget \(sensor.id)")
  }

  private func batteryFinding(_ sensor: Sensor) -> Finding? {
    guard let level = sensor.content["battery_pct"]?.number else { return nil }
    let found = "battery \(Quantity.text("battery_pct", level))"
    guard level < 20 else { return .ok("battery", found) }
    return Finding(
      check: "battery", verdict: .error, found: found,
      why: "It will stop soon, and its signal gets weaker before that.",
      fix: "Charge it or replace its battery, then check the level:",
      command: "cyclo get battery --sensor \(sensor.id)")
  }

  private func signalFinding(_ sensor: Sensor) -> Finding? {
    // The signal strength of a disconnected sensor can be old.
    guard sensor.state == "streaming", let signal = sensor.content["rssi_dbm"]?.number else { return nil }
    let found = "signal \(Quantity.text("rssi_dbm", signal))"
    guard signal < -85 else { return .ok("signal", found) }
    return Finding(
      check: "signal", verdict: .warning, found: found, why: "Below -85 dBm packets are lost, and then the link.",
      fix: "Move the adapter so that no metal or body is in between, for example with a USB extension. Check again:",
      command: "cyclo show \(sensor.id)")
  }

  private func packetFinding(_ sensor: Sensor) -> Finding? {
    let link = sensor.content["link"]
    // Fewer packets are not significant.
    guard let packets = link?["packets"]?.number, let missed = link?["missed"]?.number, packets >= 100 else {
      return nil
    }
    let due = packets + missed
    let found = "missed \(Quantity.decimal(missed, places: 0)) of \(Quantity.decimal(due, places: 0)) packets"
    guard missed > due / 50 else { return .ok("packets", found) }
    return Finding(
      check: "packets", verdict: .error, found: found, why: "More than 2% are lost: values arrive late or not at all.",
      fix: "Move adapter and sensor closer, away from Wi-Fi and USB 3 devices. This shows the packets:",
      command: "cyclo watch --sensor \(sensor.id)")
  }

  /// The daemon dropped these links itself, so battery and distance are fine.
  private func silenceFinding(_ sensor: Sensor) -> Finding? {
    guard let count = sensor.content["link"]?["silent_reconnects"]?.integer, count > 0 else { return nil }
    let found = "reconnected \(count == 1 ? "once" : "\(count) times") because it was connected but sent no data"
    guard sensor.state != "streaming", count >= 3 else { return .ok("silence", found) }
    return Finding(
      check: "silence", verdict: .warning, found: found,
      why: "It answers, so battery and distance are fine. It has nothing to measure, or has stopped measuring.",
      fix: "Use it: moisten and wear the strap, or spin the crank or the wheel. If that fails, restart the sensor.",
      command: "cyclo watch --sensor \(sensor.id)")
  }

  private func reconnectFinding(_ sensor: Sensor) -> Finding? {
    guard let reconnects = sensor.content["link"]?["reconnects"]?.integer, let uptime else { return nil }
    let found = "link lost \(reconnects) times in \(spanText(uptime))"
    if reconnects == 0 { return nil }
    // Up to four per hour are normal: you walk away from the bike now and then.
    guard reconnects >= 5, Double(reconnects) * 3600 > uptime * 4 else { return .ok("reconnects", found) }
    var finding = Finding(
      check: "reconnects", verdict: .error, found: found, why: "Each time data is missing until it reconnects.",
      fix: "Replace its battery, or move it closer to the adapter. The log shows how the links end:",
      command: "journalctl -u cyclometerd -n 50 --no-pager")
    if let timeout = supervisionTimeout, timeout < Self.shortTimeout {
      finding.why += " On this machine \(timeout) ms without data drop a link."
      finding.fix = "Use a longer supervision timeout. This restarts bluetoothd."
      finding.command = Self.longerTimeout
    }
    return finding
  }
}
