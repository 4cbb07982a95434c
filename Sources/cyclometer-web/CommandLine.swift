// The command line of `cyclometer-web`. Options only locate things; behaviour is configured in a
// file.

import CommandTable
import Release

extension Option {
  static let config = Option(
    "config", .required(UserWord("FILE", .file)), "Read this file, then the files in web.conf.d next to it")
  static let socket = Option(
    "socket", .required(UserWord("SOCKET", .file)),
    "Use the daemon with this control socket (or set CYCLOMETER_SOCKET)")
  static let stateDirectory = Option(
    "state-dir", .required(UserWord("DIRECTORY", .file)), "Directory for layouts, settings and paired screens")
  static let runtimeDirectory = Option(
    "runtime-dir", .required(UserWord("DIRECTORY", .file)), "Directory for web.sock and front.sock")
  static let listen = Option(
    "listen", .required(UserWord("ADDRESS:PORT", .text)),
    "Also listen there, such as 127.0.0.1:8080, and print the address; with port 0, on any free port")
  static let page = Option(
    "page", .required(UserWord("DIRECTORY", .file)), "Directory of the page, instead of the configured one")
}

extension Program {
  static let web = Program(
    name: "cyclometer-web", release: Release.release,
    summary: "Serve the dashboard of the Cyclometer daemon to browsers",
    options: [.config, .socket, .stateDirectory, .runtimeDirectory, .listen, .page, .version, .help])
}
