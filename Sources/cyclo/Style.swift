// How text is shown to this user: colours, characters and units.

import Linux
import Text

struct Style: Equatable {
  /// The meaning of a colour. It is never the only sign of it.
  enum Colour: CaseIterable {
    case plain, good, warning, bad, faint, strong
  }

  let isColoured: Bool
  /// Whether the terminal has 256 colours, some of which are legible on dark and light backgrounds.
  let hasManyColours: Bool
  let isUnicode: Bool
  var units: UnitSystem

  init(isColoured: Bool, hasManyColours: Bool = false, isUnicode: Bool = true, units: UnitSystem = .metric) {
    self.isColoured = isColoured
    self.hasManyColours = hasManyColours
    self.isUnicode = isUnicode
    self.units = units
  }

  /// For text that is not shown on a terminal.
  static let plain = Style(isColoured: false)

  func paint(_ text: String, _ colour: Colour) -> String {
    guard isColoured, colour != .plain, !text.isEmpty else { return text }
    return "\u{1B}[\(hasManyColours ? colour.ofMany : colour.ofFew)m\(text)\u{1B}[0m"
  }

  /// One of two ways to write something, depending on the locale.
  func either(_ unicode: String, ascii: String) -> String {
    isUnicode ? unicode : ascii
  }
}

extension Style.Colour {
  /// All four have a contrast of at least 3.5 to black and to white.
  fileprivate var ofMany: String {
    switch self {
    case .plain: ""
    case .good: "38;5;28"
    case .warning: "38;5;130"
    case .bad: "38;5;196"
    case .faint: "38;5;243"
    case .strong: "1"
    }
  }

  /// The terminal decides how these look.
  fileprivate var ofFew: String {
    switch self {
    case .plain: ""
    case .good: "32"
    // Yellow is illegible on white.
    case .warning: "35"
    case .bad: "31"
    case .faint: "2"
    case .strong: "1"
    }
  }

  /// The number among the 256 colours, if it has one.
  var number: Int? {
    ofMany.hasPrefix("38;5;") ? Int(ofMany.dropFirst(5)) : nil
  }
}

extension Style {
  /// For standard output, from the environment.
  static func ofOutput(isTerminal: Bool) -> Style {
    func isSet(_ name: String) -> Bool { !(ProcessEnvironment.variable(name) ?? "").isEmpty }
    let terminal = ProcessEnvironment.variable("TERM") ?? ""
    let knowsColours = isTerminal && !["", "dumb"].contains(terminal)
    return Style(
      isColoured: knowsColours && !isSet("NO_COLOR"),
      hasManyColours: terminal.has("256") || isSet("COLORTERM"),
      isUnicode: UserLocale.current.isUnicode)
  }
}
