// What each verb of `cyclo` takes, and what its help says. The order of options is the order in help.

extension CycloVerb {
  public var definition: Verb {
    switch self {
    case .status: .status
    case .watch: .watch
    case .get: .get
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
  "SENSOR is an id, a name or an address as 'cyclo list' shows them; any unambiguous part is enough."

extension Verb {
  static let status = Verb(
    "status", "Show the daemon, the adapters, and each sensor's last values", group: .data,
    details: ["The first thing to look at. With --json it is the daemon's whole answer in one object."],
    examples: [Example("cyclo status", "who is connected, and what did each say last?")])

  static let watch = Verb(
    "watch", "Follow samples and states as they come", group: .data,
    details: [
      "Without KIND every kind of sample is shown; heart_rate, speed, cadence, power and battery are kinds. "
        + "It begins with the last known value of each.",
      "On a terminal the values stand large beside each other, each with the line of its last minute, and the radar "
        + "is a road with the rider at its right end. Dashes stand for a value that is not current; beside them is what "
        + "it was, how old that is, and why. q ends it, u changes the units, a shows all values, h explains the keys.",
      "In a pipe, and with --lines or --count, each sample is a line; so are events and the states of sensors and adapters, which "
        + "--count does not count. A value that is older than two seconds is followed by its age. With --count the last known values are "
        + "left out: only new samples are shown and counted.",
      "KIND and --sensor apply to events too. --no-events leaves all of them out.",
      "It goes on until interrupted, also while the daemon is restarted. When --seconds pass before --count samples "
        + "came, the exit status is 5.",
    ],
    arguments: [Argument("KIND", .sampleKind, required: false, repeated: true)],
    options: [.sensor, .count, .seconds, .lines, .noEvents],
    examples: [
      Example("cyclo watch heart_rate power", "two kinds, from whichever sensor"),
      Example("cyclo watch --json -t 60 > ride.jsonl", "a minute of records for a program"),
    ])

  static let get = Verb(
    "get", "Print the last value of a kind, its age and its sensor", group: .data,
    details: [
      "The value is the first word. The ride's own value is preferred, because it comes from the best source. If there is none and "
        + "several sensors have a current value, the exit status is 4 and the candidates are listed: choose one with --sensor.",
      "The exit status is 1 if there is no value, or if it is older than --max-age. The default limit depends on KIND: as long as "
        + "the daemon waits before it calls such a sensor stale (5 seconds for heart_rate, 3 for power), a day for battery, "
        + "and none for totals such as ride and averages.",
    ],
    arguments: [Argument("KIND", .sampleKind)], options: [.sensor, .maxAge],
    examples: [Example("cyclo get heart_rate --max-age 2", "142 bpm, 0.4 s ago, strap")])

  static let decode = Verb(
    "decode", "Decode a capture file without a daemon", group: .recordings,
    details: [
      "Runs the bytes of a capture through the same plugins as the daemon does, and prints the samples. What a plugin "
        + "refuses is shown with the reason, and the run goes on. FILE may be - for standard input.",
      "With --ride what a rider would have read is derived from them once a second of the file: which source is "
        + "believed, distance, moving time, averages, power over the last seconds, and warnings of radars, tires and batteries.",
    ],
    arguments: [Argument("FILE", .file)], options: [.ride],
    examples: [
      Example("cyclo decode --json rollers.capture", "the samples as the socket would carry them"),
      Example("cyclo decode --ride --json rollers.capture", "with samples of sensor ride, and events"),
    ])

  static let scan = Verb(
    "scan", "Look for sensors nearby", group: .sensors,
    details: [
      "Shows sensors as they are heard: on a terminal as a list that keeps up with them, in a pipe a line each. Wake "
        + "them first: spin the crank or the wheel, wet the strap and put it on. Without --seconds it listens for 15 "
        + "seconds."
    ],
    options: [.all, .seconds],
    examples: [Example("cyclo scan -t 30", "listen for half a minute")])

  static let pair = Verb(
    "pair", "Add a sensor, and connect to it from now on", group: .sensors,
    details: [
      "On a terminal it looks for sensors and lets you choose one, by the arrow keys or by its number; then it asks what "
        + "only you know: a passkey, a name, front or rear for tire pressure, the size of a wheel whose turns are counted. "
        + "What an option says is not asked, with --yes or where standard input is no terminal nothing is, and then "
        + "ADDRESS is needed; 'cyclo scan' shows it.",
      "It ends with the first value, or after 45 seconds with the reason why none came and what to try.",
    ],
    arguments: [Argument("ADDRESS", .address, required: false)], options: [.name, .role, .wheel, .passkey, .yes],
    examples: [
      Example("cyclo pair", "choose a sensor and answer what is asked"),
      Example("cyclo pair 80:EA:CA:00:00:02 --name 'Front tyre' --role front --yes", "in a script"),
    ])

  static let list = Verb(
    "list", "List the paired sensors", group: .sensors,
    details: ["With --json each sensor is one object, as in the answer to the request 'sensors'."],
    examples: [Example("cyclo list --json | jq -r .id", "the ids alone")])

  static let show = Verb(
    "show", "Show everything known about a sensor", group: .sensors, details: [howSensorsAreNamed],
    arguments: [Argument("SENSOR", .sensor)],
    examples: [Example("cyclo show polar", "the only sensor whose id begins so")])

  static let forget = Verb(
    "forget", "Remove a sensor", group: .sensors,
    details: [
      howSensorsAreNamed, "It can be paired again at any time; the commands that bring it back as it was are shown.",
    ],
    arguments: [Argument("SENSOR", .sensor)],
    examples: [Example("cyclo forget polar-h10-1a2b", "disconnect, and do not connect again")])

  static let calibrate = Verb(
    "calibrate", "Measure a wheel, or take the zero offset of a power meter", group: .sensors,
    details: [
      "Says what to do, step by step. A wheel is rolled from one mark to another: the way, divided by the turns that the "
        + "sensor counted, is its circumference. The zero offset is what a power meter measures while nobody pushes.",
      "WHAT is needed only where a sensor has both. The zero offset can be taken by a script with --yes; a wheel is "
        + "measured by somebody at a terminal. " + howSensorsAreNamed,
    ],
    arguments: [Argument("SENSOR", .sensor), Argument("WHAT", .oneOf(["wheel", "zero"]), required: false)],
    options: [.yes],
    examples: [
      Example("cyclo calibrate speed", "roll the bike and know its wheel"),
      Example("cyclo calibrate pedals zero --yes", "the bike stands ready, nobody on it"),
    ])

  static let doctor = Verb(
    "doctor", "Say what is wrong and how to mend it", group: .about,
    details: [
      "Checks the daemon, BlueZ, the adapter and each paired sensor: what it saw, why that matters, and the command "
        + "that mends it. It changes nothing, needs no privilege, and works without a daemon too. A check is ok, wrong, "
        + "advice (it works, and could be better) or unknown (it cannot be seen from here).",
      "The exit status is 1 when anything is wrong, also when no daemon runs. With --json it is one object.",
    ],
    examples: [
      Example("cyclo doctor", "the machine first, then sensor by sensor"),
      Example("cyclo doctor --json | jq -r '.checks[].command//empty'", "the commands alone"),
    ])

  static let version = Verb("version", "Show the release", group: .about)

  static let help = Verb(
    "help", "Show help, also about one verb", group: .about,
    arguments: [Argument("VERB", .verb, required: false)],
    examples: [Example("cyclo help watch", "what watch takes")])
}
