// docs/schema/kind.json, from the catalogue of kinds. JSON by hand, for one line a field.

import SampleCatalogue

enum KindSchema {
  static var text: String {
    """
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "$id": "https://cyclometer.invalid/schema/kind.json",
      "title": "The fields of samples, by kind",
      "description": "`#/$defs/KIND` has the members of a sample apart from its header (record.json). Every member may \
    be missing unless it is required. `x-unit` is the unit of a number, or 1 for counts, ratios and scales of a maker.",
      "$defs": {
    \(KindInfo.all.map(kind).joined(separator: ",\n"))
      }
    }

    """
  }

  private static func kind(_ info: KindInfo) -> String {
    var lines = [#"    "\#(info.name)": {"#, #"      "description": \#(quoted(info.meaning)),"#]
    switch info.needs {
    case .nothing: break
    case .all(let fields): lines.append(#"      "required": \#(list(fields)),"#)
    case .oneOf(let fields):
      let each = fields.map { #"{"required": ["\#($0)"]}"# }
      lines.append(#"      "anyOf": [\#(each.joined(separator: ", "))],"#)
    }
    let fields = info.fields.map { #"        "\#($0.name)": {\#(field($0))}"# }
    lines += [#"      "properties": {"#, fields.joined(separator: ",\n"), info.hasTrends ? "      }," : "      }"]
    if info.hasTrends {
      lines.append(#"      "patternProperties": {"_trend$": {"enum": ["up", "down", "flat"]}}"#)
    }
    return (lines + ["    }"]).joined(separator: "\n")
  }

  private static func field(_ info: FieldInfo) -> String {
    let unit = info.unit.map { [#""x-unit": \#(quoted($0))"#] } ?? []
    return ([#""description": \#(quoted(info.meaning))"#] + unit + form(info.form)).joined(separator: ", ")
  }

  private static func form(_ form: FieldInfo.Form) -> [String] {
    switch form {
    case .number(let bounds): [#""type": "number""#] + limits(bounds)
    case .count(let bounds): [#""type": "integer""#] + limits(bounds)
    case .numbers(let bounds, let count):
      array(of: [#""type": "number""#] + limits(bounds)) + lengths(count)
    case .groups(let count):
      array(of: array(of: [#""type": "number""#]) + lengths(count))
    case .flag: [#""type": "boolean""#]
    case .onlyTrue: [#""const": true"#]
    case .words(let words): [#""enum": \#(list(words))"#]
    case .text(let pattern): [#""type": "string""#] + (pattern.map { [#""pattern": \#(quoted($0))"#] } ?? [])
    case .shared(let name): [##""$ref": "common.json#/$defs/\##(name)""##]
    case .objects(let needs, let fields):
      array(of: [
        #""type": "object""#, #""required": \#(list(needs))"#,
        #""properties": {\#(fields.map { #""\#($0.name)": {\#(field($0))}"# }.joined(separator: ", "))}"#,
      ])
    }
  }

  private static func array(of item: [String]) -> [String] {
    [#""type": "array""#, #""items": {\#(item.joined(separator: ", "))}"#]
  }

  private static func lengths(_ count: Int?) -> [String] {
    count.map { [#""minItems": \#($0)"#, #""maxItems": \#($0)"#] } ?? []
  }

  private static func limits(_ bounds: FieldInfo.Bounds) -> [String] {
    (bounds.lowest.map { [#""minimum": \#(number($0))"#] } ?? [])
      + (bounds.highest.map { [#""maximum": \#(number($0))"#] } ?? [])
  }

  private static func number(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? "\(number)" }

  private static func list(_ words: [String]) -> String {
    "[\(words.map(quoted).joined(separator: ", "))]"
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
