// The roster's file: one with invalid entries is set aside once, and an unreadable one is never
// overwritten.

import Linux
import ProgramKit
import Radio
import TestSupport
import Testing

@testable import DaemonCore

struct RosterTests {
  let folder: TemporaryFolder
  let book = LogBook()
  let strap: PairedSensor

  init() throws {
    folder = try TemporaryFolder()
    strap = PairedSensor(id: "strap-0001", address: .strap, name: "Strap", plugins: [])
  }

  private func open() -> Roster {
    Roster(folder: folder.path, log: Log { [book] in book.lines.append($0) })
  }

  private func write(_ entries: String...) throws {
    let text = #"{"version":1,"sensors":[\#(entries.joined(separator: ","))]}"#
    try Files.replace(folder.file("roster.json"), with: Array(text.utf8), mode: 0o600)
  }

  private func entry(_ id: String, _ address: String) -> String { #"{"id":"\#(id)","address":"\#(address)"}"# }

  @Test("a file with an invalid entry is set aside once")
  func fileWithInvalidEntrySetAside() throws {
    try write(entry("good-1", "00:00:00:00:00:01"), "7")
    #expect(open().sensors.map(\.id) == ["good-1"])
    #expect(open().sensors.map(\.id) == ["good-1"])
    #expect(book.lines.count == 1)
    #expect(try Files.names(in: folder.path) == ["roster.json", "roster.json.damaged-1"])
  }

  @Test("duplicate and invalid entries are dropped and logged")
  func invalidEntries() throws {
    let good = entry("good-1", "00:00:00:00:00:01")
    let bad = [
      ("an address seen before", entry("other", "00:00:00:00:00:01")),
      ("an id seen before", entry("good-1", "00:00:00:00:00:02")), ("ride", entry("ride", "00:00:00:00:00:02")),
      ("gps", entry("gps", "00:00:00:00:00:02")),
      ("no id", entry("", "00:00:00:00:00:02")), ("upper case", entry("Good", "00:00:00:00:00:02")),
      ("a space", entry("a b", "00:00:00:00:00:02")), ("a letter beyond ASCII", entry("é", "00:00:00:00:00:02")),
    ]
    for (name, line) in bad {
      book.lines = []
      try write(good, line)
      #expect(open().sensors.map(\.id) == ["good-1"], "\(name)")
      #expect(book.lines.count == 1, "\(name)")
    }
  }

  @Test("an unreadable roster is never overwritten")
  func unreadable() throws {
    // A folder in place of the file makes reading fail even for root.
    let path = folder.file("roster.json")
    try Files.createDirectory(path, mode: 0o700)
    let roster = open()
    #expect(roster.wasFound && book.lines.count == 1)
    try Files.rename(path, to: folder.file("gone"))
    #expect(throws: SystemError.self) { try roster.put(strap) }
    #expect(throws: SystemError.self) { try roster.remove("strap-0001") }
    #expect(roster.sensors.isEmpty && !Files.exists(path))
  }

  @Test("a new sensor never replaces another one")
  func idConflict() throws {
    let roster = open()
    #expect(!roster.wasFound)
    try roster.put(strap)
    let other = PairedSensor(
      id: strap.id, address: try #require(DeviceAddress("00:00:00:00:00:02")), name: "Other", plugins: [])
    #expect(throws: SystemError.self) { try roster.put(other) }
    #expect(roster.sensors == [strap] && open().sensors == [strap])
    var renamed = strap
    renamed.name = "Mine"
    try roster.put(renamed)
    #expect(open().sensors == [renamed])
  }
}
