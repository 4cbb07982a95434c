// Each paired sensor: is it connected, and if not why; how does its link do; will its battery last?

import Wire

extension Facts {
  /// Searched for in vain this long is worth a word: a sensor that is used is heard within seconds.
  private static let longSilence = 600.0
  /// Words for what the machine's own checks say already.
  private static let reasonsOfTheMachine: Set<String> = [
    "adapter_absent", "adapter_off", "adapter_blocked", "bluetoothd_gone", "bus_gone", "suspended",
  ]

  func findings(of sensor: Sensor) -> [Finding] {
    let findings = [
      stateFinding(sensor), pluginFinding(sensor), batteryFinding(sensor), signalFinding(sensor), packetFinding(sensor),
      reconnectFinding(sensor), silenceFinding(sensor), wheelFinding(sensor), quirkFinding(sensor),
    ].compactMap { $0?.of(sensor.id) }
    // Its user put it aside: what was true of it before is no reason to do anything.
    return sensor.state == "disabled" ? findings.filter { $0.verdict == .ok } : findings
  }

  private func stateFinding(_ sensor: Sensor) -> Finding {
    let saw = stateText(sensor.content)
    func finding(_ verdict: Verdict, _ why: String, _ mend: String = "", _ command: String? = nil) -> Finding {
      Finding(check: "state", verdict: verdict, saw: saw, why: why, mend: mend, command: command)
    }
    let reason = sensor.content["reason"]?.text ?? ""
    switch (sensor.state, reason) {
    case (_, "bond_lost"):
      return finding(
        .wrong, "It was bonded with this computer, and refuses the old bond: nothing is tried until it is paired anew.",
        "Wake it and pair it once more; it keeps its id and settings.", "cyclo pair \(sensor.address)")
    case (_, "held_elsewhere"):
      return finding(
        .wrong, "A sensor that something else is connected to cannot be heard, or gives its values only there.",
        "Disconnect it from watches, phones and other computers. If a program of this computer holds it, this ends that.",
        "bluetoothctl disconnect \(sensor.address)")
    case (_, "no_slots"):
      return finding(
        .wrong, "The adapter's connections are used up, so this sensor has to wait for one.",
        "Add a second adapter, or disconnect something else; this shows what is connected.",
        "bluetoothctl devices Connected")
    case (_, "link_stuck"):
      return finding(
        .wrong, "The adapter keeps a link to it that Linux does not know, so the sensor does not advertise.",
        "The daemon power-cycles the adapter when it has no other link. This does it now; all sensors reconnect.",
        "bluetoothctl power off && bluetoothctl power on")
    case ("error", "unsupported"):
      return finding(
        .wrong, "No plugin understands what it offers, so it gives no values.", "Remove it.",
        "cyclo forget \(sensor.id)")
    case ("error", _):
      return finding(
        .wrong, "The daemon has given it up until its user does something.", "Wake it and pair it once more.",
        "cyclo pair \(sensor.address)")
    case (_, let reason) where Self.reasonsOfTheMachine.contains(reason):
      return finding(.unknown, "The machine's checks say what to do; the sensor is connected when that is mended.")
    case (_, "connecting_failed"):
      return finding(
        .wrong, "It is heard, and connecting to it fails.",
        "Take it closer; take its battery out for a moment. The log says how the connects fail.",
        "journalctl -u cyclometerd -n 50 --no-pager")
    case ("stale", _):
      return finding(
        .advice, "What it said last is old.",
        "Wake it: spin the crank or the wheel, wear the strap. This shows what comes.",
        "cyclo watch --sensor \(sensor.id)")
    case ("searching", _): return searchingFinding(sensor, saw)
    default: return .ok("state", saw)
    }
  }

  private func searchingFinding(_ sensor: Sensor, _ state: String) -> Finding {
    guard let silence = silences[sensor.id] ?? uptime, silence > Self.longSilence else { return .ok("state", state) }
    let since =
      silences[sensor.id] == nil
      ? "it has not been heard since the daemon's start, \(spanText(silence)) ago"
      : "it said something last \(spanText(silence)) ago"
    return Finding(
      check: "state", verdict: .advice, saw: "\(state); \(since)",
      why: "It sleeps, is out of reach, has an empty battery, or something else is connected to it.",
      mend: "Wake it, near this computer, and see whether it is heard.", command: "cyclo scan -t 30")
  }

