// The command line of `cyclometerd`. Options only locate things; behaviour is configured in a file.

import CommandTable
import Release

extension Option {
  static let config = Option(
    "config", .required(UserWord("FILE", .file)), "Read this file, then the files in conf.d next to it")
  static let stateDirectory = Option(
    "state-dir", .required(UserWord("DIRECTORY", .file)), "Directory for saved state (paired sensors and settings)")
  static let runtimeDirectory = Option(
    "runtime-dir", .required(UserWord("DIRECTORY", .file)), "Directory for the sockets")
  static let sensors = Option(
    "sensors", .required(UserWord("DIRECTORY", .file)),
    "Directory with the files of sensors, instead of those in /etc and /usr/share")
  static let simulate = Option(
    "simulate", .optional(UserWord("SCENE", .file)),
    "Play a scene (ride: a strap; bike: a whole bike) or a capture instead of using Bluetooth")
}

extension Program {
  static let cyclometerd = Program(
    name: "cyclometerd", release: Release.release,
    summary: "Keep the Bluetooth sensors of a bike connected and stream their data to any program",
    options: [.config, .stateDirectory, .runtimeDirectory, .sensors, .simulate, .version, .help])
}
