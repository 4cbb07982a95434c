// `cyclo plugin install` and `remove` with the daemon as it is built.

import Foundation
import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct PluginInstallTests {
  private let folder: TemporaryFolder
  private var sensors: String { folder.file("sensors.d") }
  private static let text = """
    [Sensor]
    Format = 1
    Id = example_lamp
    Title = Lamp
    Service = 1234
    [Packet state]
    Notify = 1234 5678
    level = u8
    [Sample lamp]
    level_pct = level
    [Command light]
    Summary = Turn it on
    Write = 1234 5679: 01

    """

  init() throws { folder = try TemporaryFolder() }

  private func write(_ name: String, _ text: String = text) throws -> String {
    let path = folder.file(name)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private func run(_ words: String..., socket: String) throws -> Outcome {
    try RunningCyclo(["plugin"] + words + ["--to", sensors], socket: socket).finish()
  }

  @Test("install copies a file, and the daemon uses it at once; remove takes it away")
  func installAndRemove() throws {
    let daemon = try RealDaemon(["--simulate", "--sensors", sensors])
    let socket = daemon.controlSocket
    let installed = try run("install", try write("lamp.sensor"), socket: socket)
    #expect(installed.status == 0, "\(installed.complaint)")
    #expect(
      installed.lines == [
        "Installed \(sensors)/lamp.sensor.", "It can write command light: 1234 5679: 01",
        "The daemon uses it: example_lamp, Lamp.",
      ])
    #expect(try String(contentsOfFile: sensors + "/lamp.sensor", encoding: .utf8) == Self.text)
    let updated = try run("install", "--json", try write("lamp.sensor"), socket: socket)
    let object = try JSONValue.parse(updated.output)
    #expect(object["daemon"]?.text == "used")
    #expect(object["plugin"]?["id"]?.text == "example_lamp")
    let other = try run("install", try write("other.sensor"), socket: socket)
    #expect(other.status == 1)
    #expect(other.output == "\(folder.file("other.sensor")):3: Id = example_lamp: lamp.sensor has this id\n")
    let removed = try run("remove", "example_lamp", socket: socket)
    #expect(removed.lines == ["Removed \(sensors)/lamp.sensor.", "The daemon does not use it."])
    #expect(!FileManager.default.fileExists(atPath: sensors + "/lamp.sensor"))
    #expect(try run("remove", "lamp", socket: socket).status == 1)
    #expect(daemon.stop() == 0)
  }

  @Test("everyone can read an installed file, whatever the umask of its user is")
  func modes() throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = [
      "-c", "umask 077; exec \"$0\" --socket \"$1\" plugin install \"$2\" --to \"$3\"", productFolder + "/cyclo",
      folder.file("none.sock"), try write("lamp.sensor"), folder.file("new/sensors.d"),
    ]
    shell.standardOutput = FileHandle.nullDevice
    try shell.run()
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 0)
    for (path, mode) in [("new", 0o755), ("new/sensors.d", 0o755), ("new/sensors.d/lamp.sensor", 0o644)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(path))
      #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
    }
  }

  @Test("a file with problems, or with another ending, is not installed")
  func refusal() throws {
    let socket = folder.file("none.sock")
    let broken = try write("lamp.sensor", Self.text.replacing("u8", with: "u9"))
    #expect(try run("install", broken, socket: socket).output.hasPrefix("\(broken):8: level: "))
    #expect(try run("install", try write("lamp.txt"), socket: socket).status == 1)
    #expect(!FileManager.default.fileExists(atPath: sensors))
  }

  @Test("a file that is neither used nor listed is not said to be one of too many")
  func omittedBeyondReply() throws {
    let others = folder.file("others.d")
    try FileManager.default.createDirectory(atPath: others, withIntermediateDirectories: true)
    for number in 100..<300 { try Data("x\n".utf8).write(to: URL(filePath: "\(others)/a\(number).sensor")) }
    let daemon = try RealDaemon(["--simulate", "--sensors", others])
    let outcome = try run("install", try write("lamp.sensor"), socket: daemon.controlSocket)
    #expect(outcome.status == 1)
    #expect(
      outcome.lines.suffix(2) == [
        "\(sensors)/lamp.sensor: the daemon does not use it, and left out more files than it lists.",
        "Its log has the reason, unless it does not read \(sensors). Run: journalctl -u cyclometerd",
      ])
    let list = try RunningCyclo(["plugin", "list"], socket: daemon.controlSocket).finish()
    #expect(list.lines.last == "72 more files left out. The log of the daemon has the reasons")
    #expect(daemon.stop() == 0)
  }

  @Test("without a daemon, the file is installed for its start")
  func noDaemon() throws {
    let outcome = try run("install", try write("lamp.sensor"), socket: folder.file("none.sock"))
    #expect(outcome.status == 0)
    #expect(outcome.lines.last == "The daemon is not running. It reads the folder when it starts.")
  }

  @Test(
    "without permission, the command for sudo is printed",
    .enabled(if: getuid() != 0, "root may write everywhere"))
  func noPermission() throws {
    try FileManager.default.createDirectory(
      atPath: sensors, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o555])
    let path = try write("lamp.sensor")
    let outcome = try run("install", path, socket: folder.file("none.sock"))
    #expect(outcome.status == 8)
    #expect(outcome.complaint.hasSuffix("  sudo cyclo plugin install \(path) --to \(sensors)\n"))
  }
}
