// The verb `fleet`: its actions.

import CommandTable

/// What `cyclo fleet` can do.
public enum FleetAction: String, CaseIterable, Sendable {
  case status, watch
}

extension FleetAction {
  static let verb = Verb(
    "fleet", "Show the bridge to an MQTT broker, or all bikes", group: .dashboard,
    details: [
      "The bridge, cyclometer-mqtt, sends samples and states to an MQTT broker. status shows whether "
        + "it is connected to the broker and since when, or why it is not. It also shows how many records "
        + "wait to be sent, and what is published live.",
      "watch shows all bikes whose values the bridge reads, as Groups= of mqtt.conf says, or those of one "
        + "GROUP. On a terminal each bike has its main values in large digits. A value that is not current "
        + "is dashes, with its last value, its age and the reason; a lost bike is shown as lost. Press q to "
        + "quit, u to change units. In a pipe, or with --lines, it prints one line per record.",
      "With --json, status prints the bridge's whole reply as one object, and watch each record as it came.",
    ],
    arguments: [
      Argument("ACTION", .oneOf(FleetAction.allCases.map(\.rawValue))), Argument("GROUP", .text, required: false),
    ],
    options: [.seconds, .lines],
    examples: [
      Example("cyclo fleet status", "is the broker reached, and is anything unsent"),
      Example("cyclo fleet watch studio-7", "all bikes of a studio"),
    ])
}
