// The verbs that change or record a sensor, and the two for shells. The others are in
// CycloVerbs.swift.

public import CommandTable
import Vocabulary

extension Option {
  public static let anonymous = Option(
    "anonymous", .none, "Anonymize addresses, names, serial numbers and places, so that you can share the file")
  public static let speed = Option(
    "speed", .required(UserWord("FACTOR", .factor)), "Play FACTOR times as fast as recorded")
}

extension Verb {
  static let set = Verb(
    "set", "Change a setting of a sensor", group: .sensors,
    details: [
      howSensorsAreNamed,
      "SETTING is KEY=VALUE; you can give several. KEY VALUE works too. KEY= resets the setting. "
        + "Without SETTING it lists all settings and their current values.",
      Setting.sentence(Setting.ofSensor),
      "A speed needs the circumference. If one power pedal is left and one is right, the ride uses "
        + "the sum of their power.",
      "You are warned when the pressure of a tire is 10% below or above target_pressure, or when it "
        + "is hotter than 75 C, unless you set other limits. Lengths can have a unit "
        + "(mm, cm, m, in; default mm), and so can pressures (Pa, kPa, bar, psi; default Pa) and "
        + "temperatures (C, F; default C).",
    ],
    arguments: [Argument("SENSOR", .sensor), Argument("SETTING", .setting, required: false, repeated: true)],
    examples: [
      Example("cyclo set speed-sensor circumference=2105mm", "a tire of 700x25C"),
      Example("cyclo set front-cap role=front target_pressure=5.5bar", "two settings at once"),
      Example("cyclo set speed-sensor circumference=", "reset it"),
    ])

  static let rename = Verb(
    "rename", "Give a sensor another name", group: .sensors,
    details: [
      howSensorsAreNamed,
      "Its id does not change, so scripts keep working.",
    ],
    arguments: [Argument("SENSOR", .sensor), Argument("NAME", .text)],
    examples: [Example("cyclo rename polar-h10-1a2b 'Red strap'", "up to 64 characters")])

  static let disable = Verb(
    "disable", "Disconnect a sensor but keep it paired", group: .sensors,
    details: [
      howSensorsAreNamed,
      "The sensor stays disconnected until 'cyclo enable', so another device can connect to it.",
    ],
    arguments: [Argument("SENSOR", .sensor)],
    examples: [Example("cyclo disable polar-h10-1a2b", "use the strap with a watch today")])

  static let enable = Verb(
    "enable", "Connect to a sensor again", group: .sensors,
    details: [
      howSensorsAreNamed,
      "Undoes 'cyclo disable'. If the sensor is in the state error, the daemon tries again to "
        + "connect.",
    ],
    arguments: [Argument("SENSOR", .sensor)],
    examples: [Example("cyclo enable polar-h10-1a2b", "connect as soon as it is found")])

  static let command = Verb(
    "command", "Ask a sensor to do something", group: .sensors,
    details: [
      howSensorsAreNamed,
      "Without COMMAND it lists the sensor's commands and their parameters. PARAMETER is NAME=NUMBER. If "
        + "a command takes one value, the number alone is enough.",
      "If the sensor does not answer within 30 seconds, the exit status is 5. If it refuses, it is 1.",
    ],
    arguments: [
      Argument("SENSOR", .sensor), Argument("COMMAND", .command, required: false),
      Argument("PARAMETER", .parameter, required: false, repeated: true),
    ],
    examples: [
      Example("cyclo command assioma", "list its commands"),
      Example("cyclo command assioma zero_offset", "the bike upright, no weight on the pedals"),
      Example("cyclo command kickr target_power 200", "hold 200 W"),
      Example("cyclo command kickr simulation grade_pct=4.5 wind_speed_mps=2", "simulate a road"),
    ])

  static let capture = Verb(
    "capture", "Record what sensors send, byte for byte", group: .recordings,
    details: [
      "Writes every notification, read, write and advertisement to FILE, for all paired sensors or "
        + "those named by --sensor. It also records the position from gpsd. Use the file for a bug "
        + "report, with 'cyclo replay', or with 'cyclo decode'. FILE must not exist yet; - is standard "
        + "output. FILE is complete at any moment, even if the capture is interrupted.",
      "It runs until interrupted, or for --seconds. With --anonymous it replaces the addresses of "
        + "the sensors, also inside their data and names. Serial numbers, the position and any part of "
        + "a name that is not a known maker's are removed. --anonymous cannot be combined with --json, "
        + "which prints records unchanged.",
    ],
    arguments: [Argument("FILE", .file)], options: [.sensor, .seconds, .anonymous],
    examples: [
      Example("cyclo capture ride.capture", "until Ctrl-C"),
      Example("cyclo capture radar.capture --sensor varia -t 60 --anonymous", "one minute, safe to share"),
    ])

  static let replay = Verb(
    "replay", "Play a capture into a simulated daemon", group: .recordings,
    details: [
      "The sensors of the capture are paired with the daemon and send the same data again, at the "
        + "recorded pace. This requires a daemon started with --simulate. It exits when everything has "
        + "been played. FILE can be - for standard input."
    ],
    arguments: [Argument("FILE", .file)], options: [.speed],
    examples: [
      Example("cyclo replay ride.capture", "while 'cyclo watch' runs in another terminal"),
      Example("cyclo replay ride.capture --speed 10", "six minutes in 36 seconds"),
    ])

  static let completions = Verb(
    "completions", "Generate shell completions", group: .about,
    details: [
      "'make install' and the packages install the completions already; use this for any other "
        + "place. Sensors, kinds and commands are completed from the running daemon."
    ],
    arguments: [Argument("SHELL", .oneOf(["bash", "zsh", "fish"]))],
    examples: [
      Example("cyclo completions bash > ~/.local/share/bash-completion/completions/cyclo", "for one user"),
      Example("cyclo completions zsh > ~/.zfunc/_cyclo", "in a directory of fpath"),
      Example("cyclo completions fish > ~/.config/fish/completions/cyclo.fish", "for one user"),
    ])

  static let complete = Verb(
    "complete", "Print completions for the last word, with descriptions", group: .about,
    details: [
      "One per line, with a tab between word and description. ':files' stands for file names. The "
        + "scripts of 'cyclo completions' use this; the output may change."
    ],
    arguments: [Argument("WORD", .text, required: false, repeated: true)],
    examples: [Example("cyclo complete -- watch --sensor po", "sensors whose ids start with po")], isHidden: true)
}
