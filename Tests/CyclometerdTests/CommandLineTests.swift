// The daemon's command line and configuration: output, errors and exit status.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct CommandLineTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func write(_ content: String, to name: String) throws {
    try write(Data(content.utf8), to: name)
  }

  private func write(_ content: Data, to name: String) throws {
    let path = folder.file(name)
    let parent = (path as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    try content.write(to: URL(fileURLWithPath: path))
  }

  private func run(_ arguments: String...) throws -> (status: Int32, output: String, complaint: String) {
    let process = Process()
    let (output, complaint) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: productFolder + "/cyclometerd")
    process.arguments = arguments
    (process.standardOutput, process.standardError) = (output, complaint)
    try withSignalsUnblocked { try process.run() }
    let said = output.fileHandleForReading.readDataToEndOfFile()
    let complained = complaint.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: said, as: UTF8.self), String(decoding: complained, as: UTF8.self)
    )
  }

  @Test("--help and --version print to standard output")
  func helpAndVersion() throws {
    let help = try run("--help")
    #expect(help.status == 0 && help.complaint == "")
    for option in ["--config", "--state-dir", "--runtime-dir", "--simulate", "--version", "--help"] {
      #expect(help.output.contains(option))
    }
    let version = try run("--version")
    #expect(version.status == 0 && version.complaint == "")
    #expect(version.output.hasPrefix("cyclometerd ") && version.output.hasSuffix("\n"))
  }

  @Test(
    "a usage error exits with status 2 and points to --help",
    arguments: [["--bogus"], ["ride"], ["--config"], ["--version=1"], ["-x"]])
  func usage(arguments: [String]) throws {
    let end = try RealDaemon.end(arguments)
    #expect(end.status == 2)
    #expect(end.diagnostics.contains("cyclometerd --help"))
  }

  @Test("a folder that other users can write to is refused, with a fix", arguments: ["--runtime-dir", "--state-dir"])
  func exposedFolder(option: String) throws {
    let path = folder.file("exposed")
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o777])
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
    let other = option == "--runtime-dir" ? "--state-dir" : "--runtime-dir"
    let outcome = try run("--simulate", option, path, other, folder.file("own"))
    #expect(outcome.status == 1)
    #expect(outcome.complaint.contains("other users may write to \(path) (mode 777)"))
    #expect(outcome.complaint.contains("chmod go-w") && outcome.complaint.contains(option))
  }

  @Test("start errors contain no control or direction characters")
  func cleanStartErrors() throws {
    try write("[Ride]\nAutoPauseSpeed=\u{1b}[2J\u{202e}\u{2028}\n", to: "bad.conf")
    let messages = [
      try run("--config", folder.file("bad.conf")).complaint,
      try run("--simulate", "\u{1b}[2J\u{9b}x\u{202e}").complaint,
      try run("--bogus\u{1b}[2J\u{202e}").complaint, try run("ride\u{1b}[2J\n\u{2029}").complaint,
    ]
    for message in messages {
      #expect(message.contains("\u{FFFD}"), "\(message.debugDescription)")
      let marks: Set<Unicode.Scalar> = ["\u{1b}", "\u{9b}", "\u{202e}", "\u{2028}", "\u{2029}"]
      #expect(!message.unicodeScalars.contains { marks.contains($0) }, "\(message.debugDescription)")
    }
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    let what: String
    let content: String
    let line: Int
    let expected: String
    var testDescription: String { what }
  }

  @Test(
    "a configuration error names file, line and the expected value",
    arguments: [
      Mistake(
        what: "unknown section", content: "\n[Radio]\nPower=1\n", line: 2,
        expected: "[Daemon], [Sockets], [Bluetooth], [Ride] and [Position]"
      ),
      Mistake(
        what: "empty unknown section", content: "[Sockts]\n", line: 1,
        expected: "[Daemon], [Sockets], [Bluetooth], [Ride] and [Position]"),
      Mistake(what: "unknown key", content: "[Sockets]\n# x\nAccess=group\n", line: 3, expected: "MetricsAccess"),
      Mistake(
        what: "bad word", content: "[Daemon]\nLogLevel=loud\n", line: 2, expected: "error, warning, info or debug"),
      Mistake(
        what: "empty value", content: "[Daemon]\nLogLevel=\n", line: 2, expected: "error, warning, info or debug"),
      Mistake(what: "bad flag", content: "[Bluetooth]\nPowerOn=maybe\n", line: 2, expected: "yes or no"),
      Mistake(what: "bad address", content: "[Bluetooth]\nAdapter=hci0\n", line: 2, expected: "00:11:22:33:44:55"),
      Mistake(what: "no section", content: "LogLevel=info\n", line: 1, expected: "a key must be in a section"),
      Mistake(what: "no key", content: "[Daemon]\nLogLevel\n", line: 2, expected: "Key=value"),
      Mistake(what: "open section", content: "[Daemon\nLogLevel=info\n", line: 1, expected: "[Section]"),
      Mistake(
        what: "gpsd elsewhere", content: "[Position]\nGPSD=192.168.1.7:2947\n", line: 2, expected: "localhost:PORT"),
      Mistake(what: "no port", content: "[Position]\nGPSD=localhost:0\n", line: 2, expected: "localhost:PORT"),
      Mistake(what: "no gpsd", content: "[Position]\n\nGPSD=\n", line: 3, expected: "or none"),
      Mistake(
        what: "long path", content: "[Position]\nGPSD=/\(String(repeating: "x", count: 107))\n", line: 2,
        expected: "the path of a Unix socket"),
      Mistake(what: "unknown key of position", content: "[Position]\nPort=2947\n", line: 2, expected: "the keys GPSD"),
      Mistake(what: "zero byte", content: "[Daemon]\n\0\n", line: 2, expected: "text"),
      Mistake(
        what: "long line", content: "[Daemon]\nLogLevel=\(String(repeating: "x", count: 300))\n", line: 2,
        expected: "at most 198 bytes"),
    ])
  func configurationErrors(mistake: Mistake) throws {
    try write(mistake.content, to: "cyclometer.conf")
    let path = folder.file("cyclometer.conf")
    let end = try RealDaemon.end(["--simulate", "--config", path], in: folder)
    #expect(end.status == 78)
    #expect(end.diagnostics.hasPrefix("cyclometerd: \(path):\(mistake.line): "), "\(end.diagnostics)")
    #expect(end.diagnostics.contains(mistake.expected), "\(end.diagnostics)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("run")))
  }

  @Test("a binary file is refused as a configuration")
  func binaryFile() throws {
    try write(Data([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0xff]), to: "c")
    let end = try RealDaemon.end(["--config", folder.file("c")])
    #expect(end.status == 78)
    #expect(end.diagnostics.contains("\(folder.file("c")):1: "))
  }

  @Test("a missing configuration file is logged, and the defaults apply")
  func missingFile() throws {
    let daemon = try RealDaemon(["--simulate", "--config", folder.file("nowhere.conf")], in: folder)
    #expect(daemon.stop() == 0)
    #expect(daemon.diagnostics.contains("\(folder.file("nowhere.conf")) does not exist"))
  }

  @Test("without a configuration file the defaults apply")
  func defaults() throws {
    #expect(try RealDaemon().stop() == 0)
  }

  @Test("drop-ins are read in order after the file, and the last value wins")
  func dropIns() throws {
    try write("[Sockets]\nMetricsAccess=group\n[Daemon]\nLogLevel=debug\n", to: "cyclometer.conf")
    try write("[Sockets]\nMetricsAccess=group\n", to: "conf.d/10-group.conf")
    try write("[Sockets]\nMetricsAccess=everyone\n", to: "conf.d/90-everyone.conf")
    try write("no configuration at all", to: "conf.d/README")
    let daemon = try RealDaemon(["--simulate", "--config", folder.file("cyclometer.conf")], in: folder)
    let mode = try FileManager.default.attributesOfItem(atPath: daemon.metricsSocket)[.posixPermissions] as? Int
    #expect(mode == 0o666)
    try write("[Sockets]\nNoSuchKey=1\n", to: "conf.d/95-wrong.conf")
    let end = try RealDaemon.end(["--simulate", "--config", folder.file("cyclometer.conf")])
    #expect(end.status == 78)
    #expect(end.diagnostics.contains("conf.d/95-wrong.conf:2: "))
  }

  @Test("an argument that is neither a scene nor a capture is a start error")
  func unknownScene() throws {
    try write("hello\n", to: "x.capture")
    for name in [folder.file("nowhere"), folder.file("x.capture")] {
      let end = try RealDaemon.end(["--simulate", name], in: folder)
      #expect(end.status == 1)
      #expect(end.diagnostics.contains(name))
    }
  }
}
