// `cyclo plugin run` with the daemon as it is built, and programs that do what they should or not.

import Foundation
import JSON
import Linux
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct PluginRunTests {
  private static let clients = URL(filePath: #filePath).deletingLastPathComponent().path + "/../../clients"
  private static let example = ["/usr/bin/python3", clients + "/python/example_plugin.py"]
  private static let file = clients + "/bottle.sensor"
  /// A packet, one with a wrong check, and again one that is right.
  private static let capture = """
    #cyclometer-capture 1
    device bottle address=A0:9E:1A:00:00:02 name=HB-0001 services=fff0
    0.0 bottle connected
    0.5 bottle notify fff1 02e803ceffdcfffb
    0.6 bottle notify fff1 02e803ceffdcff00
    0.7 bottle notify fff1 02e703cfffdffff6

    """
  /// Registers, and answers the first packet with the line in its argument, after that many seconds.
  private static let answering = """
    import json, os, socket, sys, time
    daemon = socket.socket(socket.AF_UNIX)
    daemon.connect(os.environ["CYCLOMETER_PLUGIN_SOCKET"])
    lines = daemon.makefile("rw")
    for line in lines:
        kind = json.loads(line)["class"]
        if kind == "hello":
            lines.write('{"class":"register","id":"bottle_process","plugin":"1.0"}\\n')
        elif kind == "packet":
            time.sleep(float(sys.argv[2]))
            lines.write(sys.argv[1] + "\\n")
        lines.flush()
    """

  private let folder: TemporaryFolder
  private let daemon: RealDaemon

  init() throws {
    folder = try TemporaryFolder()
    let sensors = folder.file("sensors.d")
    try FileManager.default.createDirectory(atPath: sensors, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Self.file, toPath: sensors + "/bottle.sensor")
    try Self.capture.write(toFile: folder.file("bottle.capture"), atomically: true, encoding: .utf8)
    daemon = try RealDaemon(["--simulate", folder.file("bottle.capture"), "--sensors", sensors])
  }

  private func start(_ words: [String], file: String = PluginRunTests.file) throws -> RunningCyclo {
    try RunningCyclo(
      ["plugin", "run", file, "--"] + words, socket: daemon.controlSocket, environment: ["TMPDIR": folder.path])
  }

  private func answer(_ line: String, after seconds: Double = 0) throws -> RunningCyclo {
    try start(["/usr/bin/python3", "-c", Self.answering, line, "\(seconds)"])
  }

  private var sockets: [String] {
    get throws { try Files.names(in: folder.path).filter { $0.hasSuffix(".sock") } }
  }

  @Test("every line is shown with what it led to, and Ctrl-C ends the program too")
  func linesAndInterrupt() throws {
    let running = try start(Self.example)
    let shown = running.waitForLine(containing: #"= {"class":"sample","sensor":"hb-0001-0002","kind":"drink","seq":2"#)
    let marks = [
      #"> {"class":"hello""#, #"< {"class":"register","id":"bottle_process""#, #"> {"class":"ready""#,
      #"> {"class":"packet","session":1,"packet":1"#, #"< {"class":"done","packet":1,"records":[{"sample":"drink""#,
      #"= {"class":"sample","sensor":"hb-0001-0002","kind":"drink","seq":1"#,
      #"< {"class":"done","packet":2,"refused":"not_this_protocol","at":7}"#,
      "! packet 2 is refused: not_this_protocol at byte 7",
    ]
    var rest = shown[...]
    for mark in marks {
      let found = try #require(rest.range(of: mark), "\(mark) does not come after that in: \(shown)")
      rest = rest[found.upperBound...]
    }
    #expect(try sockets.isEmpty)
    running.process.interrupt()
    let outcome = running.finish()
    #expect(outcome.status == 130)
    // Its standard output is that of the program too, so it has ended with it.
    #expect(
      outcome.complaint == "" || outcome.complaint.hasPrefix("example_plugin.py: the daemon closed the connection"))
  }

  @Test("with --json, each line is an object with its time")
  func json() throws {
    let running = try RunningCyclo(
      ["plugin", "run", "--json", Self.file, "--"] + Self.example, socket: daemon.controlSocket,
      environment: ["TMPDIR": folder.path])
    let shown = running.waitForLine(containing: #""published":{"class":"sample""#)
    running.process.terminate()
    #expect(running.finish().status == 130)
    let objects = try shown.split(separator: "\n").map { try JSONValue.parse(String($0)) }
    #expect(objects.allSatisfy { $0["t"]?.number != nil })
    #expect(objects.first?["to_program"]?["class"]?.text == "hello")
    #expect(objects.contains { $0["from_program"]?["class"]?.text == "done" })
  }

  @Test("a program that breaks the protocol is shown with the daemon's reason")
  func misbehaviour() throws {
    let outcome = try answer(#"{"class":"done","packet":7}"#).finish()
    #expect(outcome.status == 1)
    let reason = "bad_request: every packet is answered once, and in order"
    #expect(
      outcome.lines.contains { $0.hasSuffix("! the daemon disconnects the program: \(reason)") }, "\(outcome.output)")
    #expect(outcome.complaint == "cyclo: /usr/bin/python3: the daemon disconnected it: \(reason)\n")
  }

  @Test("a record that the file does not have is shown as a problem")
  func outsideOfFile() throws {
    let running = try answer(#"{"class":"done","packet":1,"records":[{"sample":"power","power_w":1}]}"#)
    let shown = running.waitForLine(containing: " ! ")
    #expect(shown.contains("! refused as out_of_range: the file does not have such a record"), "\(shown)")
    _ = running.finish()
  }

  @Test("a number that is too large is shown as a problem, and the program goes on")
  func hugeNumber() throws {
    let running = try answer(#"{"class":"done","packet":1,"records":[{"sample":"drink","level_ml":1e999}]}"#)
    let shown = running.waitForLine(containing: " ! ")
    #expect(shown.contains("! refused as out_of_range: ") && shown.contains("or a number is too large"), "\(shown)")
    #expect(!shown.contains("disconnects"))
    _ = running.finish()
  }

  @Test("a late answer is shown as a problem")
  func late() throws {
    let running = try answer(#"{"class":"done","packet":1}"#, after: 0.4)
    let shown = running.waitForLine(containing: " ! ")
    #expect(shown.contains("! the answer to packet 1 took "), "\(shown)")
    _ = running.finish()
  }

  @Test("a program that cannot be started, or that fails, is an error")
  func failingPrograms() throws {
    let missing = try start(["/nonexistent/program"]).finish()
    #expect(missing.status == 1)
    #expect(missing.complaint == "cyclo: cannot start /nonexistent/program: No such file or directory\n")
    let failed = try start(["false"]).finish()
    #expect(failed.status == 1)
    #expect(failed.complaint == "cyclo: false: exited with status 1\n")
    #expect(try sockets.isEmpty)
  }

  @Test("the daemon has to use the file, and the file has to be of a program")
  func files() throws {
    let changed = folder.file("changed.sensor")
    let text = try String(contentsOfFile: Self.file, encoding: .utf8)
    try (text + "\n").write(toFile: changed, atomically: true, encoding: .utf8)
    let different = try start(["true"], file: changed).finish()
    #expect(different.status == 1)
    #expect(different.complaint.contains("which differs from \(changed)\n"))
    try text.replacingOccurrences(of: "bottle_process", with: "other").write(
      toFile: changed, atomically: true, encoding: .utf8)
    let unknown = try start(["true"], file: changed).finish()
    #expect(unknown.complaint.hasPrefix("cyclo: the daemon does not use \(changed)\n"))
    let usage = try cyclo("plugin", "run", Self.file, socket: daemon.controlSocket)
    #expect(usage.status == 2)
    #expect(usage.complaint.hasPrefix("cyclo: 'run' needs a PROGRAM after '--'\n"))
  }
}
