// The command line of `cyclometer-recorder`. Options only locate things; behaviour is configured in
// a file.

import CommandTable
import Release

extension Option {
  static let config = Option(
    "config", .required(UserWord("FILE", .file)), "Read this file, then the files in recorder.conf.d next to it")
  static let socket = Option(
    "socket", .required(UserWord("SOCKET", .file)),
    "Use the daemon with this control socket (or set CYCLOMETER_SOCKET)")
  static let stateDirectory = Option(
    "state-dir", .required(UserWord("DIRECTORY", .file)), "Directory for the logbook and the exports")
  static let runtimeDirectory = Option(
    "runtime-dir", .required(UserWord("DIRECTORY", .file)), "Directory for logbook.sock")
}

extension Program {
  static let recorder = Program(
    name: "cyclometer-recorder", release: Release.release,
    summary: "Record every ride of the Cyclometer daemon and serve the logbook",
    options: [.config, .socket, .stateDirectory, .runtimeDirectory, .version, .help])
}
