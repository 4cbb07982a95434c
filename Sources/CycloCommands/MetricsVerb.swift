// The verb `metrics`.

import CommandTable

enum MetricsVerb {
  static let definition = Verb(
    "metrics", "Print the health of the services for Prometheus", group: .data,
    details: [
      "Prints metrics in the format OpenMetrics: which services answer, the state, reconnects, packets, "
        + "battery and signal of each sensor, the adapter, memory and storage. The line HELP of each "
        + "metric explains it. Values that riders would call data, such as heart rate and position, are "
        + "never included.",
      "The collector textfile of node_exporter reads files of such text. Write to another file first and "
        + "rename it, so that the collector never reads half of a file; docs/recipes.md has a timer that "
        + "does.",
      "A service that does not answer has the value 0 in cyclometer_up, and none of its other metrics. "
        + "The exit status is 0 then. It is 8 if you may not use the socket of the daemon.",
    ],
    examples: [
      Example("cyclo metrics", "all metrics"),
      Example("cyclo metrics | grep ^cyclometer_up", "which services answer"),
    ])
}
