// The few signs besides letters, for terminals with and without UTF-8.

enum Glyphs {
  static var cursor: String { UserLocale.current.isUnicode ? "❯" : ">" }
  static var upAndDown: String { UserLocale.current.isUnicode ? "↑ ↓" : "Up, Down" }
}

/// The signal strength in four steps: `▂▄▆█`, `▂▄··`.
enum SignalBar {
  /// Below -85 dBm packets are lost; above -60 dBm reception does not improve.
  static func steps(_ rssi: Int) -> Int {
    switch rssi {
    case (-60)...: 4
    case (-72)...: 3
    case (-85)...: 2
    default: 1
    }
  }

  static func text(_ rssi: Int, isUTF8: Bool = UserLocale.current.isUnicode) -> String {
    let lit = isUTF8 ? ["▂", "▄", "▆", "█"] : ["#", "#", "#", "#"]
    let count = steps(rssi)
    return lit.prefix(count).joined() + String(repeating: isUTF8 ? "·" : "-", count: 4 - count)
  }

  static func colour(_ rssi: Int) -> Style.Colour {
    switch steps(rssi) {
    case 3...: .good
    case 2: .warning
    default: .bad
    }
  }

  static func word(_ rssi: Int) -> String {
    switch steps(rssi) {
    case 4: "very good"
    case 3: "good"
    case 2: "weak"
    default: "poor"
    }
  }
}
