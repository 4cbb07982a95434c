// The command line of `cyclometer-mqtt`. Options only locate things; behaviour is configured in a
// file.

import CommandTable
import Release

extension Option {
  static let config = Option(
    "config", .required(UserWord("FILE", .file)), "Read this file, then the files in mqtt.conf.d next to it")
  static let socket = Option(
    "socket", .required(UserWord("SOCKET", .file)),
    "Use the daemon with this control socket (or set CYCLOMETER_SOCKET)")
  static let stateDirectory = Option(
    "state-dir", .required(UserWord("DIRECTORY", .file)), "Directory for unsent records and the receiver's name")
  static let runtimeDirectory = Option(
    "runtime-dir", .required(UserWord("DIRECTORY", .file)), "Directory for mqtt.sock")
}

extension Program {
  static let bridge = Program(
    name: "cyclometer-mqtt", release: Release.release,
    summary: "Send samples and states to an MQTT broker",
    options: [.config, .socket, .stateDirectory, .runtimeDirectory, .version, .help])
}
