// The parts of docs that list the settings: properties in the schemas, and
// tables in docs/protocol.md. Everything around them is written by hand.

import Foundation
import Vocabulary

enum SettingsText {
  struct Misplaced: Error {
    let what: String
  }

  static let pages = ["docs/schema/common.json", "docs/schema/request.json", "docs/protocol.md"]

  static func updated(_ page: String) throws -> String {
    var text = Lines(try String(contentsOfFile: page, encoding: .utf8))
    switch page {
    case "docs/schema/common.json":
      try text.replace(
        in: #"    "bike": {"#, after: #"        "sensors":"#, before: "      }", by: properties(Setting.ofBike, schema))
      try text.replace(
        in: #"    "learned_sensor": {"#, after: #"        "bonded":"#, before: #"        "measured_circumference_mm""#,
        by: properties(Setting.ofSensor, schema).map { $0.hasSuffix(",") ? $0 : $0 + "," })
      try text.replace(
        in: #"    "ride_settings": {"#, after: #"      "properties": {"#, before: #"        "overrides""#,
        by: properties(Setting.ofRide, schema).map { $0.hasSuffix(",") ? $0 : $0 + "," })
      try text.replace(
        in: #"    "rider": {"#, after: #"      "properties": {"#, before: "      }",
        by: properties(Setting.ofRider, schema))
    case "docs/schema/request.json":
      try text.replace(
        in: #"    "bike": {"#, after: #"        "sensors":"#, before: #"        "remove""#,
        by: properties(Setting.ofBike) {
          #"{"anyOf": [{"$ref": "common.json#/$defs/bike/properties/\#($0.key)"}, {"const": ""}]}"#
        }.map { $0.hasSuffix(",") ? $0 : $0 + "," })
      for (name, list) in [("ride_settings", Setting.ofRide), ("rider", Setting.ofRider)] {
        try text.replace(
          in: #"    "\#(name)": {"#, after: #"      "properties": {"#, before: "      }",
          by: properties(list) {
            let none = if case .risingNumbers = $0.form { #", {"type": "array", "maxItems": 0}"# } else { "" }
            return #"{"anyOf": [{"$ref": "common.json#/$defs/\#(name)/properties/\#($0.key)"}, {"const": ""}\#(none)]}"#
          })
      }
    default:
      for (method, list) in [("ride_settings", Setting.ofRide), ("rider", Setting.ofRider)] {
        try text.replace(
          in: "### `\(method)`", after: "| --- | --- | --- |", before: "", by: list.map { row($0, withUse: true) })
      }
      try text.replace(
        in: "### `set`", after: "| --- | --- | --- |", before: "", by: Setting.ofSensor.map { row($0, withUse: true) })
      try text.replace(
        in: "### `bike`", after: "| `sensors` |", before: "| `rename` |",
        by: Setting.ofBike.map { row($0, withUse: false) })
    }
    return text.text
  }

  private static func properties(_ settings: [Setting], _ schema: (Setting) -> String) -> [String] {
    settings.enumerated().map { index, setting in
      #"        "\#(setting.key)": \#(schema(setting))"# + (index + 1 < settings.count ? "," : "")
    }
  }

  private static func schema(_ setting: Setting) -> String {
    let meaning = setting.meaning.prefix(1).uppercased() + setting.meaning.dropFirst()
    return #"{"description": "\#(meaning).", \#(form(setting))}"#
  }

  private static func form(_ setting: Setting) -> String {
    switch setting.form {
    case .word(let words): #""enum": [\#(words.map { "\"\($0)\"" }.joined(separator: ", "))]"#
    case .flag: #""type": "boolean""#
    case .whole(let range): #""type": "integer", \#(bounds(range))"#
    case .number(let range, _): #""type": "number", \#(bounds(range))"#
    case .numberOrNone(let range, _): #""anyOf": [{"const": 0}, {"type": "number", \#(bounds(range))}]"#
    case .risingNumbers(let count, let range, _):
      #""type": "array", "items": {"type": "number", \#(bounds(range))}, "#
        + #""minItems": \#(count.lowerBound), "maxItems": \#(count.upperBound)"#
    }
  }

  private static func bounds(_ range: ClosedRange<Double>) -> String {
    func text(_ bound: Double) -> String { Int(exactly: bound).map(String.init) ?? "\(bound)" }
    return #""minimum": \#(text(range.lowerBound)), "maximum": \#(text(range.upperBound))"#
  }

  private static func row(_ setting: Setting, withUse: Bool) -> String {
    let value =
      switch setting.form {
      case .word(let words): words.map { "`\($0)`" }.joined(separator: ", ")
      case .flag: "`true`, `false`"
      case .whole(let range): "a whole number, \(Setting.text(range))"
      case .number(let range, let unit): "\(Setting.text(range)) \(unit.rawValue)"
      case .numberOrNone(let range, let unit): "0, or \(Setting.text(range)) \(unit.rawValue)"
      case .risingNumbers(let count, let range, let unit):
        "\(count.lowerBound) to \(count.upperBound) rising numbers, each \(Setting.text(range)) \(unit.rawValue)"
      }
    return withUse
      ? "| `\(setting.key)` | \(value) | \(setting.meaning) |" : "| `\(setting.key)` | \(setting.meaning): \(value) |"
  }

  /// A text whose lines between two others are replaced.
  private struct Lines {
    private var lines: [String]

    init(_ text: String) {
      lines = text.components(separatedBy: "\n")
    }

    var text: String { lines.joined(separator: "\n") }

    /// Each line is named by how it begins; an empty one by nothing. They follow each other.
    mutating func replace(in section: String, after first: String, before last: String, by new: [String]) throws {
      let start = try index(of: section, from: 0)
      let above = try index(of: first, from: start + 1)
      let below = try index(of: last, from: above + 1)
      lines.replaceSubrange(above + 1..<below, with: new)
    }

    private func index(of beginning: String, from start: Int) throws -> Int {
      let found = lines[start...].firstIndex { beginning.isEmpty ? $0.isEmpty : $0.hasPrefix(beginning) }
      guard let found else { throw Misplaced(what: beginning) }
      return found
    }
  }
}
