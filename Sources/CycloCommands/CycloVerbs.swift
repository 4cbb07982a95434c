// The arguments, options and help of each verb of `cyclo`. Help lists options in this order.

public import CommandTable

extension CycloVerb {
  public var definition: Verb {
    switch self {
    case .status: .status
    case .watch: .watch
    case .get: .get
    case .metrics: MetricsVerb.definition
    case .scan: .scan
    case .pair: .pair
    case .list: .list
    case .show: .show
    case .set: .set
    case .rename: .rename
    case .enable: .enable
    case .disable: .disable
    case .command: .command
    case .calibrate: .calibrate
    case .forget: .forget
    case .ride: .ride
    case .rider: .rider
    case .bike: .bike
    case .export: .export
    case .import: .import
    case .logbook: .logbook
    case .route: RouteAction.verb
    case .segment: SegmentAction.verb
    case .web: .web
    case .map: MapVerb.definition
    case .fleet: FleetAction.verb
    case .plugin: .plugin
    case .capture: .capture
    case .replay: .replay
    case .decode: .decode
    case .doctor: .doctor
    case .completions: .completions
    case .version: .version
    case .help: .help
    case .complete: .complete
    }
  }
}

let howSensorsAreNamed =
  "SENSOR is an id, a name or an address from 'cyclo list'; any unambiguous part is enough."

extension Verb {
  static let status = Verb(
    "status", "Show the daemon, the adapters and each sensor's last values", group: .data,
    details: [
      "Start here. With --json it prints the daemon's whole reply as one object."
    ],
    examples: [Example("cyclo status", "which sensors are connected, and their last values")])

  static let watch = Verb(
    "watch", "Follow samples and states as they arrive", group: .data,
    details: [
      "Without KIND it shows every kind of sample, such as heart_rate, speed, cadence, power and "
        + "battery. It starts with the last known value of each.",
      "On a terminal each value is shown in large digits above a graph of its last minute. The "
        + "radar is a road with the rider at the right end. Dashes mean that a value is not current; "
        + "next to them are the last value, its age, and the reason. Press q to quit, u to change "
        + "units, a to show all values, h for help.",
      "In a pipe, or with --lines or --count, it prints one line per sample, event, and change of state "
        + "of a sensor or adapter. A value older than two seconds is followed by its age. --count counts "
        + "samples only, and skips the last known values: only new samples are shown and counted.",
      "KIND and --sensor apply to events of sensors too. If there is a recorder, its events are shown "
        + "as well: storage that is almost full, fails, is slow or works again, and gaps in what is "
        + "recorded. --no-events omits all events.",
      "The kinds route, segment and coach, and the sensor guide, are samples of the guide.",
      "It runs until interrupted, even if the daemon restarts. If --seconds pass before --count "
        + "samples have arrived, the exit status is 5.",
    ],
    arguments: [Argument("KIND", .sampleKind, required: false, repeated: true)],
    options: [.sensor, .count, .seconds, .lines, .noEvents],
    examples: [
      Example("cyclo watch heart_rate power", "two kinds, from any sensor"),
      Example("cyclo watch --json -t 60 > ride.jsonl", "a minute of records for a program"),
    ])

  static let get = Verb(
    "get", "Print the last value of a kind, its age and its sensor", group: .data,
    details: [
      "The value is the first word. The ride's own value is preferred, because it comes from the "
        + "best source. If there is none and several sensors have a current value, the exit status is "
        + "4 and the candidates are listed. Choose one with --sensor.",
      "The exit status is 1 if there is no value, or if it is older than --max-age. The default "
        + "limit depends on KIND. It is the time after which the daemon calls such a sensor stale (5 "
        + "seconds for heart_rate, 3 for power). It is a day for battery; totals such as ride and "
        + "averages have no limit.",
    ],
    arguments: [Argument("KIND", .sampleKind)], options: [.sensor, .maxAge],
    examples: [Example("cyclo get heart_rate --max-age 2", "142 bpm, 0.4 s ago, strap")])

  static let decode = Verb(
    "decode", "Decode a capture file without a daemon", group: .recordings,
    details: [
      "Decodes a capture with the same plugins as the daemon and prints the samples. If a plugin "
        + "rejects a packet, the reason is printed and decoding continues. FILE can be - for standard "
        + "input.",
      "With --ride it also derives the ride, once per second of the capture: the source in use, "
        + "distance, moving time, averages, recent power, and warnings from radars, tires and "
        + "batteries.",
      "--sensors also decodes with the sensors that the files in DIRECTORY declare, as if they were in "
        + "/etc/cyclometer/sensors.d. 'cyclo plugin check' decodes with one file only.",
    ],
    arguments: [Argument("FILE", .file)], options: [.ride, .sensors],
    examples: [
      Example("cyclo decode --json rollers.capture", "the samples as the socket would carry them"),
      Example("cyclo decode --ride --json rollers.capture", "with samples of sensor ride, and events"),
    ])

