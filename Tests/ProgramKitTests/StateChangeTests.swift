// A change of several state files survives a power cut at any moment as a whole, or not at all.

import Foundation
import JSON
import Linux
import TestSupport
import Testing

@testable import ProgramKit

struct StateChangeTests {
  private let folder: TemporaryFolder
  private let names = ["a.json", "b.json", "c.json"]

  init() throws {
    folder = try TemporaryFolder()
    for name in names { try write(name, "old") }
  }

  private func file(_ name: String, _ change: StateChange? = nil) -> StateFile {
    StateFile(folder.file(name), version: 1, fallback: "", change: change, log: Log { _ in })
  }

  private func write(_ name: String, _ word: String, _ change: StateChange? = nil) throws {
    try file(name, change).save { $0.member("word", word) }
  }

  private func words() -> [String?] { names.map { file($0).load()?["word"]?.text } }

  private func start(_ log: @escaping (String) -> Void = { _ in }) -> StateChange {
    StateChange(in: folder.path, file: "change.json", log: Log(write: log))
  }

  /// The contents of change.json as a power cut after its first write leaves it.
  private func prepared() throws -> [UInt8] {
    let change = start()
    change.begin()
    for name in names { try write(name, "new", change) }
    #expect(words() == ["old", "old", "old"])
    try Files.createDirectory(folder.file("a.json.new"), mode: 0o700)
    #expect(throws: SystemError.self) { try change.commit() }
    try FileManager.default.removeItem(atPath: folder.file("a.json.new"))
    return try Files.read(folder.file("change.json"))
  }

  @Test("a change replaces all files and leaves nothing behind")
  func commit() throws {
    let change = start()
    change.begin()
    for name in names { try write(name, "new", change) }
    try change.commit()
    #expect(words() == ["new", "new", "new"])
    #expect(try Files.names(in: folder.path).sorted() == names)
    try write("a.json", "newer", change)
    #expect(words() == ["newer", "new", "new"])
  }

  @Test("a change that a power cut interrupts is completed by the next start", arguments: 0...3)
  func powerCut(replaced: Int) throws {
    let record = try prepared()
    for (index, name) in names.enumerated() { try write(name, index < replaced ? "new" : "old") }
    try Files.replace(folder.file("change.json"), with: record, mode: 0o600)
    var lines: [String] = []
    _ = start { lines.append($0) }
    #expect(words() == ["new", "new", "new"])
    #expect(lines == ["info: completed an interrupted change of the saved state (3 files)\n"])
    #expect(try Files.names(in: folder.path).sorted() == names)
  }

  @Test("a power cut before a change counts leaves every file as it was")
  func earlyCut() throws {
    let change = start()
    change.begin()
    for name in names { try write(name, "new", change) }
    try Files.replace(folder.file("change.json.new"), with: Array("{\"ver".utf8), mode: 0o600)
    _ = start()
    #expect(words() == ["old", "old", "old"])
  }

  @Test("a change that fails can be undone and does not come back at the next start")
  func abandoned() throws {
    let change = start()
    change.begin()
    for name in names { try write(name, "new", change) }
    try Files.createDirectory(folder.file("c.json.new"), mode: 0o700)
    #expect(throws: SystemError.self) { try change.commit() }
    #expect(words() == ["new", "new", "old"])
    change.begin()
    for name in names { try write(name, "old", change) }
    #expect(change.undo())
    _ = start()
    #expect(words() == ["old", "old", "old"])
  }

  @Test("a change that cannot be undone is made by the next start")
  func stuck() throws {
    let change = start()
    change.begin()
    for name in names { try write(name, "new", change) }
    try Files.createDirectory(folder.file("c.json.new"), mode: 0o700)
    #expect(throws: SystemError.self) { try change.commit() }
    try Files.createDirectory(folder.file("a.json.new"), mode: 0o700)
    change.begin()
    for name in names { try write(name, "old", change) }
    #expect(!change.undo())
    for name in ["a.json.new", "c.json.new"] { try FileManager.default.removeItem(atPath: folder.file(name)) }
    _ = start()
    #expect(words() == ["new", "new", "new"])
  }

  @Test(
    "a record that is damaged is ignored, and reported",
    arguments: [
      "", "{", "[]", #"{"version":2,"files":[]}"#, #"{"version":1}"#,
      #"{"version":1,"files":[{"name":"../a.json","content":"x"}]}"#,
      #"{"version":1,"files":[{"name":"a.json","content":"x"},{"name":"b.json"}]}"#,
    ])
  func damaged(_ record: String) throws {
    try Files.replace(folder.file("change.json"), with: Array(record.utf8), mode: 0o600)
    var lines: [String] = []
    _ = start { lines.append($0) }
    #expect(words() == ["old", "old", "old"])
    #expect(lines.count == 1 && lines[0].contains("is damaged or was written by a newer release"))
  }
}
