// The manual pages say what the tables say, carry the release, and are clean.

import CommandTable
import Foundation
import Testing

struct ManPageTests {
  static let pages = ["cyclo.1", "cyclometerd.8", "cyclometer.conf.5", "cyclometer-protocol.7"]
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../man"

  /// The page's source with its dashes as they are printed.
  private func page(_ name: String) throws -> String {
    try String(contentsOfFile: Self.folder + "/" + name, encoding: .utf8).replacing("\\-", with: "-")
  }

  @Test func everyVerbAndOptionOfTheCommandIsThere() throws {
    let text = try page("cyclo.1")
    for verb in Program.cyclo.verbs {
      let lines = text.split(separator: "\n").filter { $0.hasPrefix(".B") }
      #expect(lines.contains { $0.split(separator: " ").dropFirst().first == verb.name[...] }, "\(verb.name)")
    }
    for option in Program.cyclo.options + Program.cyclo.verbs.flatMap(\.options) {
      #expect(text.contains("--\(option.name)"))
      if let short = option.short { #expect(text.contains("-\(short)")) }
    }
  }

  @Test func everyOptionOfTheDaemonIsThereAndNoOther() throws {
    let text = try page("cyclometerd.8")
    let options = text.split(separator: "\n").filter { $0.hasPrefix(".B") && $0.contains(" --") }
      .compactMap { line in line.split(whereSeparator: { " \"".contains($0) }).first { $0.hasPrefix("--") } }
      .filter { $0 != "--now" }
    #expect(options.map { $0.dropFirst(2) } == Program.cyclometerd.options.map { $0.name[...] })
  }

  @Test(arguments: pages)
  func pageCarriesTheRelease(name: String) throws {
    #expect(try page(name).split(separator: "\n").first?.contains("\"Cyclometer \(release)\"") == true)
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/man")), arguments: pages)
  func pageIsClean(name: String) throws {
    let process = Process()
    let complaint = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/man")
    process.arguments = ["--warnings", "-l", Self.folder + "/" + name]
    process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "80"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = complaint
    try process.run()
    let text = complaint.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(String(decoding: text, as: UTF8.self) == "")
    #expect(process.terminationStatus == 0)
  }
}
