// The command line of `cyclo`: its options, and which verbs it has. What each verb takes is in
// CycloVerbs.swift, ControlVerbs.swift and RideVerbs.swift.

extension Option {
  public static let json = Option("json", .none, "Print the socket's own records, one JSON object a line")
  public static let socket = Option(
    "socket", .required(Word("PATH", .file)), "Use this control socket (CYCLOMETER_SOCKET does the same)")

  /// What `--units`, CYCLOMETER_UNITS and the user's file can say.
  public static let unitWords = ["metric", "imperial", "locale"]
  public static let units = Option(
    "units", .required(Word("UNITS", .oneOf(unitWords))), "Show values in these units: metric, imperial or locale")

  static let helpWithShort = Option("help", short: "h", .none, help.summary)

  public static let all = Option("all", short: "a", .none, "Show also what is no bike sensor")
  public static let count = Option("count", short: "n", .required(Word("COUNT", .count)), "End after COUNT samples")
  public static let seconds = Option("seconds", short: "t", .required(Word("SECONDS", .seconds)), "End after SECONDS")
  public static let lines = Option("lines", short: "l", .none, "Print lines on a terminal too")
  public static let noEvents = Option("no-events", .none, "Leave out events, such as the warnings of a radar")
  public static let ride = Option("ride", .none, "Derive the ride as well: averages, laps, warnings")
  public static let maxAge = Option(
    "max-age", .required(Word("SECONDS", .seconds)), "Fail if the value is older than SECONDS")
  public static let sensor = Option(
    "sensor", .required(Word("SENSOR", .sensor)), "Only this sensor; may be given again", repeated: true)
  public static let name = Option("name", .required(Word("NAME", .text)), "Call the sensor NAME")
  public static let role = Option(
    "role", .required(Word("ROLE", .oneOf(["front", "rear", "left", "right"]))),
    "Where it is: front, rear, left or right")
  public static let wheel = Option(
    "wheel", .required(Word("SIZE", .text)), "Size of its wheel: 25-622, 700x25C, or 2105 (millimetres of one turn)")
  public static let passkey = Option(
    "passkey", .required(Word("NUMBER", .text)), "Answer the sensor's question for its passkey")
  public static let yes = Option("yes", short: "y", .none, "Ask nothing, and take the usual answers")
}

extension Program {
  public static let cyclo = Program(
    name: "cyclo", summary: "Pair, inspect and follow the Bluetooth sensors of a bike",
    options: [.json, .units, .socket, .version, .helpWithShort], verbs: CycloVerb.allCases.map(\.definition))
}

/// The verbs, so that whoever acts on them can be held to have handled each.
public enum CycloVerb: String, CaseIterable, Sendable {
  case status, watch, get
  case scan, pair, list, show, set, rename, enable, disable, command, calibrate, forget
  case ride, rider, bike, export, `import`
  case capture, replay, decode
  case doctor
  case completions, version, help
  case complete
}
