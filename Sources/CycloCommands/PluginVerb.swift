// The verb `plugin`: its actions and options.

public import CommandTable

/// What `cyclo plugin` can do.
public enum PluginAction: String, CaseIterable, Sendable {
  case list, show, check, new, install, remove, run
}

extension Option {
  public static let sensors = Option(
    "sensors", .required(UserWord("DIRECTORY", .file)), "Also use the sensors that the files in DIRECTORY declare")
  public static let expected = Option(
    "expected", .required(UserWord("EXPECTED", .file)), "Compare the records of CAPTURE with those in EXPECTED")
  public static let triedCommand = Option(
    "command", .required(UserWord("NAME", .text)), "Print what the command NAME of the file writes")
  public static let fromDevice = Option(
    "from", .required(UserWord("ADDRESS", .text)),
    "Make the new file from what the device with this ADDRESS sends")
  public static let fromCapture = Option(
    "from-capture", .required(UserWord("CAPTURE", .file)), "Make the new file from the packets in CAPTURE")
  public static let captureDevice = Option(
    "device", .required(UserWord("DEVICE", .text)), "Of several devices in CAPTURE, use DEVICE")
  public static let sensorFolder = Option(
    "to", .required(UserWord("DIRECTORY", .file)), "Use DIRECTORY instead of /etc/cyclometer/sensors.d")
}

extension UserWord.Kind {
  /// What follows an action of `cyclo plugin`: files, or the name of a sensor's file.
  public static let pluginDetail = known(ProgramWord("pluginDetail"))
}

private let aboutCheck =
  "check FILE prints every error of the file with its line, and exits with status 1. For a file "
  + "without errors it prints what the file recognizes, receives, publishes and writes. check "
  + "FILE CAPTURE also decodes a capture with this file and no other plugin. A refused packet "
  + "is printed with the line of the file that refused it. With --expected, the records are compared "
  + "with those in EXPECTED, which 'cyclo decode --json' or 'cyclo plugin check --json' wrote, and the "
  + "first difference is shown. The exit status is then 1. With --command, check FILE [VALUE] prints the "
  + "bytes that a command of the file writes, with the value if it takes one. Nothing is sent."

private let aboutRun =
  "run FILE -- PROGRAM ARG... starts a program that decodes for FILE, and shows each line with its "
  + "time: > is from the daemon, < from the program, = is what the daemon publishes, and ! says "
  + "what is wrong, such as a refused packet, a late answer or a record that the file does not "
  + "have. The daemon must use FILE. A simulated daemon admits programs of its own user. The "
  + "program gets the socket in the variable CYCLOMETER_PLUGIN_SOCKET. Ctrl-C ends both."

private let aboutNew =
  "new writes a first file for a sensor that nothing decodes yet. Each byte is a field, with a comment "
  + "about its values. You then give the fields their meaning. With --from, the daemon connects to the "
  + "device without pairing it, reads what can be read, and records for 30 seconds, or --seconds, what it "
  + "sends. The file lists all its characteristics, and the packets are written to a capture next to it. "
  + "Both are named after the device, or as -o says. 'cyclo scan --all' shows addresses. With "
  + "--from-capture, the file is made from a capture, and printed without -o. No file is overwritten."

extension Verb {
  static let plugin = Verb(
    "plugin", "List, check and install what decodes sensors", group: .sensors,
    details: [
      "A plugin recognizes sensors and decodes their data. Most are built in. A text file can teach "
        + "Cyclometer another sensor: cyclometer.sensor(5) describes the language. Files of packages "
        + "are in /usr/share/cyclometer/sensors.d, and yours in /etc/cyclometer/sensors.d.",
      "list shows the plugins of the daemon in their order, and the files that it left out, with the "
        + "reasons. show ID prints one: what it recognizes, reads, writes and publishes, and its "
        + "commands.",
      aboutCheck,
      aboutNew,
      "install FILE checks a file, copies it to /etc/cyclometer/sensors.d, has the daemon read its "
        + "files again, and reports what the daemon made of it. remove NAME deletes such a file. NAME "
        + "is the name of a file or the ID of its sensor. If the file belongs to a package, an empty "
        + "file in /etc switches it off instead. Both need root, and print the command for sudo "
        + "without it.",
      aboutRun,
    ],
    arguments: [
      Argument("ACTION", .oneOf(PluginAction.allCases.map(\.rawValue))),
      Argument("ID|FILE|NAME", .pluginDetail, required: false, repeated: true),
    ],
    options: [
      .expected, .triedCommand, .fromDevice, .fromCapture, .captureDevice, .output, .seconds, .sensorFolder,
    ],
    examples: [
      Example("cyclo plugin list", "what is loaded, from where, and what was left out"),
      Example("cyclo plugin show heart_rate", "what it reads from a strap"),
      Example("cyclo plugin check strap.sensor", "its errors, or what it does"),
      Example("cyclo plugin check strap.sensor ride.capture", "what it makes of recorded packets"),
      Example("cyclo plugin check lamp.sensor --command light 50", "the bytes that a command writes"),
      Example("cyclo plugin new --from A0:9E:1A:00:1A:2B", "a first file and a capture of a sensor nearby"),
      Example("cyclo plugin new --from-capture ride.capture -o strap.sensor", "a first file for a new sensor"),
      Example("cyclo plugin run bottle.sensor -- python3 bottle.py", "a program at work, line by line"),
      Example("cyclo plugin install strap.sensor", "use it from now on (as root)"),
    ])
}
