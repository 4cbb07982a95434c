// The manual pages say what the tables say, carry the release, and are clean.

import CommandTable
import CycloCommands
import Foundation
import Release
import Testing

@testable import cyclometerd
@testable import generate_pages

struct ManPageTests {
  static let pages = [
    "cyclo.1", "cyclometerd.8", "cyclometer.conf.5", "cyclometer-protocol.7", "cyclometer-web.8",
    "cyclometer-web.conf.5", "cyclometer.sensor.5",
  ]
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../man"

  /// The page's source with its dashes as they are printed.
  private func page(_ name: String) throws -> String {
    try String(contentsOfFile: Self.folder + "/" + name, encoding: .utf8).replacing("\\-", with: "-")
  }

  @Test("the generated sections of cyclo.1 are up to date")
  func generatedSections() throws {
    let text = try String(contentsOfFile: Self.folder + "/cyclo.1", encoding: .utf8)
    #expect(try ManualPage.updated(text) == text, "scripts/accept-pages updates the page")
  }

  @Test("every visible verb and its options are in cyclo.1")
  func verbsAndOptions() {
    let verbs = Program.cyclo.manualVerbs
    for verb in Program.cyclo.verbs {
      #expect(verbs.contains("\n.TP\n\\fB\(verb.name)\\fR") != verb.isHidden, "\(verb.name)")
      for option in verb.options {
        #expect(verbs.contains("\\fB\\-\\-\(option.name.replacing("-", with: "\\-"))\\fR"), "\(option.name)")
      }
    }
    let lines = (verbs + Program.cyclo.manualOptions).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 && $0.last != " " })
  }

  @Test("cyclometerd.8 lists exactly the daemon's options")
  func daemonOptions() throws {
    let text = try page("cyclometerd.8")
    let options = text.split(separator: "\n").filter { $0.hasPrefix(".B") && $0.contains(" --") }
      .compactMap { line in line.split(whereSeparator: { " \"".contains($0) }).first { $0.hasPrefix("--") } }
      .filter { $0 != "--now" }
    #expect(options.map { $0.dropFirst(2) } == Program.cyclometerd.options.map { $0.name[...] })
  }

  @Test("every manual page states the release", arguments: pages)
  func pageRelease(name: String) throws {
    #expect(try page(name).split(separator: "\n").first?.contains("\"Cyclometer \(release)\"") == true)
  }

  @Test(
    "man prints no warnings", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/man")),
    arguments: pages)
  func manWarnings(name: String) throws {
    try expectNoComplaint(["/usr/bin/man", "--warnings", "-l", Self.folder + "/" + name], saysIt: .standardError)
  }

  @Test(
    "mandoc prints no warnings", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/mandoc")),
    arguments: pages)
  func mandocWarnings(name: String) throws {
    try expectNoComplaint(["/usr/bin/mandoc", "-Tlint", Self.folder + "/" + name], saysIt: .standardOutput)
  }

  private enum Place { case standardOutput, standardError }

  private func expectNoComplaint(
    _ command: [String], saysIt place: Place, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let process = Process()
    let complaint = Pipe()
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "80"]
    process.standardOutput = place == .standardOutput ? complaint : FileHandle.nullDevice
    process.standardError = place == .standardError ? complaint : FileHandle.nullDevice
    try process.run()
    let text = complaint.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(String(decoding: text, as: UTF8.self) == "", sourceLocation: sourceLocation)
    #expect(process.terminationStatus == 0, sourceLocation: sourceLocation)
  }
}