  private func pluginFinding(_ sensor: Sensor) -> Finding? {
    guard sensor.content["plugins"]?.items == [], sensor.content["reason"]?.text != "unsupported",
      sensor.state != "streaming"
    else { return nil }
    return Finding(
      check: "plugins", verdict: .wrong, saw: "no plugin understands it",
      why: "It gives no values, however well it is connected.",
      mend: "Remove it, and pair it once more when a later release knows it.", command: "cyclo forget \(sensor.id)")
  }

  private func batteryFinding(_ sensor: Sensor) -> Finding? {
    guard let level = sensor.content["battery_pct"]?.number else { return nil }
    let saw = "battery \(Quantity.text("battery_pct", level))"
    guard level < 20 else { return .ok("battery", saw) }
    return Finding(
      check: "battery", verdict: .wrong, saw: saw,
      why: "It will be silent soon, and is heard less well before.",
      mend: "Charge it or change its battery; this says afterwards what it has.",
      command: "cyclo get battery --sensor \(sensor.id)")
  }

  private func signalFinding(_ sensor: Sensor) -> Finding? {
    // What was heard of one that is not connected may be long ago.
    guard sensor.state == "streaming", let signal = sensor.content["rssi_dbm"]?.number else { return nil }
    let saw = "signal \(Quantity.text("rssi_dbm", signal))"
    guard signal < -85 else { return .ok("signal", saw) }
    return Finding(
      check: "signal", verdict: .advice, saw: saw, why: "Under -85 dBm packets are lost, and then the link.",
      mend: "Move the adapter to where neither metal nor body is between, with a USB extension if need be; look again.",
      command: "cyclo show \(sensor.id)")
  }

  private func packetFinding(_ sensor: Sensor) -> Finding? {
    let link = sensor.content["link"]
    // Of fewer nothing can be concluded.
    guard let packets = link?["packets"]?.number, let missed = link?["missed"]?.number, packets >= 100 else {
      return nil
    }
    let due = packets + missed
    let saw = "missed \(Quantity.decimal(missed, places: 0)) of \(Quantity.decimal(due, places: 0)) packets"
    guard missed > due / 50 else { return .ok("packets", saw) }
    return Finding(
      check: "packets", verdict: .wrong, saw: saw, why: "More than 2 in 100 are lost: values come late or not at all.",
      mend: "Bring adapter and sensor closer, away from Wi-Fi and USB 3 devices; this shows how many come.",
      command: "cyclo watch --sensor \(sensor.id)")
  }

  /// The daemon ended these links itself, so neither the battery nor the distance is at fault.
  private func silenceFinding(_ sensor: Sensor) -> Finding? {
    guard let count = sensor.content["link"]?["silent_reconnects"]?.integer, count > 0 else { return nil }
    let saw = "reconnected \(count == 1 ? "once" : "\(count) times") because it was connected and sent no values"
    guard sensor.state != "streaming", count >= 3 else { return .ok("silence", saw) }
    return Finding(
      check: "silence", verdict: .advice, saw: saw,
      why: "It answers, so battery and distance are fine. It has nothing to measure, or its measuring has stopped.",
      mend: "Use it: wear the strap, moisten it, spin the crank or the wheel. If it stays silent, restart the sensor.",
      command: "cyclo watch --sensor \(sensor.id)")
  }

  private func reconnectFinding(_ sensor: Sensor) -> Finding? {
    guard let reconnects = sensor.content["link"]?["reconnects"]?.integer, let uptime else { return nil }
    let saw = "link lost \(reconnects) times in \(spanText(uptime))"
    if reconnects == 0 { return nil }
    // Four an hour: fewer happen to whoever walks away from the bike.
    guard reconnects >= 5, Double(reconnects) * 3600 > uptime * 4 else { return .ok("reconnects", saw) }
    var finding = Finding(
      check: "reconnects", verdict: .wrong, saw: saw, why: "Each time values are missing until it is connected again.",
      mend: "Change its battery, bring it closer to the adapter; the log says how the links end.",
      command: "journalctl -u cyclometerd -n 50 --no-pager")
    if let timeout = supervisionTimeout, timeout < Self.shortTimeout {
      finding.why += " A silence of \(timeout) ms is enough for it on this machine."
      finding.mend = "Let links outlast longer silences; this restarts bluetoothd."
      finding.command = Self.longerTimeout
    }
    return finding
  }
}