  static let scan = Verb(
    "scan", "Look for sensors nearby", group: .sensors,
    details: [
      "On a terminal the sensors appear in a list that is kept up to date; in a pipe, one per "
        + "line. Wake the sensors first: spin the crank or the wheel, or moisten the strap and put it "
        + "on. Without --seconds it scans for 15 seconds."
    ],
    options: [.all, .seconds],
    examples: [Example("cyclo scan -t 30", "scan for half a minute")])

  static let pair = Verb(
    "pair", "Add a sensor and connect to it from now on", group: .sensors,
    details: [
      "On a terminal it scans and lets you choose a sensor with the arrow keys or by its number. "
        + "Then it asks for what only you know: a passkey, a name, front or rear for tire pressure, or "
        + "the size of a wheel. Options skip the matching question. With --yes, or without a terminal, "
        + "it asks nothing and requires ADDRESS, which 'cyclo scan' shows.",
      "It exits when the first value arrives. If none arrives within 45 seconds, it tells you why "
        + "and what to try.",
    ],
    arguments: [Argument("ADDRESS", .address, required: false)], options: [.name, .role, .wheel, .passkey, .yes],
    examples: [
      Example("cyclo pair", "choose a sensor and answer the questions"),
      Example("cyclo pair 80:EA:CA:00:00:02 --name 'Front tyre' --role front --yes", "in a script"),
    ])

  static let list = Verb(
    "list", "List the paired sensors", group: .sensors,
    details: [
      "With --json it prints one object per sensor, as in the reply to the request 'sensors'."
    ],
    examples: [Example("cyclo list --json | jq -r .id", "only the ids")], elsewhere: Elsewhere("sensor", verb: "show")
  )

  static let show = Verb(
    "show", "Show everything known about a sensor", group: .sensors,
    details: [
      howSensorsAreNamed
    ],
    arguments: [Argument("SENSOR", .sensor)],
    examples: [Example("cyclo show polar", "the only sensor whose id starts with polar")])

  static let forget = Verb(
    "forget", "Remove a sensor", group: .sensors,
    details: [
      howSensorsAreNamed,
      "You can pair it again at any time. The commands that restore its settings are printed.",
    ],
    arguments: [Argument("SENSOR", .sensor)],
    examples: [Example("cyclo forget polar-h10-1a2b", "disconnect and remove it")])

  static let calibrate = Verb(
    "calibrate", "Measure a wheel, or set the zero offset of a power meter", group: .sensors,
    details: [
      "Guides you step by step. To measure a wheel, roll the bike from one mark to another. The "
        + "circumference is the distance divided by the number of turns that the sensor counted. The "
        + "zero offset is what a power meter measures when there is no force on the pedals.",
      "WHAT is required only if a sensor supports both. A script can set the zero offset with "
        + "--yes. Measuring a wheel requires a terminal. "
        + howSensorsAreNamed,
    ],
    arguments: [Argument("SENSOR", .sensor), Argument("WHAT", .oneOf(["wheel", "zero"]), required: false)],
    options: [.yes],
    examples: [
      Example("cyclo calibrate speed", "roll the bike to measure its wheel"),
      Example("cyclo calibrate pedals zero --yes", "the bike upright, no weight on the pedals"),
    ])

  static let doctor = Verb(
    "doctor", "Diagnose problems and suggest fixes", group: .about,
    details: [
      "Checks the daemon, BlueZ, the adapter and each paired sensor. For each problem it prints "
        + "what it found, why that matters, and the command that fixes it. It changes nothing, needs "
        + "no privileges, and works without a daemon too. The result of a check is ok, warning (it "
        + "works, but could be better), error, or unknown (it cannot be determined).",
      "The exit status is 1 if there is an error, for example if no daemon is running. With --json "
        + "it prints one object.",
    ],
    examples: [
      Example("cyclo doctor", "the machine first, then sensor by sensor"),
      Example("cyclo doctor --json | jq -r '.checks[].command//empty'", "only the commands"),
    ])

  static let version = Verb("version", "Show the release", group: .about)

  static let help = Verb(
    "help", "Show help, or help for one verb", group: .about,
    arguments: [Argument("VERB", .verb, required: false)],
    examples: [Example("cyclo help watch", "options and arguments of watch")])
}
