// The command line of `cyclo`: its options, and which verbs it has. What each verb takes is in
// CycloVerbs.swift, ControlVerbs.swift and RideVerbs.swift.

public import CommandTable
import Release
import Vocabulary

extension Option {
  public static let json = Option("json", .none, "Print JSON records as on the socket, one per line")
  public static let socket = Option(
    "socket", .required(UserWord("PATH", .file)), "Use this control socket (or set CYCLOMETER_SOCKET)")

  /// What `--units`, CYCLOMETER_UNITS and the user's file can say.
  public static let unitWords = ["metric", "imperial", "locale"]
  public static let units = Option(
    "units", .required(UserWord("UNITS", .oneOf(unitWords))),
    "Show values in these units: metric, imperial or locale")

  static let helpWithShort = Option("help", short: "h", .none, help.summary)

  public static let all = Option("all", short: "a", .none, "Include devices that are not bike sensors")
  public static let count = Option(
    "count", short: "n", .required(UserWord("COUNT", .count)), "Exit after COUNT samples")
  public static let seconds = Option(
    "seconds", short: "t", .required(UserWord("SECONDS", .seconds)), "Exit after SECONDS")
  public static let lines = Option("lines", short: "l", .none, "Print lines even on a terminal")
  public static let noEvents = Option("no-events", .none, "Omit events such as radar warnings")
  public static let ride = Option("ride", .none, "Also derive the ride: averages, laps, warnings")
  public static let maxAge = Option(
    "max-age", .required(UserWord("SECONDS", .seconds)), "Fail if the value is older than SECONDS")
  public static let sensor = Option(
    "sensor", .required(UserWord("SENSOR", .sensor)), "Only this sensor; can be repeated", repeated: true)
  public static let name = Option("name", .required(UserWord("NAME", .text)), "Name the sensor NAME")
  public static let role = Option(
    "role", .required(UserWord("ROLE", .oneOf(SensorRole.allCases.map(\.rawValue)))),
    "Where the sensor sits: front, rear, left or right")
  public static let wheel = Option(
    "wheel", .required(UserWord("SIZE", .text)), "Wheel size: 25-622, 700x25C, or 2105 (circumference in mm)")
  public static let passkey = Option(
    "passkey", .required(UserWord("NUMBER", .text)), "Use this passkey if the sensor requires one")
  public static let yes = Option("yes", short: "y", .none, "Ask nothing and use the defaults")
}

extension Program {
  public static let cyclo = Program(
    name: "cyclo", release: Release.release, summary: "Pair, inspect and watch the Bluetooth sensors of a bike",
    options: [.json, .units, .socket, .version, .helpWithShort],
    verbs: CycloVerb.allCases.map(\.definition), explainedOnce: [howSensorsAreNamed])
}

extension Verb.Group {
  static let sensors = Verb.Group("Sensors")
  static let data = Verb.Group("Data")
  static let ride = Verb.Group("Rider and ride")
  static let recordings = Verb.Group("Recordings")
  static let dashboard = Verb.Group("Dashboard")
  static let about = Verb.Group("Help")
}

/// The words that cyclo completes with the daemon's answers.
extension UserWord.Kind {
  public static let sensor = known(ProgramWord("sensor"))
  public static let sampleKind = known(ProgramWord("sampleKind"))
  /// `KEY=VALUE`, or a key or a value alone.
  public static let setting = known(ProgramWord("setting", mayBeEmpty: true))
  /// The same of the rider, and of a bike.
  public static let riderSetting = known(ProgramWord("riderSetting", mayBeEmpty: true))
  public static let bikeSetting = known(ProgramWord("bikeSetting", mayBeEmpty: true))
  /// What follows an action on the ride: a sport, or settings.
  public static let rideDetail = known(ProgramWord("rideDetail", mayBeEmpty: true))
  /// The name of a bike.
  public static let bike = known(ProgramWord("bike"))
  /// What a sensor is asked to do.
  public static let command = known(ProgramWord("command"))
}

/// The verbs, in the order of help. An enum, so that the compiler checks that each is handled.
public enum CycloVerb: String, CaseIterable, Sendable {
  case scan, pair, list, show, set, rename, enable, disable, command, calibrate, forget, plugin
  case status, watch, get, metrics
  case ride, rider, bike, route, segment, export, `import`
  case logbook
  case web, map
  case fleet
  case capture, replay, decode
  case doctor
  case completions, version, help
  case complete
}
