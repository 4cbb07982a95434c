// What doctor finds about a paired sensor besides its connection: link quality, battery, wheel.

public enum PluginSymptom: CaseIterable {
  case none, missing

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    switch self {
    case .none:
      Diagnosis(
        .plugins, .error, "no plugin supports it", why: "It provides no data, even when connected.",
        fix: "Remove it. Pair it again when a later release supports it.", command: "cyclo forget \(values[.sensor])")
    case .missing:
      Diagnosis(
        .plugins, .error, "its plugin \(values[.plugin]) is not loaded",
        why: "The file that declares it was removed, switched off, or has an error.",
        fix: "Put the file back or correct it, and reload the daemon with 'sudo systemctl reload cyclometerd'.",
        command: "cyclo plugin list")
    }
  }
}

public enum BatterySymptom: CaseIterable {
  case enough, low

  /// In percent.
  public static let lowest = 20

  public var condition: String { self == .low ? "LEVEL is under \(Self.lowest) %" : "" }

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    let found = "battery \(values[.level])"
    switch self {
    case .enough: return .ok(.battery, found)
    case .low:
      return Diagnosis(
        .battery, .error, found, why: "It will stop soon, and its signal gets weaker before that.",
        fix: "Charge it or replace its battery, then check the level:",
        command: "cyclo get battery --sensor \(values[.sensor])")
    }
  }
}

public enum SignalSymptom: CaseIterable {
  case strong, weak

  /// In dBm.
  public static let weakest = -85

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    let found = "signal \(values[.strength])"
    switch self {
    case .strong: return .ok(.signal, found)
    case .weak:
      return Diagnosis(
        .signal, .warning, found, why: "Below \(Self.weakest) dBm packets are lost, and then the link.",
        fix: "Move the adapter so that no metal or body is in between, for example with a USB extension. Check again:",
        command: "cyclo show \(values[.sensor])")
    }
  }
}

public enum PacketSymptom: CaseIterable {
  case received, missed

  /// Of the packets, in percent.
  public static let mostMissed = 2

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    let found = "missed \(values[.count]) of \(values[.total]) packets"
    switch self {
    case .received: return .ok(.packets, found)
    case .missed:
      return Diagnosis(
        .packets, .error, found,
        why: "More than \(Self.mostMissed)% are lost: values arrive late or not at all.",
        fix: "Move adapter and sensor closer, away from Wi-Fi and USB 3 devices. This shows the packets:",
        command: "cyclo watch --sensor \(values[.sensor])")
    }
  }
}

public enum ReconnectSymptom: CaseIterable {
  case few, many, manyWithShortTimeout

  public var condition: String {
    switch self {
    case .few: ""
    case .many: "the adapter waits \(LinksSymptom.shortTimeout) ms or longer before it drops a link"
    case .manyWithShortTimeout: "it drops links sooner"
    }
  }

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    let found = "link lost \(values[.count]) times in \(values[.duration])"
    let why = "Each time data is missing until it reconnects."
    switch self {
    case .few: return .ok(.reconnects, found)
    case .many:
      return Diagnosis(
        .reconnects, .error, found, why: why,
        fix: "Replace its battery, or move it closer to the adapter. The log shows how the links end:",
        command: "journalctl -u cyclometerd -n 50 --no-pager")
    case .manyWithShortTimeout:
      return Diagnosis(
        .reconnects, .error, found,
        why: why + " On this machine \(values[.timeout]) ms without data drop a link.",
        fix: "Use a longer supervision timeout. This restarts bluetoothd.", command: LinksSymptom.longerTimeout)
    }
  }
}

/// The daemon dropped these links itself, so battery and distance are fine.
public enum SilenceSymptom: CaseIterable {
  case passing, lasting

  /// That many reconnects are a problem while the sensor is not streaming.
  public static let many = 3

  public var condition: String {
    self == .lasting ? "NUMBER is \(Self.many) or more and the sensor is not streaming" : ""
  }

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    let found =
      "reconnected \(values[.count, or: "NUMBER times"]) because it was connected but sent no data"
    switch self {
    case .passing: return .ok(.silence, found)
    case .lasting:
      return Diagnosis(
        .silence, .warning, found,
        why: "It answers, so battery and distance are fine. It has nothing to measure, or has stopped measuring.",
        fix: "Use it: moisten and wear the strap, or spin the crank or the wheel. If that fails, restart the sensor.",
        command: "cyclo watch --sensor \(values[.sensor])")
    }
  }
}

public enum WheelSymptom: CaseIterable {
  case configured, configuredAndMeasured, configuredDifferently, measured, unknown

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    var known: String { "circumference \(values[.wheel])" }
    switch self {
    case .configured: return .ok(.wheel, known)
    case .configuredAndMeasured: return .ok(.wheel, "\(known), measured \(values[.measured]) by GPS, agrees")
    case .configuredDifferently: return .ok(.wheel, "\(known), measured \(values[.measured]) by GPS, disagrees")
    case .measured: return .ok(.wheel, "\(known), measured by GPS")
    case .unknown:
      return Diagnosis(
        .wheel, .warning, "it counts wheel turns, but the circumference is unknown",
        why: "Without it there is no speed and no distance, unless a GPS receiver is there to measure it.",
        fix: "Measure the wheel, or use the value for its tire size (2105 for 700x25C).",
        command: "cyclo set \(values[.sensor]) circumference_mm 2105")
    }
  }
}

public enum QuirkSymptom: CaseIterable {
  case known

  public func diagnosis(_ values: Values = [:]) -> Diagnosis {
    .ok(.quirk, "\(values[.device]) deviates from the standard, and is decoded accordingly: \(values[.habit])")
  }
}
