// What the verbs take that change a sensor or record it, and the two that serve shells; the others are in CycloVerbs.swift.

extension Option {
  public static let anonymous = Option(
    "anonymous", .none, "Write made-up addresses and serial numbers, so that the file can be shown to anybody")
  public static let speed = Option(
    "speed", .required(Word("FACTOR", .factor)), "Play so many times as fast as it was recorded")
}

extension Verb {
  static let set = Verb(
    "set", "Change a setting of a sensor", group: .sensors,
    details: [
      howSensorsAreNamed,
      "SETTING is KEY=VALUE, and there may be several; KEY VALUE is taken too. KEY= takes the setting back. Without any, "
        + "the settings that there are, and what each is now, are shown.",
      "circumference is how far one turn of the wheel goes: speed needs it. role is where the sensor sits: front, rear, "
        + "left or right; of two pedals that are left and right the ride has the sum of their power. priority, from -100 "
        + "to 100, decides which of two sensors that say the same is believed. target_pressure is what a tire should have: you "
        + "are warned a tenth below and above it, and above 75 C, or where lowest_pressure, highest_pressure and "
        + "highest_temperature say. A length may have a unit (mm, cm, m, in; mm otherwise), and so may a pressure (Pa, kPa, "
        + "bar, psi; Pa otherwise) and a temperature (C, F; C otherwise).",
    ],
    arguments: [Argument("SENSOR", .sensor), Argument("SETTING", .setting, required: false, repeated: true)],
    examples: [
      Example("cyclo set speed-sensor circumference=2105mm", "a tire of 700x25C"),
      Example("cyclo set front-cap role=front target_pressure=5.5bar", "two at once"),
      Example("cyclo set speed-sensor circumference=", "as if it had never been set"),
    ])

  static let rename = Verb(
    "rename", "Give a sensor another name", group: .sensors,
    details: [howSensorsAreNamed, "Its id stays what it is, so scripts go on working."],
    arguments: [Argument("SENSOR", .sensor), Argument("NAME", .text)],
    examples: [Example("cyclo rename polar-h10-1a2b 'Red strap'", "of up to 64 characters")])

  static let disable = Verb(
    "disable", "Let a sensor go, and keep it paired", group: .sensors,
    details: [howSensorsAreNamed, "Until 'cyclo enable' it is not connected: another computer can have it meanwhile."],
    arguments: [Argument("SENSOR", .sensor)],
    examples: [Example("cyclo disable polar-h10-1a2b", "a watch wants the strap for today")])

  static let enable = Verb(
    "enable", "Connect a sensor again", group: .sensors,
    details: [
      howSensorsAreNamed,
      "It undoes 'cyclo disable'. A sensor that is in the state error is tried once more.",
    ],
    arguments: [Argument("SENSOR", .sensor)],
    examples: [Example("cyclo enable polar-h10-1a2b", "it is connected as soon as it is heard")])

  static let command = Verb(
    "command", "Ask a sensor to do something", group: .sensors,
    details: [
      howSensorsAreNamed,
      "Without COMMAND, what the sensor can be asked is listed, with what each takes. PARAMETER is NAME=NUMBER; a number "
        + "alone is the value of a command that takes one.",
      "The sensor answers within 30 seconds, or the exit status is 5. When its answer is a refusal, it is 1.",
    ],
    arguments: [
      Argument("SENSOR", .sensor), Argument("COMMAND", .command, required: false),
      Argument("PARAMETER", .parameter, required: false, repeated: true),
    ],
    examples: [
      Example("cyclo command assioma", "what can it be asked?"),
      Example("cyclo command assioma zero_offset", "the bike upright, nobody on the pedals"),
      Example("cyclo command kickr target_power 200", "hold 200 W"),
      Example("cyclo command kickr simulation grade_pct=4.5 wind_speed_mps=2", "a road"),
    ])

  static let capture = Verb(
    "capture", "Record what sensors send, byte for byte", group: .recordings,
    details: [
      "Writes every notification, read, write and advert of all paired sensors, with what gpsd says of the position, or of "
        + "those that --sensor names, to FILE: "
        + "for a bug report, for 'cyclo replay', or to see with 'cyclo decode' what is understood of it. FILE must not be "
        + "there yet; - is standard output. The file is whole at any moment.",
      "It goes on until interrupted, or for --seconds. With --anonymous the addresses of the sensors are made up, also "
        + "inside of what they send and of their names; serial numbers, what in a name is not known to be its maker's, and "
        + "where the ride was are left out. --json, which prints records as they are, cannot be had with it.",
    ],
    arguments: [Argument("FILE", .file)], options: [.sensor, .seconds, .anonymous],
    examples: [
      Example("cyclo capture ride.capture", "until Ctrl-C"),
      Example("cyclo capture radar.capture --sensor varia -t 60 --anonymous", "a minute, to be sent to somebody"),
    ])

  static let replay = Verb(
    "replay", "Play a capture into a simulated daemon", group: .recordings,
    details: [
      "The sensors of the capture are paired with the daemon, and say again what they said, as fast as they did. Only a "
        + "daemon that was started with --simulate takes that. It ends when all was played. FILE may be - for standard input."
    ],
    arguments: [Argument("FILE", .file)], options: [.speed],
    examples: [
      Example("cyclo replay ride.capture", "while another terminal has 'cyclo watch'"),
      Example("cyclo replay ride.capture --speed 10", "six minutes of it in 36 seconds"),
    ])

  static let completions = Verb(
    "completions", "Print what makes a shell complete cyclo's words", group: .about,
    details: [
      "'make install' and the packages put it where the shell finds it; this is for another place. Sensors, kinds and "
        + "commands are asked of the daemon at that moment."
    ],
    arguments: [Argument("SHELL", .oneOf(["bash", "zsh", "fish"]))],
    examples: [
      Example("cyclo completions bash > ~/.local/share/bash-completion/completions/cyclo", "for one user"),
      Example("cyclo completions zsh > ~/.zfunc/_cyclo", "a folder of fpath"),
      Example("cyclo completions fish > ~/.config/fish/completions/cyclo.fish", "for one user"),
    ])

  static let complete = Verb(
    "complete", "Print what the last word could be, each with its meaning", group: .about,
    details: [
      "A line for each, with a tab between the two. ':files' means files. For the scripts of 'cyclo completions'; what "
        + "it prints may change."
    ],
    arguments: [Argument("WORD", .text, required: false, repeated: true)],
    examples: [Example("cyclo complete -- watch --sensor po", "the sensors whose ids begin so")], isHidden: true)
}
