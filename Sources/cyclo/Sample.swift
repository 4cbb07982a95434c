// A sample record, as a person reads it: the value that matters first, then the rest.

import Wire

struct Sample {
  let sensor: String
  let kind: String
  /// Seconds old when it was received.
  let age: Double
  private let fields: [JSON.Member]

  private static let header: Set<String> = ["class", "sensor", "kind", "seq", "t", "time", "age_ms"]
  /// Where the first field is not the one that matters.
  private static let headlines = [
    "heart_rate": "bpm", "speed": "speed_mps", "cadence": "cadence_rpm", "power": "power_w", "battery": "battery_pct",
    "tire_pressure": "pressure_gauge_pa", "oxygen": "spo2_pct", "muscle_oxygen": "smo2_pct",
  ]

  /// Nil for a record that is no sample.
  init?(_ record: JSON) {
    guard record["class"]?.text == "sample", let sensor = record["sensor"]?.text, let kind = record["kind"]?.text else {
      return nil
    }
    self.sensor = sensor
    self.kind = kind
    age = (record["age_ms"]?.number ?? 0) / 1000
    fields = (record.members ?? []).filter { !Self.header.contains($0.name) }
  }

  /// `142 bpm`
  var headline: String {
    guard let field = headlineField else { return "" }
    if case .number(let number) = field.value { return Quantity.text(field.name, number) }
    return "\(Quantity.label(field.name)) \(described(field))"
  }

  /// `rr 421.9 423.8 ms, sensor contact detected`
  var details: String {
    let named = headlineField?.name
    let others = fields.filter { $0.name != named && $0.value != .array([]) }
    return others.map { "\(Quantity.label($0.name)) \(described($0))" }.joined(separator: ", ")
  }

  private var headlineField: JSON.Member? {
    let wanted = Self.headlines[kind]
    return fields.first { $0.name == wanted } ?? fields.first
  }
}

/// The value of a member in words.
func described(_ member: JSON.Member) -> String {
  switch member.value {
  case .null: return ""
  case .bool(let flag): return flag ? "yes" : "no"
  case .number(let number): return Quantity.text(member.name, number)
  case .string(let text): return printable(text)
  case .array(let items):
    let numbers = items.compactMap(\.number)
    if numbers.count == items.count, let last = numbers.last {
      return (numbers.dropLast().map { Quantity.short($0, places: 1) } + [Quantity.text(member.name, last)])
        .joined(separator: " ")
    }
    return items.map { described(JSON.Member(member.name, $0)) }.joined(separator: " ")
  case .object(let members):
    return "(" + members.map { "\(Quantity.label($0.name)) \(described($0))" }.joined(separator: ", ") + ")"
  }
}
