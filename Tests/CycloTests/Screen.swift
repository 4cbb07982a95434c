// `cyclo` on a real terminal of a given size (tmux's): what a person would see after typing. A screen
// can be compared with one that is checked in, Tests/Snapshots/NAME.txt.

import Foundation
import Linux
import TestSupport
import Testing
import Time

final class Screen {
  private let folder: String
  /// In the foreground: what makes itself a daemon would keep what it inherits, and be waited for.
  private let server: Process
  private var statusFile: String { folder + "/status" }

  /// Runs `cyclo` with these arguments. `environment` is added to that of a plain terminal with UTF-8.
  convenience init(
    _ arguments: [String], socket: String? = nil, columns: Int = 80, rows: Int = 24,
    environment: [String: String] = [:]
  ) throws {
    let words = [productFolder + "/cyclo"] + (socket.map { ["--socket", $0] } ?? []) + arguments
    try self.init(command: words, columns: columns, rows: rows, environment: environment)
  }

  /// Runs another program, such as a shell.
  init(command words: [String], columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]) throws {
    folder = NSTemporaryDirectory() + "screen-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let variables = programEnvironment.merging([
      "PATH": "\(productFolder):/usr/bin:/bin", "TZ": "UTC", "LC_ALL": "C.UTF-8", "TERM": "tmux-256color",
    ]) { $1 }.merging(environment) { $1 }
    let command =
      "env -i "
      + variables.sorted { $0.key < $1.key }.map { "\($0.key)=\(quoted($0.value))" }
      .joined(separator: " ") + " " + words.map(quoted).joined(separator: " ")
    server = Self.process(["-D", "-u", "-f", "/dev/null"], folder)
    try withSignalsUnblocked { try server.run() }
    let end = MonotonicTime.now + .seconds(10)
    while !FileManager.default.fileExists(atPath: folder + "/tmux"), MonotonicTime.now < end {
      Thread.sleep(forTimeInterval: 0.01)
    }
    // The pane stays after its command: the last screen is looked at too.
    try tmux(
      "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)",
      "sh", "-c",
      "stty sane; trap : INT QUIT; \(command); echo $? >\(statusFile).new; mv \(statusFile).new \(statusFile); sleep 60",
      ";",
      "set-option", "-g", "status", "off")
  }

  deinit {
    // Asked before it is killed: only what ends by itself says which lines it ran, and what a sanitizer found.
    if exitStatus(within: .zero) == nil, (try? press("C-c")) != nil { _ = exitStatus(within: .seconds(1)) }
    server.terminate()
    server.waitUntilExit()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Keys by tmux's names (`Up`, `Enter`, `C-c`); anything else is typed letter by letter.
  func press(_ keys: String...) throws {
    try tmux(["send-keys"] + keys)
  }

  func type(_ text: String) throws {
    try tmux("send-keys", "-l", text)
  }

  /// A line, as an answer.
  func enter(_ text: String) throws {
    try type(text)
    try press("Enter")
  }

  func resize(columns: Int, rows: Int) throws {
    try tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
  }

  /// What is on the screen now, without spaces at the ends of lines and without empty lines at its end.
  func text(coloured: Bool = false) throws -> String {
    var lines = try tmux(["capture-pane", "-p"] + (coloured ? ["-e"] : [])).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map { $0.replacing(/\ +$/, with: "") }
    while lines.last == "" { lines.removeLast() }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The first screen on which `isAwaited` is true.
  @discardableResult
  func wait(
    for what: String, within timeout: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation,
    _ isAwaited: (String) -> Bool
  ) throws -> String {
    let end = MonotonicTime.now + timeout
    while true {
      // On a busy machine a look at the screen can take longer than the timeout, so the last one begins after it.
      let isLast = MonotonicTime.now >= end
      let text = try text()
      if isAwaited(text) { return text }
      guard !isLast else {
        Issue.record("\(what) did not appear; the screen is\n\(text)", sourceLocation: sourceLocation)
        return text
      }
      Thread.sleep(forTimeInterval: 0.02)
    }
  }

  @discardableResult
  func wait(forText text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
    try wait(for: "'\(text)'", sourceLocation: sourceLocation) { $0.contains(text) }
  }

  /// The exit status, once the command has ended.
  func exitStatus(within timeout: Duration = .seconds(60)) -> Int? {
    let end = MonotonicTime.now + timeout
    while true {
      if let text = try? String(contentsOfFile: statusFile, encoding: .utf8) {
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
      }
      guard MonotonicTime.now < end else { return nil }
      Thread.sleep(forTimeInterval: 0.02)
    }
  }

  /// Holds the screen against the one that is checked in; it is given time to become that.
  func expect(snapshot name: String, coloured: Bool = false, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let expected = try? String(contentsOf: Snapshot.file(name), encoding: .utf8)
    let end = MonotonicTime.now + .seconds(10)
    while try text(coloured: coloured) != expected, MonotonicTime.now < end { Thread.sleep(forTimeInterval: 0.05) }
    try Snapshot.expect(lines(coloured), name, sourceLocation: sourceLocation)
  }

  private func lines(_ coloured: Bool) throws -> [String] {
    try text(coloured: coloured).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @discardableResult
  private func tmux(_ arguments: String...) throws -> String {
    try tmux(arguments)
  }

  @discardableResult
  private func tmux(_ arguments: [String]) throws -> String {
    let process = Self.process(arguments, folder)
    let output = Pipe()
    process.standardOutput = output
    try withSignalsUnblocked { try process.run() }
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self)
  }

  private static func process(_ arguments: [String], _ folder: String) -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/tmux")
    process.arguments = ["-S", folder + "/tmux"] + arguments
    process.environment = programEnvironment.merging(["LC_ALL": "C.UTF-8", "TERM": "tmux-256color"]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    return process
  }
}

private func quoted(_ text: String) -> String {
  "'" + text.replacing("'", with: "'\\''") + "'"
}
