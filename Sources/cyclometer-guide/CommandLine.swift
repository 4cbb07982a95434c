// The command line of `cyclometer-guide`. Options only locate things; behaviour is configured in a
// file.

import CommandTable
import Release

extension Option {
  static let config = Option(
    "config", .required(UserWord("FILE", .file)), "Read this file, then the files in guide.conf.d next to it")
  static let socket = Option(
    "socket", .required(UserWord("SOCKET", .file)),
    "Use the daemon with this control socket (or set CYCLOMETER_SOCKET)")
  static let stateDirectory = Option(
    "state-dir", .required(UserWord("DIRECTORY", .file)), "Directory for what is followed")
  static let runtimeDirectory = Option(
    "runtime-dir", .required(UserWord("DIRECTORY", .file)), "Directory for guide.sock")
}

extension Program {
  static let guide = Program(
    name: "cyclometer-guide", release: Release.release,
    summary: "Follow routes of the logbook and coach the cadence",
    options: [.config, .socket, .stateDirectory, .runtimeDirectory, .version, .help])
}
