// Configuration files: what is read, and the errors, which name file, line and what was expected.

import Linux
import ProgramKit
import TestSupport
import Testing

private struct Kitchen: Configuration, Equatable {
  var logLevel = LogLevel.info
  var isOpen = false
  var heat = 180.0
  var timer: Double?

  static let keys: [ConfigurationKey<Kitchen>] = [
    .flag("Door", "Open") { $0.isOpen = $1 },
    .number("Oven", "Heat", 50...250, "degrees") { $0.heat = $1 },
    .numberOrNone("Oven", "Timer", 0.5...90, "minutes") { $0.timer = $1 },
    ConfigurationKey("Log", "Level", "error, warning, info or debug", { LogLevel($0) }) { $0.logLevel = $1 },
  ]
}

struct ConfigurationFileTests {
  private func load(_ text: String) throws -> Kitchen {
    let folder = try TemporaryFolder()
    try Files.replace(folder.file("kitchen.conf"), with: Array(text.utf8), mode: 0o600)
    return try Kitchen.load(folder.file("kitchen.conf"))
  }

  @Test("values of all types are read, and drop-ins replace them in alphabetical order")
  func values() throws {
    let folder = try TemporaryFolder()
    try Files.createDirectory(folder.file("conf.d"), mode: 0o700)
    for (name, text) in [
      ("kitchen.conf", "[Door]\nOpen=yes\n[Oven]\nHeat = 200 ; warm\nTimer=12.5\n"),
      ("conf.d/10.conf", "# late\n[Oven]\nTimer=none\n[Log]\nLevel=debug\n"), ("conf.d/20.conf", "[Oven]\nHeat=90\n"),
      ("conf.d/30.txt", "[Oven]\nHeat=60\n"),
    ] {
      try Files.replace(folder.file(name), with: Array(text.utf8), mode: 0o600)
    }
    let kitchen = try Kitchen.load(folder.file("kitchen.conf"))
    #expect(kitchen == Kitchen(logLevel: .debug, isOpen: true, heat: 90, timer: nil))
    #expect(try Kitchen.load(folder.file("none.conf")).heat == 90)
  }

  @Test(
    "an error names its line and what was expected",
    arguments: [
      ("Open=yes\n", 1, "Open=yes: a key must be in a section: [Door], [Oven] or [Log]"),
      ("[Door]\nOpen=ajar\n", 2, "Open=ajar: Open must be yes or no"),
      ("[Oven]\n\nHeat=300\n", 3, "Heat=300: Heat must be 50 to 250 (degrees)"),
      ("[Oven]\nTimer=0\n", 2, "Timer=0: Timer must be none, or 0.5 to 90 (minutes)"),
      ("[Oven]\nLight=on\n", 2, "Light=on: [Oven] has the keys Heat, Timer"),
      ("[Fridge]\n", 1, "[Fridge]: the sections are [Door], [Oven] and [Log]"),
      ("[Door]\nOpen\n", 2, "expected [Section] or Key=value"),
      ("[Door]\nOpen=\0yes\n", 2, "expected text, not a zero byte"),
      ("[Door\nOpen=yes\n", 1, "expected [Section] or Key=value"),
      (" Open\n", 1, "expected [Section] or Key=value"), ("[]\n", 1, "[]: the sections are [Door], [Oven] and [Log]"),
    ])
  func errors(_ row: (text: String, line: Int, problem: String)) throws {
    let refusal = #expect(throws: ConfigurationError.self) { try load(row.text) }
    #expect(refusal?.line == row.line)
    #expect(refusal?.problem == row.problem)
  }

  @Test("a byte-order mark, indentation, other encodings and text after a header are accepted")
  func leniency() throws {
    #expect(try load("\u{feff}[Oven] of brick\n Heat=200\r\n").heat == 200)
    let folder = try TemporaryFolder()
    let text =
      Array("[Door] ; ".utf8) + [0xe4] + Array("\nOpen=yes\n[Oven] ; ".utf8) + [0xe4] + Array("\nHeat=99\n".utf8)
    try Files.replace(folder.file("kitchen.conf"), with: text, mode: 0o600)
    #expect(try Kitchen.load(folder.file("kitchen.conf")) == Kitchen(isOpen: true, heat: 99))
  }

  /// An unreadable file must not count as missing, because then all defaults would apply.
  @Test("an unreadable file is an error that names it", arguments: ["cyclometer.conf", "conf.d/10-mine.conf"])
  func unreadableFile(_ name: String) throws {
    let folder = try TemporaryFolder()
    try Files.createDirectory(folder.file("conf.d"), mode: 0o700)
    try Files.createDirectory(folder.file(name), mode: 0o700)
    let refusal = #expect(throws: ConfigurationError.self) { try Kitchen.load(folder.file("cyclometer.conf")) }
    #expect(refusal?.file == folder.file(name) && refusal?.line == 0 && refusal?.problem.isEmpty == false)
  }

  @Test("conf.d that is not a folder is an error that names it")
  func notAFolder() throws {
    let folder = try TemporaryFolder()
    try Files.replace(folder.file("conf.d"), with: [], mode: 0o600)
    let refusal = #expect(throws: ConfigurationError.self) { try Kitchen.load(folder.file("cyclometer.conf")) }
    #expect(refusal?.file == folder.file("conf.d") && refusal?.line == 0 && refusal?.problem.isEmpty == false)
  }
}
