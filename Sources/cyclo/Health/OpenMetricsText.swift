// Metrics as text: OpenMetrics 1.0, in the subset that Prometheus's older text format shares, because
// node_exporter reads its files as that one. So there are only gauges and counters, and no times.

import CycloCommands
import JSON

struct OpenMetricsText {
  /// A name and a value, which may be any text.
  typealias Label = (name: StaticString, value: String)

  private var samples: [(metric: HealthMetric, line: [UInt8])] = []

  /// Values that are not finite are unknown, and omitted.
  mutating func add(_ metric: HealthMetric, _ value: Double?, _ labels: Label...) {
    if let value, value.isFinite { add(metric, value, labels) }
  }

  private mutating func add(_ metric: HealthMetric, _ value: Double, _ labels: [Label]) {
    var line = Array(metric.family.sampleName.utf8)
    for (index, label) in labels.enumerated() {
      line.append(UInt8(ascii: index == 0 ? "{" : ","))
      line += Array("\(label.name)=\"".utf8) + Self.escaped(label.value) + [UInt8(ascii: "\"")]
    }
    if !labels.isEmpty { line.append(UInt8(ascii: "}")) }
    line.append(UInt8(ascii: " "))
    line.appendDecimal(value)
    samples.append((metric, line))
  }

  mutating func add(_ metric: HealthMetric, _ flag: Bool, _ labels: Label...) {
    add(metric, flag ? 1 : 0, labels)
  }

  /// 1 for the current state and 0 for the others, so that a query for a state finds a series at any
  /// time. A state of a later release is added.
  mutating func addStates<State: RawRepresentable<String> & CaseIterable>(
    _ metric: HealthMetric, _ states: State.Type, current: String, _ owner: Label...
  ) {
    var words = states.allCases.map(\.rawValue)
    if !words.contains(current) { words.append(current) }
    for word in words { add(metric, word == current ? 1 : 0, owner + [("state", word)]) }
  }

  /// Each family once with all its samples, in the order of the table.
  var bytes: [UInt8] {
    var text: [UInt8] = []
    for metric in HealthMetric.allCases {
      let own = samples.filter { $0.metric == metric }
      if own.isEmpty { continue }
      let family = metric.family
      text += Array("# TYPE \(family.name) \(family.kind.rawValue)\n# HELP \(family.name) \(family.help)\n".utf8)
      for sample in own { text += sample.line + [UInt8(ascii: "\n")] }
    }
    return text + Array("# EOF\n".utf8)
  }

  private static func escaped(_ value: String) -> [UInt8] {
    value.utf8.flatMap { byte in
      switch byte {
      case UInt8(ascii: "\\"): Array(#"\\"#.utf8)
      case UInt8(ascii: "\""): Array(#"\""#.utf8)
      case UInt8(ascii: "\n"): Array(#"\n"#.utf8)
      default: [byte]
      }
    }
  }
}
